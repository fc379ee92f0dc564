"""Torque constants of the drives."""
