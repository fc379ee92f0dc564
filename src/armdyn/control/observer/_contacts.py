"""Contacts: where residuals exceed their thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A contact ends when the residual stays below this share of the threshold for this long [s].
LET_GO, QUIET = 0.7, 0.1
# Nothing that begins so shortly before the end of a log is a contact [s]: filters of recorders end
# there, too.
LAST = 0.3
# A residual beyond its threshold in fewer samples is a wrong sample, no contact; at low rates one
# sample is as long as a contact.
FEWEST, FAST = 2, 60.0


@dataclass(frozen=True)
class Contact:
    """A torque from outside on one joint.

    Attributes:
        start: when the residual passes the threshold [s].
        end: when it is back [s].
        joint: name of the joint.
        size: largest residual, with its sign [N m] or [N].
        threshold: at the start.

    Examples:
        >>> from dataclasses import replace
        >>> arm, log = armdyn.load("planar2"), armdyn.Log.read("run.csv")
        >>> push = np.where((log.t > 4.0) & (log.t < 4.5), 3.0, 0.0)
        >>> pushed = replace(log, tau=log.tau - np.outer(push, [0.0, 1.0]))
        >>> (contact,) = armdyn.MomentumObserver(arm).run(pushed).contacts
        >>> contact.joint, round(contact.size)
        ('joint2', 3)
    """

    start: float
    end: float
    joint: str
    size: float
    threshold: float


def contacts_of(
    t: Array, residual: Array, threshold: Array, names: Sequence[str]
) -> tuple[Contact, ...]:
    """Return the contacts of all joints by their start."""
    rate = (len(t) - 1) / (t[-1] - t[0]) if len(t) > 1 else 0.0
    fewest = FEWEST if rate >= FAST else 1
    found: list[Contact] = []
    for j, name in enumerate(names):
        size, most = np.abs(residual[:, j]), threshold[:, j]
        for a, b in _excursions(t, size, most):
            beyond = size[a:b] > most[a:b]
            if beyond.sum() < fewest or t[a] > t[-1] - LAST:
                continue
            peak = a + int(size[a:b].argmax())
            found.append(
                Contact(
                    float(t[a]), float(t[b - 1]), name, float(residual[peak, j]), float(most[a])
                )
            )
    return tuple(sorted(found, key=lambda contact: contact.start))


def spans(where: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the spans of consecutive samples, first and one after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _excursions(t: Array, size: Array, most: Array) -> list[tuple[int, int]]:
    """Return where residuals begin to exceed thresholds, and where they have come back."""
    high = np.flatnonzero(size > most)
    held = np.flatnonzero(size > LET_GO * most)
    found: list[tuple[int, int]] = []
    for a in high:
        if found and a < found[-1][1]:
            continue
        b = int(a)
        for k in held[np.searchsorted(held, a) :]:
            if t[k] - t[b] > QUIET:
                break
            b = int(k)
        found.append((int(a), b + 1))
    return found
