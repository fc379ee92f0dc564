"""What an arm changes in the file that describes it: inertials of links, numbers of drives.

A link of an arm may be several links of the file: the one that its joint moves, others fixed to
it, and side branches that stand still. One of them, the host, takes the change; the others keep
their own inertia, which is taken off the arm's link again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from armdyn.arrays import Array
from armdyn.robot.formats.assemble import TIP, assembled
from armdyn.robot.formats.axes import Snap
from armdyn.robot.formats.bodies import Body, body_in, body_of, joined, placed, six_of, without
from armdyn.robot.formats.geometry import at_zero, invert, product
from armdyn.robot.formats.records import ArmOptions, Description, Fault, TreeLink, listed
from armdyn.robot.joint import Joint
from armdyn.robot.mechanism import check_serial, ends
from armdyn.robot.model import NamedFrame, Robot

# Numbers closer than this, relative to their size, are the same: rounding of turns and sums.
EQUAL_NUMBER_TOLERANCE = 1e-11
# An arm whose joints lie farther than this [m, rad] from those of a file is another arm.
ELSEWHERE = 1e-4


@dataclass(frozen=True)
class Placed:
    """A link of the file and its placement in the frame of the arm's link that it belongs to."""

    link: TreeLink
    at: Array


@dataclass(frozen=True)
class NewInertial:
    """The new inertia of a link of the file, in the link's frame; None takes it away."""

    link: TreeLink
    body: Body | None
    snap: Snap


def new_inertials(
    robot: Robot,
    description: Description,
    *,
    merge_branches: bool = False,
    same: float = EQUAL_NUMBER_TOLERANCE,
) -> Iterator[NewInertial]:
    """Yield the inertias that an arm changes in its file.

    Args:
        robot: the arm, read from the file or a file like it, with new numbers.
        description: of the file.
        merge_branches: give all inertia of a changed link to its host, and none to the others.
        same: numbers closer than this, relative to their size, have not changed.

    Raises:
        Fault: the file describes another arm, or a host would be physically inconsistent.
    """
    check_serial(robot, "Robots that are written into files")
    stages = _located(robot, description)
    snap = _snap_used(robot, description, stages, same)
    for joint, carried in zip(robot.joints, stages, strict=True):
        new = body_in(joint.com, joint.inertia, joint.mass)
        massive = [one for one in carried if one.link.inertial is not None]
        if same_body(_joined(massive, snap), new, same):
            continue
        moved = description.moved_link(joint.name)
        if moved is None:
            raise Fault(
                f"the link that joint {joint.name!r} moves has no mass of its own in the file: the "
                "next joint moves the same body. Save the arm as a file of its own."
            )
        host = _host(moved, carried, massive)
        others = [one for one in massive if one is not host]
        if merge_branches:
            yield NewInertial(host.link, placed(new, invert(host.at)), snap)
            yield from (NewInertial(one.link, None, snap) for one in others)
            continue
        own = without(new, [_body(one, snap) for one in others])
        _check(joint, host, own, others)
        yield NewInertial(host.link, placed(own, invert(host.at)), snap)


def _snap_used(
    robot: Robot, description: Description, stages: list[list[Placed]], same: float
) -> Snap:
    """Return how the file was read, with or without snapping: by which more links are unchanged.

    If that does not tell, by which links fixed to others are where the arm has them.
    """

    def evidence(snap: Snap) -> tuple[int, float]:
        kept, off = 0, 0.0
        for joint, carried in zip(robot.joints, stages, strict=True):
            massive = [one for one in carried if one.link.inertial is not None]
            new = body_in(joint.com, joint.inertia, joint.mass)
            kept += same_body(_joined(massive, snap), new, same)
            at = {one.link.name: one.at for one in carried}
            for fixed in description.joints.values():
                if not fixed.moves and fixed.parent in at and fixed.child in at:
                    between = product(invert(at[fixed.parent]), at[fixed.child])
                    off += float(np.abs(between - snap.placement(fixed.origin)).max())
        return kept, -off

    return max((Snap(flag, description.words) for flag in (True, False)), key=evidence)


def _joined(links: list[Placed], snap: Snap) -> Body:
    return joined([_body(one, snap) for one in links])


def same_body(a: Body, b: Body, same: float = EQUAL_NUMBER_TOLERANCE) -> bool:
    """Whether two bodies are the same but for rounding."""
    size = max(float(np.abs(a.com).max()), float(np.abs(b.com).max()), 1e-3)
    moment = float(np.abs(a.inertia).max()) + a.mass * size**2 * same
    return (
        abs(a.mass - b.mass) <= same * a.mass
        and bool(a.mass == 0.0 or (np.abs(a.com - b.com) <= same * size).all())
        and bool((np.abs(a.inertia - b.inertia) <= same * moment).all())
    )


def _host(moved: str, carried: list[Placed], massive: list[Placed]) -> Placed:
    """Return the link that takes the change: the one that the joint moves, if it has an inertia."""
    for one in carried:
        if one.link.name == moved and (one.link.inertial is not None or not massive):
            return one
    return max(massive, key=lambda one: one.link.inertial.mass if one.link.inertial else 0.0)


