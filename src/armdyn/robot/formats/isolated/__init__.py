"""Parsers of untrusted files, run in a confined process that may crash, hang or be taken over."""
