"""CPU seconds of the tests, each with its fixtures and the processes it started.

python benchmarks/suite.py [options of pytest]     such as: tests/kernel -m "not slow"

A session's fixture counts for the first test that asks for it. Wall-clock time depends on what else
the machine does, CPU time hardly.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Generator
from typing import ClassVar

import pytest

WORST = 30  # tests that are named


def cpu() -> float:
    """Seconds that this process and those it has waited for have computed."""
    return sum(os.times()[:4])


class _Clock:
    """What was read last; what was spent since belongs to the phase that ends."""

    last = cpu()
    tests: ClassVar[Counter[str]] = Counter()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what a phase of a test cost to its report, which workers send to the main process."""
    report = yield
    now = cpu()
    report.user_properties.append(("cpu", now - _Clock.last))
    _Clock.last = now
    return report


def pytest_collection_finish() -> None:
    """Imports count for no test."""
    _Clock.last = cpu()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the phases of each test."""
    _Clock.tests[report.nodeid] += dict(report.user_properties)["cpu"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print CPU seconds per file, and the most expensive tests."""
    files: Counter[str] = Counter()
    for test, seconds in _Clock.tests.items():
        files[test.partition("::")[0]] += seconds
    out = terminalreporter.write_line
    out(f"{sum(files.values()):8.1f} s of CPU time in {len(_Clock.tests)} tests")
    for name, seconds in files.most_common():
        out(f"{seconds:8.1f} {name}")
    out(f"The {WORST} most expensive tests:")
    for name, seconds in _Clock.tests.most_common(WORST):
        out(f"{seconds:8.2f} {name}")


if __name__ == "__main__":
    sys.exit(pytest.main(["-p", "suite", *sys.argv[1:]]))
