"""Torques from outside, by the momentum of the arm: the observer, its thresholds, its contacts."""
