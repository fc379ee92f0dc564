"""`LongLog`: a log whose columns lie in scratch files."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.log._log import Log


@dataclass(frozen=True, eq=False, repr=False)
class LongLog(Log):
    """A log with its columns in scratch files: ``log.q[a:b]`` reads samples a to b.

    `Log.stream` makes it and checks its samples. `identify` takes it like any other log, and so do
    `save`, `summary` and `to_dict`. It has no measured accelerations and no extra columns.
    """

    def __post_init__(self) -> None:
        pass
