"""The machines to compile for: one file per family of processors."""
