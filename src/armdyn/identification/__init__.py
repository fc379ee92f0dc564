"""From logs of a moving arm to its parameters, with error bars and a verdict.

The package is not called `identify`, so ``armdyn.identify`` always means the function.
"""
