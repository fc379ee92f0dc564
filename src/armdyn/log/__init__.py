"""Logs of moving arms: files in and out, and samples that a model can be fitted to."""

from armdyn.log._cutoff import choose_cutoff
from armdyn.log._filter import decimated, derivatives, kept_rows, low_pass
from armdyn.log._log import Log
from armdyn.log._prepare import Prepared, prepare, velocities
from armdyn.log._segments import Segment, segments
from armdyn.log._stored import Kept, Stored, blocks, extremes, is_stored, part_of, picked, runs

__all__ = [
    "Kept",
    "Log",
    "Prepared",
    "Segment",
    "Stored",
    "blocks",
    "choose_cutoff",
    "decimated",
    "derivatives",
    "extremes",
    "is_stored",
    "kept_rows",
    "low_pass",
    "part_of",
    "picked",
    "prepare",
    "runs",
    "segments",
    "velocities",
]
