"""One search for a motion, and several from different random motions, of which the best counts.

Searches depend on the seed and on their number alone, so they give the same motion wherever they
run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.cluster import Cluster
from armdyn.errors import NumericalError
from armdyn.identification.exciting.clear import ClearSearch, total
from armdyn.identification.exciting.geometry.space import Space
from armdyn.identification.exciting.information import Information
from armdyn.identification.exciting.search import Evolution
from armdyn.identification.exciting.series import Series
from armdyn.identification.exciting.surroundings import slack_of
from armdyn.motion.fourier import Fourier
from armdyn.progress import Progress, portion, silent

# Number of random initial motions, and of motions in a generation of the search.
STARTS = 96
GENERATION = 48

# Bisections in the search for the largest amplitude that keeps the torque limits.
HALVINGS = 40

LOOKING = "looking for the motion"


@dataclass(frozen=True, eq=False)
class Search:
    """What motions are searched for.

    Attributes:
        arm: the arm.
        series: converts rows of numbers to motions.
        information: of motions.
        space: clearances to keep; None if there are none.
        few: points of a period in the search.
        many: points of a period at the end.
        seconds: duration of the motion.
        evaluations: number of motions to try.
    """

    arm: Arm
    series: Series
    information: Information
    space: Space | None
    few: int
    many: int
    seconds: float
    evaluations: int

    def best(self, rng: np.random.Generator, report: Progress) -> Array:
        """Return the row of the best motion of one search."""
        tries, space = self.evaluations, self.space
        if space is None:
            return Evolution(
                lambda rows: self.information.scores(self.series.motions(rows, self.few)),
                self.series.random(STARTS, rng),
                GENERATION,
                rng,
            ).run(tries, lambda done: report(done, tries, LOOKING))
        every = total(tries)
        return ClearSearch(
            self.series, self.information, space, self.few, GENERATION, rng,
            lambda done: report(min(done, every), every, LOOKING),
        ).best(STARTS, tries, lambda row: slack_of(space, self.trajectory(row)))  # fmt: skip

    def trajectory(self, row: Array) -> Fourier:
        """Return the motion of a row, so small that no torque exceeds its limit."""
        return self.series.fourier(row, self.many, self.seconds, self.shrink(row))

    def score(self, row: Array) -> float:
        """Return the log determinant of the information of a row's motion, as it will be run."""
        motions = self.series.motions(row[None], self.many, self.shrink(row))
        return float(self.information.scores(motions)[0])

    def shrink(self, row: Array) -> float:
        """Return the largest share of the amplitude at which no torque exceeds its limit."""

        def fits(share: float) -> bool:
            smaller = self.series.motions(row[None], self.many, share)
            return bool((self.information.effort(smaller) <= 1.0).all())

        if fits(1.0):
            return 1.0
        if not fits(0.0):
            over = self.information.effort(self.series.motions(row[None], self.many, 0.0))[0]
            worst = int(np.argmax(over))
            raise NumericalError(
                "no motion was found that keeps the limits of torque: even to hold the arm, "
                f"{self.arm.joint_names[worst]} takes {over[worst]:.3g} times its limit (less the "
                "margin). Check the masses and `torque`, or narrow `position`."
            )
        low, high = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low


def best_row(
    search: Search, seed: int, restarts: int, cluster: Cluster | None, report: Progress
) -> Array:
    """Return the row of the best motion of several searches.

    Args:
        search: what is searched for.
        seed: of the random numbers.
        restarts: number of searches.
        cluster: does the searches; None for this process.
        report: called during the work.
    """
    if cluster is None and restarts == 1:
        return search.best(_generator(seed, 0), report)
    found: list[tuple[float, Array]] = []
    failure: NumericalError | None = None
    for k, one in enumerate(_results(search, seed, restarts, cluster, report)):
        report(k + 1, restarts, LOOKING)
        if isinstance(one, NumericalError):
            failure = failure or one
        else:
            found.append(one)
    if not found:
        assert failure is not None
        raise failure
    return max(found, key=lambda one: one[0])[1]


def _results(
    search: Search, seed: int, restarts: int, cluster: Cluster | None, report: Progress
) -> Iterator[tuple[float, Array] | NumericalError]:
    if cluster is None:
        for k in range(restarts):
            yield _searched(search, seed, k, portion(report, k, k + 1, restarts, LOOKING))
        return
    yield from cluster.results(
        [cluster.submit(_searched, search, seed, k) for k in range(restarts)]
    )


def _searched(
    search: Search, seed: int, number: int, report: Progress = silent
) -> tuple[float, Array] | NumericalError:
    """Return the score and the row of search `number`; its error if it finds none."""
    try:
        row = search.best(_generator(seed, number), report)
        return search.score(row), row
    except NumericalError as error:
        return error


def _generator(seed: int, number: int) -> np.random.Generator:
    """Return the random numbers of a search; the first is that of a single search."""
    return np.random.default_rng([seed, number] if number else seed)
