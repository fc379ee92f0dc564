"""What the columns of a file mean: quantities, joints, units, time stamps."""
