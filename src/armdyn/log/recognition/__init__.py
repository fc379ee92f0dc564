"""What the columns of a log are: quantity, joint and unit, by names, by the caller, by numbers."""
