"""Verbs about motions."""
