"""Errata of [Lin1991], and the checks that decide them.

Most of its displayed equations are not legible in the copy at hand.
"""

from __future__ import annotations

import numpy as np

from armdyn_papers.as_printed import walker_orin
from armdyn_papers.errata.arm import cross, difference, posed
from armdyn_papers.errata.erratum import Erratum, Evidence


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


def frames_save() -> Evidence:
    """Compare 45M 28A with what a loop takes more in frames of Denavit and Hartenberg."""
    n = 6
    (M, A), (less_M, less_A) = walker_orin.operations(n)
    more_M, more_A = M - less_M, A - less_A
    return Evidence(
        f"operations that Walker and Orin's loop takes more in frames of Denavit and Hartenberg, "
        f"{more_M}M {more_A}A for any n: one body more is carried",
        abs(45 - more_M) + abs(28 - more_A),
        abs(45 - more_M) + abs(29 - more_A),
    )


ERRATA = (
    Erratum(
        "(17), the text after it", "R is the transformation from E_j to E_{j+1}",
        "from E_{j+1} to E_j, as (18) has it", "paper", direction_17,
        quote=r"representing the coordinate transformation from frame Ej to frame E j + l",
    ),
    Erratum(
        "(20)", "I = I' - tr[I] E", "I = I' - tr[I'] E", "copy", trace_20,
        quote=r"Ii = I; - tr[Ii]E",
    ),
    Erratum(
        "(38)", "a = a₀ + ω × (ω × r) + α × r + 2 ω × v₀",
        "without the last term, or with v₀ and a₀ seen from the turning frame, and r from its axis",
        "paper or copy", acceleration_38,
        quote=r"ap = a. + w X (w x r) + a x r + 2 0 x vo",
    ),
    Erratum(
        "(44)", "- J α - ω (J ω)", "- J α - ω × (J ω)", "copy",
        "a product of two vectors is no vector; its second line has the vector products",
        quote=r"tu = - J j c ~ j - ~ j ( J j ~ j )",
    ),
    Erratum(
        "claim: what these frames save", "45M 28A", "45M 29A, by the counts of Figure A1",
        "paper or copy", frames_save,
        quote=r"can save 45 multiplications and 28 additions for a general open chain",
    ),
)  # fmt: skip
