"""Motions that give the most information about an arm's parameters, within its limits."""
