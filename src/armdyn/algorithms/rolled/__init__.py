"""Long arms: quantities computed by sweeps along the joints, with one function for all joints.

The table of quantities names the functions. An algorithm is imported when it first runs.
"""
