"""All claims, tried at each stage: for which n they are true."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from armdyn.progress import Progress
from armdyn_papers.claims import lin_1991, lin_fang_1999, mata_2002, saha_1999
from armdyn_papers.claims.claim import (
    LARGEST,
    SMALLEST,
    Amount,
    Claim,
    Contender,
    Order,
    Parallel,
    Ranking,
)
from armdyn_papers.claims.series import (
    TRIES,
    Pair,
    Series,
    Try,
    depths,
    is_quoted,
    polynomial,
    series,
)
from armdyn_papers.tables.printed import Formula
from armdyn_papers.verdict import Verdict, of_counts

# Every claim of the papers.
CLAIMS: tuple[Claim, ...] = (
    *lin_fang_1999.CLAIMS,
    *lin_1991.CLAIMS,
    *saha_1999.CLAIMS,
    *mata_2002.CLAIMS,
)


@dataclass(frozen=True)
class Trial:
    """A claim at a stage, for all n that were `tried`.

    The papers do not say whether they rank by multiplications or by all operations. A ranking holds
    if it is true by one of the two for every n that it is about.

    Attributes:
        by_M: the n at which it is true by multiplications, then additions.
        by_sum: the n at which it is true by multiplications and additions together; the same for
            claims that are no rankings.
        tried: all n that were tried; none if nothing can be tried.
        holds_by_M: whether it is true by multiplications for all n it is about.
        holds_by_sum: the same by the sum.
        correctable: a smaller range of n, or a lower term of a formula, makes it true.
        note: what is left out, quoted, or true instead.
    """

    by_M: tuple[int, ...] = ()
    by_sum: tuple[int, ...] = ()
    tried: tuple[int, ...] = ()
    holds_by_M: bool | None = None
    holds_by_sum: bool | None = None
    correctable: bool = False
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds by one of the two measures; None if nothing can be tried."""
        return None if self.holds_by_M is None else self.holds_by_M or bool(self.holds_by_sum)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "holds": self.holds,
            "holds_by_M": self.holds_by_M,
            "holds_by_sum": self.holds_by_sum,
            "true_by_M": list(self.by_M),
            "true_by_sum": list(self.by_sum),
            "crossovers_by_M": crossovers(self.by_M, self.tried),
            "crossovers_by_sum": crossovers(self.by_sum, self.tried),
            "tried": list(self.tried),
            "note": self.note,
        }


# The stages of a paper's own counts, and those of programs that armdyn simplifies.
OF_PAPER: tuple[Try, ...] = ("formulas", "printed")
OURS: tuple[Try, ...] = ("simplified", "improved")


@dataclass(frozen=True)
class Judged:
    """A claim with its trials and the verdict they come to."""

    claim: Claim
    trials: Mapping[Try, Trial]

    @property
    def verdict(self) -> Verdict:
        """The verdict: of the paper's own counts first, then of ours."""
        paper, ours = ([self.trials[stage] for stage in pair] for pair in (OF_PAPER, OURS))
        false = [trial for trial in paper if trial.holds is False]
        return of_counts(
            [trial.holds for trial in paper],
            [trial.holds for trial in ours],
            all(trial.correctable for trial in false),
        )

    @property
    def evidence(self) -> str:
        """Where the claim is true: by the paper's own counts, and with our algebra."""
        paper = _summary([self.trials[stage] for stage in OF_PAPER], self.claim)
        ours = _summary([self.trials["improved"]], self.claim)
        told = [("by the paper's counts", paper), ("with our algebra", ours)]
        return "; ".join(f"{whose} {words}" for whose, words in told if words)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        first, last = claimed(self.claim)
        return {
            "id": self.claim.id,
            "paper": self.claim.paper,
            "place": self.claim.place,
            "statement": self.claim.statement,
            "type": self.claim.type,
            "kind": type(self.claim).__name__.lower(),
            "claimed": [first, last],
            "verdict": self.verdict,
            "evidence": self.evidence,
            "stages": {stage: trial.to_dict() for stage, trial in self.trials.items()},
        }


