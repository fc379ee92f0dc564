"""A living edition of five papers on robot dynamics: each statement run by armdyn, with a verdict.

`armdyn_papers.papers` has the catalogues and errata, `tables` the printed operation counts,
`claims` the papers' rankings, `studies` their numerical examples, and `printed` their recursions
line by line. The command `armdyn-papers` shows all of them.
"""
