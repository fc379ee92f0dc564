"""The search for the most informative motion among those that keep the limits and keep clear.

`Evolution` is the separable covariance matrix adaptation of Ros and Hansen (2008): a normal
distribution of rows moves to the better half of its samples; its widths follow the successful
steps. It needs no gradients, so it suits scores with many maxima and signs. All samples of a
generation are one batch.

Clearances enter the score as penalties. They make many local maxima, so several searches start at
random; the better ones go on. They look at few points of the motion. A last search, near the best
motion, looks at more points and keeps a reserve for the time between them. The motion is then
checked densely; if it comes too near to something, the reserve grows by the missing clearance, and
the last search goes on. If that does not help, the second best motion is next.

Searches depend on the seed and on their number alone, so they give the same motion wherever they
run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.cluster import Cluster
from armdyn.errors import NumericalError
from armdyn.excitation.information import PENALTY, Information
from armdyn.excitation.series import Series
from armdyn.excitation.space import Space
from armdyn.excitation.surroundings import slack_of
from armdyn.motion.fourier import Fourier
from armdyn.progress import Progress, portion, silent


@dataclass(frozen=True)
class SearchEffort:
    """How a search spends its evaluations. Shares are those of the number asked for.

    Attributes:
        starts: random initial motions.
        generation: motions that are scored together.
        first_step: standard deviation of the first steps, in the numbers of a row.
        coarse: points of a period in a search: at least, and per harmonic.
        fine: points of a period of the final motion: at least, and per harmonic.
        halvings: bisections for the largest amplitude that keeps the torque limits.
        stages: to keep clear: searches that go on, and the evaluations of each, as a share.
        fewest: a search with fewer evaluations finds nothing, so there are fewer searches then.
        rounds: evaluations of the last search, as shares: its first round, and rounds of mending.
        finer: points of a motion in the last search, for each in the others.
        last_step: standard deviation of the first steps of the last search.
        weight: of clearances in the first round of the last search.
        growth: of that weight from round to round.
        reserve: of clearance at the beginning of the last search [m].
        more_reserve: added to the missing clearance in the next round [m].
        torque_share: of the torque limits in the last search; the rest is for times between points.
    """

    starts: int = 96
    generation: int = 48
    first_step: float = 0.3
    coarse: tuple[int, int] = (60, 12)
    fine: tuple[int, int] = (2400, 240)
    halvings: int = 40
    stages: tuple[tuple[int, float], ...] = ((16, 0.1), (4, 0.35), (2, 0.85))
    fewest: int = 500
    rounds: tuple[float, ...] = (0.3, *(0.03,) * 7)
    finer: int = 5
    last_step: float = 0.02
    weight: float = 2.0
    growth: float = 2.0
    reserve: float = 1e-3
    more_reserve: float = 5e-4
    torque_share: float = 0.998

    def stages_of(self, evaluations: int) -> list[tuple[int, int]]:
        """Return the number of searches of every stage, and up to which evaluation they go."""
        (count, share), *_ = self.stages
        most = max(1, int(share * evaluations * count / self.fewest))
        return [(min(count, most), max(1, round(s * evaluations))) for count, s in self.stages]

    def rounds_of(self, evaluations: int) -> list[int]:
        """Return the evaluations of every round of the last search."""
        return [max(self.fewest, round(share * evaluations)) for share in self.rounds]

    def total(self, evaluations: int) -> int:
        """Return the number of motions that all searches that keep clear try, at most."""
        stages = self.stages_of(evaluations)
        tried, before = stages[-1][0] * sum(self.rounds_of(evaluations)), 0
        for count, until in stages:
            tried, before = tried + count * (until - before), until
        return tried


EFFORT = SearchEffort()

LOOKING = "looking for the motion"

Outcome = tuple[float, Array | NumericalError]


class Evolution:
    """A search for the row of largest score that can be stopped and continued.

    Attributes:
        best: the row with the largest score so far, ``(D,)``.
        top: its score.
        done: rows scored so far.
    """

    def __init__(
        self, score: Callable[[Array], Array], starts: Array, rng: np.random.Generator, step: float
    ) -> None:
        """Begin at the best of some rows.

        Args:
            score: of rows ``(P, D)``, ``(P,)``.
            starts: candidate rows ``(S, D)``.
            rng: random numbers.
            step: standard deviation of the first steps.
        """
        self._score, self._rng = score, rng
        scores = score(starts)
        self.best, self.top = starts[int(np.argmax(scores))], float(scores.max())
        self.done = len(starts)
        D = starts.shape[1]
        half = EFFORT.generation // 2
        weights = np.log(half + 0.5) - np.log(np.arange(1, half + 1))
        self._weights = weights / weights.sum()
        self._mass = mass = 1.0 / float(np.sum(self._weights**2))
        # the authors' learning rates; widths learn (D + 2) / 3 times faster
        self._path_rate = (4 + mass / D) / (D + 4 + 2 * mass / D)
        self._step_rate = (mass + 2) / (D + mass + 5)
        quicker = (D + 2) / 3
        self._one = min(1.0, quicker * 2 / ((D + 1.3) ** 2 + mass))
        many = quicker * 2 * (mass - 2 + 1 / mass) / ((D + 2) ** 2 + mass)
        self._many = min(1.0 - self._one, many)
        self._usual = np.sqrt(D) * (1 - 1 / (4 * D) + 1 / (21 * D**2))
        self._mean, self._width, self._step = self.best.copy(), np.ones(D), step
        self._path, self._step_path = np.zeros(D), np.zeros(D)

    def run(self, until: int, report: Callable[[int], object]) -> Array:
        """Go on until so many rows have been scored; return the best one.

        Args:
            until: number of rows, those of earlier calls included.
            report: called with the number of rows scored so far.
        """
        while self.done + EFFORT.generation <= until:
            self._advance()
            report(self.done)
        return self.best

    def _advance(self) -> None:
        """Score a generation, and move to the better half of it."""
        D, step, mass = len(self._mean), self._step, self._mass
        moves = self._rng.normal(size=(EFFORT.generation, D)) * np.sqrt(self._width)
        rows = self._mean + step * moves
        scores = self._score(rows)
        self.done += EFFORT.generation
        order = np.argsort(-scores, kind="stable")[: len(self._weights)]
        if scores[order[0]] > self.top:
            self.best, self.top = rows[order[0]], float(scores[order[0]])
        better = moves[order]
        move = self._weights @ better
        self._mean = self._mean + step * move
        rate = self._step_rate
        self._step_path *= 1 - rate
        self._step_path += np.sqrt(rate * (2 - rate) * mass) * move / np.sqrt(self._width)
        rate = self._path_rate
        self._path = (1 - rate) * self._path + np.sqrt(rate * (2 - rate) * mass) * move
        self._width = (
            (1 - self._one - self._many) * self._width
            + self._one * self._path**2
            + self._many * (self._weights @ better**2)
        )
        longer = float(np.linalg.norm(self._step_path)) / self._usual - 1
        self._step *= float(np.exp(self._step_rate / (1 + self._step_rate) * longer))


@dataclass(frozen=True, eq=False)
class Search:
    """The problem that a search solves.

    Attributes:
        series: converts rows of numbers to motions.
        information: of motions.
        space: clearances to keep; None if there are none.
        evaluations: number of motions to try.
    """

    series: Series
    information: Information
    space: Space | None
    evaluations: int

    @property
    def points(self) -> int:
        """Points of a period of the final motion."""
        least, each = EFFORT.fine
        return max(least, each * self.series.h)

    def best(self, rng: np.random.Generator, report: Progress) -> Array:
        """Return the row of the best motion of one search."""
        tries, space = self.evaluations, self.space

        def begin(count: int) -> Evolution:
            return Evolution(self._scores, self.series.random(count, rng), rng, EFFORT.first_step)

        if space is None:
            return begin(EFFORT.starts).run(tries, lambda done: report(done, tries, LOOKING))
        stages, every, tried = EFFORT.stages_of(tries), EFFORT.total(tries), 0

        def go_on(run: Evolution, until: int) -> Array:
            nonlocal tried
            before = tried - run.done
            row = run.run(until, lambda done: report(min(before + done, every), every, LOOKING))
            tried = before + run.done
            return row

        runs = [begin(min(EFFORT.starts, stages[0][1])) for _ in range(stages[0][0])]
        for count, until in stages:
            runs = sorted(runs, key=lambda run: -run.top)[:count]
            for run in runs:
                go_on(run, until)
        largest = -np.inf
        for run in sorted(runs, key=lambda run: -run.top):
            row, reserve, weight = run.best, EFFORT.reserve, EFFORT.weight
            for count in EFFORT.rounds_of(tries):

                def score(rows: Array, reserve: float = reserve, weight: float = weight) -> Array:
                    return self._scores(rows, EFFORT.finer, reserve, weight)

                row = go_on(Evolution(score, row[None], rng, EFFORT.last_step), count)
                slack = slack_of(space, self.trajectory(row))
                if slack >= 0.0:
                    return row
                largest = max(largest, slack)
                reserve += EFFORT.more_reserve - slack
                weight *= EFFORT.growth
        raise NumericalError(
            f"no motion was found that keeps clear: the best one lacks {-largest:.4g} m of "
            f"the clearance of {space.margin:g} m. Narrow `position` to postures that "
            "are free, lower `clearance` or `radius`, give a free `start`, or more `evaluations`."
        )

    def _scores(
        self, rows: Array, finer: int = 1, reserve: float = 0.0, weight: float = 1.0
    ) -> Array:
        """Return the information of motions less penalties for torques and clearances."""
        least, each = EFFORT.coarse
        states = self.series.motions(rows, finer * max(least, each * self.series.h)).states
        share = EFFORT.torque_share if finer > 1 else 1.0
        scores = self.information.scores(states, finer, share)
        if self.space is None:
            return scores
        lacking = self.space.shortfall(states[0], reserve).sum(axis=1)
        return scores - weight * (PENALTY * len(self.information.base) / self.space.reach) * lacking

    def trajectory(self, row: Array) -> Fourier:
        """Return the motion of a row, so small that no torque exceeds its limit."""
        return self.series.fourier(row, self.points, self.shrink(row))

    def score(self, row: Array) -> float:
        """Return the log determinant of the information of a row's final motion."""
        motions = self.series.motions(row[None], self.points, self.shrink(row))
        return float(self.information.scores(motions.states)[0])

    def shrink(self, row: Array) -> float:
        """Return the largest share of the amplitude at which no torque exceeds its limit."""

        def effort(share: float) -> Array:
            motions = self.series.motions(row[None], self.points, share)
            return self.information.effort(motions.states)[0]

        if (effort(1.0) <= 1.0).all():
            return 1.0
        over = effort(0.0)
        if not (over <= 1.0).all():
            worst = int(np.argmax(over))
            raise NumericalError(
                "no motion was found that keeps the limits of torque: even to hold the arm, "
                f"{self.information.arm.joint_names[worst]} takes {over[worst]:.3g} times its "
                "limit (less the margin). Check the masses and `torque`, or narrow `position`."
            )
        low, high = 0.0, 1.0
        for _ in range(EFFORT.halvings):
            middle = (low + high) / 2
            low, high = (middle, high) if (effort(middle) <= 1.0).all() else (low, middle)
        return low


