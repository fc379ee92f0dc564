"""The weighted regression in compact form, for steps that find natural parameters.

`physical(problem)` of `physical._physical` takes a `Problem` and returns a `Solution` with links
that are physically possible bodies. For natural parameters x ``(N,)`` and the values f of the
columns after the first k, the misfit is

    |T [P x; f] - y|^2,   T = r_factor[:, :p], y = r_factor[:, p]

in units of the variance of the residuals, so that 1 is one standard deviation. N is 10n, or 11n if
rotor inertias are fitted: they follow the links.
"""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Column


@dataclass(frozen=True)
class Problem:
    """The quantities of the minimisation problem.

    Attributes:
        n: number of joints.
        columns: the p columns; the first k are minimal parameters.
        r_factor: ``(c, p + 1)`` with c at most p + 1, factor of all weighted rows [Y | tau], and of
            weak rows that keep friction and extra columns finite where the data do not show them.
        matrix: P, ``(k, N)``: minimal parameters of natural ones.
        mean: expected natural parameters ``(N,)``.
        spread: how far they may be off ``(N,)``.
        strength: s, the strength of the prior.
        described: whether the prior is a description with masses, or just zero.
        values: the best values ``(p,)`` without the constraint of physical links.
        held: joints (from 0) whose rotors are as expected.
        curves: rows ``(m, p)``; rows @ values is friction at some speed, which is not negative.
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
    held: tuple[int, ...] = ()
    curves: Array | None = None


@dataclass(frozen=True)
class Solution:
    """What natural parameters were found.

    Attributes:
        parameters: natural parameters ``(N,)``.
        values: the column values ``(p,)`` that follow.
        notes: a sentence each.
        prior: how far natural parameters may be from `expected`, as a covariance ``(N, N)``, if
            that differs from the prior of the regression.
        expected: the centre of that prior ``(N,)``.
    """

    parameters: Array
    values: Array
    notes: tuple[str, ...]
    prior: Array | None = None
    expected: Array | None = None
