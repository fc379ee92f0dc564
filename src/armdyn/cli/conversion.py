"""An arm before and after a change of its file format: what was kept, changed and lost.

Torques are computed on plain numbers, with friction, at random states. They decide whether two
files describe the same arm.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from armdyn.algorithms import newton_euler
from armdyn.algorithms.coordinates import positions, projected, rates
from armdyn.algorithms.friction import friction_under_load
from armdyn.algorithms.kinematics import places
from armdyn.arrays import Array
from armdyn.programs.arguments import at_frame
from armdyn.robot.chain import chain_of
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.robot.joint import Joint
from armdyn.robot.model import Robot

Verdict = Literal["kept", "changed", "lost"]

# Largest relative difference of torques and poses of the same arm: rounding, with a margin.
TOLERANCE = 1e-12

# Random states at which arms are compared: more than the parameters of a link, so that a wrong one
# shows.
STATES = 20

# Frames in a message.
MOST_NAMES = 8


@dataclass(frozen=True)
class Item:
    """A part of a description, what became of it, and more about that."""

    what: str
    verdict: Verdict
    detail: str = ""


@dataclass(frozen=True)
class Comparison:
    """What became of an arm.

    Attributes:
        items: parts of the description that the arm had.
        torque_error: largest difference of torques, relative to the largest torque.
        pose_error: largest difference of poses of the tip, relative to the reach.
        states: number of random states.
    """

    items: tuple[Item, ...]
    torque_error: float
    pose_error: float
    states: int

    @property
    def agrees(self) -> bool:
        """Whether the arm is the same: torques and poses to rounding."""
        return self.torque_error <= TOLERANCE and self.pose_error <= TOLERANCE


def compared(before: Robot, after: Robot, states: int = STATES) -> Comparison:
    """Return what became of an arm.

    Args:
        before: the arm.
        after: the arm again, from another file.
        states: number of random states at which torques are compared.
    """
    names = [[(joint.name, joint.kind) for joint in robot.links] for robot in (before, after)]
    same = names[0] == names[1]
    items = [Item("joints", "kept" if same else "changed", f"{before.n} joints")]
    if not same:
        return Comparison(tuple(items), math.inf, math.inf, 0)
    torques, poses = _errors(before, after, states)
    items += [
        _measured("places of the axes and of the tip", poses),
        _measured("torques of masses, inertias, gravity and friction", torques),
        *_of_joints(before, after),
        *_of_frames(before, after),
    ]
    if before.shapes:
        count = len(after.shapes)
        verdict: Verdict = "kept" if count == len(before.shapes) else "changed" if count else "lost"
        told = f"{count or 'none'} of {len(before.shapes)}"
        items.append(Item("solids for collisions", verdict, told))
    return Comparison(tuple(items), torques, poses, states)


def _measured(what: str, error: float) -> Item:
    verdict: Verdict = "kept" if error <= TOLERANCE else "changed"
    return Item(what, verdict, f"largest relative difference {error:.1e}")


def _errors(before: Robot, after: Robot, states: int) -> tuple[float, float]:
    """Return the largest relative differences of torques and of poses."""
    rng = np.random.default_rng(0)
    torques: list[tuple[Array, Array]] = []
    poses: list[tuple[Array, Array]] = []
    for _ in range(states):
        q, qd, qdd = rng.uniform(-2.0, 2.0, (3, before.n)).tolist()
        torques.append((_torques(before, q, qd, qdd), _torques(after, q, qd, qdd)))
        poses.append((_pose(before, q), _pose(after, q)))
    return _apart(torques), _apart(poses)


def _torques(robot: Robot, q: list[float], qd: list[float], qdd: list[float]) -> Array:
    chain = chain_of(robot)
    joints = positions(chain, q), rates(chain, qd), rates(chain, qdd)
    driving = projected(chain, newton_euler.inverse_dynamics(chain, *joints))
    return np.array(driving) + np.array(friction_under_load(chain, qd, driving))


def _pose(robot: Robot, q: list[float]) -> Array:
    chain = chain_of(robot)
    tips = [at_frame(chain, frame) for frame in robot.frames if frame.name in robot.tips]
    found = [places(one, positions(one, q), one.n + 1)[-1] for one in tips or [chain]]
    rows = [[*row, p] for at in found for row, p in zip(at.rows, at.p, strict=True)]
    return np.array(rows, dtype=float)


def _apart(pairs: list[tuple[Array, Array]]) -> float:
    size = max(float(np.abs(a).max()) for a, _ in pairs)
    far = max(float(np.abs(a - b).max()) for a, b in pairs)
    return far / size if size else far


def _of_joints(before: Robot, after: Robot) -> Iterator[Item]:
    """Yield what became of the drives and limits that the arm has."""
    defaults = {field.name: field.default for field in fields(Joint)}
    shapes = [shape for term in FRICTION_TERMS.values() for shape in term.shape]
    names = ("rotor_inertia", *FRICTION_TERMS, *shapes, "lower", "upper", "velocity", "effort")
    for name in names:
        olds = [getattr(joint, name) for joint in before.links]
        news = [getattr(joint, name) for joint in after.links]
        had = [k for k, old in enumerate(olds) if old != defaults[name]]
        if not had and olds == news:
            continue
        gone = [k for k in had if news[k] == defaults[name]]
        verdict: Verdict = "kept" if olds == news else "lost" if had and gone == had else "changed"
        told = f"{len(had)} joints" if verdict == "kept" else _told(before, olds, news)
        yield Item(name.replace("_", " "), verdict, told)


def _told(robot: Robot, olds: list[float], news: list[float]) -> str:
    """Return the first change in words."""
    k = next(k for k, (old, new) in enumerate(zip(olds, news, strict=True)) if old != new)
    more = sum(old != new for old, new in zip(olds, news, strict=True)) - 1
    others = f", and {more} more" if more else ""
    return f"{robot.links[k].name}: {olds[k]:g}, now {news[k]:g}{others}"


def _of_frames(before: Robot, after: Robot) -> Iterator[Item]:
    """Yield what became of the frames that the file names."""
    there = {frame.name for frame in after.frames}
    gone = [frame.name for frame in before.frames if frame.name not in there]
    if not before.frames:
        return
    if not gone:
        yield Item("frames by name", "kept", f"{len(before.frames)} frames")
        return
    named = ", ".join(gone[:MOST_NAMES]) + ", ..." * (len(gone) > MOST_NAMES)
    kept = len(before.frames) - len(gone)
    yield Item("frames by name", "changed" if kept else "lost", f"without {named}")
