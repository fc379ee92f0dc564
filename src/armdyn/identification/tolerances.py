"""Tolerances of identification. All are dimensionless ratios."""

# Directions whose excitation, relative to the best one, is smaller are not distinguishable from
# rounding.
RANK = 1e-9

# A value this small relative to the largest of its kind is rounding.
ROUNDING = 1e-12

# A parameter is undetermined if an eigenvalue of the information matrix (a square), relative to the
# largest one, is smaller.
DETERMINED = 1e-13
