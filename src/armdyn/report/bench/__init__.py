"""Benchmarks of the compiled functions and of other libraries in the same run."""

from armdyn.report.bench._arms import arm_named
from armdyn.report.bench._page import page
from armdyn.report.bench._plot import write_plot
from armdyn.report.bench._results import Benchmark
from armdyn.report.bench._run import PEERS, QUANTITIES, QUICK, Settings, run_benchmark
from armdyn.report.bench._tables import grids

__all__ = [
    "PEERS",
    "QUANTITIES",
    "QUICK",
    "Benchmark",
    "Settings",
    "arm_named",
    "grids",
    "page",
    "run_benchmark",
    "write_plot",
]
