"""Log files: readers and writers."""