def judge(
    claims: Sequence[Claim], *, every: bool = False, progress: Progress | None = None
) -> list[Judged]:
    """Try claims at every stage.

    Args:
        claims: of the catalogue.
        every: measure every n up to 30; else counts beyond n = 10 follow from their polynomial,
            which is checked at n = 14.
        progress: called with (done, total, what) after each claim.
    """
    found: list[Judged] = []
    for done, claim in enumerate(claims, 1):
        found.append(Judged(claim, {stage: _trial(claim, stage, every) for stage in TRIES}))
        if progress:
            progress(done, len(claims), "trying the papers' claims")
    return found


@cache
def judged_claim(id: str) -> Judged:
    """Try the claim of an id once; see `judge`."""
    return judge([next(claim for claim in CLAIMS if claim.id == id)])[0]


def _summary(trials: Sequence[Trial], claim: Claim) -> str:
    """Return where a claim is true by all of some trials that know; empty if none knows."""
    known = [trial for trial in trials if trial.holds is not None]
    if not known:
        return ""
    if not isinstance(claim, Ranking):
        if all(trial.holds for trial in known):
            return "true"
        return next(trial.note for trial in reversed(known) if not trial.holds) or "false"
    by_M, by_sum = ([t.by_M for t in known], [t.by_sum for t in known])
    words = [_range_text(common, known) for common in map(_common, (by_M, by_sum))]
    return (
        f"true {words[0]}"
        if words[0] == words[1]
        else (f"true {words[1]} by M + A, {words[0]} by M")
    )


def _common(numbers: Sequence[tuple[int, ...]]) -> list[int]:
    return sorted(set[int].intersection(*map(set[int], numbers)))


def _range_text(true_for: list[int], trials: Sequence[Trial]) -> str:
    tried = [n for n in _common([trial.tried for trial in trials])]
    if not true_for:
        return "for no n"
    if true_for == tried:
        return "for every n"
    runs = intervals(true_for)
    if true_for[-1] == LARGEST and "," not in runs:
        return f"from n = {true_for[0]} on"
    return f"for n = {runs}".replace("-", " to ")


def claimed(claim: Claim) -> tuple[int, int]:
    """Return the first and last n that a claim is about."""
    return (claim.first, claim.last) if isinstance(claim, Ranking | Amount) else (SMALLEST, LARGEST)


def _trial(claim: Claim, stage: Try, every: bool) -> Trial:
    def counts(contender: Contender) -> Series | None:
        return series(contender, claim.type, stage, every=every)

    if isinstance(claim, Ranking):
        return _ranking(claim, stage, counts)
    if isinstance(claim, Amount):
        return _amount(claim, counts)
    if isinstance(claim, Order):
        return _order(claim, counts)
    assert isinstance(claim, Parallel)
    return _parallel(claim, every) if stage == "improved" else Trial()


def _ranking(claim: Ranking, stage: Try, counts: Callable[[Contender], Series | None]) -> Trial:
    winners = [s for c in claim.winners if (s := counts(c)) is not None]
    told = {c.label: s for c in claim.rivals if (s := counts(c)) is not None}
    if not winners or not told:
        return Trial()
    everyone = (*winners, *told.values())
    tried = [n for n in range(SMALLEST, LARGEST + 1) if all(n in s for s in everyone)]
    by_M = [n for n in tried if _is_cheapest(n, winners, told, _lexical)]
    by_sum = [n for n in tried if _is_cheapest(n, winners, told, _total)]
    about = [n for n in tried if claim.first <= n <= claim.last]
    others = [n for n in tried if n not in about] if claim.only else []

    def holds(true: list[int]) -> bool | None:
        if not about:
            return None
        return all(n in true for n in about) and not any(n in true for n in others)

    left_out = [c.label for c in claim.rivals if c.label not in told]
    quoted = [c.label for c in claim.rivals if c.label in told and is_quoted(c, stage)]
    notes = [f"by their printed formulas: {', '.join(quoted)}"] if quoted else []
    notes += [f"left out, not counted at this stage: {', '.join(left_out)}"] if left_out else []
    somewhere = bool({*about} & {*by_M, *by_sum})
    return Trial(
        tuple(by_M), tuple(by_sum), tuple(tried), holds(by_M), holds(by_sum), somewhere,
        "; ".join(notes),
    )  # fmt: skip


def _is_cheapest(
    n: int, winners: list[Series], rivals: Mapping[str, Series], key: Callable[[Pair], Pair]
) -> bool:
    best = min(key(s[n]) for s in winners)
    return all(best < key(s[n]) for s in rivals.values())


def _lexical(pair: Pair) -> Pair:
    return pair


