"""From a log file to a `Log`: as a whole, or block by block."""
