"""`Task`: a checked, complete simulation; `Samples`: its records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.arrays import Array
from armdyn.progress import Progress
from armdyn.simulation.events import Event
from armdyn.simulation.forces import Forces
from armdyn.simulation.plant import Plant

if TYPE_CHECKING:
    from armdyn.simulation.integrators import Integrator

# The name of a run in progress reports, and the number of reports.
SIMULATING = "simulating"
PROGRESS_PARTS = 100


@dataclass(frozen=True)
class Task:
    """A simulation.

    Attributes:
        plant: the arms.
        forces: what acts on them.
        q: positions at the beginning ``(B, n)``.
        qd: velocities at the beginning.
        until: when it ends [s].
        integrator: the method of integration.
        limits: "report", "stop" or "spring".
        stiction: the breakaway torque, as a multiple of Coulomb friction.
        events: functions of (t, q, qd) of one arm; their zeros are events.
        progress: called with (done, total, what) about once per percent.
        threads: the largest number of threads.
        partial: whether to return the part before a failure.
        longest: the longest step of an adaptive integrator [s].
    """

    plant: Plant
    forces: Forces
    q: Array
    qd: Array
    until: float
    integrator: Integrator
    limits: str
    stiction: float
    events: tuple[Callable[..., Any], ...]
    progress: Progress | None
    threads: int
    partial: bool
    longest: float

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper limits of the joints."""
        joints = self.plant.arm.robot.joints
        return np.array([j.lower for j in joints]), np.array([j.upper for j in joints])

    @property
    def stops(self) -> tuple[Array, Array] | None:
        """Limits at which joints stop."""
        return self.bounds if self.limits == "stop" else None

    @property
    def has_holds(self) -> bool:
        """Whether joints may be held at rest."""
        return self.plant.dry or self.limits == "stop"


@dataclass
class Samples:
    """Recorded samples: times, and for each time arrays ``(B, n)``."""

    t: list[float] = field(default_factory=list[float])
    q: list[Array] = field(default_factory=list[Array])
    qd: list[Array] = field(default_factory=list[Array])
    qdd: list[Array] = field(default_factory=list[Array])
    tau: list[Array] = field(default_factory=list[Array])
    events: list[Event] = field(default_factory=list[Event])
    evaluations: int = 0
    failure: BaseException | None = None

    def add(self, t: float, q: Array, qd: Array, qdd: Array, tau: Array) -> None:
        """Record a state; the arrays are copied."""
        self.t.append(t)
        for column, value in ((self.q, q), (self.qd, qd), (self.qdd, qdd)):
            column.append(value.copy())
        self.tau.append(np.broadcast_to(tau, q.shape).copy())
