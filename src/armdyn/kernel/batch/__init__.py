"""Many states: the loop over them, the finite check, streaming stores, threads."""
