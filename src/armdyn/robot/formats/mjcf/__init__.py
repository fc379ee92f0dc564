"""MJCF, MuJoCo's format: read as serial arms, written from them."""
