"""Logs of moving arms: files in and out, and samples that a model can be fitted to."""

from armdyn.log._log import Log
from armdyn.log._stored import Kept, Stored, blocks, extremes, is_stored, part_of, picked, runs
from armdyn.log.signals._cutoff import choose_cutoff
from armdyn.log.signals._prepare import Prepared, prepare, velocities
from armdyn.log.signals._segments import segments

__all__ = [
    "Kept",
    "Log",
    "Prepared",
    "Stored",
    "blocks",
    "choose_cutoff",
    "extremes",
    "is_stored",
    "part_of",
    "picked",
    "prepare",
    "runs",
    "segments",
    "velocities",
]
