"""The columns of the regression: the terms of a joint's torque.

    tau = K Y_b w + f(v, L) + extra columns,      v = K^-T qd

w are the minimal parameters and Y_b is their regressor, K is the coupling of the drives (if any),
and f is the friction law (`armdyn.robot.friction`, a column for each of its terms). Extra columns
are functions of the state that the user supplies, for example for a counterbalance or a spring.

Friction that grows with the load L, the torque that the gear transmits, is not linear in w. Its
column takes L from given minimal parameters without rotors, `load`; a fit repeats with those that
it found. A rotor that is part of another minimal parameter counts as load.

Friction and rotors belong to the drives, so they follow the drives' speeds v. The power of the
drives is that of the joints, tau^T v = (K tau_joint)^T v = tau_joint^T qd, so v = K^-T qd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.cluster import aligned
from armdyn.errors import InputError
from armdyn.graph.interpret import ARRAYS, evaluate
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.identification.fit.gravity import Turned
from armdyn.identification.signals.decimation import DecimationFilter, decimation
from armdyn.minimal.parameters import MinimalParameters
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.scalar import Scalar

Function = Callable[[Array, Array, Array], Array]

# Number of random states that show which columns of a joint are not zero.
STATES = 40

# A coefficient that must be below a bound stays below this share of it: at the bound gears lock.
NEAR_BOUND = 0.95

# Columns of this many samples are computed and averaged together; they fit into the cache.
CHUNK = 2048


@dataclass(frozen=True)
class Column:
    """A column: name and unit of its parameter, its kind, and where it acts.

    The joint counts from 0; it is -1 for minimal parameters, and for a column that `shared` joints
    have in common: its function returns a column for each of them.
    """

    name: str
    unit: str
    kind: str  # "base", a term of friction or "extra"
    joint: int
    function: Callable[[Array, Array, Array], Array] | None = None
    shape: tuple[float, ...] = ()  # of a term of friction
    shared: tuple[int, ...] = ()
    soft: float = 0.0  # a speed v0: friction with tanh(v/v0) in place of sign(v)

    @property
    def joints(self) -> tuple[int, ...]:
        """All joints that a column other than that of a minimal parameter acts on."""
        return self.shared or (self.joint,)


class Model:
    """The columns of all joints; each joint has only the columns that are not always zero.

    Rows of all joints lie side by side in one array: joint j has `part(j)` of it, with the columns
    ``active[j]``.
    """

    def __init__(
        self,
        arm: Arm,
        base: MinimalParameters,
        own: Sequence[Column],
        *,
        known_rotors: Array,
        known_friction: bool = False,
        coupling: Array | None = None,
        load: Array | None = None,
        turned: Turned | None = None,
    ) -> None:
        """Put columns together.

        Args:
            arm: the arm.
            base: its minimal parameters, with rotors or without.
            own: columns of single joints.
            known_rotors: known rotor inertias ``(n,)``, which are not fitted.
            known_friction: whether the arm's friction is known, and not fitted.
            coupling: K, ``(n, n)``.
            load: minimal parameters ``(k,)`` that give the load of the gears.
            turned: gravity, if it is not the described one.
        """
        self.arm, self.base, self.n = arm, base, arm.n
        self.coupling, self.load, self.turned = coupling, load, turned
        self._to_drives = None if coupling is None else np.linalg.inv(coupling)
        self.known_rotors, self.known_friction = known_rotors, known_friction
        inertial = [
            Column(name, unit, "base", -1)
            for name, unit in zip(base.names, base.units, strict=True)
        ]
        self.columns: tuple[Column, ...] = (*inertial, *own)
        self.k = len(inertial)
        self._memory = local()
        seen = self._seen()
        picked = [np.flatnonzero(seen[j]) for j in range(self.n)]
        # where a column of `_single` belongs: the parameter, and the joint
        self._places = [(i, j) for i, column in enumerate(own) for j in column.joints]
        friction: dict[tuple[str, bool], list[tuple[int, Column]]] = {}
        for at, (i, _) in enumerate(self._places):
            if own[i].function is None:
                friction.setdefault((own[i].kind, own[i].soft > 0.0), []).append((at, own[i]))
        self._friction = [
            (np.array([at for at, _ in group]), [column for _, column in group])
            for group in friction.values()
        ]
        single = [
            [(i, at) for at, (i, joint) in enumerate(self._places) if joint == j]
            for j in range(self.n)
        ]
        self.active = [
            np.concatenate([p, np.array([self.k + i for i, _ in s], dtype=np.int64)])
            for p, s in zip(picked, single, strict=True)
        ]
        self._ends = np.cumsum([0, *(len(a) for a in self.active)])
        inner = self.n * self.k
        self._gather = np.concatenate(
            [
                np.concatenate([j * self.k + p, np.array([inner + at for _, at in s], np.int64)])
                for j, (p, s) in enumerate(zip(picked, single, strict=True))
            ]
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(column.name for column in self.columns)

    @property
    def width(self) -> int:
        """Columns of all joints side by side."""
        return int(self._ends[-1])

    def part(self, j: int) -> slice:
        """Return the slice with the columns of joint j."""
        return slice(int(self._ends[j]), int(self._ends[j + 1]))

    def indices(self, *kinds: str) -> list[int]:
        """Return the indices of the columns of some kinds."""
        return [i for i, column in enumerate(self.columns) if column.kind in kinds]

    def without(self, dropped: Sequence[int]) -> Model:
        """Return the model without some columns of single joints."""
        gone = set(dropped)
        return self._with([c for i, c in enumerate(self.columns) if i >= self.k and i not in gone])

    def with_columns(self, more: Sequence[Column]) -> Model:
        """Return the model with more columns of single joints, after the present ones."""
        return self._with([*self.columns[self.k :], *more])

    def with_load(self, values: Array) -> Model:
        """Return the model with the load of the gears that parameters ``(k, ...)`` give."""
        load = values[: self.k].copy()
        load[list(rotor_rows(self.base).values())] = 0.0
        return self._with(self.columns[self.k :], load=load)

    def with_turned(self, turned: Turned) -> Model:
        """Return the model with gravity turned otherwise."""
        return self._with(self.columns[self.k :], turned=turned)

    def _with(self, own: Sequence[Column], **changes: Any) -> Model:
        names = ("known_rotors", "known_friction", "coupling", "load", "turned")
        given = {name: getattr(self, name) for name in names} | changes
        return Model(self.arm, self.base, own, **given)

    def rows(self, q: Array, qd: Array, qdd: Array, band: DecimationFilter | None = None) -> Array:
        """Return the columns of all joints side by side, ``(N, width)``; filtered by `band`."""
        band = band or decimation(1)
        step, inner = band.mean * max(CHUNK // band.mean, 1), self.n * self.k
        means = np.empty((len(q) // band.mean, inner + len(self._places)))
        for a in range(0, len(q), step):
            x = q[a : a + step], qd[a : a + step], qdd[a : a + step]
            at = slice(a // band.mean, (a + len(x[0])) // band.mean)
            Y = self._inertial(*x)
            means[at, :inner] = band.averages(Y.reshape(len(x[0]), inner))
            means[at, inner:] = band.averages(self._single(*x, Y))
        return band.weighted(means)[:, self._gather]

    def predicted(self, values: Array, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the torques of parameter values at states, ``(N, n)``."""
        torque = np.empty((len(q), self.n))
        for a in range(0, len(q), CHUNK):
            x = q[a : a + CHUNK], qd[a : a + CHUNK], qdd[a : a + CHUNK]
            Y = self._inertial(*x)
            part = torque[a : a + CHUNK]
            part[:] = _combined(Y, values[: self.k])
            if len(self._places):
                single = self._single(*x, Y)
                for at, (i, j) in enumerate(self._places):
                    part[:, j] += values[self.k + i] * single[:, at]
        return torque

    def torques(self, values: Array, rows: Array) -> Array:
        """Return the torques of parameter values for rows, ``(N, n)``."""
        parts = [rows[:, self.part(j)] @ values[self.active[j]] for j in range(self.n)]
        return np.stack(parts, axis=1)

    @property
    def knows(self) -> bool:
        """Whether some torques are known beforehand."""
        return self.known_friction or bool(self.known_rotors.any()) or self.turned is not None

    def known(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the torques that are known beforehand, ``(N, n)``.

        Known friction that depends on the load has the load of the described arm.
        """
        torque = self.of_drives(qdd) * self.known_rotors + self._tilted(q)
        if not self.known_friction:
            return torque
        v, load = self.of_drives(qd), None
        if any(joint.load_friction for joint in self.arm.robot.joints):
            load = self.arm.regressor(q, qd, qdd) @ self.arm.parameters
            load = load if self.coupling is None else load @ self.coupling.T
            load += self._tilted(q)
        return torque + self.arm.friction(v, load=load)

    def of_drives(self, rate: Array) -> Array:
        """Return speeds or accelerations of the drives ``(N, n)`` for those of the joints."""
        return rate if self._to_drives is None else rate @ self._to_drives

    def _single(self, q: Array, qd: Array, qdd: Array, Y: Array) -> Array:
        """Return the columns of single joints side by side; a shared one has several columns."""
        result = np.empty((len(q), len(self._places)))
        v, a = self.of_drives(qd), self.of_drives(qdd)
        load = None if self.load is None else np.abs(_combined(Y, self.load) + self._tilted(q))
        at = 0
        for column in self.columns[self.k :]:
            end = at + len(column.joints)
            if column.function is not None:
                # extra columns are functions of the joints' motion, all others of the drives'
                x = (q, qd, qdd) if column.kind == "extra" else (q, v, a)
                result[:, at:end] = _extra(column, *x).reshape(len(q), -1)
            at = end
        for places, columns in self._friction:
            joints = [column.joint for column in columns]
            result[:, places] = friction_of(columns, v[:, joints])
            if FRICTION_TERMS[columns[0].kind].load:
                assert load is not None
                result[:, places] *= load[:, joints]
        return result

    def _tilted(self, q: Array) -> Array | float:
        """Return the torques of turned gravity."""
        if self.turned is None:
            return 0.0
        torque = self.turned.torques(self.arm.robot, q)
        return torque if self.coupling is None else torque @ self.coupling.T

    def _inertial(self, q: Array, qd: Array, qdd: Array) -> Array:
        # Reuse the memory instead of allocating it for every block.
        room = self._room()[: len(q)] if len(q) <= CHUNK else None
        Y = self.base.regressor(q, qd, qdd, out=room)
        return Y if self.coupling is None else np.einsum("ij,njk->nik", self.coupling, Y)

    def _room(self) -> Array:
        """Return memory for the regressor of a chunk; each thread has its own."""
        room: Array | None = getattr(self._memory, "room", None)
        if room is None:
            room = self._memory.room = np.empty((CHUNK, self.n, self.k))
        return room

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle without the memory of threads."""
        return {name: value for name, value in vars(self).items() if name != "_memory"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(aligned(state), _memory=local())

    def _seen(self) -> NDArray[np.bool_]:
        rng = np.random.default_rng(0)
        states = rng.uniform(-2.0, 2.0, (3, STATES, self.n))
        return (self._inertial(*states) != 0.0).any(axis=0)


def _combined(Y: Array, values: Array) -> Array:
    """Return Y @ values of a regressor ``(N, n, k)`` by one product of a matrix with a vector."""
    return (Y.reshape(-1, len(values)) @ values).reshape(Y.shape[:2])


def friction_of(columns: Sequence[Column], v: Array) -> Array:
    """Return friction columns of one kind, all soft or none, at speeds ``(N, m)``, for a load of 1.

    Args:
        columns: m columns.
        v: the speed of each.
    """
    first = columns[0]
    s = np.tanh(v / [column.soft for column in columns]) if first.soft else np.sign(v)
    shapes = np.array([column.shape for column in columns]).T
    return evaluate(_friction_program(first.kind), [v, s, *shapes], ARRAYS)[0]


def _extra(column: Column, q: Array, qd: Array, qdd: Array) -> Array:
    assert column.function is not None
    values = np.asarray(column.function(q, qd, qdd), dtype=np.float64)
    m = len(column.shared)
    shape = (len(q), m) if m else (len(q),)
    if values.shape != shape or not np.isfinite(values).all():
        said = f"gives the shape {values.shape}" if values.shape != shape else "is not finite"
        each = f"each sample and joint, (N, {m})" if m else "each sample, (N,)"
        where = ", ".join(str(j + 1) for j in column.joints)
        raise InputError(
            f"the extra column {column.name!r} of joint {where} {said}, expected a finite number "
            f"for {each}."
        )
    return values


@cache
def _friction_program(kind: str) -> Program:
    term = FRICTION_TERMS[kind]

    def column(*inputs: list[Scalar]) -> list[Scalar]:
        return [term.column(*(value[0] for value in inputs))]

    slots = [Slot(name, ()) for name in ("v", "s", *term.shape)]
    return trace(column, slots, [Slot("f", ())], name=term.symbol)


def highest(kind: str) -> float:
    """Return the highest value of a term of friction that a fit may have; infinite if any."""
    return NEAR_BOUND * FRICTION_TERMS[kind].below if kind in FRICTION_TERMS else np.inf


def not_negative(columns: Sequence[Column]) -> list[int]:
    """Return the places of terms of friction that no joint has with a minus sign."""
    return [
        i for i, column in enumerate(columns)
        if column.kind in FRICTION_TERMS and not FRICTION_TERMS[column.kind].signed
    ]  # fmt: skip


def common_terms() -> tuple[str, ...]:
    """Return the terms of friction that every joint has."""
    return tuple(kind for kind, term in FRICTION_TERMS.items() if term.common)


def short_name(kind: str) -> str:
    """Return the name of a term of friction for users: "load" for the field `load_friction`."""
    return kind.removesuffix("_friction")


def friction_columns(arm: Arm, kinds: Iterable[str] | None = None) -> list[Column]:
    """Return columns of some terms of friction for every joint; of the common ones if left out.

    A term whose shape is not described, such as the speed of Stribeck friction, is left out.
    """
    listed: list[Column] = []
    for j, joint in enumerate(arm.robot.joints):
        for kind in common_terms() if kinds is None else kinds:
            shape = tuple(getattr(joint, name) for name in FRICTION_TERMS[kind].shape)
            if all(shape):
                listed.append(friction_column(arm, j, kind, shape))
    return listed


def friction_column(
    arm: Arm, j: int, kind: str, shape: tuple[float, ...] = (), soft: float = 0.0
) -> Column:
    """Return the column of a term of friction of joint j."""
    term = FRICTION_TERMS[kind]
    unit = term.unit(arm.robot.joints[j].is_revolute)
    return Column(f"{term.symbol}{j + 1}", unit, kind, j, shape=shape, soft=soft)


def friction_rows(model: Model, j: int, speeds: Array) -> Array:
    """Return rows ``(V, p)``: rows @ values is the friction of joint j, for a load of 1."""
    rows = np.zeros((len(speeds), len(model.columns)))
    for i, column in enumerate(model.columns):
        if column.kind in FRICTION_TERMS and column.joint == j:
            rows[:, i : i + 1] = friction_of([column], speeds[:, None])
    return rows


def rotor_rows(base: MinimalParameters) -> dict[int, int]:
    """Return the minimal parameters that are rotor inertias: their indices, by joints from 0."""
    if not base.rotor:
        return {}
    P, first = base.matrix, base.matrix.shape[1] // 11 * 10
    alone = ~P[:, :first].any(axis=1)
    return {int(np.flatnonzero(P[i, first:])[0]): int(i) for i in np.flatnonzero(alone)}
