"""The interface to another library: a call to time, and its results to check.

A library is timed only if its answers agree with ours: the time of a wrong answer, or of a
different computation, is no comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.function import Function
from armdyn.arm.verify import LOST_BY_SOLVING, relative_error
from timing import Job

Array = NDArray[np.float64]
Parts = tuple[Array, ...]
Scope = Literal["one", "batch"]

# Relative to the largest entry of a state: other libraries round in other places than we do.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Task:
    """A quantity of an arm at given states.

    Attributes:
        quantity: what.
        function: ours, for libraries that are given our code.
        states: an array ``(B, n)`` for each input.
    """

    quantity: str
    function: Function
    states: Sequence[Array]


@dataclass(frozen=True)
class Offer:
    """One way in which a library computes a task.

    Attributes:
        scope: one state per call from Python, or many states per call.
        job: the call to time.
        answers: its results at all states of the task, in our shapes.
    """

    scope: Scope
    job: Job
    answers: Callable[[], Parts]


class PeerArm(Protocol):
    """An arm in another library."""

    def offers(self, task: Task) -> list[Offer]:
        """Return all ways to compute a task; empty if there is none. The fastest one counts."""
        ...


class Peer(Protocol):
    """Another library.

    Attributes:
        name: as tables show it.
        version: its version.
        note: what exactly is timed, in a sentence.
    """

    name: str
    version: str
    note: str

    def arm(self, arm: Any) -> PeerArm:
        """Return an `Arm` in this library; raises an `ArmdynError` if that is not possible."""
        ...


def ours(task: Task) -> Parts:
    """Return our answers at the states of a task."""
    return parts_of(task.function(*task.states))


def disagreement(quantity: str, expected: Parts, answers: Parts, condition: float) -> str | None:
    """Return what is wrong with a library's answers; None if they equal ours to rounding.

    Args:
        quantity: what was computed.
        expected: our answers.
        answers: theirs.
        condition: largest condition number of the mass matrices at these states.
    """
    if [a.shape for a in answers] != [e.shape for e in expected]:
        return f"shapes {[a.shape for a in answers]}, expected {[e.shape for e in expected]}"
    lost = LOST_BY_SOLVING * condition if QUANTITIES[quantity].solves else 0.0
    tolerance = max(TOLERANCE, lost)
    error = max(relative_error(a, e) for a, e in zip(answers, expected, strict=True))
    if error <= tolerance:  # False for NaN
        return None
    return f"its answers differ from ours by {error:.1e} of the largest entry; not timed"


def symmetric(upper: Array) -> Array:
    """Return the full matrix from its upper half."""
    return np.triu(upper) + np.triu(upper, 1).T


def parts_of(given: Any) -> tuple[Any, ...]:
    """Return a result, or the tuple of results, as a tuple."""
    return cast("tuple[Any, ...]", given) if isinstance(given, tuple) else (given,)


def one_by_one(
    call: Callable[..., Any], states: Sequence[Array], shapes: Mapping[str, tuple[int, ...]]
) -> Parts:
    """Return the answers at all states of a function of one state (an array or a tuple)."""
    kept: list[list[Array]] = [[] for _ in shapes]
    for state in zip(*states, strict=True):
        for keep, part, shape in zip(kept, parts_of(call(*state)), shapes.values(), strict=True):
            keep.append(np.array(part, dtype=np.float64).reshape(shape))
    return tuple(np.array(keep) for keep in kept)
