"""What the papers claim about numbers of operations: verdicts of entries are those of trials."""

from __future__ import annotations

import pytest

from armdyn_papers.claims.trials import judged_claim
from armdyn_papers.papers import PAPERS, verdict_of
from armdyn_papers.verdict import Verdict, worst

RANKED = [(paper, entry) for paper in PAPERS.values() for entry in paper.entries if entry.claims]

# Of each paper the statements on numbers of operations that are not plainly true, by place.
NOT_PLAIN: dict[tuple[str, str], Verdict] = {
    ("lin_fang_1999", "claim: what 3 takes more than 2"): "holds with a correction",
    ("lin_fang_1999", "claim: what 5 takes more than 1"): "holds with a correction",
    ("lin_1991", "claim: cheapest matrix from five joints on"): "holds with a correction",
    ("lin_1991", "claim: any other reference point costs more"): "differs with our algebra",
    ("lin_1991", "claim: Fijany and Bejczy is dearer than Renaud"): "differs with our algebra",
    ("saha_1999", "claim: O(n) pays from n = 12 on"): "differs with our algebra",
    ("mata_2002", "claim: ABA pays from nine bodies on"): "differs with our algebra",
}


@pytest.mark.slow
def test_verdicts_are_those_of_the_trials() -> None:
    for paper, entry in RANKED:
        verdict = worst(judged_claim(claim).verdict for claim in entry.claims)
        assert verdict_of(paper, entry) == verdict != "not tried", entry.place
        assert NOT_PLAIN.get((paper.name, entry.place), verdict) == verdict


def test_the_same_size_of_discrepancy_has_the_same_word() -> None:
    """Two formulas of which only lower terms are wrong."""
    ids = ("lin_fang_1999.f3_costs_more_type_2", "lin_fang_1999.f5_adds_more")
    assert {judged_claim(id).verdict for id in ids} == {"holds with a correction"}
