"""How small is zero: the tolerances that all of the simulation shares."""

# Times that differ by less, as a share of the run, are one time: sums of steps round.
SAME_TIME = 1e-12

# Gaps of a table that differ by less, as a share, are equal; nearer to an entry of a table than
# this share of its smallest gap is at the entry. Times in files have about nine digits.
SAME_GAP = 1e-9

# The share of a torque, or of a speed, that rounding makes: solving with the mass matrix loses some
# digits of a double.
ROUNDED = 1e-9
