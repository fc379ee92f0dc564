"""Programs that sweep along the joints: traced once, run for every joint."""
