"""What tests share: robots, oracles, strategies, helpers."""
