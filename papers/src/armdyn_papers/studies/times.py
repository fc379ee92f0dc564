"""The time that forward dynamics takes by GA, beside CRBA and ABA: a claim of [Mata2002].

``python -m armdyn_papers.studies.times`` measures the compiled methods on this machine, for batches
and for one state, and prints times relative to GA. CRBA is here the composite bodies of second
moments, solved by U D U^T.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.present.tables import Grid
from armdyn.robot.library import generic

GA = "gibbs_appell"
METHODS: tuple[str, ...] = (GA, "mass_matrix_udu", "articulated_body")  # GA, CRBA, ABA

# Numbers of joints and of states; calls of one state that are timed together, and runs of which the
# shortest counts.
JOINTS = tuple(range(3, 13))
BATCHES, CALLS, RUNS = (10_000, 1), 1000, 15


@dataclass(frozen=True)
class Timing:
    """The shortest time of a method for a number of states [s]."""

    n: int
    states: int
    method: str
    seconds: float


def measured(
    joints: Sequence[int] = JOINTS,
    batches: Sequence[int] = BATCHES,
    runs: int = RUNS,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Timing]:
    """Time every method, in turn, so that other programs slow down all of them."""
    found: list[Timing] = []
    for n in joints:
        arm = Arm(generic(n))
        functions = {name: arm.function("forward_dynamics", method=name) for name in METHODS}
        for states in batches:
            shape = (n,) if states == 1 else (states, n)
            state = np.random.default_rng(n).normal(size=(3, *shape))
            calls = CALLS if states == 1 else 1
            best = dict.fromkeys(METHODS, np.inf)
            for _ in range(runs):
                for name, run in functions.items():
                    start = clock()
                    for _ in range(calls):
                        run(*state)
                    best[name] = min(best[name], (clock() - start) / calls)
            found += [Timing(n, states, name, seconds) for name, seconds in best.items()]
    return found


def relative(timings: Sequence[Timing]) -> Grid:
    """Return times relative to GA, a row for each number of joints."""
    of = {(t.n, t.states, t.method): t.seconds for t in timings}
    batches = tuple(dict.fromkeys(t.states for t in timings))
    rows = [
        (
            str(n),
            *(
                f"{of[n, states, method] / of[n, states, GA]:.2f}"
                for states in batches
                for method in METHODS[1:]
            ),
        )
        for n in dict.fromkeys(t.n for t in timings)
    ]
    names = [f"{method}, {states} states" for states in batches for method in METHODS[1:]]
    return Grid("Times relative to GA", ("n", *names), 0, tuple(rows))


if __name__ == "__main__":
    print(relative(measured()).text())
