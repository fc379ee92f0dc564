"""Joints at rest, stops, springs, limits, and zeros of functions."""
