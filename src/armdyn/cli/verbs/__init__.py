"""The verbs: one file each, with the function that runs it."""
