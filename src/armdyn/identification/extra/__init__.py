"""Columns of the regression that a user supplies, and files of them."""
