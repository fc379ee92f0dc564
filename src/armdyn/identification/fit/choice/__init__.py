"""Which terms of friction, rotors and tilt of gravity a fit has."""
