"""Logs of moving arms: files in and out, and samples that a model can be fitted to."""

from armdyn.log._cutoff import choose_cutoff
from armdyn.log._filter import decimated, derivatives, kept_rows, low_pass
from armdyn.log._log import Log
from armdyn.log._prepare import Prepared, prepare, velocities
from armdyn.log._segments import Segment, segments

__all__ = [
    "Log",
    "Prepared",
    "Segment",
    "choose_cutoff",
    "decimated",
    "derivatives",
    "kept_rows",
    "low_pass",
    "prepare",
    "segments",
    "velocities",
]
