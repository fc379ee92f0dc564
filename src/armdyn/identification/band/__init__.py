"""The band of frequencies in which a model can explain the torques, and their delay."""