def best_row(
    search: Search, seed: int, restarts: int, cluster: Cluster | None, report: Progress
) -> Array:
    """Return the row of the best motion of several searches.

    Args:
        search: the problem to solve.
        seed: of the random numbers.
        restarts: number of searches.
        cluster: does the searches; None for this process.
        report: called during the work.
    """
    if cluster is None and restarts == 1:
        return search.best(_generator(seed, 0), report)
    if cluster is None:
        parts = [portion(report, k, k + 1, restarts, LOOKING) for k in range(restarts)]
        results = (_searched(search, seed, k, part) for k, part in enumerate(parts))
    else:
        jobs = [cluster.submit(_searched, search, seed, k) for k in range(restarts)]
        results = cluster.results(jobs)
    outcomes: list[Outcome] = []
    for one in results:
        outcomes.append(one)
        report(len(outcomes), restarts, LOOKING)
    _, best = max(outcomes, key=lambda one: one[0])
    if isinstance(best, NumericalError):
        raise best
    return best


def _searched(search: Search, seed: int, number: int, report: Progress = silent) -> Outcome:
    """Return the score and the row of search `number`; -inf and its error if it fails."""
    try:
        row = search.best(_generator(seed, number), report)
        return search.score(row), row
    except NumericalError as error:
        return -np.inf, error


def _generator(seed: int, number: int) -> np.random.Generator:
    """Return the random numbers of a search; the first is that of a single search."""
    return np.random.default_rng([seed, number] if number else seed)
