"""Verbs for looking at an arm."""
