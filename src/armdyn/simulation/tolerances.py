"""Tolerances of the simulation."""

# Times that differ by less than this share of the run are equal: sums of steps have rounding.
SAME_TIME = 1e-12

# Gaps between the times of a table that differ by less than this share are equal. A time closer to
# an entry than this share of the smallest gap is at the entry. Times in files have about nine
# digits.
SAME_GAP = 1e-9

# Rounding error as a share of a torque or a speed: solving with the mass matrix loses some digits
# of a double.
ROUNDED = 1e-9
