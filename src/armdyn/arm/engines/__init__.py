"""Functions as operations of libraries for learning, which call the compiled kernels."""
