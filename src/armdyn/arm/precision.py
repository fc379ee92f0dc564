"""Measure what single precision loses on an arm: float32 beside float64 at the same random states.

The states are exact in float32, so the differences are those of the computation alone. A difference
is divided by the largest entry of the same result at the same state: in a vector or matrix, small
entries are sums of large ones and have the errors of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arm.verify import VANISHING, random_states
from armdyn.arrays import Array
from armdyn.checks import checked_seed, checked_whole
from armdyn.errors import NumericalError
from armdyn.progress import Progress

MOST_STATES = 1_000_000


@dataclass(frozen=True)
class Loss:
    """What single precision loses of one quantity.

    Attributes:
        quantity: the quantity.
        method: the method that computes it.
        largest_entry: the largest entry of all results [SI].
        largest_difference: the largest difference of an entry [SI].
        largest: the largest difference, relative to the largest entry of its state; NaN if a result
            is not finite in float32.
        rms: the root of the mean square of these relative differences, over entries and states.
    """

    quantity: str
    method: str
    largest_entry: float
    largest_difference: float
    largest: float
    rms: float


@dataclass(frozen=True)
class Precision:
    """What single precision loses on an arm.

    Attributes:
        robot: name of the arm.
        n_states: at how many random states.
        seed: of these states.
        condition: median of the condition numbers of the mass matrix: forward dynamics loses more
            digits as it grows.
        losses: one for each quantity.
    """

    robot: str
    n_states: int
    seed: int
    condition: float
    losses: tuple[Loss, ...]


def single_precision(
    arm: Arm, n_states: int = 1000, seed: int = 0, progress: Progress | None = None
) -> Precision:
    """Compare float32 with float64 at random states within the joint limits.

    Args:
        arm: the arm.
        n_states: how many states, up to a million.
        seed: of the random numbers.
        progress: called with (done, total, what) after each quantity.
    """
    n_states, seed = checked_whole(n_states, "n_states", 1, MOST_STATES), checked_seed(seed)
    double, single = arm.astype(np.float64), arm.astype(np.float32)
    states = random_states(arm.robot, n_states, seed)
    rounded = {name: x.astype(np.float32) for name, x in states.items()}
    losses: list[Loss] = []
    for done, quantity in enumerate(double.quantities, 1):
        exact, short = double.function(quantity), single.function(quantity)
        given = [rounded[slot.name] for slot in exact.program.inputs]
        losses.append(_loss(quantity, exact.method, _parts(exact(*given)), _floats(short, given)))
        if progress:
            progress(done, len(double.quantities), "comparing with double")
    mass_matrices = double.mass_matrix(rounded["q"])
    condition = float(np.median(np.linalg.cond(mass_matrices)))
    return Precision(arm.name, n_states, seed, condition, tuple(losses))


def _parts(result: Any) -> list[Array]:
    return list(cast("tuple[Array, ...]", result)) if isinstance(result, tuple) else [result]


def _floats(f: Any, given: list[NDArray[np.float32]]) -> list[Array] | None:
    """Return the results in float32; None if one is not finite."""
    try:
        return _parts(f(*given))
    except NumericalError:
        return None


def _loss(quantity: str, method: str, exact: list[Array], short: list[Array] | None) -> Loss:
    entry = max(float(np.abs(part).max(initial=0.0)) for part in exact)
    if short is None:
        return Loss(quantity, method, entry, np.nan, np.nan, np.nan)
    differences = [np.abs(a - b) for a, b in zip(short, exact, strict=True)]
    relative = [(off / _sizes(part)).ravel() for off, part in zip(differences, exact, strict=True)]
    together = np.concatenate(relative)
    return Loss(
        quantity,
        method,
        entry,
        max(float(off.max(initial=0.0)) for off in differences),
        float(together.max(initial=0.0)),
        float(np.sqrt(np.mean(together**2))),
    )


def _sizes(part: Array) -> Array:
    """Return the largest entry of every state; of a single number, the largest of all states."""
    axes = tuple(range(1, part.ndim)) or None
    size = np.abs(part).max(axis=axes, keepdims=True)
    return np.where(size < VANISHING, 1.0, size)
