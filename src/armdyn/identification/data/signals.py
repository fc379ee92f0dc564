"""Logs as recorded and as used, for drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.identification.data.decimation import DecimationFilter
from armdyn.identification.data.prepared import Data
from armdyn.log.log import Log
from armdyn.log.rows import is_in_file
from armdyn.log.signals import Prepared


@dataclass(frozen=True, eq=False)
class Signals:
    """One log, in memory.

    Attributes:
        recorded: the log.
        used: its samples at equal steps, positions low-passed and differentiated.
        band: the filter of torques and regressor.
        held_out: whether it tests the fit.
    """

    recorded: Log
    used: Prepared
    band: DecimationFilter
    held_out: bool


def signals_of(
    train_logs: Sequence[Log], test_logs: Sequence[Log], data: Data
) -> tuple[Signals, ...]:
    """Return the logs that lie in memory; logs in files are too long to draw."""
    train = zip(train_logs, data.train, data.train_bands, strict=True)
    test = zip(test_logs, data.test, data.test_bands, strict=True)
    return tuple(
        Signals(log, used, band, held_out)
        for held_out, given in ((False, train), (True, test))
        for log, used, band in given
        if not is_in_file(used.q)
    )
