"""Synthetic logs of arms whose truth is known, with and without faults, for `verdicts.py`.

Every case follows from its seed. The described arm is a rough one: masses are off by some 15 %. The
true arm has friction of the full law (viscous, Coulomb, offset, Stribeck, root, load), rotors that
nobody described, and noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

import armdyn
from armdyn import Arm, Joint, Log
from arms import published

Function = Callable[..., np.ndarray]

FILES = {
    "ur3": ("ur_description/urdf/ur3_robot.urdf", None),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", None),
    "ur10": ("ur_description/urdf/ur10_robot.urdf", None),
    "panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
    "kinova": ("kinova_description/robots/kinova.urdf", None),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", None),
    "talos": ("talos_data/robots/talos_left_arm.urdf", None),
}
ARMS = (*FILES, "puma560", "random6", "random7")

# Faults, the kinds of findings that are a right cause of each (none: there is nothing to name), and
# how many cases of each there are among `TURN` ones.
FAULTS: dict[str, tuple[tuple[str, ...], int]] = {
    "faultless": ((), 20),
    "sign": (("sign",), 5), "swap": (("swap",), 5), "scale": (("scale",), 10),
    "degrees": (("degrees",), 2), "tilt": (("tilt",), 6), "delay": (("delay",), 5),
    "elastic": (("elasticity",), 5), "coupling": (("coupling",), 6), "load": (("load",), 5),
    "spring": (("spring",), 6), "position friction": (("position friction",), 5),
    "backlash": ((), 4), "geometry": ((), 5), "saturation": ((), 4), "short": ((), 2),
    "slow": ((), 3), "small": ((), 2),
}  # fmt: skip

# More faults, among `MORE_TURN` cases. One joint in amperes is a wrong unit and a wrong scale. Play
# as wide as this should be told; steps of torque and a joint at rest do not make a model wrong.
MORE_FAULTS: dict[str, tuple[tuple[str, ...], int]] = {
    "reversed": (("sign",), 4), "factor": (("unit",), 10), "amperes": (("unit", "scale"), 8),
    "currents": (("currents", "unit"), 8), "play": (("backlash",), 4), "quantised": ((), 4),
    "resting": ((), 4), "zero": (("zero",), 4), "noise-free": ((), 4),
}  # fmt: skip
CAUSES = {name: kinds for name, (kinds, _) in (*FAULTS.items(), *MORE_FAULTS.items())}

# Cases of one fault list in a row, and of the other: the first 400 are those of `FAULTS`.
TURN, MORE_TURN = 400, 200


@dataclass(frozen=True)
class Case:
    """A log, the arm that is described to `identify`, and the truth.

    `truth` gives the right torques of states; with a wrong zero, at positions as the arm tells
    them. `joints` are those of the fault, from 1. `causes` are the kinds of findings
    that are right; none if there is nothing to find.
    """

    arm: str
    fault: str
    degree: float
    joints: tuple[int, ...]
    described: Arm
    log: Log
    truth: Function
    causes: tuple[str, ...]


@cache
def arm_of(name: str, seed: int) -> Arm:
    """An arm by its name; random ones differ by their seed."""
    if name.startswith("random"):
        n = int(name.removeprefix("random"))
        robot = armdyn.generic(n, seed=seed)
        # Gravity of any direction is unlike a robot on the floor.
        return Arm(replace(robot, gravity=(0.0, 0.0, -9.81)))
    if name not in FILES:
        return armdyn.load(name)
    file, tip = FILES[name]
    return armdyn.load(published(file), tip=tip)


def fault_of(index: int) -> str:
    """The fault of a case: all in turn, as often as the lists say."""
    k = index % (TURN + MORE_TURN)
    faults, seed = (FAULTS, 99) if k < TURN else (MORE_FAULTS, 100)
    listed = [name for name, (_, count) in faults.items() for _ in range(count)]
    return str(np.random.default_rng(seed).permutation(listed)[k % len(listed)])


def make(
    seed: int, index: int, arms: tuple[str, ...] = ARMS, fault: str | None = None,
    rates: tuple[float, ...] = (100.0, 125.0, 200.0, 250.0),
) -> Case:  # fmt: skip
    """Make a case; `rates` are samples per second to choose from."""
    rng = np.random.default_rng([seed, index])
    name = str(rng.choice(arms))
    described = arm_of(name, int(rng.integers(40)))
    fault = fault or fault_of(index)
    n = described.n
    real = _real(described, rng)
    load = float(rng.uniform(0.08, 0.25)) * sum(j.mass for j in described.robot.joints)
    if fault == "load":
        real = _with_load(real, load, rng)
    tilt = float(rng.uniform(3.0, 10.0))
    if fault == "tilt":
        real = _tilted(real, tilt, rng)
    duration = float(rng.uniform(14.0, 20.0)) if fault != "short" else float(rng.uniform(4.0, 6.0))
    rate = float(rng.choice(rates))
    pace = float(rng.uniform(0.05, 0.12)) if fault == "slow" else float(rng.uniform(0.8, 1.6))
    reach = float(rng.uniform(0.05, 0.12)) if fault == "small" else float(rng.uniform(0.5, 1.0))
    t = np.arange(int(duration * rate)) / rate
    style = _fourier if rng.random() < 0.5 else _point_to_point
    q, qd, qdd = style(described, t, pace, reach, rng)
    if fault == "resting":
        still = int(rng.integers(n))
        q[:, still], qd[:, still], qdd[:, still] = q[0, still], 0.0, 0.0
    rotors = np.where(rng.random(n) < 0.6, 1.0, 0.0) * rng.uniform(0.05, 0.4, n)
    rotors *= np.mean([np.diag(real.mass_matrix(x)) for x in q[:: len(q) // 8]], axis=0)

    def rigid(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return real.inverse_dynamics(q, qd, qdd, friction=False)

    size = np.sqrt(np.mean(rigid(q, qd, qdd) ** 2, axis=0))
    size = np.maximum(size, 0.1 * size.max())
    law = _friction(size, np.abs(qd).max(axis=0), rng)
    degree, joints, changed = _physical_fault(fault, n, size, q, qd, law, rng)

    def torque(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        L = rigid(q, qd, qdd)
        return changed(L + rotors * qdd + law(qd, L), q, qd)

    tau = torque(q, qd, qdd)
    noise = 10.0 ** rng.uniform(np.log10(0.003), np.log10(0.1)) * (fault != "noise-free")
    tau = tau + noise * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)
    if fault == "load":
        degree = load
    elif fault == "tilt":
        degree = tilt
    else:
        degree, joints, q, tau = _measured_fault(
            fault, degree, joints, t, q, tau, rigid(q, qd, qdd), rng
        )
    if fault != "noise-free":
        q = q + 1e-5 * rng.normal(size=q.shape)
    if fault == "geometry":
        degree = float(rng.uniform(0.05, 0.4))
        described = _bent(described, degree, rng)
    rough = _rough(described, rng)
    zero = np.zeros(n)
    if fault == "zero":
        zero[joints[0] - 1] = degree
    if fault == "resting":
        # Samples are regular, but their stamps are late by up to a part of a step.
        joints, degree = (still + 1,), float(rng.uniform(0.2, 0.6))
        t = t + degree * rng.random(len(t)) / rate
    causes = CAUSES[fault]
    if fault == "currents" and joints:
        causes = (*causes, "sign")

    def truth(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return torque(q - zero, qd, qdd)

    return Case(name, fault, degree, joints, rough, Log(t=t, q=q, tau=tau), truth, causes)


def _real(arm: Arm, rng: np.random.Generator) -> Arm:
    """The described arm without friction: it is the truth of the links."""
    joints = [_bare(joint) for joint in arm.robot.joints]
    return Arm(replace(arm.robot, joints=joints))


def _bare(joint: Joint) -> Joint:
    return replace(joint, viscous=0.0, coulomb=0.0, offset=0.0, rotor_inertia=0.0)


def _rough(arm: Arm, rng: np.random.Generator) -> Arm:
    """The arm as a data sheet tells it: masses and inertias off by some 15 %."""
    factors = np.exp(0.15 * rng.normal(size=arm.n))
    joints = [
        replace(_bare(j), mass=j.mass * x, inertia=tuple(x * i for i in j.inertia))
        for j, x in zip(arm.robot.joints, factors.tolist(), strict=True)
    ]
    return Arm(replace(arm.robot, joints=joints))


def _with_load(arm: Arm, mass: float, rng: np.random.Generator) -> Arm:
    *others, last = arm.robot.joints
    place = np.array([*rng.uniform(-0.05, 0.05, 2), 0.1])
    com = (last.mass * np.array(last.com) + mass * place) / (last.mass + mass)
    off = place - np.array(last.com)
    shared = last.mass * mass / (last.mass + mass)
    more = shared * (off @ off * np.eye(3) - np.outer(off, off)) + 0.003 * mass * np.eye(3)
    inertia = np.array(last.inertia) + np.array(
        [more[0, 0], more[0, 1], more[0, 2], more[1, 1], more[1, 2], more[2, 2]]
    )
    held = replace(last, mass=last.mass + mass, com=tuple(com), inertia=tuple(inertia))
    return Arm(replace(arm.robot, joints=[*others, held]))


def _tilted(arm: Arm, degrees: float, rng: np.random.Generator) -> Arm:
    g = np.array(arm.robot.gravity)
    across = np.cross(g, rng.normal(size=3))
    across *= np.linalg.norm(g) / np.linalg.norm(across)
    turned = np.cos(np.radians(degrees)) * g + np.sin(np.radians(degrees)) * across
    return Arm(replace(arm.robot, gravity=tuple(turned)))


def _bent(arm: Arm, degree: float, rng: np.random.Generator) -> Arm:
    """The arm with wrong lengths (by `degree`) and small wrong angles."""
    joints = [
        replace(
            j,
            b=j.b * (1.0 + degree * rng.uniform(-1, 1)),
            d=j.d * (1.0 + degree * rng.uniform(-1, 1)),
            theta=j.theta + 0.3 * degree * rng.uniform(-1, 1),
        )
        for j in arm.robot.joints
    ]
    return Arm(replace(arm.robot, joints=joints))


def _centre(arm: Arm, reach: float, rng: np.random.Generator) -> np.ndarray:
    lower = np.array([max(j.lower, -2.5) for j in arm.robot.joints])
    upper = np.array([min(j.upper, 2.5) for j in arm.robot.joints])
    room = np.minimum(reach, 0.5 * (upper - lower))
    return lower + room + rng.random(arm.n) * (upper - lower - 2 * room), room


def _fourier(
    arm: Arm, t: np.ndarray, pace: float, reach: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Five harmonics."""
    centre, room = _centre(arm, reach, rng)
    w = 2 * np.pi * 0.08 * np.arange(1, 6) * max(pace, 0.05)
    a, b = rng.normal(size=(2, 5, arm.n)) / np.arange(1, 6)[:, None] ** 0.5
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q = s @ a + c @ b
    scale = room / np.abs(q).max(axis=0)
    a, b = a * scale, b * scale
    return centre + s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b


