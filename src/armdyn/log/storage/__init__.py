"""Rows of columns, in memory or in scratch files, read slice by slice."""
