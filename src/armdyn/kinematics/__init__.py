"""Inverse kinematics: closed-form families, their solver, and a search for all other arms."""