def _total(pair: Pair) -> Pair:
    return sum(pair), 0


def _amount(claim: Amount, counts: Callable[[Contender], Series | None]) -> Trial:
    more, less = counts(claim.more), counts(claim.less)
    if more is None or less is None:
        return Trial()
    tried = sorted(n for n in {*more} & {*less} if claim.first <= n <= claim.last)
    differences = {n: (more[n][0] - less[n][0], more[n][1] - less[n][1]) for n in tried}
    wanted = [(k, f) for k, f in enumerate((claim.M, claim.A)) if f is not None]
    true_for = [n for n in tried if all(differences[n][k] == f(n) for k, f in wanted)]
    found = " ".join(f"({polynomial_text(differences, k)}){'MA'[k]}" for k, _ in wanted)
    note = "" if len(true_for) == len(tried) else f"it is {found}"
    return _plain(true_for, tried, note, all(_leads(differences, k, f) for k, f in wanted))


def _leads(differences: Series, which: int, claimed: Formula) -> bool:
    """Say whether a claimed formula has the leading term of the polynomial that is true."""
    if LARGEST not in differences:
        return False
    exact = polynomial(differences, which)
    stated = list(claimed.coefficients)
    while len(stated) > 1 and stated[0] == 0:
        stated.pop(0)
    return len(exact) == len(stated) > 1 and exact[0] == stated[0]


def _order(claim: Order, counts: Callable[[Contender], Series | None]) -> Trial:
    found = counts(claim.contender)
    if found is None or LARGEST not in found:
        return Trial()
    degree = max(len(polynomial(found, k)) - 1 for k in (0, 1))
    note = f"({polynomial_text(found, 0)})M ({polynomial_text(found, 1)})A"
    return _plain(list(found) if degree == claim.degree else [], list(found), note)


def _parallel(claim: Parallel, every: bool) -> Trial:
    gains: list[dict[int, Fraction]] = []
    notes: list[str] = []
    for contender in (claim.method, claim.beside):
        counts = series(contender, claim.type, "improved", every=every)
        assert counts is not None
        steps = depths(contender, claim.type, every=every)
        gain = {n: Fraction(sum(counts[n]), steps[n]) for n in counts}
        gains.append(gain)
        shown = f"{sum(counts[6])} operations on a path of {steps[6]}, gain {float(gain[6]):.1f}"
        notes.append(f"{contender.label} {shown}")
    gain, other = gains
    true_for = [n for n in gain if gain[n] > gain.get(n - 1, Fraction(1))]
    larger = intervals(n for n in gain if gain[n] > other[n])
    notes.append(f"the larger gain for n = {larger}" if larger else "never the larger gain")
    return _plain(true_for, list(gain), "at n = 6 " + "; ".join(notes))


def _plain(true_for: list[int], tried: list[int], note: str, correctable: bool = False) -> Trial:
    """Return the trial of a claim that is no ranking."""
    holds = true_for == tried
    true = tuple(true_for)
    return Trial(true, true, tuple(tried), holds, holds, correctable, note)


def crossovers(true_for: Sequence[int], tried: Sequence[int]) -> list[int]:
    """Return every n at which a claim becomes true or ceases to be."""
    return [n for n in tried[1:] if (n in true_for) != (n - 1 in true_for)]


def intervals(numbers: Iterable[int]) -> str:
    """Return numbers as intervals, e.g. "2-4, 9"."""
    runs: list[list[int]] = []
    for n in sorted(numbers):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def polynomial_text(values: Series, which: int) -> str:
    """Return the polynomial of M (0) or A (1) as text, e.g. "10.5n² − 3n + 1"."""
    if LARGEST not in values:
        return ", ".join(f"{pair[which]} at n = {n}" for n, pair in values.items())
    found = polynomial(values, which)
    text = ""
    for power, c in zip(range(len(found) - 1, -1, -1), found, strict=True):
        if c == 0:
            continue
        size = abs(c)
        halves = size.denominator <= 2
        number = f"{float(size):g}" if halves else str(size.numerator)
        number = "" if number == "1" and power else number
        term = number + ("", "n", "n²", "n³")[power] + ("" if halves else f"/{size.denominator}")
        sign = " − " if c < 0 else " + "
        text += (sign if text else ("−" if c < 0 else "")) + term
    return text or "0"
