"""How a long job reports its progress: one signature everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from armdyn.checks import checked_function

# Called as ``progress(done, total, what)``: `done` of `total` equal parts of the step `what`.
Progress: TypeAlias = Callable[[int, int, str], object]


def silent(done: int, total: int, what: str) -> None:
    """Report nothing."""


def reporter(progress: object) -> Progress:
    """Return the argument `progress` as a function; None reports nothing."""
    if progress is None:
        return silent
    return checked_function(progress, "progress", what="a function of (done, total, what)")


def portion(progress: Progress, start: int, end: int, total: int, what: str) -> Progress:
    """Return the progress function of a part of a job: from `start` to `end` of `total`."""

    def report(done: int, of: int, _: str) -> object:
        return progress(start + (end - start) * done // max(of, 1), total, what)

    return report
