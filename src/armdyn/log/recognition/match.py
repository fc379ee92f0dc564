"""Find the columns of time, positions and efforts in a file, and the joint of each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Never

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import LogError
from armdyn.log.columns import Table, in_order
from armdyn.log.recognition.joints import (
    called_as_joints,
    few,
    is_column,
    joint_order,
    of_all_joints,
    of_joints,
)
from armdyn.log.recognition.names import (
    MOTOR_SIDE_SYMBOLS,
    ROLE_OF,
    ROLES,
    Meaning,
    is_computed_torque,
    joint_key,
    pose_in,
    unit_in,
)
from armdyn.log.recognition.patterns import as_list, explicit, is_glob, listed, meaning_in
from armdyn.log.recognition.refusals import (
    EXAMPLE,
    WORDS_OF,
    ambiguous_columns,
    missing_columns,
)
from armdyn.log.recognition.suggest import in_python, likely_effort, pattern_of
from armdyn.log.recognition.units import CURRENTS, SI, TORQUES

# Quantities that are left out, unless asked for, if a joint lacks them.
OPTIONAL = ("q_cmd", "current", "load")

# Stamps of the messages of ROS.
STAMP = re.compile(r"header[._/]+stamp", re.I)

EFFORTS = {"torque": "tau", "current": "current"}


@dataclass(frozen=True)
class Matched:
    """Names of columns: of the time, and for each quantity one per joint or one for a block.

    Attributes:
        time: of the stamps.
        nanosec: of the nanoseconds to add, or None.
        episode: of the number of the episode, or None.
        names: by quantity.
        joints: names of the joints.
        effort: which quantity is the effort: "tau", "current" or "".
        optional: the quantities that may be left out.
        notes: findings.
    """

    time: str
    nanosec: str | None
    episode: str | None
    names: Mapping[str, Sequence[str]]
    joints: tuple[str, ...]
    effort: str
    optional: frozenset[str]
    notes: Sequence[str]


def matched(
    table: Table,
    joints: Sequence[str] | None,
    said: Mapping[str, str | Sequence[str]],
    torque: str,
) -> Matched:
    """Return the columns of each quantity.

    Args:
        table: the file.
        joints: names of the joints that are wanted; None for those of the file.
        said: column names given by the caller, by quantity.
        torque: which effort to take.

    Raises:
        LogError: a quantity is missing or ambiguous; the message lists the columns and says how to
            choose one.
    """
    meanings = {name: meaning_in(table, name) for name in (*table.columns, *table.text)}
    count = None if joints is None else len(joints)
    time, nanosec = _time(table, meanings, said, count)
    notes: list[str] = []
    found: dict[str, dict[str | None, str]] = {}
    taken = {name for names in said.values() for name in as_list(names)}
    _leave_unknown_units(meanings, taken, notes)
    _leave_poses(meanings, {*taken, *(joints or ())}, notes)
    for role in ROLES:
        if role in said:
            found[role] = explicit(table, role, said[role], count)
        elif role in OPTIONAL and role != "current":
            found[role] = _unambiguous(table, meanings, role, taken, notes)
        else:
            found[role] = _by_name(table, meanings, role, taken)
    _tell_currents(table, found, said, notes)
    effort = _one_effort(table, found, torque)
    if not found["tau"] and (computed := [name for name in meanings if is_computed_torque(name)]):
        notes.append(
            f"{few(computed)} are torques of the controller's model or its goals, not "
            "measurements, and are left out."
        )
    optional = frozenset(OPTIONAL) - {effort} - set(said)
    numbered = [name for name, m in meanings.items() if m and m.role == "episode"]
    episode = next((name for name in numbered if is_column(table, name)), None)
    if not found["q"]:
        found["q"] = called_as_joints(table, found, joints, taken, notes)
    if not found["q"]:
        raise missing_columns(table, "q", count, said)
    if None in found["q"]:
        names, order = _blocks(table, found, joints, optional, notes)
        return Matched(time, nanosec, episode, names, order, effort, optional, notes)
    by_pattern = "q" in said and is_glob(table, said["q"])
    is_list = "q" in said and not by_pattern
    wanted, labels = joint_order(table, found["q"], joints, notes, is_list, by_pattern)
    result: dict[str, Sequence[str]] = {}
    for role, columns_of in found.items():
        if role in optional:
            result[role] = of_all_joints(table, columns_of, labels)
        elif role in said and len(columns_of) == len(labels):
            result[role] = in_order(columns_of, labels, explicit=True)
        elif columns_of and None not in columns_of:
            result[role] = of_joints(table, role, columns_of, labels, found["q"], notes)
        elif columns_of:
            raise LogError(
                table.path,
                f"positions are columns of single joints but {role!r} is the array "
                f"{columns_of[None]!r}; say what is meant: {EXAMPLE}.",
            )
    names = {k: v for k, v in result.items() if v}
    used = [time, *(name for listed_names in names.values() for name in listed_names)]
    likely = {} if effort in names or torque == "none" else likely_effort(table, labels, used)
    if effort not in names and "load" in names and torque != "none":
        option = in_python({"tau": pattern_of(names["load"], [*table.columns])})
        notes.append(
            f"{few(names['load'])} are numbers of the drives, kept as load, not torques. With the "
            f"torque per unit of each drive, `gain`, they can be: {option}."
        )
    elif likely:
        notes.append(f"no torques or currents are recognised; {in_python(likely)} may be right.")
    return Matched(time, nanosec, episode, names, wanted, effort, optional, notes)


def _leave_unknown_units(
    meanings: dict[str, Meaning | None], taken: set[str], notes: list[str]
) -> None:
    """Leave out what has a unit of which nothing follows; for positions, the reader asks."""
    gone: dict[tuple[str, str], list[str]] = {}
    for name, m in meanings.items():
        known = m is None or m.is_unit_known or m.role in ("t", "nanosec", "q") or name in taken
        if m is not None and not known:
            gone.setdefault((m.role, m.unit or ""), []).append(name)
            meanings[name] = None
    for (role, unit), names in gone.items():
        notes.append(
            f"{few(names)}: {unit.rstrip('?')!r} is no known unit of {role}; left out. To read "
            f"the numbers as they are: {in_python({role: pattern_of(names, [*meanings])})}."
        )


def _leave_poses(meanings: dict[str, Meaning | None], known: set[str], notes: list[str]) -> None:
    """Leave out coordinates x, y, z of a point, which are no positions of joints."""
    for role in ("q", "qd", "q_cmd"):
        of_role = {
            name: m.joint for name, m in meanings.items() if m and m.role == role and m.joint
        }
        pose = set(pose_in([*of_role.values()])) - known
        gone = [name for name, joint in of_role.items() if joint in pose and name not in known]
        if gone:
            meanings.update(dict.fromkeys(gone))
            notes.append(f"{few(gone)} are coordinates of a pose, not of joints, and left out.")


def _unit(table: Table, name: str) -> str | None:
    """Return the unit of an effort."""
    known = meaning_in(table, name)
    return (known.unit if known else None) or unit_in(name, "current") or unit_in(name, "tau")


def _tell_currents(
    table: Table,
    found: dict[str, dict[str | None, str]],
    said: Mapping[str, str | Sequence[str]],
    notes: list[str],
) -> None:
    """Take efforts in A or mA as currents, also if the caller says torques; tell it."""
    efforts = [*found["tau"].values()] if "tau" in said and "current" not in said else []
    if efforts and all(_unit(table, name) in CURRENTS for name in efforts):
        found["current"], found["tau"] = found["tau"], {}
    elif any(_unit(table, name) not in (*TORQUES, SI, None) for name in efforts):
        notes.append(f"{few(efforts)} are not in N m: they are taken as they are.")
    currents = {name: meaning_in(table, name) for name in found["current"].values()}
    renamed = [k for k, m in currents.items() if m and (ROLE_OF.get(m.word) == "tau")]
    renamed += [k for k in efforts if k in currents and k not in renamed]
    numbers = [table.columns[name] for name in currents if is_column(table, name)]
    has_unit = any(m and m.unit for m in currents.values())
    if numbers and not has_unit and all(map(_is_whole, numbers)):
        notes.append(
            f"{few([*currents])} are whole numbers: currents in the numbers of the drives, whose "
            "unit is not known."
        )
    if renamed:
        notes.append(
            f"{few(renamed)} are taken as motor currents, not as torques: their unit is "
            "that of a current."
        )


def _is_whole(values: Array) -> bool:
    """Whether all numbers are whole, and not all 0."""
    there = values[np.isfinite(values)]
    return bool(there.any()) and bool((there == np.round(there)).all())


def _time(
    table: Table,
    meanings: Mapping[str, Meaning | None],
    said: Mapping[str, str | Sequence[str]],
    count: int | None,
) -> tuple[str, str | None]:
    if "t" in said:
        (name,) = explicit(table, "t", said["t"], count).values()
        return name, None
    times = {name: m for name, m in meanings.items() if m and m.role == "t"}
    parts = [name for name, m in meanings.items() if m and m.role == "nanosec"]
    if parts and times:
        seconds = [name for name, m in times.items() if m.unit == "s"]
        if len(parts) == len(seconds) == 1:
            return seconds[0], parts[0]
    if parts and not times:
        return (parts[0], None) if len(parts) == 1 else _raise(ambiguous_columns(table, "t", parts))
    if not times:
        raise missing_columns(table, "t", count, said)
    stamped = [name for name in times if STAMP.search(name)]
    if len(times) > 1 and len(stamped) == 1:  # of the message, not of its recording
        return stamped[0], None
    if len(times) > 1:
        raise ambiguous_columns(table, "t", [*times])
    return next(iter(times)), None


def _by_name(
    table: Table, meanings: Mapping[str, Meaning | None], role: str, taken: set[str]
) -> dict[str | None, str]:
    """Return the columns of a quantity by joint; the key of a block of all joints is None."""
    there = {name: m for name, m in meanings.items() if m and m.role == role and name not in taken}
    if any(m.word not in MOTOR_SIDE_SYMBOLS for m in there.values()):
        there = {name: m for name, m in there.items() if m.word not in MOTOR_SIDE_SYMBOLS}
    blocks = {k for k in there if k in table.columns and table.columns[k].ndim == 2}
    if any(there[name].joint is None for name in blocks):  # "q" rather than "q_raw"
        plain = {name for name in blocks if there[name].joint is None}
        there = {name: m for name, m in there.items() if name in plain or name not in blocks}
    result: dict[str | None, str] = {}
    keys: dict[str | None, str] = {}
    for name, m in there.items():
        joint = None if name in blocks else m.joint
        number = None if joint is None else joint_key(joint)
        key = number if number is not None and number.isdecimal() else joint
        if key in keys:
            raise ambiguous_columns(table, role, [keys[key], name])
        keys[key] = result[joint] = name
    if None in result and len(result) > 1:
        raise ambiguous_columns(table, role, list(result.values()))
    return result


def _unambiguous(
    table: Table,
    meanings: Mapping[str, Meaning | None],
    role: str,
    taken: set[str],
    notes: list[str],
) -> dict[str | None, str]:
    """Return the columns of numbers of a quantity; none if two are of the same joint."""
    numbers = {name: m for name, m in meanings.items() if name in table.columns}
    try:
        return _by_name(table, numbers, role, taken)
    except LogError:
        names = [name for name, m in numbers.items() if m and m.role == role]
        notes.append(f"{role} is left out: it could be any of {few(names)}.")
        return {}


def _one_effort(table: Table, found: dict[str, dict[str | None, str]], torque: str) -> str:
    """Keep only the effort that is wanted, and currents beside torques; return its quantity."""
    if torque == "auto":
        torque = "torque" if found["tau"] else "current"
    elif torque != "none" and not found[wanted := EFFORTS[torque]]:
        raise LogError(table.path, f"there are no {WORDS_OF[wanted]}: {listed(table)}.")
    if torque != "torque":
        found["tau"] = {}
    if torque == "none":
        found["current"] = {}
    return EFFORTS.get(torque, "")


def _blocks(
    table: Table,
    found: Mapping[str, Mapping[str | None, str]],
    joints: Sequence[str] | None,
    optional: frozenset[str],
    notes: list[str],
) -> tuple[dict[str, Sequence[str]], tuple[str, ...]]:
    q = table.columns.get(found["q"][None])  # None if it is text, which is told later
    width = 1 if q is None or q.ndim == 1 else q.shape[1]
    result: dict[str, Sequence[str]] = {}
    for role, columns in found.items():
        if not columns or (role in optional and not _is_block(table, columns, width)):
            continue
        if None not in columns:
            raise LogError(
                table.path,
                f"{found['q'][None]!r} holds all positions but {', '.join(columns.values())} "
                f"are of single joints; say what is meant: {EXAMPLE}.",
            )
        result[role] = [columns[None]]
    if joints is not None and len(joints) != width:
        raise LogError(
            table.path,
            f"{found['q'][None]!r} has {width} joints, the arm has {len(joints)}: "
            f"{', '.join(joints)}.",
        )
    names = table.joint_names if len(table.joint_names) == width else ()
    if joints is not None and names and tuple(joints) != names:
        notes.append(f"joints {', '.join(names)} are taken for {', '.join(joints)}, in this order.")
    return result, tuple(joints or names)


def _is_block(table: Table, columns: Mapping[str | None, str], width: int) -> bool:
    block = table.columns.get(columns.get(None, ""))
    return block is not None and (1 if block.ndim == 1 else block.shape[1]) == width


def _raise(error: Exception) -> Never:
    raise error
