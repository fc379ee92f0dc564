"""An adaptive controller while it runs: its state, and a record of its samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from armdyn.arrays import Array
from armdyn.control.adaptive_law import Law, Start
from armdyn.control.physical_state import ROOT, link_parameters
from armdyn.errors import NumericalError
from armdyn.graph.program import Program
from armdyn.simulation.controllers import Wanted
from armdyn.simulation.plant import compiled

# `History`: what an adaptive controller measured and learnt, sample by sample.


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """The samples of an adaptive controller in a run.

    Attributes:
        t: times ``(K,)`` [s].
        error: desired less measured positions ``(K, n)``, or ``(K, B, n)`` for a batch.
        values: minimal parameters ``(K, k)``, or ``(K, B, k)``, by `names`.
        parameters: those of links and drives ``(K, N)``, or ``(K, B, N)``, by `parameter_names`,
            if they are kept physically possible; else None.
        names: of the minimal parameters.
        parameter_names: of the parameters of links and drives.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> control = armdyn.AdaptiveControl(10.0, 5.0, [0.5, -0.2], model=arm)
        >>> run = armdyn.simulate(arm, until=0.1, torque=control, integrator="rk4", step=1e-3)
        >>> control.history
        <History: 100 samples of 6 parameters>
        >>> control.history.error[0]
        array([ 0.5, -0.2])
    """

    t: Array
    error: Array
    values: Array
    parameters: Array | None
    names: tuple[str, ...]
    parameter_names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<History: {len(self.t)} samples of {len(self.names)} parameters>"


@dataclass(frozen=True)
class PreparedLaw:
    """A law of adaptation for a model.

    Attributes:
        start: the parameters at the beginning.
        law: how they adapt.
        program: a sample of the controller.
        regressor: of adaptive control, for the minimal set.
        physical: whether the state is that of links that can exist.
    """

    start: Start
    law: Law
    program: Program
    regressor: Program
    physical: bool

    @cached_property
    def kernel(self) -> Any:
        """A sample as a function of arrays."""
        return compiled(self.program)

    def parameters(self, states: Array) -> Array | None:
        """Return parameters ``(..., N)`` of states ``(..., m)`` of links that can exist."""
        if not self.physical:
            return None
        n = len(self.start.roots)
        G = states[..., : ROOT * n].reshape(*states.shape[:-1], n, 4, 4)
        # the plain arithmetic of a link takes arrays, too
        rows: Any = [[G[..., a, b] for b in range(4)] for a in range(4)]
        links: Array = np.stack(cast("list[Array]", link_parameters(rows)), axis=-1)
        drives = states[..., ROOT * n :]
        drives = np.where(self.start.signed, drives, drives**2)
        return np.concatenate([links.reshape(*states.shape[:-1], 10 * n), drives], axis=-1)


class Running:
    """A controller with its state; see `armdyn.simulation.forces`."""

    def __init__(self, law: PreparedLaw, wanted: Wanted, period: float) -> None:
        self.period = period
        self._law, self._wanted = law, wanted
        self._state: Array | None = None
        self._torque = np.zeros(0)
        self._samples: list[tuple[float, Array, Array, Array]] = []  # t, error, state, values

    @property
    def has_run(self) -> bool:
        """Whether there is a sample."""
        return bool(self._samples)

    def sample(self, t: float, q: Array, qd: Array) -> None:
        """Compute the torques of the coming period, and adapt."""
        rows = q.reshape(-1, q.shape[-1])
        if self._state is None:
            self._state = np.tile(self._law.law.start, (len(rows), 1))
        q_w, qd_w, qdd_w = (
            np.ascontiguousarray(np.broadcast_to(x, rows.shape)) for x in self._wanted(t)
        )
        with np.errstate(all="ignore"):
            tau, after, w = self._law.kernel(
                np.ascontiguousarray(rows), np.ascontiguousarray(qd.reshape(rows.shape)),
                q_w, qd_w, qdd_w, self._state,
            )  # fmt: skip
        if not (np.isfinite(tau).all() and np.isfinite(after).all()):
            raise NumericalError(
                f"the adaptive controller diverges at t = {t:.6g} s: lower `kd` or `adaptation`, "
                "or shorten `period`."
            )
        state, values = (x.reshape(*q.shape[:-1], -1) for x in (self._state, w))
        self._samples.append((t, (q_w - rows).reshape(q.shape), state, values))
        self._state, self._torque = after, tau.reshape(q.shape)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques of this period."""
        return self._torque

    def history(self) -> History:
        """Return the samples so far."""
        times, errors, states, values = (np.array(x) for x in zip(*self._samples, strict=True))
        parameters, base = self._law.parameters(states), self._law.start.base
        return History(times, errors, values, parameters, base.names, base.parameter_names)
