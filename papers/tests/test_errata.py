"""Every misprint: the printed form fails by far more than rounding, the corrected one does not."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest

from armdyn_papers.catalogue.entry import statement
from armdyn_papers.errata.erratum import Erratum, Evidence
from armdyn_papers.papers import ERRATA, PAPERS, errata_of, verdict_from, verdict_of
from armdyn_papers.verdict import RIGHT, WRONG, Verdict, worst
from support.beside import paper_with

CHECKED = [
    pytest.param(erratum, id=f"{name} {erratum.place}")
    for name, errata in ERRATA.items()
    for erratum in errata
    if not isinstance(erratum.decides, str)
]
# A sentence of each text.
SENTENCES = {
    "lin_fang_1999": "FORMULATION OF KAWASAKI ET AL",
    "lin_1991": "FORMULATION OF THE BIAS VECTOR",
    "saha_1999": "Reverse Gaussian Elimination",
    "lin_1994": "Proof of Theorem 3",
    "mata_2002": "Gauss–Jordan elimination",
}
ALL = [(name, erratum) for name, errata in ERRATA.items() for erratum in errata]


@pytest.mark.parametrize("erratum", CHECKED)
def test_the_printed_form_fails_and_the_corrected_one_holds(erratum) -> None:
    found = erratum.evidence
    assert abs(found.printed) > WRONG
    assert abs(found.corrected) < RIGHT
    assert erratum.verdict == "holds with a correction"


def test_most_errata_are_decided_by_a_computation() -> None:
    assert len(CHECKED) >= 50
    for _, erratum in ALL:
        assert not isinstance(erratum.decides, str) or len(erratum.decides) > 8


def test_every_erratum_belongs_to_an_entry_that_says_so() -> None:
    for name, paper in PAPERS.items():
        concerned = {e.place: e for entry in paper.entries for e in errata_of(paper, entry)}
        assert {e.place for e in ERRATA[name]} == set(concerned)
        for entry in paper.entries:
            if errata_of(paper, entry):
                verdict = verdict_of(paper, entry)
                assert verdict in ("holds with a correction", "does not hold"), entry.place
                assert entry.note or entry.claims, entry.place


def test_every_correction_is_in_the_errata() -> None:
    for paper in PAPERS.values():
        for entry in paper.entries:
            corrected = verdict_of(paper, entry) == "holds with a correction"
            if corrected and not entry.claims and entry.basis is None:
                assert errata_of(paper, entry), f"{paper.name} {entry.place}"


@pytest.mark.parametrize("name", PAPERS)
def test_quotations_are_letters_of_the_copy(name: str) -> None:
    """All but white space, which scans put anywhere."""
    text = "".join(paper_with(SENTENCES[name]).split())
    for erratum in ERRATA[name]:
        assert "".join(erratum.quote.split()) in text, erratum.place
        for sentence in re.findall("“([^”]*)”", erratum.printed):
            words = [w for w in re.findall(r"[a-z]{4,}", sentence)]
            assert all(word in text for word in words), (erratum.place, sentence)


def test_every_erratum_quotes_and_says_whose_misprint_it_is() -> None:
    for _, erratum in ALL:
        assert 5 <= len(erratum.quote) <= 160, erratum.place
        assert "|" not in erratum.quote and "`" not in erratum.quote
        assert erratum.origin in ("paper", "paper or copy", "copy")


# Planted statements of each kind. The area of a circle of radius 2 is 4 pi.


def area(printed: float, corrected: float) -> Callable[[], Evidence]:
    expected = 4.0 * math.pi
    return lambda: Evidence("area", printed / expected - 1.0, corrected / expected - 1.0)


WRONG_AREA, RIGHT_AREA = 2.0 * math.pi, 4.0 * math.pi


def test_planted_errata_are_seen() -> None:
    entry = statement("(1)", "the area of a circle", "folder/test.py::test_area")

    def verdict(decides) -> Verdict:
        erratum = Erratum("(1)", "2 π", "4 π", "paper", decides)
        return verdict_from([erratum], entry)

    assert verdict(area(WRONG_AREA, RIGHT_AREA)) == "holds with a correction"
    assert verdict(area(RIGHT_AREA, RIGHT_AREA)) == "holds"  # no misprint: the list is wrong
    assert verdict(area(WRONG_AREA, WRONG_AREA)) == "does not hold"  # the correction is wrong
    assert verdict_from([], entry) == "holds"


def test_planted_statements_are_seen() -> None:
    def verdict(printed: float) -> Verdict:
        check = area(printed, printed)
        return verdict_from([], statement("(1)", "area", "folder/test.py::test_area", check=check))

    assert verdict(RIGHT_AREA) == "holds"
    assert verdict(WRONG_AREA) == "does not hold"
    assert verdict(RIGHT_AREA * (1.0 + 1e-6)) == "does not hold"


def test_the_worst_part_of_a_statement_decides() -> None:
    assert worst([]) == worst(["holds", "holds"]) == "holds"
    assert worst(["holds", "differs with our algebra"]) == "differs with our algebra"
    parts: list[Verdict] = ["differs with our algebra", "holds with a correction", "holds"]
    assert worst(parts) == "holds with a correction"
    assert worst([*parts, "does not hold"]) == "does not hold"
