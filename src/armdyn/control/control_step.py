"""A period of a controller as one program: from measured positions to torques and a status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from itertools import accumulate, pairwise

import numpy as np

from armdyn.algorithms.vector import is_zero
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.control.adaptive_law import Errors
from armdyn.control.conditioning import (
    MOST_POSITION,
    MOST_RATE,
    Approach,
    Before,
    Sample,
    Watch,
    below,
    both,
    choose,
    clamp,
    conditioned,
    either,
    finite,
    least,
    limited,
    neither,
    settled,
)
from armdyn.control.laws import ControlLaw, Row
from armdyn.control.observer_programs import momentum_program, straight
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import chain_of
from armdyn.scalar import Scalar, max, select
from armdyn.simulation.programs import FrictionLaw, inlined

# Time constants of the low-pass of velocities, until the observer believes them.
SETTLED = 6.0


class Status(IntFlag):
    """What happened in a period; several may be true, and 0 is an ordinary one."""

    STARTING = 1  # velocities are not known yet; the law starts from what is measured
    LATE = 2  # the sample came late, or its time is no number
    BAD_SAMPLE = 4  # a position is no number or jumps; the last motion is continued
    FROZEN = 8  # no position changes though the reference travels
    HELD = 16  # measurements are missing for too long: gravity compensation at the last position
    BAD_REFERENCE = 32  # a reference is no number: the arm is braked
    REFERENCE_LIMITED = 64  # a reference is beyond the limits of a joint
    TORQUE_LIMITED = 128  # a torque is at its limit
    RATE_LIMITED = 256  # a torque changes as fast as it may
    CONTACT = 512  # a torque from outside is beyond its threshold


@dataclass(frozen=True)
class Contact:
    """The momentum observer of a controller.

    Attributes:
        gain: K [1/s].
        threshold: of the torques from outside ``(n,)`` [N m or N].
    """

    gain: float
    threshold: Array


@dataclass(frozen=True)
class Limits:
    """Limits of references and of torques, ``(n,)`` each.

    Attributes:
        lower: positions [rad or m].
        upper: positions [rad or m].
        torque: largest torques [N m or N].
        rate: largest changes of torques per second [N m/s or N/s].
    """

    lower: Array
    upper: Array
    torque: Array
    rate: Array


@dataclass(frozen=True)
class Design:
    """All that a controller is made of.

    Attributes:
        arm: the model.
        law: what the controller asks for.
        watch: what a believable sample is.
        approach: how the error at a start fades.
        limits: of references and torques.
        cutoff: of the low-pass of velocities [rad/s].
        friction: the share of the model's friction that is compensated.
        slow: dry friction is compensated fully from this speed ``(n,)`` [rad/s or m/s].
        contact: the observer; None without one.
    """

    arm: Arm
    law: ControlLaw
    watch: Watch
    approach: Approach
    limits: Limits
    cutoff: float
    friction: float
    slow: Array
    contact: Contact | None


@dataclass(frozen=True)
class Memory:
    """What a controller keeps from one period to the next, as named parts of one array."""

    sizes: Mapping[str, int]
    start: Array = field(default_factory=lambda: np.zeros(0))

    def parts(self, state: Row) -> dict[str, Row]:
        """Return the parts of a state."""
        ends = accumulate(self.sizes.values(), initial=0)
        return {name: state[a:b] for name, (a, b) in zip(self.sizes, pairwise(ends), strict=True)}

    @property
    def size(self) -> int:
        """Number of entries of a state."""
        return sum(self.sizes.values())


def memory_of(design: Design) -> Memory:
    """Return what a controller keeps; it begins with zeros, and with the start of its law."""
    n, m = design.arm.n, len(design.approach.speed)
    sizes = {"started": 1, "q": n, "v": n, "raw": n, "bad": 1, "agreeing": 1, "travel": 1}
    sizes |= {"ready": 1, "offset": m, "slope": m, "tau": n, "law": len(design.law.start)}
    if design.contact is not None:
        sizes |= {"momentum": n, "drift": n, "residual": n, "since": 1}
    empty = np.zeros(sum(sizes.values()))
    at = list(sizes).index("law")
    begin = sum(list(sizes.values())[:at])
    empty[begin : begin + sizes["law"]] = design.law.start
    return Memory(sizes, empty)


def step_program(design: Design) -> Program:
    """Return a period as a program.

    Inputs are q, the references of the law, the time h since the last sample and the state;
    outputs are the torques, the torques from outside if there is an observer, the status as a sum
    of `Status`, and the next state.
    """
    n, kept = design.arm.n, memory_of(design)
    references = design.law.references

    def step(q: Row, *given: Row) -> object:
        *wanted, (h,), state = given
        return _step(design, kept, q, wanted, h, state)

    inputs = [Slot("q", (n,)), *references, Slot("h", (1,)), Slot("state", (kept.size,))]
    outside = [Slot("external", (n,))] if design.contact else []
    outputs = [Slot("tau", (n,)), *outside, Slot("status", (1,)), Slot("state_after", (kept.size,))]
    return trace(step, inputs, outputs, name="control_step")


def _step(
    design: Design, kept: Memory, q: Row, wanted: Sequence[Row], h: Scalar, state: Row
) -> object:
    old, law = kept.parts(state), design.law
    before = Before(
        old["started"][0], old["q"], old["v"], old["raw"], old["bad"][0], old["agreeing"][0],
        old["travel"][0],
    )  # fmt: skip
    usable = _usable(wanted)
    wanted, clipped = _within(design, wanted)
    # a reference that is no number does not travel
    speed = select(usable, _speed(wanted), 0.0)
    sample = conditioned(design.watch, design.cutoff, q, h, speed, before)
    ready = both(sample.ok, usable)
    begin = both(ready, either(sample.starting, neither(old["ready"][0])))
    errors, offset = _errors(design, sample, wanted, usable, begin, old)
    asked = law.asked(sample.q, sample.v, errors, old["law"])
    g = inlined(straight(design.arm, "gravity"), [sample.q])
    friction = _friction(design, sample, errors, asked.tau)
    full = [x + y for x, y in zip(asked.tau, friction, strict=True)]
    known = sample.after.started
    tau = choose(known, choose(sample.held, g, full), [0.0] * design.arm.n)
    # the drives are taken over from whoever held the arm against gravity
    last = choose(old["started"][0], old["tau"], [
        clamp(x, -float(m), float(m)) for x, m in zip(g, design.limits.torque, strict=True)
    ])  # fmt: skip
    change = [sample.h * float(r) for r in design.limits.rate]
    tau, at_limit, at_rate = limited(tau, last, design.limits.torque, change)
    tau = choose(known, tau, [0.0] * design.arm.n)
    # at rest dry friction hides what parameters do, and learning would make the joints hunt
    moves = neither(below(speed, float(design.slow.min())))
    learns = both(ready, neither(begin), neither(at_limit), moves)
    after = sample.after
    parts: dict[str, Row] = {
        "started": [after.started], "q": after.q, "v": after.v,
        "raw": after.raw, "bad": [after.bad], "agreeing": [after.agreeing],
        "travel": [after.travel], "ready": [ready],
        "offset": offset[0], "slope": offset[1], "tau": tau,
        "law": choose(learns, asked.state, old["law"]) if asked.state else [],
    }  # fmt: skip
    flags: dict[Status, Scalar] = {
        Status.STARTING: sample.starting, Status.LATE: sample.late,
        Status.BAD_SAMPLE: neither(sample.ok), Status.FROZEN: sample.frozen,
        Status.HELD: sample.held, Status.BAD_REFERENCE: neither(usable),
        Status.REFERENCE_LIMITED: clipped, Status.TORQUE_LIMITED: both(known, at_limit),
        Status.RATE_LIMITED: both(known, at_rate),
    }  # fmt: skip
    outputs: list[object] = [tau]
    if design.contact is not None:
        outside, seen = _observed(design, design.contact, sample, last, tau, old)
        parts |= seen
        outputs.append(outside)
        each = zip(outside, design.contact.threshold, strict=True)
        flags[Status.CONTACT] = either(*(neither(below(abs(x), float(y))) for x, y in each))
    status: Scalar = 0.0
    for flag, truth in flags.items():
        status = status + float(flag) * truth
    return (*outputs, [status], [x for name in kept.sizes for x in parts[name]])


def _usable(wanted: Sequence[Row]) -> Scalar:
    """Return 1 if the references are numbers."""
    sizes = (MOST_POSITION, MOST_RATE, MOST_RATE)
    return both(1.0, *(finite(row, most) for row, most in zip(wanted, sizes, strict=False)))


def _within(design: Design, wanted: Sequence[Row]) -> tuple[list[Row], Scalar]:
    """Return references of joints within their limits, where they stop, and whether they did."""
    if not design.law.directed:
        return list(wanted), 0.0
    q, qd, qdd = wanted
    bounds = list(zip(design.limits.lower, design.limits.upper, strict=True))
    inside = [clamp(x, float(low), float(high)) for x, (low, high) in zip(q, bounds, strict=True)]
    off = [abs(x - y) for x, y in zip(q, inside, strict=True)]
    rates = [[select(x, 0.0, y) for x, y in zip(off, row, strict=True)] for row in (qd, qdd)]
    return [inside, *rates], either(*(select(x, 1.0, 0.0) for x in off))


def _speed(wanted: Sequence[Row]) -> Scalar:
    """Return the largest speed of a reference."""
    largest: Scalar = 0.0
    for x in wanted[1] if wanted else ():
        largest = max(largest, abs(x))
    return largest


def _errors(
    design: Design, sample: Sample, wanted: Sequence[Row], usable: Scalar, begin: Scalar,
    old: Mapping[str, Row],
) -> tuple[Errors, tuple[Row, Row]]:  # fmt: skip
    """Return the errors that the law sees, and the offset of a start with its derivative."""
    m = len(design.approach.speed)
    zeros = [0.0] * m
    e, de = design.law.errors(sample.q, sample.v, wanted)
    braked = [-x for x in sample.v] if m == design.arm.n else zeros
    e, de = choose(usable, e, zeros), choose(usable, de, braked)
    if not wanted:  # there is nothing to approach
        return Errors(e, de, zeros, zeros), (zeros, zeros)
    d, w, a = design.approach.faded(begin, e, de, old["offset"], old["slope"], sample.h)
    d, w, a = (choose(usable, x, zeros) for x in (d, w, a))
    velocity = [x + y for x, y in zip(wanted[1], w, strict=True)]
    acceleration = [x + y for x, y in zip(wanted[2], a, strict=True)] if len(wanted) > 2 else a
    return Errors(
        [x + y for x, y in zip(e, d, strict=True)],
        [x + y for x, y in zip(de, w, strict=True)],
        choose(usable, velocity, zeros), choose(usable, acceleration, zeros),
    ), (d, w)  # fmt: skip


def _friction(design: Design, sample: Sample, errors: Errors, tau: Row) -> list[Scalar]:
    """Return the torques that overcome friction of the desired motion, or of the measured one.

    Dry friction grows with the speed up to `slow` and is constant beyond: at rest it is not
    compensated, and the sign of a noisy speed does not matter.
    """
    if design.friction == 0.0:
        return [0.0] * design.arm.n
    return [
        design.friction * x
        for x in smooth_friction(
            design, errors.velocity if design.law.directed else sample.v, tau
        )
    ]  # fmt: skip


def smooth_friction(design: Design, velocity: Row, load: Row) -> list[Scalar]:
    """Return the friction of an arm, its dry part continuous at rest."""
    links = chain_of(design.arm.robot).links
    law = FrictionLaw.of(links)
    found: list[Scalar] = []
    joints = law.joints(law.constants(links)) if law.names else []
    for joint, v, slow, L in zip(joints, velocity, design.slow, load, strict=True):
        s = clamp(v / float(slow), -1.0, 1.0)
        f = joint.smooth(v) + joint.sliding(v, s)
        share = joint.share(v, s)
        found.append(f if is_zero(share) else f + share * abs(L))
    return found


def _observed(
    design: Design, contact: Contact, sample: Sample, last: Row, tau: Row, old: Mapping[str, Row]
) -> tuple[list[Scalar], dict[str, Row]]:
    """Return torques from outside, and what the observer keeps.

    The momentum of `observer_programs`; torques are constant between samples, and all else in u
    follows the trapezoid.
    """
    n, K, h = design.arm.n, contact.gain, sample.h
    zeros = [0.0] * n
    found = inlined(momentum_program(design.arm, friction=False), [sample.q, sample.v, zeros])
    friction = smooth_friction(design, sample.v, last)
    p = found[:n]
    drift = [x - f for x, f in zip(found[n:], friction, strict=True)]
    # a start of unknown velocity is no push: the low-pass of velocities settles first
    unknown = either(sample.starting, sample.held, neither(sample.after.started))
    since = select(unknown, 0.0, least(old["since"][0] + h, 1.0))
    anew = below(since, SETTLED / design.cutoff)
    residual = [
        (r + K * (p1 - p0 - h * (t + 0.5 * (b0 + b1)))) / (1.0 + K * h)
        for r, p0, p1, t, b0, b1 in zip(
            old["residual"], old["momentum"], p, last, old["drift"], drift, strict=True
        )
    ]
    residual = choose(anew, zeros, settled(residual))
    return residual, {"momentum": p, "drift": drift, "residual": residual, "since": [since]}
