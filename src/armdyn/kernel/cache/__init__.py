"""Object code and traced programs on disk: keys, entries, eviction."""
