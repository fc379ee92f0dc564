"""Ways in from Python: NumPy gufuncs, and C functions in the fastcall convention."""
