"""The five papers that armdyn follows, statement by statement, as data: one file per paper."""

from armdyn.report.papers.catalogue import (
    lin_1991,
    lin_1994,
    lin_fang_1999,
    mata_2002,
    saha_1999,
)
from armdyn.report.papers.catalogue._entry import (
    VERDICTS,
    Entry,
    Kind,
    Paper,
    Verdict,
    equation_numbers,
)
from armdyn.report.papers.catalogue._found import Place, defined, source_place

PAPERS: dict[str, Paper] = {
    module.PAPER.name: module.PAPER
    for module in (lin_fang_1999, lin_1991, saha_1999, lin_1994, mata_2002)
}
"""The catalogues by the names of their pages."""

__all__ = [
    "PAPERS",
    "VERDICTS",
    "Entry",
    "Kind",
    "Paper",
    "Place",
    "Verdict",
    "defined",
    "equation_numbers",
    "source_place",
]
