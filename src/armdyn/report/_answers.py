"""Values of all quantities at the same states, to check identities.

Identities are plain arithmetic on numbers. Here a number is an array over all states, so an
identity runs once for any number of states: inputs and answers have states on the last axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.robot import chain_of

Array = NDArray[np.float64]
Answer = Array | tuple[Array, ...]

# Step of central differences [rad], [m], [rad/s] ...: for answers of order one, the error of the
# formula and the rounding error divided by the step are both near 1e-10.
STEP = 1e-6


class StateAnswers:
    """Answers of an arm at some states; friction is left out.

    Args:
        arm: the arm.
        states: inputs by name, each ``(B, n)``.
        medians: quantities by name, states first.
    """

    def __init__(
        self, arm: Arm, states: Mapping[str, Array], medians: Mapping[str, Answer]
    ) -> None:
        self.chain = chain_of(arm.robot)
        self.medians = medians
        self._arm = arm
        self._states = dict(states)

    def __getitem__(self, name: str) -> Any:
        """Return an input, or the median of the methods of a quantity."""
        return states_last(self._states[name] if name in self._states else self.medians[name])

    def slope(self, quantity: str, by: str) -> Any:
        """Return the derivative of a quantity by one of its inputs, by central differences."""
        columns: list[Array] = []
        for step in STEP * np.eye(self.chain.n):
            ahead, behind = (
                self._at(quantity, {by: self._states[by] + sign * step}) for sign in (1, -1)
            )
            columns.append((cast(Array, ahead) - cast(Array, behind)) / (2 * STEP))
        return states_last(np.stack(columns, axis=-1))

    def evaluate(self, quantity: str, **inputs: Any) -> Any:
        """Return a quantity at these states, with some inputs replaced."""
        given = {name: self.states_first(x) for name, x in inputs.items()}
        return states_last(self._at(quantity, given))

    def states_first(self, side: Any) -> Array:
        """Return a side of an identity, nested lists or an array, with states on the first axis."""
        if isinstance(side, list | tuple):
            return np.stack([self.states_first(x) for x in cast("list[Any]", side)], axis=1)
        array = np.asarray(side, dtype=np.float64)
        if array.ndim == 0:  # the same for all states
            return np.full(len(self._states["q"]), array)
        return np.moveaxis(array, -1, 0)

    def _at(self, quantity: str, replaced: Mapping[str, Array]) -> Answer:
        f = self._arm.function(quantity, friction=False)
        given = {**self._states, **replaced}
        return f(*(given[slot.name] for slot in f.program.inputs))


def states_last(answer: Answer) -> Any:
    """Return an answer as numbers, each an array over the states."""
    if isinstance(answer, tuple):
        return tuple(map(states_last, answer))
    return np.moveaxis(answer, 0, -1)
