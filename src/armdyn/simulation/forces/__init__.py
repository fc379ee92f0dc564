"""What acts on joints besides weight and friction: drives, a wrench at the tip, springs."""
