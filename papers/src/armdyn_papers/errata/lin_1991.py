"""Errata of [Lin1991]. Most of its displayed equations are not legible in the copy at hand."""

from __future__ import annotations

from armdyn.report.papers.errata._erratum import Erratum
from armdyn.report.papers.errata.checks import moving_frames

ERRATA = (
    Erratum(
        "(17), the text after it", "R is the transformation from E_j to E_{j+1}",
        "from E_{j+1} to E_j, as (18) has it", "paper", moving_frames.direction_17,
    ),
    Erratum(
        "(20)", "I = I' - tr[I] E", "I = I' - tr[I'] E", "copy", moving_frames.trace_20,
    ),
    Erratum(
        "(38)", "a = a₀ + ω × (ω × r) + α × r + 2 ω × v₀",
        "without the last term, or with v₀ and a₀ seen from the turning frame, and r from its axis",
        "paper or copy", moving_frames.acceleration_38,
    ),
    Erratum(
        "(44)", "- J α - ω (J ω)", "- J α - ω × (J ω)", "copy",
        "a product of two vectors is no vector; its second line has the vector products",
    ),
)  # fmt: skip
