"""Logs as filtered, decimated rows of a regression."""
