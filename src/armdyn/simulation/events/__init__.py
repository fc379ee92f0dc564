"""Joints that stick or stop, limits that are passed, and zeros of functions."""
