"""The serial arm that leads to one frame of a tree, the other joints standing still."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_choice
from armdyn.errors import InputError
from armdyn.robot.formats.assemble import assembled
from armdyn.robot.formats.into import skeleton
from armdyn.robot.formats.records import ArmOptions, listed
from armdyn.robot.formats.urdf.write import description_of
from armdyn.robot.mechanism import link_parents, link_rows
from armdyn.robot.model import Robot


@dataclass(frozen=True)
class Branch:
    """A serial arm, and the indices of its joints among those of the tree."""

    robot: Robot
    joints: tuple[int, ...]


def branch_of(robot: Robot, tip: str, q: Array) -> Branch:
    """Return the serial arm from the base to a frame of a tree.

    Args:
        robot: the tree.
        tip: a tip, a frame or a joint.
        q: where the joints off the way stand ``(n,)``; others are not read.

    Raises:
        InputError: there is no such frame, or joints that follow others are on the way.
    """
    link, name = _end(robot, tip)
    way = _way(robot, link)
    followers = {k: joint.name for k, joint in enumerate(robot.links, 1) if k > robot.n}
    if on_way := [followers[k] for k in way if k in followers]:
        raise InputError(
            f"joint {on_way[0]!r} on the way to {tip!r} follows other joints, which those of a "
            "serial arm cannot; take the tree itself.",
            argument="tip",
        )
    rows = link_rows(robot)
    for k in followers:
        if moved := [robot.joints[j].name for j in rows[k - 1][0] if j + 1 in way]:
            raise InputError(
                f"joint {followers[k]!r} follows {moved[0]!r} on the way to {tip!r}, and moves "
                "with it; a serial arm has no such joint: take the tree itself.",
                argument="tip",
            )
    description = description_of(robot)
    joints = dict(description.joints)
    for joint, position in zip(robot.joints, q.tolist(), strict=True):
        joints[joint.name] = replace(joints[joint.name], rest=position)
    description = replace(description, joints=joints, name=robot.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tree has been judged
        found = assembled(description, ArmOptions(tip=name, strict=False))
    return Branch(found, tuple(k - 1 for k in way))


def _end(robot: Robot, tip: object) -> tuple[int, str]:
    """Return the number of the link that carries a frame, and the frame's link of a file."""
    made = skeleton(robot)
    frames = {frame.name: frame.link for frame in robot.frames}
    numbers = {joint.name: k for k, joint in enumerate(robot.links, 1)}
    names = [*(robot.tips or frames or numbers)]
    if not isinstance(tip, str) or tip not in {**frames, **numbers}:
        told = f"frame of {robot.name!r}, such as {listed(names)}"
        checked_choice(tip, "tip", names, what=told)
        raise AssertionError("unreachable: the choice is none of the names")
    if tip not in frames:
        return numbers[tip], made.links[numbers[tip]]
    fixed = {one.name: one.name for one in made.fixed} | {x.joint: x.name for x in made.fixed}
    link = frames[tip]
    return link, tip if tip in made.links else fixed.get(tip, made.links[link])


def _way(robot: Robot, link: int) -> list[int]:
    parents = link_parents(robot)
    found: list[int] = []
    while link:
        found.append(link)
        link = parents[link - 1]
    return found[::-1]


def positions_off_the_way(robot: Robot, start: Array | None) -> Array:
    """Return where joints stand that do not move: at `start`, or in the middle of their ranges."""
    if start is not None:
        return start
    ranges = [(joint.lower, joint.upper) for joint in robot.joints]
    return np.array([(a + b) / 2 if np.isfinite(a + b) else 0.0 for a, b in ranges])
