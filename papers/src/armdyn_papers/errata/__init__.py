"""Misprints of the five papers, each with the computation that decides it: one file per paper."""

from armdyn.report.papers.errata import (
    lin_1991,
    lin_1994,
    lin_fang_1999,
    mata_2002,
    saha_1999,
)
from armdyn.report.papers.errata._erratum import Erratum, Evidence, Origin

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "lin_fang_1999": lin_fang_1999.ERRATA,
    "lin_1991": lin_1991.ERRATA,
    "saha_1999": saha_1999.ERRATA,
    "lin_1994": lin_1994.ERRATA,
    "mata_2002": mata_2002.ERRATA,
}
"""The errata by the names of the papers."""

__all__ = ["ERRATA", "Erratum", "Evidence", "Origin"]
