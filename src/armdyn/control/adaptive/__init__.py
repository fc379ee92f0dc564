"""Adaptive control: the law as a program, its gains, the controller, and its C code."""
