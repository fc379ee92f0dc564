"""Explanations that a model lacks: their terms, and their tests on blocks of time."""
