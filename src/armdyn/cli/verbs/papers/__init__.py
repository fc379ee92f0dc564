"""Verbs about the papers that armdyn follows."""
