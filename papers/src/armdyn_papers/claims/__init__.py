"""The rankings that the papers make, one file a paper, and their trial on measured counts.

The ids of claims are stable names: the pages of the papers refer to them. [Lin1994] ranks nothing
that it counts.
"""