def _point_to_point(
    arm: Arm, t: np.ndarray, pace: float, reach: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Moves of fifth order between random poses, each joint with its own times."""
    centre, room = _centre(arm, reach, rng)
    parts = []
    for j in range(arm.n):
        q, v, a = np.zeros((3, len(t)))
        start, here = -float(rng.uniform(0.0, 1.0)), 0.0
        while start < t[-1]:
            there = float(rng.uniform(-room[j], room[j]))
            span = max(2.0 * abs(there - here) / max(pace, 1e-3), 0.6)
            at = (t >= start) & (t <= start + span)
            u = (t[at] - start) / span
            q[at] = here + (there - here) * (10 * u**3 - 15 * u**4 + 6 * u**5)
            v[at] = (there - here) * (30 * u**2 - 60 * u**3 + 30 * u**4) / span
            a[at] = (there - here) * (60 * u - 180 * u**2 + 120 * u**3) / span**2
            start, here = start + span, there
            rest = float(rng.choice([0.0, 0.2]))
            q[(t > start) & (t <= start + rest)] = here
            start += rest
        parts.append((q, v, a))
    q, v, a = (np.column_stack(x) for x in zip(*parts, strict=True))
    return centre + q, v, a


def _friction(size: np.ndarray, top: np.ndarray, rng: np.random.Generator) -> Function:
    n, top = len(size), np.where(top > 0.0, top, 1.0)
    coulomb = size * rng.uniform(0.05, 0.2, n)
    viscous = size * rng.uniform(0.03, 0.15, n) / top
    offset = size * rng.uniform(-0.05, 0.05, n)
    stribeck = size * rng.uniform(0.0, 0.08, n) * (rng.random(n) < 0.5)
    root = size * rng.uniform(0.0, 0.08, n) / np.sqrt(top) * (rng.random(n) < 0.3)
    loaded = rng.uniform(0.02, 0.12, n) * (rng.random(n) < 0.5)
    speed = top * rng.uniform(0.03, 0.1, n)

    def law(v: np.ndarray, L: np.ndarray) -> np.ndarray:
        s = np.sign(v)
        dry = coulomb + loaded * np.abs(L) + stribeck / (1.0 + (v / speed) ** 2)
        return offset + viscous * v + dry * s + root * np.sqrt(np.abs(v)) * s

    return law


def _physical_fault(
    fault: str, n: int, size: np.ndarray, q: np.ndarray, qd: np.ndarray, law: Function,
    rng: np.random.Generator,
) -> tuple[float, tuple[int, ...], Function]:  # fmt: skip
    """What the true arm has and the model does not: degree, joints, and the torques with it."""
    j, i = (int(x) for x in rng.permutation(n)[:2])
    degree = 0.0
    if fault == "coupling":
        # The motor of the neighbour turns with this one, as in coupled wrists.
        i = j - 1 if j else 1
        degree = float(rng.uniform(0.15, 0.6)) * float(rng.choice([-1.0, 1.0]))
        share = degree * size[j] / size[i]

        def coupled(tau: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            tau = tau.copy()
            tau[:, j] += share * tau[:, i]
            return tau

        return degree, (j + 1, i + 1), coupled
    if fault == "spring":
        degree = float(rng.uniform(0.2, 0.6))
        mean, wide = float(q[:, j].mean()), float(q[:, j].std())

        def sprung(tau: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            tau = tau.copy()
            tau[:, j] += degree * size[j] / wide * (q[:, j] - mean)
            return tau

        return degree, (j + 1,), sprung
    if fault == "position friction":
        degree = float(rng.uniform(0.18, 0.4))
        phase = float(rng.uniform(0, 2 * np.pi))

        def rough(tau: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            tau = tau.copy()
            tau[:, j] += degree * size[j] * np.sin(q[:, j] + phase) * np.sign(qd[:, j])
            return tau

        return degree, (j + 1,), rough
    return degree, (), lambda tau, q, qd: tau


def _measured_fault(
    fault: str, degree: float, joints: tuple[int, ...], t: np.ndarray, q: np.ndarray,
    tau: np.ndarray, load: np.ndarray, rng: np.random.Generator,
) -> tuple[float, tuple[int, ...], np.ndarray, np.ndarray]:  # fmt: skip
    """What happens to the signals: degree, joints, positions and torques as recorded."""
    n = q.shape[1]
    j, i = (int(x) for x in rng.permutation(n)[:2])
    tau = tau.copy()
    if fault == "sign":
        tau[:, j] *= -1.0
        return -1.0, (j + 1,), q, tau
    if fault == "swap":
        tau[:, [i, j]] = tau[:, [j, i]]
        return 1.0, tuple(sorted((i + 1, j + 1))), q, tau
    if fault == "scale":
        degree = float(rng.choice([0.5, 0.8, 1.25, 1.6]))
        tau[:, j] *= degree
        return degree, (j + 1,), q, tau
    if fault == "degrees":
        return 1.0, (), np.degrees(q), tau
    if fault == "delay":
        degree = float(rng.uniform(0.008, 0.03))
        return degree, (), q, _late(t, tau, degree)
    if fault == "elastic":
        degree = float(rng.uniform(0.03, 0.08))
        # Motors turn further than links by the torque of the links over the stiffness.
        return degree, (), q + degree * load / np.abs(load).max(), tau
    if fault == "backlash":
        degree = float(rng.uniform(0.001, 0.01))
        return degree, (), q + 0.5 * degree * np.tanh(20.0 * load / load.std(axis=0)), tau
    if fault == "saturation":
        degree = float(rng.uniform(0.5, 0.8))
        most = degree * np.abs(tau[:, j]).max()
        tau[:, j] = np.clip(tau[:, j], -most, most)
        return degree, (j + 1,), q, tau
    if fault in MORE_FAULTS:
        return _more_measured(fault, q, tau, load, rng)
    return degree, joints, q, tau


def _more_measured(
    fault: str, q: np.ndarray, tau: np.ndarray, load: np.ndarray, rng: np.random.Generator
) -> tuple[float, tuple[int, ...], np.ndarray, np.ndarray]:
    """The same for faults of `MORE_FAULTS`."""
    n = q.shape[1]
    j = int(rng.integers(n))
    if fault == "reversed":
        return -1.0, (), q, -tau
    if fault == "factor":
        any_factor = float(10.0 ** rng.uniform(-3.0, 3.0))
        degree = float(rng.choice([any_factor, 0.001, 1000.0], p=[0.6, 0.2, 0.2]))
        return degree, (), q, degree * tau
    if fault == "amperes":
        low, high = [(0.02, 0.2), (5.0, 50.0)][int(rng.integers(2))]
        degree = float(np.exp(rng.uniform(np.log(low), np.log(high))))
        tau[:, j] *= degree
        return degree, (j + 1,), q, tau
    if fault == "currents":
        # [A/(N m)] at the joint; drives of one arm differ by up to 3 from it
        degree = float(np.exp(rng.uniform(np.log(0.02), np.log(2.0))))
        factors = degree * 3.0 ** rng.uniform(-1.0, 1.0, n)
        count = int(rng.integers(1, n)) if rng.random() < 0.5 else 0
        reversed_ones = np.sort(rng.permutation(n)[:count])
        factors[reversed_ones] *= -1.0
        return degree, tuple((reversed_ones + 1).tolist()), q, tau * factors
    if fault == "play":
        degree = float(np.radians(rng.uniform(0.3, 0.8)))
        return degree, (), q + 0.5 * degree * np.tanh(20.0 * load / load.std(axis=0)), tau
    if fault == "quantised":
        degree = float(rng.uniform(0.005, 0.02))
        step = degree * np.ptp(tau, axis=0)
        return degree, (), q, step * np.round(tau / step)
    if fault == "zero":
        j = int(rng.integers(1, n))
        degree = float(np.radians(rng.uniform(1.0, 5.0)) * rng.choice([-1.0, 1.0]))
        return degree, (j + 1,), q + degree * (np.arange(n) == j), tau
    return 0.0, (), q, tau


def _late(t: np.ndarray, x: np.ndarray, seconds: float) -> np.ndarray:
    return np.column_stack([np.interp(t - seconds, t, column) for column in x.T])
