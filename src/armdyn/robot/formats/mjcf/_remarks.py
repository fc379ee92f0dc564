"""What a model in MJCF has and an arm cannot have, for notes and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from armdyn.robot.formats._records import Loop, Remark, listed
from armdyn.robot.formats.mjcf._drives import Drives


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
