"""How small is zero: the tolerances of motions."""

# Times beyond an end by less, as a share of the duration, are at the end: sums of steps round.
SAME_TIME = 1e-12

# A duration, or a limit, missed by less than this share is met: roots and quotients round.
MET = 1e-9
