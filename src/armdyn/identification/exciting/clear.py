"""The most informative motion among those that keep clear of planes and of the arm itself.

Clearances enter the score as penalties. They make many local maxima, so several searches start at
random; the better ones go on. They look at few points of the motion. A last search, near the best
motion found, looks at more points and keeps a reserve for what happens between them. The motion is
then checked densely; if it comes too near to something, the reserve grows by what is missing, and
the last search goes on. If that does not help, the second best motion is next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError, NumericalError
from armdyn.identification.exciting.geometry.space import Space
from armdyn.identification.exciting.information import PENALTY, Information
from armdyn.identification.exciting.limits import Limits
from armdyn.identification.exciting.search import Evolution
from armdyn.identification.exciting.series import Ends, Series

# Searches that go on, and the evaluations of each, as a share of those asked for.
STAGES = ((16, 0.1), (4, 0.35), (2, 0.85))

# A search with fewer evaluations finds nothing: then there are fewer searches.
FEWEST = 500

# Evaluations of the last search, as a share: of its first round, and of those that mend it.
LAST = 0.3
MENDING = (0.03,) * 7

# Points of a motion in the last search, for each in the others, and widths of its first steps.
FINER = 5
STEP = 0.02

# Weight of clearances in the first round of the last search, and its growth from round to round.
HEAVIER, GROWTH = 2.0, 2.0

# Reserve at the beginning of the last search, and added to what is missing [m].
RESERVE, MORE = 1e-3, 5e-4

# Share of the torque limits that the last search leaves for what happens between points.
TORQUE = 0.998

# Random postures in which an arm must have room to be, and cells of the range of a joint.
POSTURES = 20_000
CELLS = 60


def stages_of(evaluations: int) -> list[tuple[int, int]]:
    """Return the number of searches of every stage, and up to which evaluation they go."""
    most = max(1, int(STAGES[0][1] * evaluations * STAGES[0][0] / FEWEST))
    return [(min(count, most), max(1, round(share * evaluations))) for count, share in STAGES]


def total(evaluations: int) -> int:
    """Return the number of motions that all searches try, at most."""
    stages = stages_of(evaluations)
    tried, before = stages[-1][0] * sum(_rounds(evaluations)), 0
    for count, until in stages:
        tried, before = tried + count * (until - before), until
    return tried


def _rounds(evaluations: int) -> list[int]:
    """Return the evaluations of every round of the last search."""
    return [max(FEWEST, round(share * evaluations)) for share in (LAST, *MENDING)]


class ClearSearch:
    """Searches for motions of a series that keep clear."""

    def __init__(
        self,
        series: Series,
        information: Information,
        space: Space,
        few: int,
        generation: int,
        rng: np.random.Generator,
        report: Callable[[int], object],
    ) -> None:
        """Prepare a search.

        Args:
            series: converts rows of numbers to motions.
            information: of motions.
            space: clearances of the arm; `space.margins` are kept.
            few: points of a period, in all searches but the last.
            generation: motions that are tried together.
            rng: random numbers.
            report: called with the number of motions tried so far.
        """
        self._series, self._information, self._space = series, information, space
        self._few, self._generation, self._rng, self._report = few, generation, rng, report
        self._weight = PENALTY * len(information.base) / space.reach
        self._tried = 0

    def best(self, starts: int, evaluations: int, dense: Callable[[Array], float]) -> Array:
        """Return the row of the best motion found that keeps clear.

        Args:
            starts: random rows at the beginning of a search.
            evaluations: asked for.
            dense: what a row's motion, as it will be run, leaves of clearances above margins.
        """
        stages = stages_of(evaluations)
        runs = [
            Evolution(
                lambda rows: self._scores(rows, 1, 0.0),
                self._series.random(min(starts, stages[0][1]), self._rng),
                self._generation,
                self._rng,
            )
            for _ in range(stages[0][0])
        ]
        for count, until in stages:
            runs = sorted(runs, key=lambda run: -run.top)[:count]
            for run in runs:
                self._run(run, until)
        reached = -np.inf
        for run in sorted(runs, key=lambda run: -run.top):
            row, found = self._mended(run.best, _rounds(evaluations), dense)
            if found >= 0.0:
                return row
            reached = max(reached, found)
        raise NumericalError(
            f"no motion was found that keeps clear: the best one lacks {-reached:.4g} m of "
            f"the clearance of {self._space.margin:g} m. Narrow `position` to postures that "
            "are free, lower `clearance` or `radius`, give a free `start`, or more `evaluations`."
        )

    def _mended(
        self, row: Array, rounds: list[int], dense: Callable[[Array], float]
    ) -> tuple[Array, float]:
        """Search near a row, with growing reserves; return the last row and the largest slack."""
        reserve, reached, heavier = RESERVE, -np.inf, HEAVIER
        for count in rounds:
            last = Evolution(
                lambda rows, reserve=reserve, heavier=heavier: self._scores(
                    rows, FINER, reserve, heavier
                ),
                row[None],
                self._generation,
                self._rng,
                STEP,
            )
            row = self._run(last, count)
            found = dense(row)
            reached = max(reached, found)
            if found >= 0.0:
                break
            reserve += MORE - found
            heavier *= GROWTH
        return row, reached

    def _run(self, run: Evolution, until: int) -> Array:
        before = run.done
        row = run.run(until, lambda done: self._report(self._tried + done - before))
        self._tried += run.done - before
        return row

    def _scores(self, rows: Array, finer: int, reserve: float, heavier: float = 1.0) -> Array:
        motions = self._series.motions(rows, finer * self._few)
        share = TORQUE if finer > 1 else 1.0
        scores = self._information.scores(motions.every(finer), motions, share)
        lacking = self._space.shortfall(motions.q, reserve).sum(axis=1)
        return scores - heavier * self._weight * lacking


def free_limits(space: Space, limits: Limits, ends: Ends | None) -> Limits:
    """Return limits of position without what is never free, as random postures show.

    Of several free parts of a range, the widest one stays, or the one with the ends of the motion.
    """
    q = _random(limits)
    free = q[(space.slack(q) >= 0.0).all(axis=1)]
    lower, upper = limits.lower.copy(), limits.upper.copy()
    for j, (low, high) in enumerate(zip(limits.lower, limits.upper, strict=True)):
        counts, edges = np.histogram(free[:, j], CELLS, (low, high))
        steps = np.diff((counts > 0).astype(int), prepend=0, append=0)
        parts = zip(np.flatnonzero(steps > 0), np.flatnonzero(steps < 0), strict=True)
        ranges = [(edges[a], edges[b]) for a, b in parts]
        if ends is not None:
            first, last = sorted((ends.start[j], ends.end[j]))
            ranges = [(a, b) for a, b in ranges if a < first and last < b]
        if ranges:
            lower[j], upper[j] = max(ranges, key=lambda part: part[1] - part[0])
    return replace(limits, lower=lower, upper=upper)


def _random(limits: Limits) -> Array:
    return np.random.default_rng(0).uniform(
        limits.lower, limits.upper, (POSTURES, len(limits.lower))
    )


def check_room(space: Space, limits: Limits, ends: Ends | None) -> None:
    """Refuse ends in contact, and surroundings that leave the arm no posture."""
    if ends is not None:
        for name, q in (("start", ends.start), ("end", ends.end)):
            slack = space.slack(q[None])[0]
            if (slack < 0.0).any():
                k = int(np.argmin(slack))
                one, other = space.contacts[k].names
                raise InputError(
                    f"`{name}` is a posture in which the clearance between {one} and {other} is "
                    f"{slack[k] + space.margins[k]:.4g} m; at least {space.margins[k]:g} m is "
                    "needed. Choose another posture.",
                    argument=name,
                )
        return
    found = space.slack(_random(limits))
    if not found.shape[1] or (found.min(axis=1) >= 0.0).any():
        return
    names = space.contacts[int(np.argmin(found.max(axis=0)))].names
    raise InputError(
        f"in none of {POSTURES} random postures within the limits of position does the arm keep "
        f"{space.margin:g} m clear; the hardest is between {names[0]} and {names[1]}. Check "
        "`floor` and `walls` (free is where normal . x >= d, in the base frame), `radius` "
        "and `clearance`.",
        argument="floor" if names[1] == "floor" else "walls" if space.planes else "radius",
    )
