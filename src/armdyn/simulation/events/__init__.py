"""Events: joints that stick or stop, passed limits, and zeros of functions."""
