"""How fast a path can be followed: time laws within the limits of drives, friction included."""
