"""The page: an arm in one file, moved by its own programs in the browser."""
