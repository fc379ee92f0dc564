"""Loads at the tip of an arm, and drive gains from a known load."""
