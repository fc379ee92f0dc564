"""The papers' numerical studies, run again: what reproduces, and what does not."""
