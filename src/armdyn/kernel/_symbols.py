"""Names of the functions in the object code of a program."""

ONE = "armdyn_one"
"""Computes one state, given pointers to its inputs and outputs."""

BLOCK = "armdyn_block"
"""Computes a block of states, one in each lane of a vector."""

LOOP = "armdyn_loop"
"""Computes any number of states; the inner loop of a NumPy gufunc."""

STREAMING = "armdyn_streaming"
"""Computes blocks of states whose results are streamed to memory."""

ORDINARY = "armdyn_ordinary"
"""Returns the largest magnitude of inputs for which all results are certain to be finite."""

LINK = "armdyn_link"
"""Takes the addresses of the functions of the C library."""

BAD_INPUT, BAD_RESULT = 1, 2
"""What the functions that compute a batch return, if not 0."""
