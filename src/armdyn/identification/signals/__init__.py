"""Signals of a regression: trimmed, filtered and decimated logs, and the band that they use."""
