"""Logs of moving arms: reading and writing files, and preparing samples to fit a model to."""

from armdyn.log._log import Log
from armdyn.log.formats._registry import format_written, is_log_path, written_in_words
from armdyn.log.reading._many import log_paths, read_logs_on
from armdyn.log.signals._cutoff import choose_cutoff
from armdyn.log.signals._prepare import Prepared, prepare, velocities
from armdyn.log.signals._segments import segments
from armdyn.log.signals._source_times import at_source_times
from armdyn.log.storage._file_rows import FileRows
from armdyn.log.storage._memory_rows import MemoryRows
from armdyn.log.storage._slices import blocks, extremes, is_in_file, part_of, picked, runs

__all__ = [
    "FileRows",
    "Log",
    "MemoryRows",
    "Prepared",
    "at_source_times",
    "blocks",
    "choose_cutoff",
    "extremes",
    "format_written",
    "is_in_file",
    "is_log_path",
    "log_paths",
    "part_of",
    "picked",
    "prepare",
    "read_logs_on",
    "runs",
    "segments",
    "velocities",
    "written_in_words",
]
