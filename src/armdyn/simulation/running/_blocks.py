"""Batches in numbered blocks of fixed size: what is drawn for them, and runs on a cluster.

Draws and runs of a block depend on its number alone, so a batch has the same bits on one machine
and on any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import checked_array, checked_seed, checked_whole
from armdyn.errors import InputError, shown
from armdyn.simulation.steppers._fixed import TOGETHER

Array = NDArray[np.float64]
Draw: TypeAlias = Callable[[np.random.Generator, int], ArrayLike]
"""Draws rows for a number of arms."""

# Arms of a block: those that one thread simulates together.
ARMS = TOGETHER

MOST_ARMS = 10**9


@dataclass(frozen=True, eq=False)
class Batch:
    """The states and parameters of arms, given or drawn.

    Attributes:
        given: `q0`, `qd0` and `parameters`: values, or functions that draw them.
        arms: number of arms to draw for; None if nothing is drawn.
        seed: of the draws.
    """

    given: Mapping[str, Any]
    arms: int | None
    seed: int

    def whole(self) -> dict[str, Any]:
        """Return the values of all arms."""
        if self.arms is None:
            return dict(self.given)
        blocks = [self.drawn(k, i, j) for k, (i, j) in enumerate(bounds(self.arms))]
        drawn = {name for name, value in self.given.items() if callable(value)}
        return {
            name: np.concatenate([block[name] for block in blocks]) if name in drawn else value
            for name, value in self.given.items()
        }

    def drawn(self, number: int, i: int, j: int) -> dict[str, Any]:
        """Return the values of block `number`, arms i to j."""
        rng = np.random.default_rng([self.seed, number])
        return {name: _rows(name, value, rng, i, j) for name, value in self.given.items()}


def bounds(arms: int) -> list[tuple[int, int]]:
    """Return the first and the last arm, without it, of all blocks."""
    return [(i, min(i + ARMS, arms)) for i in range(0, arms, ARMS)]


def batch_of(q0: object, qd0: object, parameters: object, arms: object, seed: object) -> Batch:
    """Return the arguments of `simulate` that differ from arm to arm, checked."""
    given = {"q0": q0, "qd0": qd0, "parameters": parameters}
    drawn = [name for name, value in given.items() if callable(value)]
    number = checked_seed(seed)
    if arms is None:
        if drawn:
            raise InputError(
                f"`{drawn[0]}` is {shown(given[drawn[0]])}, a function that draws rows for a "
                "number of arms: give `arms`.",
                argument="arms",
            )
        return Batch(given, None, number)
    count = checked_whole(arms, "arms", 1, MOST_ARMS)
    if not drawn:
        raise InputError(
            f"`arms` is {count}, but nothing is drawn: expected functions of (rng, count) as `q0`, "
            "`qd0` or `parameters`.",
            argument="arms",
        )
    for name, value in given.items():
        rows = 1 if callable(value) else _row_count(value)
        if rows not in (1, count):
            raise InputError(
                f"`{name}` has {rows} rows, but `arms` is {count}: as many of each.", argument=name
            )
    return Batch(given, count, number)


def _row_count(value: Any) -> int:
    """Return the rows of a matrix; 1 for anything else, which is checked later."""
    try:
        shape = np.shape(value)
    except ValueError:  # lists of unequal length
        return 1
    return shape[0] if len(shape) == 2 else 1


def _rows(name: str, value: Any, rng: np.random.Generator, i: int, j: int) -> Any:
    """Return the rows of arms i to j."""
    if not callable(value):
        return value[i:j] if _row_count(value) > 1 else value
    try:
        rows = cast(Draw, value)(rng, j - i)
    except Exception as error:
        raise InputError(
            f"`{name}` raised {type(error).__name__}: {error}; when called with a generator and "
            f"{j - i} arms.",
            argument=name,
        ) from error
    what = f"the rows that it draws for {j - i} arms"
    return checked_array(rows, name, (j - i, "n"), what=what)
