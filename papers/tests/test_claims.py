"""The catalogue of the papers' claims, and how they are tried."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from armdyn_papers import app as command
from armdyn_papers.claims.claim import Amount, Claim, Contender, Order, Ranking, printed, traced
from armdyn_papers.claims.series import Series, polynomial, series
from armdyn_papers.claims.trials import (
    CLAIMS,
    Judged,
    Trial,
    crossovers,
    intervals,
    judge,
    polynomial_text,
)
from armdyn_papers.stages import staged
from armdyn_papers.tables.printed import Formula, PrintedRow, formula

BY_ID = {claim.id: claim for claim in CLAIMS}


def row(label: str, M: Formula, A: Formula) -> Contender:
    return Contender(label, PrintedRow(label, (M, A), {6: None}, "not traced"), None)


ZERO, TEN = formula("0", 0), formula("10", 10)
CHEAP_FIRST = row("n²", formula("n²", 1, 0, 0), ZERO)
CHEAP_LAST = row("10n", formula("10n", 10, 0), ZERO)


def tried(claim: Claim, stage: str = "formulas") -> Trial:
    (found,) = judge([claim])
    return found.trials[stage]  # type: ignore[index]


def test_ids_are_unique_and_name_papers() -> None:
    assert len(BY_ID) == len(CLAIMS) > 40
    assert {claim.paper for claim in CLAIMS} == {
        "lin_fang_1999", "lin_1991", "saha_1999", "mata_2002",
    }  # fmt: skip


@pytest.mark.parametrize(("last", "holds"), [(9, True), (10, False), (30, False)])
def test_a_ranking_holds_where_it_is_claimed(last: int, holds: bool) -> None:
    found = tried(Ranking("x.y", "", "", 1, (CHEAP_FIRST,), (CHEAP_LAST,), 2, last))
    assert found.by_M == found.by_sum == tuple(range(2, 10))  # at n = 10 they are equal
    assert found.holds is holds
    assert crossovers(found.by_sum, found.tried) == [10]


def test_only_wants_the_rivals_to_win_elsewhere() -> None:
    claims = [
        Ranking("x.y", "", "", 1, (CHEAP_LAST,), (CHEAP_FIRST,), first, only=True)
        for first in (10, 11, 12)
    ]
    assert [tried(claim).holds for claim in claims] == [False, True, False]


def test_a_ranking_may_hold_by_one_of_two_measures() -> None:
    fewer_products = row("few M", ZERO, TEN)
    fewer_in_all = row("few M + A", formula("1", 1), ZERO)
    by_M = tried(Ranking("x.y", "", "", 1, (fewer_products,), (fewer_in_all,)))
    assert (by_M.holds_by_M, by_M.holds_by_sum, by_M.holds) == (True, False, True)
    by_sum = tried(Ranking("x.y", "", "", 1, (fewer_in_all,), (fewer_products,)))
    assert (by_sum.holds_by_M, by_sum.holds_by_sum, by_sum.holds) == (False, True, True)


def test_the_best_of_several_winners_counts() -> None:
    both = Ranking("x.y", "", "", 1, (CHEAP_FIRST, CHEAP_LAST), (row("11n", TEN, TEN),), 2, 30)
    assert tried(both).by_sum == (2, 3, 4)  # n² < 20 or 10n < 20


def test_amounts_and_orders() -> None:
    right = Amount("x.y", "", "", 1, CHEAP_LAST, CHEAP_FIRST, formula("", -1, 10, 0), None)
    wrong = Amount("x.y", "", "", 1, CHEAP_LAST, CHEAP_FIRST, formula("", 1, 10, 0), ZERO)
    assert tried(right).holds and not tried(wrong).holds
    assert tried(wrong).note == "it is (−n² + 10n)M (0)A"
    assert tried(Order("x.y", "", "", 1, CHEAP_FIRST, 2)).holds
    assert not tried(Order("x.y", "", "", 1, CHEAP_FIRST, 1)).holds


def test_polynomials_and_intervals_in_words() -> None:
    values: Series = {n: (n**3 // 6 * 6 - 3, (n * n - n) // 2) for n in range(2, 31)}
    assert polynomial(values, 1) == (Fraction(1, 2), Fraction(-1, 2), 0)
    assert polynomial_text(values, 1) == "0.5n² − 0.5n"
    assert intervals([2, 3, 4, 9, 11, 12]) == "2-4, 9, 11-12"


@pytest.mark.parametrize(
    ("contender", "stage"),
    [
        (printed("[LinFang1999] Table VI", "Formulation 2", 2), "printed"),
        (printed("[Lin1991] Table I", "Renaud"), "printed"),
        (traced("inverse_dynamics", "gibbs_appell"), "improved"),
        (traced("bias", "second_moment"), "improved"),
    ],
)
def test_polynomials_give_what_is_measured_at_every_n(contender: Contender, stage: str) -> None:
    extended = series(contender, 1, stage, every=False)  # type: ignore[arg-type]
    assert extended == series(contender, 1, stage, every=True)  # type: ignore[arg-type]


def counts(quantity: str, method: str, n: int, stage: str = "improved") -> tuple[int, int]:
    found = staged(quantity, method, n, 1, stage)  # type: ignore[arg-type]
    assert found
    return found.multiplications, found.additions


def test_first_rows_of_the_catalogue() -> None:
    """Rankings that turn round on measured counts."""
    assert counts("mass_matrix", "renaud", 6) == (383, 317)
    assert counts("mass_matrix", "lin_1991", 6) == (412, 342)
    assert tried(BY_ID["lin_1991.before_renaud"], "improved").by_sum == tuple(range(9, 31))
    bias = tried(BY_ID["lin_1991.bias_up_to_6"], "improved")
    assert bias.by_M == bias.by_sum == (2, 3, 4, 5) and not bias.holds
    on_minimal = tried(BY_ID["lin_fang_1999.f2_best_minimal_type_1"], "improved")
    assert on_minimal.by_M == on_minimal.by_sum == ()
    given = "mass_matrix, composites on hand"
    for n in (4, 6, 9):
        assert counts(given, "lin_fang_1", n)[0] - counts(given, "lin_fang_5", n)[0] == 2


def test_what_does_not_follow_from_the_printed_formulas() -> None:
    found = tried(BY_ID["lin_1991.matrix_from_5"])
    assert found.by_M == tuple(range(5, 12)) and found.by_sum == tuple(range(5, 15))
    found = tried(BY_ID["lin_1991.renaud_before_fijany_bejczy"])
    assert found.by_sum == tuple(range(2, 10)) and found.holds  # Table I ends at n = 8


# Whether a claim is true of printed formulas, as printed, simplified, improved; can be corrected.
VERDICTS = {
    ((True, True, True, True), False): "holds",
    ((True, None, None, True), False): "holds",
    ((None, None, None, True), False): "holds",
    ((None, None, None, False), True): "differs with our algebra",
    ((True, True, False, False), False): "differs with our algebra",
    ((True, True, True, False), True): "differs with our algebra",
    ((True, False, False, False), True): "holds with a correction",
    ((False, False, True, True), True): "holds with a correction",
    ((False, None, None, True), False): "does not hold",
    ((None, None, None, None), False): "not tried",
}


@pytest.mark.parametrize("held", VERDICTS)
def test_verdicts(held: tuple[tuple[bool | None, ...], bool]) -> None:
    stages = ("formulas", "printed", "simplified", "improved")
    trials = [Trial(holds_by_M=h, holds_by_sum=h, correctable=held[1]) for h in held[0]]
    found = Judged(CLAIMS[0], dict(zip(stages, trials, strict=True)))  # type: ignore[arg-type]
    assert found.verdict == VERDICTS[held]


def test_planted_claims_are_seen() -> None:
    """A range that is too long is corrected, one that is nowhere true is not."""

    def verdict(claim: Claim) -> str:
        return judge([claim])[0].verdict

    def ranking(first: int, last: int) -> Ranking:
        return Ranking("x.y", "", "", 1, (CHEAP_FIRST,), (CHEAP_LAST,), first, last)

    assert verdict(ranking(2, 9)) == "holds"
    assert verdict(ranking(2, 20)) == "holds with a correction"
    assert verdict(ranking(10, 20)) == "does not hold"

    def amount(*coefficients: int) -> Amount:
        return Amount("x.y", "", "", 1, CHEAP_LAST, CHEAP_FIRST, formula("", *coefficients), None)

    assert verdict(amount(-1, 10, 0)) == "holds"
    assert verdict(amount(-1, 10, 3)) == verdict(amount(-1, 4, 0)) == "holds with a correction"
    assert verdict(amount(1, 10, 0)) == verdict(amount(10, 0)) == "does not hold"
    assert verdict(Order("x.y", "", "", 1, CHEAP_FIRST, 1)) == "does not hold"


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["armdyn-papers", "claims", *words])
    with pytest.raises(SystemExit) as stop:
        command.main()
    return int(stop.value.code or 0)


def test_the_verb_prints_and_draws(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    few = ("mata_2002.inverse_before_luh", "mata_2002.inverse_linear", "lin_1991.before_renaud")
    monkeypatch.setattr(command, "CLAIMS", [BY_ID[name] for name in few])
    picture = tmp_path / "claims.png"
    assert run(monkeypatch, "--plot", str(picture)) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    out = " ".join(capsys.readouterr().out.split())
    assert "inverse_before_luh" in out and "3 claims. holds: 2, differs with our algebra: 1." in out
    assert run(monkeypatch, "--paper", "mata_2002", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [claim["id"] for claim in told] == list(few[:2])
    assert told[0]["stages"]["improved"]["true_by_sum"] == list(range(2, 31))
    assert told[0]["stages"]["simplified"]["holds"] is None
