"""MuJoCo's compiled model as records of a kinematic tree.

All numbers of bodies and joints are those of the compiled model: defaults, units and the order of
Euler angles are behind us. A body moves by its joints in their order, each about an anchor in the
body's frame, and a joint's value at the pose of the file is its `ref`. In the tree a joint has a
frame at its anchor, and q = 0 is no motion:

    parent -- (placement, to the anchor, back by ref) -- joint -- (from the anchor) -- body

so that several joints of a body become links without mass between them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from armdyn.robot.chain import exact_cos_sin
from armdyn.robot.formats.bodies import six_of
from armdyn.robot.formats.geometry import product, quaternion_rotation, xyzw
from armdyn.robot.formats.mjcf.model import NO_LIMIT, Drives, check_numbers, visuals_of
from armdyn.robot.formats.records import (
    FREE_TYPES,
    Coupling,
    Description,
    Inertial,
    Loop,
    Origin,
    Remark,
    Rule,
    Site,
    Solid,
    TreeJoint,
    TreeLink,
    Words,
    listed,
)
from armdyn.robot.formats.tree import left_out

# What a model in MJCF has and an arm cannot have, for notes and warnings.


def notes_of(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences about the whole model."""
    if any(answer["medium"]):
        yield "The drag of a medium (`density`, `viscosity`) is not part of the model."
    if answer["disabled"]:
        yield f"Switched off by <flag>, and so not part of the model: {listed(answer['disabled'])}."
    if answer["elsewhere"]:
        yield (
            "Actuators of tendons, sites or bodies give no limits of effort: "
            f"{listed(answer['elsewhere'])}."
        )
    spatial = [one["name"] for one in answer["tendons"] if not one["joints"] and _weighs(one)]
    if spatial:
        yield (
            "The inertia, stiffness, damping and friction of spatial tendons are not part of the "
            f"model: {listed(spatial)}."
        )


def remarks_of(
    answer: Mapping[str, Any], bodies: Sequence[str], joints: Sequence[str], drives: Drives
) -> Iterator[Remark]:
    """Yield sentences about bodies and joints, for those that are part of the arm."""
    compensated = _named(bodies, answer["body_gravcomp"])
    yield Remark(
        "Gravity compensation (`gravcomp`) is not part of the model; `gravity` has the full weight "
        "of bodies {}.",
        links=compensated,
    )
    springs = [
        bool(one or any(more))
        for one, more in zip(answer["jnt_stiffness"], answer["jnt_stiffnesspoly"], strict=True)
    ]
    yield Remark(
        "Springs (`stiffness`, `springref`) are not part of the model: their torques are missing "
        "at joints {}.",
        joints=_named(joints, springs),
        warn=True,
    )
    hinges = [kind in ("hinge", "slide") for kind in answer["jnt_type"]]
    yield Remark(
        "Damping by powers of the speed is not part of the model, only the part that grows with "
        "the speed: joints {}.",
        joints=tuple(
            joint for k, joint in enumerate(joints) if hinges[k] and any(drives.damping(k)[1:])
        ),
        warn=True,
    )
    numbers = {name: k for k, name in enumerate(answer["jnt_names"]) if name}
    tied = {
        joints[numbers[joint]]
        for one in answer["tendons"]
        if _weighs(one)
        for joint in one["joints"]
        if joint in numbers
    }
    yield Remark(
        "The inertia, stiffness, damping and friction of tendons are not part of the model: they "
        "act on joints {}.",
        joints=tuple(sorted(tied)),
        warn=True,
    )
    yield Remark(
        "The limits of effort differ by direction, the smaller one is used: joints {}.",
        joints=tuple(joints[k] for k in sorted(drives.uneven)),
    )


def loops_of(answer: Mapping[str, Any], bodies: Sequence[str]) -> Iterator[Loop]:
    """Yield the pairs of bodies that equalities hold together."""
    number = {name: k for k, name in enumerate(answer["body_names"]) if name}
    sites = dict(zip(answer["site_names"], answer["site_bodyid"], strict=True))
    for one in answer["equalities"]:
        if one["type"] not in ("connect", "weld"):
            continue
        places = sites if one["sites"] else number
        ends = [places.get(one[name], 0) for name in ("first", "second")]
        if any(answer["body_mocapid"][end] >= 0 for end in ends):
            continue  # a handle to pull at the arm
        yield Loop(bodies[ends[0]], bodies[ends[1]], f"<{one['type']}>")


def _weighs(tendon: Mapping[str, Any]) -> bool:
    return bool(tendon["armature"] or tendon["passive"])


def _named(names: Sequence[str], values: Sequence[object]) -> tuple[str, ...]:
    return tuple(name for name, value in zip(names, values, strict=True) if value)


WORDS = Words(
    inertial="<inertial>, nor geoms that tell its mass",
    coupling="coupling (<equality> or <tendon>)",
    followers="Joints that equalities or tendons drive",
    angles="angles of bodies and joints [rad]",
    axis="components of joint axes",
    no_range="the file gives none",
    no_limit=" in the file",
    rest="`qpos0`",
    followed="at `qpos0`",
)

