"""Checked simulations, and how they are run: here, or in blocks on a cluster."""
