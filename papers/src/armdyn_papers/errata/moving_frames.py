"""Tensors and accelerations as [Lin1991] prints them, and corrected."""

from __future__ import annotations

import numpy as np

from armdyn.report.papers.errata._arm import cross, difference, posed
from armdyn.report.papers.errata._erratum import Evidence


def direction_17() -> Evidence:
    """Compare the similarity transformation with the rotation in both directions."""
    x = posed("RRR")
    R = x.R(1, 2)
    expected = x.R(1, 3) @ x.inertia(3) @ x.R(1, 3).T
    own = x.R(2, 3) @ x.inertia(3) @ x.R(2, 3).T
    return Evidence(
        "an inertia in E_j from E_{j+1}",
        difference(R.T @ own @ R, expected),
        difference(R @ own @ R.T, expected),
    )


def trace_20() -> Evidence:
    """Compare the way back from the primed inertia with the trace of either tensor."""
    I = posed("R").inertia(1)
    primed = I - 0.5 * np.trace(I) * np.eye(3)
    return Evidence(
        "the inertia from its primed one",
        difference(primed - np.trace(I) * np.eye(3), I),
        difference(primed - np.trace(primed) * np.eye(3), I),
    )


def acceleration_38() -> Evidence:
    """Compare the acceleration of a point of a body that turns steadily about a fixed axis."""
    rng = np.random.default_rng(0)
    w, origin, r = rng.normal(size=(3, 3))
    v_0, a_0 = cross(w, origin), cross(w, cross(w, origin))
    expected = cross(w, cross(w, origin + r))
    turning = a_0 + cross(w, cross(w, r))
    return Evidence(
        "a point of a steadily turning body, with absolute v₀ and a₀",
        difference(turning + 2.0 * cross(w, v_0), expected),
        difference(turning, expected),
    )
