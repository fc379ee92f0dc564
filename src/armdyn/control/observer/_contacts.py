"""Contacts: where residuals exceed their thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A contact ends when the residual stays below this share of the threshold for this long [s].
LET_GO, QUIET = 0.7, 0.1
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
        for a, b in _spans(t, size, most):
            beyond = size[a:b] > most[a:b]
            if beyond.sum() < fewest:
                continue
            peak = a + int(size[a:b].argmax())
            found.append(
                Contact(
                    float(t[a]), float(t[b - 1]), name, float(residual[peak, j]), float(most[a])
                )
            )
    return tuple(sorted(found, key=lambda contact: contact.start))


def _spans(t: Array, size: Array, most: Array) -> list[tuple[int, int]]:
    """Return where residuals begin to exceed thresholds, and where they have come back."""
    high = np.flatnonzero(size > most)
    held = np.flatnonzero(size > LET_GO * most)
    spans: list[tuple[int, int]] = []
    for a in high:
        if spans and a < spans[-1][1]:
            continue
        b = int(a)
        for k in held[np.searchsorted(held, a) :]:
            if t[k] - t[b] > QUIET:
                break
            b = int(k)
        spans.append((int(a), b + 1))
    return spans
