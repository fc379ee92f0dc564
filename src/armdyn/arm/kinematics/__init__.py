"""Inverse kinematics and rotations."""
