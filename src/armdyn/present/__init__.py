"""Presentation for reports, studies, runs and the command line: tables, pages, drawings, pictures.

`armdyn.present.svg` has the lines and scales of drawings within pages, `armdyn.present.curves` the
curves over time that can be zoomed.
"""
