"""What the papers claim about numbers of operations: verdicts are those of the trials."""

from __future__ import annotations

import pytest

from armdyn_papers.catalogue.entry import Verdict
from armdyn_papers.claims.trials import CLAIMS, judge
from armdyn_papers.papers import PAPERS

RANKED = [entry for paper in PAPERS.values() for entry in paper.entries if entry.claims]


def summed_up(found: set[str]) -> Verdict:
    """The verdict of an entry whose claims were found to be so."""
    if found == {"holds"}:
        return "holds"
    if found <= {"does not hold", "does not follow from the printed formulas"}:
        return "does not hold"
    return "not tried" if found == {"not tried"} else "holds with a correction"


@pytest.mark.slow
def test_verdicts_are_those_of_the_trials() -> None:
    verdicts = {found.claim.id: found.verdict for found in judge(CLAIMS)}
    for entry in RANKED:
        assert entry.verdict == summed_up({verdicts[claim] for claim in entry.claims}), entry.place
