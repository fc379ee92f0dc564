"""The mathematics: one file a method, in its paper's symbols, as plain arithmetic on numbers.

Where a paper misprints an equation the code has the corrected one; docs/papers/errata.md lists all
misprints, with the numbers that decide them. Each name is imported at its first use.
"""
