"""Tolerances of identification. All are dimensionless ratios."""

RANK = 1e-9
"""Directions whose excitation, relative to the best one, is below this are rounding."""

ROUNDING = 1e-12
"""A value this small relative to the largest of its kind is rounding."""

DETERMINED = 1e-13
"""A parameter is undetermined if an eigenvalue of the information matrix (a square) is below this
share."""
