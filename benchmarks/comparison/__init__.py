"""Times of the compiled functions beside other libraries: what `bench.py` measures."""
