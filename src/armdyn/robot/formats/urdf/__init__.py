"""URDF, the format robot makers publish: read as serial arms, written from them."""
