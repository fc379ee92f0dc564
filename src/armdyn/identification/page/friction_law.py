"""The friction of a joint as a function of speed and load, with error bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Column
from armdyn.robot.friction import FRICTION_TERMS

if TYPE_CHECKING:
    from armdyn.identification.result import Result

OFFSET = "offset"


@dataclass(frozen=True, eq=False)
class FrictionLaw:
    """What was found of the friction of one joint.

    Attributes:
        columns: its terms; empty if friction was not fitted.
        values: their coefficients.
        covariance: of the coefficients.
    """

    columns: tuple[Column, ...]
    values: Array
    covariance: Array

    @property
    def depends_on_load(self) -> bool:
        """Whether it has a term of the load."""
        return any(_of_load(column) for column in self.columns)

    def torque(self, v: Array, load: Array | float, *, offset: bool = True) -> Array:
        """Return the friction at speeds and loads ``(N,)``, with or without its constant part."""
        return self._matrix(v, load, offset) @ self.values

    def std(self, v: Array, load: Array | float, *, offset: bool = True) -> Array:
        """Return its standard deviation ``(N,)``."""
        A = self._matrix(v, load, offset)
        return np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", A, self.covariance, A), 0.0))

    def _matrix(self, v: Array, load: Array | float, offset: bool) -> Array:
        A = np.zeros((len(v), len(self.columns)))
        for i, column in enumerate(self.columns):
            if offset or column.kind != OFFSET:
                A[:, i] = _evaluated(column, v) * (np.abs(load) if _of_load(column) else 1.0)
        return A


def friction_law(result: Result, j: int) -> FrictionLaw:
    """Return the friction of a joint."""
    at = [
        i for i, c in enumerate(result.model.columns) if c.kind in FRICTION_TERMS and c.joint == j
    ]
    return FrictionLaw(
        tuple(result.model.columns[i] for i in at),
        result.values[at],
        result.covariance[np.ix_(at, at)],
    )


def _of_load(column: Column) -> bool:
    return FRICTION_TERMS[column.kind].load


def _evaluated(column: Column, v: Array) -> Array:
    """Return a column at speeds, for a load of 1."""
    term = FRICTION_TERMS[column.kind]
    direction = np.tanh(v / column.soft) if column.soft else np.sign(v)
    found = [term.column(x, s, *column.shape) for x, s in zip(v, direction, strict=True)]
    return np.array(found, dtype=np.float64)
