"""The meaning of the columns of a file: quantities, joints, units, time stamps."""
