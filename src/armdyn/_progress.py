"""How a long job reports its progress: one signature everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from armdyn.errors import InputError, shown

Progress: TypeAlias = Callable[[int, int, str], object]
"""Called as ``progress(done, total, what)``: `done` of `total` equal parts of the step `what`."""


def silent(done: int, total: int, what: str) -> None:
    """Report nothing."""


def reporter(progress: object) -> Progress:
    """Return the argument `progress` as a function; None reports nothing."""
    if progress is None:
        return silent
    if not callable(progress):
        raise InputError(
            f"`progress` is {shown(progress)}, expected a function of (done, total, what)."
        )
    return cast(Progress, progress)


def portion(progress: Progress, start: int, end: int, total: int, what: str) -> Progress:
    """Return the progress of a part of a job, which is `start` to `end` of `total` of the whole."""

    def report(done: int, of: int, _: str) -> object:
        return progress(start + (end - start) * done // max(of, 1), total, what)

    return report
