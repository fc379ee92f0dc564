"""Entry points from Python: NumPy gufuncs, and C functions with the fastcall convention."""
