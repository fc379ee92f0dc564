"""The table of effects: what a joint's torque may contain beside a model, each with its columns.

An effect is one row of `EFFECTS` and one function that returns its columns at samples of a log, for
a reference model. The columns pass the filter of the rows and stand in the Gram matrices beside
those of the model; `hypotheses` tests them. Effects that a model can adopt (terms of friction,
rotors, a tilt of gravity) are chosen by `fit.choice`; here they are tested where a model lacks
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model, friction_column, friction_of
from armdyn.identification.fit.gram import MoreColumns
from armdyn.identification.fit.gravity import gravity_columns, tilts
from armdyn.log.trim import AT_REST
from armdyn.numerics import ratio
from armdyn.robot.friction import FRICTION_TERMS

# The Stribeck speed of the absent term, as a share of the joint's highest speed.
STRIBECK = 0.05

# Joints yield by this angle [rad] in difference quotients: small beside any motion.
SMALL_ANGLE = 1e-3

# Torques are smoothed over this time [s] on either side before they are differentiated twice: noise
# of the positions, also in the errors of the model, would look like a negative compliance. Half of
# it smooths the change of sides within a backlash, which is sudden.
SMOOTHING = 0.12

# A gear lies at one side of its backlash where its load exceeds this share of its rms.
SIDE_CHANGE = 0.05

# A scale of a torque below this is a wrong sign.
FLIPPED = -0.5


@dataclass(frozen=True, eq=False)
class Reference:
    """The model that columns of effects are computed with.

    Attributes:
        model: its columns.
        values: of the columns ``(p,)``.
        links: natural parameters ``(10n,)``.
        speed: highest speed of every joint ``(n,)``.
    """

    model: Model
    values: Array
    links: Array
    speed: Array

    @cached_property
    def rigid(self) -> Array:
        """The values of rigid-body columns; those of all others are zero."""
        return np.where(np.arange(len(self.values)) < self.model.k, self.values, 0.0)

    @cached_property
    def tilts(self) -> Array:
        """Changes of gravity ``(m, 3)`` that a tilt of 1 rad makes."""
        return tilts(np.asarray(self.model.arm.robot.gravity, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class State:
    """Samples ``(N, n)`` at equal steps of time, and what the reference makes of them.

    Attributes:
        reference: the model; None for effects of the motion alone.
        q: positions.
        qd: velocities.
        qdd: accelerations.
        tau: measured torques; None for states of no order, where delay and elasticity are zero.
        step: time between samples [s].
    """

    reference: Reference | None
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None
    step: float

    @property
    def base(self) -> Reference:
        """The reference, of effects that need it."""
        assert self.reference is not None
        return self.reference

    @cached_property
    def load(self) -> Array:
        """Rigid-body torques of the reference."""
        return self.base.model.predicted(self.base.rigid, self.q, self.qd, self.qdd)

    @cached_property
    def torque(self) -> Array:
        """All torques of the reference, without the sign of a speed that is noise."""
        moving = np.where(np.abs(self.qd) > AT_REST * self.base.speed, self.qd, 0.0)
        return self.base.model.predicted(self.base.values, self.q, moving, self.qdd)

    @cached_property
    def sign(self) -> Array:
        """Signs of the velocities."""
        return np.sign(self.qd)

    @cached_property
    def carried(self) -> Array:
        """Measured torques less friction and rotors: what the gears carry."""
        return self.load if self.tau is None else self.load + self.tau - self.torque

    @cached_property
    def backlash(self) -> Array:
        """Change of torques ``(N, n, n)`` with half the backlash [rad] of each joint.

        Positions are those of motors. The link lies behind by half the backlash, at the side where
        its load acts.
        """
        made = np.zeros((*self.q.shape, self.q.shape[1]))
        if self.tau is None:
            return made
        half = max(round(0.5 * SMOOTHING / self.step), 1)
        carried = _smooth(self.carried, half)
        size = np.sqrt(np.mean(carried**2, axis=0))
        side = _smooth(np.tanh(ratio(carried, SIDE_CHANGE * size, 0.0)), half)
        for j in range(self.q.shape[1]):
            only = np.zeros_like(side)
            only[:, j] = side[:, j]
            made[:, :, j] = _with_links_behind(self, only)
        return made


# What a finding says, and what mends it.
Said = tuple[str, str]


@dataclass(frozen=True)
class Effect:
    """A row of the table.

    Attributes:
        kind: its name.
        scope: "joint": columns and coefficients of each joint; "all": coefficients that all joints
            share; "each": one coefficient for each joint, whose column acts on all joints; "pair":
            one coefficient for each pair of joints.
        columns: of a state, ``(N, n, m)``: for each joint its m columns.
        count: m of scopes "joint" and "all".
        say: returns what it is and what mends it, for the name of the joint, the coefficients, the
            joint's number from 1, and the name of the other joint.
        measured: it is part of the measurement: predictions go without it.
        positive: its coefficient is not negative.
        curve: it bends the curve of friction over speed or load.
        motion: its columns are functions of the joint's motion alone, so a model can have them as
            extra columns.
        field: the term of the friction law that it is; a model that has the term has the effect.
        finding: the kind of the finding, if that differs.
    """

    kind: str
    scope: Literal["joint", "all", "each", "pair"]
    columns: Callable[[State], Array]
    count: int
    say: Callable[[str, Array, int, str], Said]
    measured: bool = False
    positive: bool = False
    curve: bool = False
    motion: bool = False
    field: str = ""
    finding: str = ""


def _tilt(state: State) -> Array:
    reference = state.base
    weight = gravity_columns(reference.model.arm.robot, reference.links, state.q)
    return np.einsum("njc,mc->njm", weight, reference.tilts)


def _delay(state: State) -> Array:
    if state.tau is None:
        return np.zeros((*state.q.shape, 1))
    return -np.gradient(state.torque, state.step, axis=0)[:, :, None]


def _elastic(state: State) -> Array:
    """Elasticity with the torque of the model, which is wrong near a resonance."""
    return _yielding(state, state.load)


def _elastic_measured(state: State) -> Array:
    """Elasticity with the measured torque less friction and rotors, which is noisy."""
    return _yielding(state, state.carried)


def _yielding(state: State, carried: Array) -> Array:
    """Return the change of torques with the compliance of the joints.

    Positions are those of motors. Links are behind them by the torque that the gears carry times
    the compliance.
    """
    if state.tau is None:
        return np.zeros((*state.q.shape, 1))
    smooth = _smooth(carried, max(round(SMOOTHING / state.step), 1))
    return _with_links_behind(state, smooth)[:, :, None]


def _with_links_behind(state: State, behind: Array) -> Array:
    """Return the change of rigid-body torques, for links behind the motors by a small multiple."""
    small = float(ratio(SMALL_ANGLE, np.abs(behind).max(), SMALL_ANGLE))
    first = np.gradient(behind, state.step, axis=0)
    second = np.gradient(first, state.step, axis=0)
    links = state.q - small * behind, state.qd - small * first, state.qdd - small * second
    return (state.base.model.predicted(state.base.rigid, *links) - state.load) / small


def _smooth(x: Array, half: int) -> Array:
    """Return columns averaged over `half` samples on either side, by a smooth window."""
    weights = np.hanning(2 * half + 3)[1:-1]
    weights /= weights.sum()
    padded = np.pad(x, ((half, half), (0, 0)), mode="edge")
    made = np.empty_like(x)
    for j in range(x.shape[1]):
        made[:, j] = np.convolve(padded[:, j], weights, mode="valid")
    return made


def _zero(state: State) -> Array:
    """Return the change of the weight's torques with the zero of each joint's position."""
    model, rigid, still = state.base.model, state.base.rigid, np.zeros_like(state.q)
    made = np.zeros((*state.q.shape, model.n))
    for j in range(model.n):
        moved = np.zeros(model.n)
        moved[j] = SMALL_ANGLE
        ends = (model.predicted(rigid, state.q + s * moved, still, still) for s in (1.0, -1.0))
        made[:, :, j] = np.subtract(*ends) / (2.0 * SMALL_ANGLE)
    return made


def _coupling(state: State) -> Array:
    tau = state.torque if state.tau is None else state.tau
    n = tau.shape[1]
    return np.stack([np.delete(tau, j, axis=1) for j in range(n)], axis=1)


def _law(kind: str) -> Callable[[State], Array]:
    """Return the column of a term of the friction law, for a load of the reference."""
    field = FRICTION_TERMS[kind]

    def columns(state: State) -> Array:
        arm, made = state.base.model.arm, np.empty((*state.q.shape, 1))
        for j, top in enumerate(state.base.speed.tolist()):
            shape = (STRIBECK * max(top, 1e-9),) * len(field.shape)
            column = friction_column(arm, j, kind, shape)
            made[:, j] = friction_of([column], state.qd[:, [j]])
        return made * np.abs(state.load)[:, :, None] if field.load else made

    return columns


def _of(*functions: Callable[[State], Array]) -> Callable[[State], Array]:
    return lambda state: np.stack([f(state) for f in functions], axis=2)


def _say_tilt(name: str, c: Array, j: int, other: str) -> Said:
    angle = float(np.degrees(np.linalg.norm(c)))
    what = f"gravity points {angle:.2g} degrees away from the described direction"
    return what, "gravity in the robot file"


def _say_scale(name: str, c: Array, j: int, other: str) -> Said:
    scale = 1.0 + float(c[0])
    if scale < FLIPPED:
        return f"the torque of {name} has the wrong sign", f"--flip {j}"
    what = f"the torque of {name} is {scale:.3g} times what the other joints say"
    return what, f"--gain with {1.0 / scale:.3g} for {name}, or `armdyn gains`"


def _say_law(words: str) -> Callable[[str, Array, int, str], Said]:
    return lambda name, c, j, other: (f"friction of {name} has a {words} part", "--friction auto")


ELASTICITY: Callable[[str, Array, int, str], Said] = lambda name, c, j, other: (  # noqa: E731
    f"joint elasticity of {1e3 * float(c[0]):.2g} mrad/(N m)",
    "--cutoff with a lower frequency, or slower motions",
)

BACKLASH: Callable[[str, Array, int, str], Said] = lambda name, c, j, other: (  # noqa: E731
    f"{name or 'every joint'} has a backlash of about {np.degrees(2.0 * float(c[0])):.2g} degrees",
    "positions measured at the links, or motions that keep the sign of the load",
)

# All effects that are tested beside a model. A new one is a row here and a function above.
EFFECTS = (
    Effect("tilt", "all", _tilt, 0, _say_tilt),
    Effect("delay", "all", _delay, 1, lambda name, c, j, other: (
        f"torques come {1e3 * float(c[0]):.2g} ms late", f"--delay {float(c[0]):.2g}"),
        measured=True, positive=True),
    Effect("elastic", "all", _elastic, 1, ELASTICITY, measured=True, positive=True,
           finding="elasticity"),
    Effect("elastic, measured", "all", _elastic_measured, 1, ELASTICITY, measured=True,
           positive=True, finding="elasticity"),
    Effect("backlash", "each", lambda x: x.backlash, 1, BACKLASH, measured=True, positive=True),
    Effect("backlash of all", "all", lambda x: x.backlash.sum(axis=2, keepdims=True), 1, BACKLASH,
           measured=True, positive=True, finding="backlash"),
    Effect("position friction", "joint", _of(lambda x: np.sin(x.q) * x.sign,
                                             lambda x: np.cos(x.q) * x.sign), 2,
           lambda name, c, j, other: (f"friction of {name} changes with its position",
                                      "--extra FILE with sin q sign v and cos q sign v"),
           motion=True),
    Effect("position", "joint", _of(lambda x: np.sin(2 * x.q), lambda x: np.cos(2 * x.q)), 2,
           lambda name, c, j, other: (
               f"a torque that changes with twice the angle acts on {name}",
               "--extra FILE with sin 2q and cos 2q"), motion=True),
    Effect("speed", "joint", _of(lambda x: x.qd**3, lambda x: x.qd * np.abs(x.qd)), 2,
           lambda name, c, j, other: (
               f"friction of {name} is more curved in speed than the model's",
               "--friction auto, or --extra FILE"), curve=True, motion=True),
    Effect("spring", "joint", _of(lambda x: x.q), 1, lambda name, c, j, other: (
        f"a spring of {float(c[0]):.3g} N m/rad acts on {name}",
        "--extra FILE with the position as a column"), motion=True),
    Effect("gain", "joint", _of(lambda x: x.load), 1, _say_scale, measured=True, finding="scale"),
    Effect("rotor", "joint", _of(lambda x: x.qdd), 1, lambda name, c, j, other: (
        f"{name} has a rotor of {float(c[0]):.3g} kg m^2", "--rotor"), positive=True),
    Effect("root", "joint", _law("root_friction"), 1, _say_law("root"), curve=True,
           field="root_friction", finding="root friction"),
    Effect("stribeck", "joint", _law("stribeck"), 1, _say_law("Stribeck"), curve=True,
           field="stribeck", finding="stribeck friction"),
    Effect("load", "joint", _law("load_friction"), 1, _say_law("load-dependent"), curve=True,
           positive=True, field="load_friction", finding="load friction"),
    Effect("zero", "each", _zero, 1, lambda name, c, j, other: (
        f"the zero of {name} is off by {np.degrees(float(c[0])):.2g} degrees",
        "the joint's zero offset in the robot file")),
    Effect("coupling", "pair", _coupling, 1, lambda name, c, j, other: (
        f"the torque of {name} contains {float(c[0]):.3g} times that of {other}",
        "--coupling FILE")),
)  # fmt: skip


@dataclass(frozen=True)
class Hypothesis:
    """An effect of a joint, with its columns counted from the end of the model's.

    Attributes:
        effect: the row of the table.
        columns: their places.
        joint: from 0; -1 for all joints.
        other: the other joint of a pair; -1 if there is none.
    """

    effect: Effect
    columns: tuple[int, ...]
    joint: int = -1
    other: int = -1

    @property
    def kind(self) -> str:
        """The kind of the effect."""
        return self.effect.kind


class Layout:
    """Which column of which effect is where, for one reference model."""

    def __init__(self, reference: Reference, effects: Sequence[Effect] = EFFECTS) -> None:
        """List the hypotheses and the columns of every joint."""
        self.reference, self.effects = reference, effects
        n = reference.model.n
        listed: list[Hypothesis] = []
        places: list[list[int]] = [[] for _ in range(n)]
        count = 0
        for effect in effects:
            width = len(reference.tilts) if effect.kind == "tilt" else effect.count
            pairs = _joints(effect, n)
            for j, other in pairs:
                columns = tuple(range(count, count + width))
                count += width
                listed.append(Hypothesis(effect, columns, j, other))
                own = range(n) if effect.scope in ("all", "each") else (j,)
                for i in own:
                    places[i] += columns
        self.hypotheses = tuple(listed)
        self.places: list[NDArray[np.int64]] = [np.array(p, np.int64) for p in places]
        self.count = count

    @property
    def more(self) -> MoreColumns:
        """The columns for Gram matrices."""
        return MoreColumns(self.places, self.count, self.columns)

    def columns(
        self, q: Array, qd: Array, qdd: Array, tau: Array | None = None, step: float = 1.0
    ) -> Array:
        """Return the columns of all joints side by side, ``(N, sum of the lengths of places)``."""
        state = State(self.reference, q, qd, qdd, tau, step)
        made = np.concatenate([effect.columns(state) for effect in self.effects], axis=2)
        return made.reshape(len(q), -1)

    def offered(self) -> list[Hypothesis]:
        """Return the hypotheses on what the model does not contain already."""
        model = self.reference.model
        present = {(c.joint, c.kind) for c in model.columns}
        return [
            h for h in self.hypotheses
            if (h.joint, h.effect.field) not in present
            and not (h.kind == "rotor" and model.base.rotor)
        ]  # fmt: skip


def _joints(effect: Effect, n: int) -> list[tuple[int, int]]:
    """Return the joint and the other joint of each hypothesis of an effect."""
    if effect.scope == "all":
        return [(-1, -1)]
    if effect.scope == "pair":
        return [(j, i) for j in range(n) for i in range(n) if i != j]
    return [(j, -1) for j in range(n)]