def _check(joint: Joint, host: Placed, own: Body, others: list[Placed]) -> None:
    """Refuse a physically inconsistent host, unless the arm's link is inconsistent, too."""
    if not others or joint.physical_faults():
        return
    faults = [f"its mass would be {own.mass:.4g} kg"] if own.mass < 0.0 else _faults(own)
    if faults:
        names = listed([one.link.name for one in others])
        raise Fault(
            f"link {host.link.name!r} cannot take the change of the link that joint {joint.name!r} "
            f"moves: without the inertia of {names}, {faults[0]}. Pass merge_branches=True to give "
            f"all of it to {host.link.name!r}, and none to the others."
        )


def _faults(body: Body) -> list[str]:
    return Joint(mass=body.mass, inertia=six_of(body.inertia)).physical_faults()


def _body(one: Placed, snap: Snap) -> Body:
    assert one.link.inertial is not None
    return body_of(one.link.inertial, one.at, snap)


def _located(robot: Robot, description: Description) -> list[list[Placed]]:
    """Return, for each link of the arm, the links of the file that it is made of."""
    for joint in robot.joints:
        found = description.joints.get(joint.name)
        if found is None or not found.moves:
            raise Fault(
                f"the file has no moving joint {joint.name!r}, so that it does not describe this "
                f"arm; its joints are {listed([j.name for j in robot.joints])}."
            )
    frames = {frame.name: frame for frame in robot.frames}
    tops = [(i, description.moved_link(joint.name)) for i, joint in enumerate(robot.joints, 1)]
    known = [top in frames and frames[top].link == i for i, top in tops if top is not None]
    if not all(known):
        frames = {frame.name: frame for frame in _derived(robot, description).frames}
    stages: list[list[Placed]] = [[] for _ in range(robot.n + 1)]
    for name, link in description.links.items():
        if name in frames:
            stages[frames[name].link].append(Placed(link, np.array(frames[name].placement)))
    _check_geometry(robot, description, stages)
    return stages[1:]


def _derived(robot: Robot, description: Description) -> Robot:
    """Return the arm of these joints as the file describes it; for an arm without named frames."""
    import warnings

    first, last = (description.joints[robot.joints[k].name] for k in (0, -1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = assembled(description, ArmOptions(first.parent, last.child, strict=False))
    rows = [[(j.name, j.kind) for j in one.joints] for one in (robot, found)]
    numbers = [
        [(j.beta, j.b, j.theta, j.d, j.tilt) for j in one.joints[1:]] for one in (robot, found)
    ]
    if rows[0] != rows[1] or not np.allclose(numbers[0], numbers[1], rtol=0.0, atol=ELSEWHERE):
        raise Fault("the joints of the file are not those of the arm: another arm, or another tip.")
    return found


def _check_geometry(
    robot: Robot, description: Description, stages: Iterable[Iterable[Placed]]
) -> None:
    """Refuse an arm whose joints are not where those of the file are."""
    at = {one.link.name: (k, one.at) for k, stage in enumerate(stages) for one in stage}
    exact = Snap(False, description.words)
    for i, joint in enumerate(robot.joints, 1):
        told = description.joints[joint.name]
        stage, parent = at.get(told.parent, (i - 1, None))
        if parent is None or told.child not in at:
            continue  # an arm without named frames does not know its base, nor those of no name
        start = np.array(robot.base) if i == 1 else np.eye(4)
        child = product(start, at_zero(joint), at[told.child][1])
        off = np.abs(product(invert(parent), child) - exact.placement(told.origin)).max()
        if stage != i - 1 or off > ELSEWHERE * (1.0 + np.abs(told.origin.xyz).max()):
            raise Fault(
                f"joint {joint.name!r} of the arm is not where the file has it: the file describes "
                "another arm. Only masses, inertias and drives are written into a file."
            )


# Which links a written file has, where their frames are and what they are called.
#
# An arm that was read from a file keeps the frames and names of that file. Other arms have links in
# the frames E_i, named after the joints that move them; the first is "base", the last "tip".

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
    """Return the links of the file of a robot; those of a tree that names its tips need no tip."""
    links = _Names()
    joints = _Names(joint.name for joint in robot.links)
    frames = {frame.name: frame for frame in robot.frames}
    own = {
        joint.name
        for i, joint in enumerate(robot.links, 1)
        if joint.name in frames and frames[joint.name].link == i
    }
    first: dict[int, NamedFrame] = {}
    for frame in robot.frames:
        if frame.name not in own:
            first.setdefault(frame.link, frame)
    names: list[str] = []
    placements: list[Array] = []
    for i in range(len(robot.links) + 1):
        joint = robot.links[i - 1] if i else None
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
    if robot.tips or (not robot.is_serial and _same(tool, np.eye(4))):
        return Skeleton(names, placements, fixed, "")
    last = robot.n if robot.is_serial else ends(robot)[0]
    on_tip = {one.name: one.placement for one in fixed if one.link == last}
    on_tip = {names[last]: placements[last], **on_tip}
    tip = next((k for k, at in on_tip.items() if _same(at, tool)), None)
    if tip is None or not robot.frames:
        tip = links.new(TIP)
        fixed.append(FixedLink(last, tip, joints.new("tip_joint"), tool))
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
