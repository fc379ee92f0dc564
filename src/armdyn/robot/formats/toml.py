"""Arms as TOML: a few lines for the arm, then one ``[[joint]]`` table for each joint.

The keys are the arguments of `Robot` and `Joint`. Angles are in radians; beta, theta, lower and
upper may be given in degrees under the same name with ``_deg`` added. ``n_joints`` is optional.
With it, and with the eight keys that every joint must have, a truncated file is not read as a
shorter arm. ``strict = false`` in a file says that its inertias are known to be those of no body,
such as plain least squares give: it is read with a warning; ``waive`` says so of named checks.
``units = "SI"`` says that large numbers are meant, and are no degrees or millimetres. ``parent``
names the joint that carries a joint, or "base"; the default is the joint of the table before. A
joint with ``follows = {arm = -1.0}`` moves with others, and is at ``follows_offset`` where they are
at 0.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

import tomli_w

from armdyn.checks import about, checked_items, checked_mapping, checked_text, checked_whole
from armdyn.errors import RobotError, RobotWarning, shown
from armdyn.robot.formats.records import Fault, file_bytes, naming
from armdyn.robot.joint import NO_LIMITS, Joint, angle_faults, limit_faults, link_faults
from armdyn.robot.leniency import STRICT, Leniency, PhysicalFault, checked_leniency
from armdyn.robot.mechanism import BASE, Follower, link_parents
from armdyn.robot.model import IDENTITY, NamedFrame, Robot, placement_of

ROBOT_KEYS = (
    "name", "notes", "n_joints", "units", "strict", "waive", "gravity", "base", "tool", "frame",
    "tips", "joint",
)  # fmt: skip
FRAME_KEYS = ("name", "link", "placement")
JOINT_KEYS = tuple(field.name for field in fields(Joint))
# Further keys of a joint that follows others.
FOLLOWER_KEYS = ("follows", "follows_offset")
# Written last: a truncated file lacks at least the last of these.
REQUIRED_KEYS = ("kind", "beta", "b", "theta", "d", "mass", "com", "inertia")
DEGREES = {f"{key}_deg": key for key in ("beta", "theta", "lower", "upper", "branch_angle")}

# Other common names of the same keys.
OTHER_NAMES = {
    "alpha": "beta", "a": "b", "type": "kind", "m": "mass", "r": "com", "I": "inertia",
    "Jm": "rotor_inertia", "armature": "rotor_inertia", "damping": "viscous", "B": "viscous",
    "friction": "coulomb", "joints": "joint", "g": "gravity",
}  # fmt: skip

# The only units there are; a file that says so has numbers that are meant.
SI = "SI"
# Without the key, larger numbers are taken to be in degrees or millimetres: more than a turn [rad],
# longer than any arm [m].
LARGEST_ANGLE = 2 * math.pi
LARGEST_LENGTH = 100.0

# Bytes: an arm of a thousand joints has a third of a megabyte.
LARGEST_FILE = 2_000_000
# The parser needs memory that grows as the square of the number of parts of a key, a.b.c. Our keys
# have one part; a line may hold the 16 numbers of a placement.
MOST_DOTS = 200

Table = dict[str, Any]


def read_toml(path: Path, strict: bool = True, waive: tuple[str, ...] = ()) -> Robot:
    """Return the arm a TOML file describes; `strict` as in `Robot`, and also for units."""
    with naming(path):
        data = file_bytes(path, LARGEST_FILE, "a table of joints")
    return robot_from_toml(data, path, Leniency(strict, waive))


def robot_from_toml(data: bytes, source: str | Path, leniency: Leniency = STRICT) -> Robot:
    """Return the arm that the bytes of a TOML file describe; `source` is named in errors."""
    with naming(source):
        table = _parsed(data)
        _check_keys(table, ROBOT_KEYS, "the top of the file")
        rows = _joint_tables(table)
        own = table.get("strict", True)
        if not isinstance(own, bool):
            raise Fault(f"`strict` is {shown(own)}, expected true or false.")
        if table.get("units", SI) != SI:
            raise Fault(f"`units` is {shown(table['units'])}, expected {SI!r}.")
        links: list[Joint] = []
        rules: list[Table] = []
        for k, row in enumerate(rows, 1):
            where = f"[[joint]] number {k}"
            arguments = _joint_arguments(row, where)
            rules.append({key: arguments.pop(key) for key in FOLLOWER_KEYS if key in arguments})
            try:
                joint = Joint(**_usable(arguments, where, leniency))
            except RobotError as error:
                raise RobotError(f"{where}: {error}") from error
            if "units" not in table:
                _check_units(joint, row, source, where, leniency.strict)
            links.append(joint)
        name = table.get("name", Path(source).stem)
        if not isinstance(name, str):
            raise Fault(f"`name` is {shown(name)}, expected a string in quotes.")
        keys = ("notes", "gravity", "base", "tool", "tips")
        given = {key: table[key] for key in keys if key in table}
        frames = _frames(table.get("frame", []), len(links))
        joints, given["followers"] = _mechanism(links, rules)
        waive = checked_leniency(own, table.get("waive", []), error=RobotError).waive
        waive = tuple(dict.fromkeys((*waive, *leniency.waive)))
        strict = leniency.strict and own
        return Robot(joints, name=name, strict=strict, waive=waive, frames=frames, **given)


def toml_text(robot: Robot) -> str:
    """Return the arm as TOML; reading it back gives an equal arm, to the last bit."""
    table: Table = {"name": robot.name, "n_joints": len(robot.links), "units": SI}
    table["gravity"] = list(robot.gravity)
    faults = (fault for j in robot.links for fault in (*angle_faults(j), *link_faults(j)))
    checks = {fault.check for fault in faults}
    if checks and not robot.strict:
        table["strict"] = False
    elif checks:
        table["waive"] = [check for check in robot.waive if check in checks]
    for key, placement in (("base", robot.base), ("tool", robot.tool)):
        if placement != IDENTITY:
            table[key] = [list(row) for row in placement]
    if robot.frames:
        table["frame"] = [
            {"name": frame.name, "link": frame.link, "placement": [*map(list, frame.placement)]}
            for frame in robot.frames
        ]
    if robot.tips:
        table["tips"] = list(robot.tips)
    table["joint"] = [_joint_table(joint) for joint in _with_parents(robot)]
    for row, follower in zip(table["joint"][robot.n :], robot.followers, strict=True):
        row["follows"] = dict(follower.follows)
        if follower.offset:
            row["follows_offset"] = follower.offset
    notes = tomli_w.dumps({"notes": list(robot.notes)}) if robot.notes else ""
    # The writer puts every number of an array on a line of its own. A line break inside brackets
    # cannot be part of a string, since strings are written with \n escaped.
    rows = re.sub(r"\[\n[^\[\]]*\]", _on_one_line, tomli_w.dumps(table))
    return f"# An arm in SI units and radians, modified DH.\n{notes}{rows}"


def _mechanism(links: list[Joint], rules: Sequence[Table]) -> tuple[list[Joint], list[Follower]]:
    """Return joints and followers of the [[joint]] tables, in their order.

    A joint without `parent` hangs on the one of the table before.
    """
    if not any(rules):
        return links, []
    links = [
        joint if joint.name else replace(joint, name=f"joint{k}")
        for k, joint in enumerate(links, 1)
    ]
    joints: list[Joint] = []
    followers: list[Follower] = []
    before = "base"
    for joint, rule in zip(links, rules, strict=True):
        joint = joint if joint.parent else replace(joint, parent=before)
        before = joint.name
        if not rule:
            joints.append(joint)
            continue
        if "follows" not in rule:
            raise Fault(f"joint {joint.name!r} has `follows_offset`, but no `follows`.")
        offset = rule.get("follows_offset", 0.0)
        followers.append(Follower(joint, rule["follows"], offset))
    return joints, followers


def _frames(rows: object, n: int) -> list[NamedFrame]:
    """Return the frames of the [[frame]] tables."""
    found: list[NamedFrame] = []
    tables = checked_items(rows, "frame", what="[[frame]] tables", error=RobotError)
    for k, row in enumerate(tables, 1):
        error = about(f"[[frame]] number {k}", RobotError)
        entries = checked_mapping(row, "frame", what="a [[frame]] table", error=error)
        if set(entries) != set(FRAME_KEYS):
            listed = ", ".join(FRAME_KEYS)
            raise error(f"has the keys {', '.join(entries)}, expected {listed}.", argument="frame")
        name = checked_text(entries["name"], "name", error=error)
        link = checked_whole(entries["link"], "link", 0, n, error=error)
        placement = placement_of(cast(Any, entries["placement"]), f"placement of frame {name}")
        found.append(NamedFrame(name, link, placement))
    return found


def _usable(arguments: Table, where: str, leniency: Leniency) -> Table:
    """Return the arguments of `Joint` without limits that are wrong, if these may be waived."""
    if not leniency.accepts("limits"):
        return arguments
    limits = {key: arguments.get(key, value) for key, value in NO_LIMITS.items()}
    if not all(isinstance(value, int | float) for value in limits.values()):
        return arguments  # `Joint` refuses it
    faults = limit_faults(**limits)
    told = (PhysicalFault(f"{where}: {text[:-1]}", "limits") for _, text in faults)
    leniency.judge(told, RobotError, stacklevel=5)
    wrong = [name for names, _ in faults for name in names]
    return {key: value for key, value in arguments.items() if key not in wrong}


def _on_one_line(array: re.Match[str]) -> str:
    return "[" + ", ".join(array.group()[1:-1].replace(",", " ").split()) + "]"


def _with_parents(robot: Robot) -> list[Joint]:
    """Return the links of a robot, those of a tree with their parents."""
    if robot.is_serial:
        return list(robot.joints)
    names = [BASE, *(joint.name for joint in robot.links)]
    pairs = zip(robot.links, link_parents(robot), strict=True)
    return [replace(joint, parent=names[parent]) for joint, parent in pairs]


def _joint_table(joint: Joint) -> Table:
    optional = [key for key in JOINT_KEYS if key not in REQUIRED_KEYS]
    values = {key: getattr(joint, key) for key in (*optional, *REQUIRED_KEYS)}
    table: Table = {"name": values.pop("name")}
    for key, value in values.items():
        if key == "parent":
            table |= {key: value} if value else {}
        elif key in REQUIRED_KEYS or key in _limits(joint) or (math.isfinite(value) and value):
            table[key] = list(cast(Iterable[float], value)) if isinstance(value, tuple) else value
    return table


def _limits(joint: Joint) -> list[str]:
    """Return the names of the limits that the joint has; a limit of 0 counts."""
    return [key for key in ("lower", "upper") if math.isfinite(getattr(joint, key))]


def _parsed(data: bytes) -> Table:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault(f"is not text in UTF-8 (byte {error.start}).") from error
    if not text.strip():
        raise Fault("is empty; an arm needs at least one [[joint]] table.")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS and not line.lstrip().startswith("#"):
            raise Fault(f"line {number} has {line.count('.')} dots: no line of an arm.")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Fault("is not TOML that can be read: it is nested too deeply.") from None
    except ValueError as error:  # TOMLDecodeError, and integers of thousands of digits
        raise Fault(
            f"is not valid TOML: {error}. If the file was cut off or edited, write it again with "
            "armdyn or compare it with a bundled one."
        ) from error


def _joint_tables(table: Table) -> list[Table]:
    rows = table.get("joint")
    if rows is None or rows == []:
        raise Fault("has no [[joint]] table; an arm needs at least one.")
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) for row in cast(list[object], rows)
    ):
        raise Fault(
            "`joint` is not an array of tables; begin each joint with [[joint]], in two brackets."
        )
    found = cast(list[Table], rows)
    expected = table.get("n_joints", len(found))
    if isinstance(expected, bool) or not isinstance(expected, int):
        raise Fault(f"`n_joints` is {shown(expected)}, expected a whole number.")
    if expected != len(found):
        raise Fault(
            f"`n_joints` is {shown(expected)} but there are {len(found)} [[joint]] tables; the "
            "file was cut off, or `n_joints` was not changed along with the joints."
        )
    return found


def _joint_arguments(row: Table, where: str) -> Table:
    """Return the arguments of `Joint`: every key known, none missing, degrees converted."""
    _check_keys(row, (*JOINT_KEYS, *FOLLOWER_KEYS, *DEGREES), where)
    arguments = dict(row)
    for degrees, key in DEGREES.items():
        if degrees not in row:
            continue
        if key in row:
            raise Fault(f"{where}: has both `{key}` and `{degrees}`; keep one of them.")
        if key in ("lower", "upper") and row.get("kind") == "prismatic":
            raise Fault(f"{where}: `{degrees}` is of a prismatic joint; give `{key}` in metres.")
        arguments[key] = _radians(arguments.pop(degrees), f"{where}: `{degrees}`")
    for key in REQUIRED_KEYS:
        if key not in arguments:
            or_degrees = f" (or `{key}_deg`)" if f"{key}_deg" in DEGREES else ""
            raise Fault(
                f"{where}: the key `{key}`{or_degrees} is missing; every joint needs "
                f"{', '.join(REQUIRED_KEYS)}, zeros included."
            )
    return arguments


def _radians(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault(f"{what} is {shown(value)}, expected a number of degrees.")
    try:
        return math.radians(value)  # multiples of 90 come out as the multiples of pi/2
    except OverflowError:
        raise Fault(f"{what} is too large, expected a number of degrees.") from None


def _check_keys(table: Table, known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key in known:
            continue
        close = difflib.get_close_matches(key, known, n=1)
        meant = OTHER_NAMES.get(key) or (close[0] if close else None)
        hint = f" did you mean `{meant}`?" if meant in known else ""
        raise Fault(
            f"{where}: there is no key `{key[:60]}`;{hint} Known are {', '.join(known)} (SI units; "
            "`_deg` marks degrees, no other unit can be chosen)."
        )


def _check_units(joint: Joint, row: Table, source: str | Path, where: str, strict: bool) -> None:
    """Refuse (or, if not strict, warn of) numbers that must be degrees or millimetres."""
    faults = [
        f"`{key}` is {value:g} rad, more than a full turn: angles are in radians, write "
        f"`{key}_deg = {value:g}` if degrees are meant"
        for key, value in (("beta", joint.beta), ("theta", joint.theta))
        if key in row and abs(value) > LARGEST_ANGLE
    ]
    lengths = (("b", joint.b), ("d", joint.d), *(("com", x) for x in joint.com))
    faults += [
        f"`{key}` is {value:g} m: lengths are in metres, write {value / 1000:g} if millimetres are "
        "meant"
        for key, value in lengths
        if abs(value) > LARGEST_LENGTH
    ]
    if not faults:
        return
    text = f"{where}, joint {joint.name!r}: " + "; ".join(faults) + "."
    if strict:
        raise Fault(text + " If the number is right, read the file with strict=False.")
    warnings.warn(f"{source}: {text}", RobotWarning, stacklevel=2)
