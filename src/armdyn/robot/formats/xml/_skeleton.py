"""Which links a written file has, where their frames are and what they are called.

An arm that was read from a file keeps the frames and names of that file. Other arms have links in
the frames E_i, named after the joints that move them; the first is "base", the last "tip".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from armdyn.robot._joint import Joint
from armdyn.robot._named_frame import NamedFrame
from armdyn.robot._robot import Robot
from armdyn.robot.formats._frames import TIP
from armdyn.robot.formats._placement import Array

# A frame whose origin is farther than this from the axis of its joint, relative to its distance
# from E_i, is not the frame of that joint.
ON_AXIS = 1e-12


@dataclass(frozen=True)
class FixedLink:
    """A link without mass that is fixed to link i by a joint of its own."""

    link: int
    name: str
    joint: str
    placement: Array


@dataclass(frozen=True)
class Skeleton:
    """The links 0..n by name, their placements in E_i, links fixed to them, and the tip's name."""

    links: list[str]
    frames: list[Array]
    fixed: list[FixedLink]
    tip: str


def skeleton(robot: Robot) -> Skeleton:
    """Return the links of the file of a robot."""
    links = _Names()
    joints = _Names(joint.name for joint in robot.joints)
    frames = {frame.name: frame for frame in robot.frames}
    own = {
        joint.name
        for i, joint in enumerate(robot.joints, 1)
        if joint.name in frames and frames[joint.name].link == i
    }
    first: dict[int, NamedFrame] = {}
    for frame in robot.frames:
        if frame.name not in own:
            first.setdefault(frame.link, frame)
    names: list[str] = []
    placements: list[Array] = []
    for i in range(robot.n + 1):
        joint = robot.joints[i - 1] if i else None
        head = first.get(i)
        at = np.eye(4) if joint is None else _joint_frame(joint, frames, own, head)
        placements.append(at)
        wanted = "base" if joint is None else f"{joint.name}_link"
        if head is not None and _same(np.array(head.placement), at):
            wanted = head.name
        names.append(links.new(wanted))
    used = {*names, *own}
    fixed = _fixed([frame for frame in robot.frames if frame.name not in used], links, joints)
    tool = np.array(robot.tool)
    on_tip = {one.name: one.placement for one in fixed if one.link == robot.n}
    on_tip = {names[-1]: placements[-1], **on_tip}
    tip = next((k for k, at in on_tip.items() if _same(at, tool)), None)
    if tip is None or not robot.frames:
        tip = links.new(TIP)
        fixed.append(FixedLink(robot.n, tip, joints.new("tip_joint"), tool))
    return Skeleton(names, placements, fixed, tip)


def _joint_frame(
    joint: Joint, frames: dict[str, NamedFrame], own: set[str], head: NamedFrame | None
) -> Array:
    """Return the frame of a link of the file in E_i: the file's frame of the joint, else E_i.

    Where a link of the file has the joint's name, the joint has the frame of its own link.
    """
    found = frames[joint.name] if joint.name in own else head
    if found is None:
        return np.eye(4)
    at = np.array(found.placement)
    x, y, _ = at[:3, 3]
    if joint.is_revolute and max(abs(x), abs(y)) > ON_AXIS * (1.0 + np.abs(at[:3, 3]).max()):
        return np.eye(4)
    return at


def _fixed(frames: list[NamedFrame], links: _Names, joints: _Names) -> list[FixedLink]:
    """Return links for the frames; two in one place are a link and the joint that it hangs on."""
    found: list[FixedLink] = []
    waiting: dict[tuple[int, object], NamedFrame] = {}
    for frame in frames:
        key = (frame.link, frame.placement)
        link = waiting.pop(key, None)
        if link is None:
            waiting[key] = frame
        else:
            at = np.array(frame.placement)
            found.append(FixedLink(frame.link, links.new(link.name), joints.new(frame.name), at))
    for frame in waiting.values():
        at, name = np.array(frame.placement), links.new(frame.name)
        found.append(FixedLink(frame.link, name, joints.new(frame.name), at))
    return found


def _same(a: Array, b: Array) -> bool:
    """Whether two placements differ by rounding only."""
    return bool((np.abs(a - b) <= ON_AXIS * (1.0 + np.abs(a[:3, 3]).max())).all())


class _Names:
    """Names that are taken."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """Return a name that is not taken yet: the wanted one, or that with underscores."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted
