"""Logs of one arm, one after the other, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from armdyn._checks import checked_items
from armdyn.errors import InputError, shown
from armdyn.log._log import Array, Log

# Time steps between joined logs: longer than any filter reaches.
STEPS_BETWEEN = 100


def concatenated(logs: Sequence[Log]) -> Log:
    """Return logs of the same arm as one, with gaps in time between them: see `Log.concat`."""
    listed = checked_items(logs, "logs", what="a list of logs")
    if not all(isinstance(log, Log) for log in listed):
        raise InputError(f"`logs` is {shown(logs)}, expected a list of logs.", argument="logs")
    logs = cast("list[Log]", list(listed))
    if not logs:
        raise InputError("there are no logs to join.")
    first = logs[0]
    for log in logs[1:]:
        for what in ("joint_names", "effort"):
            if getattr(log, what) != getattr(first, what):
                raise InputError(
                    f"logs of different arms cannot be joined: `{what}` is "
                    f"{getattr(first, what)} in {first.source or 'the first'} but "
                    f"{getattr(log, what)} in {log.source or 'another'}."
                )
    hole = STEPS_BETWEEN / min(log.rate or 1.0 for log in logs)
    times = [first.t]
    for log in logs[1:]:
        times.append(log.t - log.t[0] + (times[-1][-1] + hole))
    common = [
        name
        for name, column in first.extra.items()
        if all(name in g.extra and g.extra[name].shape[1:] == column.shape[1:] for g in logs)
    ]
    return Log(
        np.concatenate(times),
        np.concatenate([g.q for g in logs]),
        *(_joined([getattr(g, k) for g in logs]) for k in ("qd", "qdd", "tau")),
        joint_names=first.joint_names,
        effort=first.effort,
        extra={k: np.concatenate([g.extra[k] for g in logs]) for k in common},
        source=" + ".join(g.source or "a log" for g in logs),
        notes=tuple(dict.fromkeys(note for g in logs for note in g.notes)),
    )


def _joined(parts: Sequence[Array | None]) -> Array | None:
    there = [p for p in parts if p is not None]
    return np.concatenate(there) if len(there) == len(parts) else None
