"""Tests import `support` and the benchmarks by plain names, and leave the user's cache alone.

All processes of a run share one cache, empty at the start: nothing is compiled twice. Each has one
thread for linear algebra: several processes with several threads wait for each other.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent / "tests"))
sys.path.append(str(Path(__file__).parent / "benchmarks"))  # as `python benchmarks/x.py` has
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit it
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["ARMDYN_CACHE"] = tempfile.mkdtemp(prefix="armdyn-tests-")
    atexit.register(shutil.rmtree, os.environ["ARMDYN_CACHE"], ignore_errors=True)
# how long an example takes depends on the machine and its load
hypothesis.settings.register_profile(
    "armdyn", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("armdyn")


def pytest_configure() -> None:
    """Tests load wrong arms for other ends: as if each had been loaded, and warned of, before."""
    from armdyn.robot import library as _bundled

    _bundled.told.update(_bundled.WRONG)


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Tests whose files beside the project are absent are counted in one line."""
    from support.beside import ABSENT

    if report.skipped and ABSENT in str(report.longrepr):
        return ("left out", "s", "LEFT OUT")
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line how many tests were left out."""
    if count := len(terminalreporter.getreports("left out")):
        terminalreporter.write_line(
            f"{count} tests left out: ../shared, with their files, is absent"
        )
