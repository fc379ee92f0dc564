"""Minimal parameters: what torques can tell about the masses and inertias of an arm."""
