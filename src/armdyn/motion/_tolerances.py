"""Tolerances of motions."""

# Times beyond an end by less than this share of the duration are at the end: sums of steps have
# rounding.
SAME_TIME = 1e-12

# A duration or a limit missed by less than this share counts as met: roots and quotients have
# rounding.
MET = 1e-9
