"""Closed forms of small arms: SymPy matrices with masses, lengths and inertias as symbols."""
