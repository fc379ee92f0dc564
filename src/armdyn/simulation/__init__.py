"""Simulation of one arm or thousands of arms under torques."""
