"""The weighted regression in few numbers, for steps that look for natural parameters.

`physical(problem)` of `physical._physical` takes a `Problem` and returns a `Solution` whose links
are bodies that can exist. The misfit of natural parameters x ``(N,)`` and of the values f of the
columns after the first k is

    |T [P x; f] - y|^2,   T = r_factor[:, :p], y = r_factor[:, p]

in units of the variance of the residuals, so that 1 is one standard deviation. N is 10n, or 11n if
rotor inertias are fitted: they follow the links.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.identification.fit._columns import Column

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """What is to be minimised.

    Attributes:
        n: number of joints.
        columns: the p columns; the first k are minimal parameters.
        r_factor: ``(c, p + 1)`` with c at most p + 1, factor of all weighted rows [Y | tau], and of
            weak ones that keep friction and extra columns finite where the data say nothing.
        matrix: P, ``(k, N)``: minimal parameters of natural ones.
        mean: expected natural parameters ``(N,)``.
        spread: how far they may be off ``(N,)``.
        strength: s, of the expectation.
        described: whether the expectation is a description with masses, or just zero.
        values: the best values ``(p,)`` if links need not be bodies.
    """

    n: int
    columns: tuple[Column, ...]
    r_factor: Array
    matrix: Array
    mean: Array
    spread: Array
    strength: float
    described: bool
    values: Array


@dataclass(frozen=True)
class Solution:
    """Natural parameters ``(N,)``, the values ``(p,)`` that they have, and what was done."""

    parameters: Array
    values: Array
    notes: tuple[str, ...]
