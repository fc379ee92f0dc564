"""The health of recordings: faults of clocks, channels, units, signs and order of joints."""
