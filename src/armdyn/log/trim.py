"""Rest and motion: what counts as which, and logs without rest at their ends; signs of torques."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.log.log import Log
from armdyn.log.rows import FileRows, blocks, first_not_before, is_in_file

# A joint is at rest below this share of its greatest speed. The dead band of a fit is twice this:
# near rest friction of real drives is no function of the speed.
AT_REST = 0.02

# A joint that moves less than this share of the joint that moves most does not count: its signal is
# mostly noise.
NEGLIGIBLE_MOTION = 1e-2

# Rest that is kept before and after the motion [s]: filters start up in it.
MARGIN = 0.25


@dataclass(frozen=True)
class RestSearch:
    """How rest at the ends of a log is found.

    Recorders run before the motion begins and after it ends. At rest friction is unknown, so these
    samples show little, but they fill the part of a log that is held out.

    Attributes:
        span: speeds are means over this time [s]: encoder noise is no motion.
        shortest: rest at an end is cut if it is longer than this [s].
    """

    span: float = 0.1
    shortest: float = 0.5


REST = RestSearch()


def trimmed(log: Log, ends: tuple[float, float] | None) -> Log:
    """Return a log without its ends, with a note.

    Args:
        log: the log.
        ends: seconds to cut off at the start and at the end; None cuts off rest.
    """
    if ends is None:
        start, stop = _motion(log)
        why = f"rest before and after the motion, but for {MARGIN:g} s"
    else:
        first, last = float(log.t[0:1][0]), float(log.t[len(log) - 1 :][0])
        start, stop = _between(log, first + ends[0], last - ends[1])
        why = "as requested"
    if (start, stop) == (0, len(log)):
        return log
    times = (log.t[k : k + 1][0] for k in (0, start, stop - 1, len(log) - 1))
    a, b, c, d = (float(t) for t in times)
    note = f"cut off {b - a:.3g} s at the start and {d - c:.3g} s at the end: {why}."
    left = log.part(start, stop)
    return replace(left, notes=(*left.notes, note))


def _between(log: Log, first: float, last: float) -> tuple[int, int]:
    """Return the samples from one time to another, both included."""
    start, stop = (first_not_before(log.t, t) for t in (first, np.nextafter(last, np.inf)))
    if stop - start < 2:
        raise InputError(
            f"`trim` cuts off all of {log.source or 'the log'}, which lasts {log.duration:.4g} s; "
            "expected less.",
            argument="trim",
        )
    return start, stop


def _motion(log: Log) -> tuple[int, int]:
    """Return the samples from the start of the motion to its end."""
    span = max(round(REST.span * log.rate), 1)
    if len(log) <= 2 * span:
        return 0, len(log)
    top = np.max([v.max(axis=0) for _, v in _speeds(log, span)], axis=0)
    counted = (top > NEGLIGIBLE_MOTION * top.max()) & (top > 0.0)
    first, last = len(log), -1
    for a, v in _speeds(log, span):
        moving = np.flatnonzero((v > AT_REST * top)[:, counted].any(axis=1))
        if len(moving):
            first, last = min(first, a + int(moving[0])), a + int(moving[-1]) + span
    if last < 0:
        return 0, len(log)
    start, stop = (
        kept if cut * log.median_step > REST.shortest else whole
        for cut, kept, whole in (
            (first, first - round(MARGIN * log.rate), 0),
            (len(log) - 1 - last, last + 1 + round(MARGIN * log.rate), len(log)),
        )
    )
    return start, stop


def _speeds(log: Log, span: int) -> Iterator[tuple[int, Array]]:
    """Yield mean speeds over `span` samples ``(N, n)``, with the number of the first sample."""
    for a, b in blocks(len(log) - span):
        time = log.t[a + span : b + span] - log.t[a:b]
        yield a, np.abs(log.q[a + span : b + span] - log.q[a:b]) / time[:, None]


def flipped(log: Log, joints: Sequence[int]) -> Log:
    """Return a log with the torques of some joints, numbers from 0, of opposite sign."""
    if not joints:
        return log
    sign = np.ones(log.n)
    sign[list(joints)] = -1.0
    names = ", ".join(log.joint_names[j] for j in joints)
    return with_gain(
        log, sign, f"torques of {names} were used with the opposite sign, as requested."
    )


def with_gain(log: Log, gain: Array, note: str = "") -> Log:
    """Return a log whose torques, or currents, are multiplied by a gain of every joint ``(n,)``."""
    if log.tau is None:
        return log
    notes = (*log.notes, note) if note else log.notes
    return replace(log, tau=_times(log.tau, gain), effort="torque", notes=notes)


def _times(tau: Array, gain: Array) -> Array:
    """Return torques times gains, in memory or in a file, like the input."""
    if not is_in_file(tau):
        return tau * gain
    made = FileRows(len(gain))
    for a, b in blocks(len(tau)):
        made.append(tau[a:b] * gain)
    return cast(Array, made)
