"""The columns of a load, and of what else is not known about the torques that it adds.

    tau_held - tau_empty = (1 + d_j) Y_load x  +  Fl_j (|L + Y_load x| - |L|) sign(qd)

x are the ten parameters of the load, d_j is the error of the gain of drive j, and L is the torque
that the gear transmits without load: friction that grows with it grows with the load. Without a log
of the empty arm its model is subtracted, and more is unknown:

    tau_held - tau_model = ...  +  e_j L  +  Y_arm y  +  f_j(qd)

with y, the errors of the arm's own parameters (those of the last link look like a load), e_j, the
mismatch of the gains and the model, and f_j, the change of friction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import Column, Model, friction_columns
from armdyn.identification.payload.load import from_tip
from armdyn.identification.tolerances import RANK
from armdyn.minimal.parameters import MinimalParameters

UNITS = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)


class LoadColumns:
    """The parameters of a load about the tip; replaces minimal parameters in `Model`.

    Minimal parameters of the arm may follow.
    """

    rotor = False

    def __init__(self, arm: Arm, base: MinimalParameters | None = None) -> None:
        self._arm, self._from_tip = arm, from_tip(arm)
        self._base = base
        own = () if self._base is None else self._base.names
        units = () if self._base is None else self._base.units
        self.names: tuple[str, ...] = (*(f"{name}_load" for name in PARAMETER_NAMES), *own)
        self.units: tuple[str, ...] = (*UNITS, *units)
        self.matrix: Array = np.eye(len(self.names))

    def regressor(self, q: Array, qd: Array, qdd: Array, *, out: Array | None = None) -> Array:
        """Return the torques ``(N, n, k)`` for a unit of every parameter."""
        Y = np.empty((len(q), self._arm.n, len(self.names))) if out is None else out
        np.matmul(self._arm.regressor(q, qd, qdd)[..., -10:], self._from_tip, out=Y[..., :10])
        if self._base is not None:
            Y[..., 10:] = self._base.regressor(q, qd, qdd)
        return Y


def visible(columns: LoadColumns, n: int) -> dict[str, bool]:
    """Return which parameters of a load are identifiable individually."""
    rng = np.random.default_rng(0)
    Y = columns.regressor(*rng.uniform(-2.0, 2.0, (3, 60, n)))[..., :10].reshape(-1, 10)
    _, size, V = np.linalg.svd(Y, full_matrices=False)
    seen = V[size > RANK * size[0]]
    alone = np.linalg.norm(seen, axis=0) > 1.0 - RANK
    return {name: bool(x) for name, x in zip(PARAMETER_NAMES, alone, strict=True)}


@dataclass(frozen=True)
class Columns:
    """All columns, and which of them are gains, friction that grows with the load, friction."""

    model: Model
    gains: list[int]
    load_friction: list[int]
    friction: list[int]


def plain_model(arm: Arm, *, friction: bool) -> Model:
    """Return the columns of a load and, if it is fitted anew, of friction."""
    return model_of(arm, LoadColumns(arm), friction_columns(arm) if friction else [])


def load_columns(arm: Arm, *, alone: bool, friction: bool, gains: bool, load: Array) -> Columns:
    """Return the columns of a load and of all else that is unknown.

    Args:
        arm: the arm without load.
        alone: whether the model of the arm is subtracted, rather than a log without load.
        friction: fit friction anew.
        gains: whether gains may be wrong.
        load: the ten parameters of the load as known so far, for friction that grows with it.
    """
    base, n = LoadColumns(arm, arm.minimal if alone else None), arm.n
    names = arm.joint_names
    growing = [
        Column(f"Fl_{names[j]}", "", "extra", j, _load_friction(arm, j, load, alone))
        for j in range(n)
    ]
    scales = [Column(f"gain_{names[j]}", "", "extra", j, _rigid(arm, j)) for j in range(n)]
    scales = scales if alone and gains else []
    more = friction_columns(arm) if friction else []
    k = len(base.names)
    ends = np.cumsum([k, n, len(scales), len(more)]).tolist()
    at = [list(range(a, b)) for a, b in pairwise(ends)]
    return Columns(model_of(arm, base, [*growing, *scales, *more]), at[1], at[0], at[2])


def model_of(arm: Arm, base: LoadColumns, own: list[Column]) -> Model:
    """Return a model whose first columns are those of a load."""
    # `Model` uses no other attributes of minimal parameters
    return Model(arm, cast(MinimalParameters, base), own, known_rotors=np.zeros(arm.n))


def _rigid(arm: Arm, j: int) -> Callable[[Array, Array, Array], Array]:
    def torque(q: Array, qd: Array, qdd: Array) -> Array:
        return arm.inverse_dynamics(q, qd, qdd, friction=False)[:, j]

    return torque


def _load_friction(
    arm: Arm, j: int, load: Array, alone: bool
) -> Callable[[Array, Array, Array], Array]:
    to_link = from_tip(arm) @ load

    def torque(q: Array, qd: Array, qdd: Array) -> Array:
        L = arm.inverse_dynamics(q, qd, qdd, friction=False)[:, j]
        more = arm.regressor(q, qd, qdd)[:, j, -10:] @ to_link
        bare = 0.0 if alone else np.abs(L)
        return (np.abs(L + more) - bare) * np.sign(qd[:, j])

    return torque
