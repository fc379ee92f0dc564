"""Loads at the tip."""
