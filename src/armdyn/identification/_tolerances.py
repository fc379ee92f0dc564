"""How small is zero, in identification. All are shares without a unit."""

TINY = 1e-300
"""The least divisor: keeps a division by a size that may be zero finite."""

RANK = 1e-9
"""Directions that the data show less than this, beside the best shown, are rounding."""

ROUNDING = 1e-12
"""A value this small beside the largest of its kind is zero but for rounding."""

DETERMINED = 1e-13
"""Eigenvalues of an information matrix (squares) below this share leave a parameter open."""
