"""Misprints of the five papers, one file a paper, each with the computation that decides it."""