# Types of joints by MuJoCo's names.
TYPES = {"free": "floating", "ball": "ball", "slide": "prismatic", "hinge": "revolute"}


class Describer:
    """Makes the records of a compiled model."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        """Name bodies and joints.

        Args:
            answer: what MuJoCo's process sent.

        Raises:
            Fault: a number is not finite or out of all proportion.
        """
        check_numbers(answer)
        self._answer = answer
        self.bodies = _unique(answer["body_names"], "body")
        owners = [0] * len(answer["jnt_names"])
        for body, (first, count) in enumerate(
            zip(answer["body_jntadr"], answer["body_jntnum"], strict=True)
        ):
            owners[first : first + count] = [body] * count
        self.joints = _unique(
            answer["jnt_names"], [f"{self.bodies[body]}_joint" for body in owners]
        )
        self._drives = Drives(answer)
        self._followers = self._found_followers()
        self._links: dict[str, TreeLink] = {}
        self._tree: dict[str, TreeJoint] = {}
        self._synthetic: set[str] = set()
        self._gone: set[str] = set()
        self._visuals: dict[str, list[Solid]] = {}

    def description(
        self,
        stem: str,
        gone: Collection[str] = (),
        without: Collection[str] = (),
        folder: str = "",
    ) -> Description:
        """Return the tree.

        Args:
            stem: name of the arm if the file has none.
            gone: names of bodies that the compiled model lacks.
            without: names of bodies to leave out; some may be gone.
            folder: in which the file is, for paths of meshes; none is opened.
        """
        self._visuals = visuals_of(self._answer, self.bodies, folder)
        self._leave_out(gone, [body for body in without if body not in gone])
        answer = self._answer
        self._links[self.bodies[0]] = self._seen(TreeLink(self.bodies[0]))
        for body in range(1, len(self.bodies)):
            if self.bodies[body] not in self._gone:
                self._add_body(body)
        sites = _unique(answer["site_names"], "site")
        unnamed = {new for new, old in zip(sites, answer["site_names"], strict=True) if not old}
        x, y, z = (0.0, 0.0, 0.0) if "gravity" in answer["disabled"] else answer["gravity"]
        named = answer["name"] not in ("", "MuJoCo Model")
        return Description(
            answer["name"] if named else stem,
            self._links,
            self._tree,
            WORDS,
            (x, y, z),
            frozenset(self._gone),
            self._drives.exact,
            notes=tuple(notes_of(answer)),
            sites=tuple(
                Site(site, self.bodies[int(body)], Origin(tuple(at), quaternion=xyzw(turn)))
                for site, body, at, turn in zip(
                    sites, answer["site_bodyid"], answer["site_pos"], answer["site_quat"],
                    strict=True,
                )
                if site not in unnamed and self.bodies[body] not in self._gone
            ),
            remarks=tuple(remarks_of(answer, self.bodies, self.joints, self._drives)),
            loops=tuple(loops_of(answer, self.bodies)),
            unnamed=frozenset(self._synthetic),
        )  # fmt: skip

    def _leave_out(self, gone: Collection[str], without: Collection[str]) -> None:
        self._gone = set(gone)
        if without:
            carried: dict[str, list[str]] = {body: [] for body in (*self.bodies, *gone)}
            for body, parent in enumerate(self._answer["body_parentid"]):
                if body:
                    carried[self.bodies[parent]].append(self.bodies[body])
            self._gone |= left_out(carried, without)

    def _add_body(self, body: int) -> None:
        """Add a body, and the joints that it moves by."""
        answer, name = self._answer, self.bodies[body]
        first, count = answer["body_jntadr"][body], answer["body_jntnum"][body]
        # where the body stands without further joints: the link it hangs on, and the placement
        parent = self.bodies[int(answer["body_parentid"][body])]
        at = Origin(tuple(answer["body_pos"][body]), quaternion=xyzw(answer["body_quat"][body]))
        self._links[name] = self._seen(self._link(body))
        for joint in range(first, first + count):
            record = self._joint(joint, parent)
            anchor = (
                np.array(answer["jnt_pos"][joint]) if record.type in FREE_TYPES else np.zeros(3)
            )
            last = joint == first + count - 1
            direct = last and not anchor.any()
            child = name if direct else self._between(name, record.name, massless=not last)
            origin = _placed(at, anchor, record)
            self._tree[record.name] = replace(record, origin=origin, child=child)
            if direct:
                return
            parent, at = child, Origin(_triple(-anchor))
        self._weld(parent, name, at)

    def _joint(self, joint: int, parent: str) -> TreeJoint:
        """Return a joint that is not placed yet."""
        answer, drives, name = self._answer, self._drives, self.joints[joint]
        kind = TYPES[answer["jnt_type"][joint]]
        if kind in ("floating", "ball"):
            return TreeJoint(name, kind, parent, "")
        x, y, z = answer["jnt_axis"][joint]
        ref = answer["qpos0"][answer["jnt_qposadr"][joint]]
        lower, upper = None, None
        if answer["jnt_limited"][joint]:
            least, most = answer["jnt_range"][joint]
            lower = least if least > -NO_LIMIT else -math.inf
            upper = most if most < NO_LIMIT else math.inf
        leader = self._followers.get(joint)
        return TreeJoint(
            name, kind, parent, "", axis=(x, y, z), lower=lower, upper=upper,
            velocity=drives.velocity(name), effort=drives.effort(joint),
            coupling=None if leader is None else Coupling(leader, 0.0, ref, self._rule(joint)),
            rotor_inertia=drives.rotor_inertia(joint), friction=drives.friction(joint, name),
            rest=ref,
        )  # fmt: skip

    def _link(self, body: int) -> TreeLink:
        answer, name = self._answer, self.bodies[body]
        if str(body) in answer["unknown"]:
            meshes = ", ".join(repr(mesh) for mesh in answer["unknown"][str(body)][:3])
            return TreeLink(
                name, unknown=f"has no <inertial>, and its meshes are not there: {meshes}"
            )
        mass = answer["body_mass"][body]
        if mass == 0.0:
            return TreeLink(name)
        # The principal axes are of MuJoCo's making: turned into axes of the body here, so that
        # nobody takes them for nearly right angles.
        R = quaternion_rotation(xyzw(answer["body_iquat"][body]))
        tensor = product(R * answer["body_inertia"][body], R.T)
        at = Origin(tuple(answer["body_ipos"][body]))
        return TreeLink(name, Inertial(at, mass, six_of(tensor)))

    def _seen(self, link: TreeLink) -> TreeLink:
        """Return a link with what is seen of it."""
        return replace(link, visuals=tuple(self._visuals.get(link.name, ())))

    def _between(self, body: str, joint: str, massless: bool) -> str:
        """Add a link behind a joint that is not the body itself; return its name."""
        name = f"{body} behind {joint}"
        self._synthetic.add(name)
        inertial = Inertial(Origin(), 0.0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) if massless else None
        self._links[name] = TreeLink(name, inertial)
        return name

    def _weld(self, parent: str, child: str, origin: Origin) -> None:
        name = f"{parent} to {child}"
        self._synthetic.add(name)
        self._tree[name] = TreeJoint(name, "fixed", parent, child, origin)

    def _rule(self, joint: int) -> Rule | None:
        """Return how a joint follows another by an equality; None if not linearly."""
        answer, positions = self._answer, self._answer["qpos0"]
        names: list[str] = answer["jnt_names"]
        for one in answer["equalities"]:
            a0, a1, *higher = one["polynomial"]
            if one["type"] != "joint" or one["first"] != names[joint] or any(higher):
                continue
            if one["second"] in names and one["second"]:
                own, other = (
                    positions[answer["jnt_qposadr"][k]] for k in (joint, names.index(one["second"]))
                )
                return Rule(a1, own + a0 - a1 * other)
        return None

    def _found_followers(self) -> dict[int, str]:
        """Return what drives the joints that do not move independently."""
        answer = self._answer
        number = {name: k for k, name in enumerate(answer["jnt_names"]) if name}
        found: dict[int, str] = {}
        for one in answer["equalities"]:
            if one["type"] == "joint" and one["first"] in number:
                found[number[one["first"]]] = one["second"]
        # Joints that share the tendon of one actuator are a gripper if others have their own.
        alone = [k for k in range(len(answer["jnt_names"])) if self._drives.has_actuator(k)]
        for tendon in answer["tendons"]:
            if alone and tendon["driven"] and len(tendon["joints"]) > 1:
                for joint in tendon["joints"]:
                    k = number.get(joint)
                    if k is not None and k not in alone:
                        found.setdefault(k, tendon["name"])
        return found


def _placed(start: Origin, anchor: np.ndarray, joint: TreeJoint) -> Origin:
    """Return the placement of a joint at q = 0: at its anchor, and back from `rest`."""
    axis = np.array(joint.axis)
    x, y, z, w = start.quaternion or (0.0, 0.0, 0.0, 1.0)
    local = anchor - joint.rest * axis if joint.type == "prismatic" else anchor
    at = np.array(start.xyz)
    if local.any():
        at = at + product(quaternion_rotation((x, y, z, w)), local)
    if joint.type != "revolute" or joint.rest == 0.0:
        return Origin(_triple(at), quaternion=start.quaternion)
    c, s = exact_cos_sin(-joint.rest / 2)
    a, b, d = (float(v) for v in s * axis)
    turn = (
        w * a + x * c + y * d - z * b,
        w * b - x * d + y * c + z * a,
        w * d + x * b - y * a + z * c,
        w * c - x * a - y * b - z * d,
    )
    return Origin(_triple(at), quaternion=turn)


def _unique(names: Sequence[str], instead: str | Sequence[str]) -> list[str]:
    """Return names that all differ, with others where there is none: a word and the number."""
    taken = set(names)
    found: list[str] = []
    for number, name in enumerate(names):
        other = f"{instead}{number}" if isinstance(instead, str) else instead[number]
        if not name:
            name, k = other, 2
            while name in taken:
                name, k = f"{other}{k}", k + 1
            taken.add(name)
        found.append(name)
    return found


def _triple(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in vector)
    return (x, y, z)
