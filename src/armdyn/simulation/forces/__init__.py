"""Forces on joints other than gravity and friction: drives, a wrench at the tip, springs."""
