"""Log files: a table of formats, and a reader and a writer for each."""
