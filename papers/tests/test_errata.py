"""Every misprint: the printed form fails by far more than rounding, the corrected one does not."""

from __future__ import annotations

import pytest

from armdyn_papers.papers import ERRATA, PAPERS, errata_of

CHECKED = [
    pytest.param(erratum, id=f"{name} {erratum.place}")
    for name, errata in ERRATA.items()
    for erratum in errata
    if not isinstance(erratum.decides, str)
]
ALL = [(name, erratum) for name, errata in ERRATA.items() for erratum in errata]


@pytest.mark.parametrize("erratum", CHECKED)
def test_the_printed_form_fails_and_the_corrected_one_holds(erratum) -> None:
    found = erratum.decides()
    assert found.printed > 1e-3
    assert abs(found.corrected) < 1e-12


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
                assert entry.verdict in ("holds with a correction", "does not hold"), entry.place
                assert entry.note, entry.place


def test_every_correction_is_in_the_errata() -> None:
    for paper in PAPERS.values():
        for entry in paper.entries:
            if entry.verdict == "holds with a correction" and not entry.claims:
                assert errata_of(paper, entry), f"{paper.name} {entry.place}"
