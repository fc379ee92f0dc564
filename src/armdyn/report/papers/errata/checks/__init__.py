"""Computations that decide errata: printed and corrected forms beside independent answers."""
