"""Find the columns of time, positions and efforts in a file, and the joint of each."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from armdyn.errors import InputError, LogError, shown
from armdyn.log.columns import (
    EXTRA,
    ROLES,
    Meaning,
    Table,
    assigned,
    in_order,
    is_measured,
    meaning,
)

# How much of a long list of columns a message shows.
MOST_SHOWN = 40
EXAMPLE = 'columns={"t": "clock", "q": ["a1", "a2"], "tau": ["m1", "m2"]}'

WORDS_OF = {
    "t": "time stamps (t, time, stamp, ...)",
    "q": "positions (q1, q_<joint>, position_<joint>, ...)",
    "tau": "torques (tau1, effort_<joint>, torque_<joint>, ...)",
    "current": "currents (i1, current_<joint>, ...)",
}

# Quantities that are left out, unless asked for, if a joint lacks them.
OPTIONAL = ("q_cmd", "current", "load")

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
    time, nanosec = _time(table, meanings, said)
    notes: list[str] = []
    found: dict[str, dict[str | None, str]] = {}
    taken = {name for names in said.values() for name in _list(names)}
    for role in ROLES:
        if role in said:
            found[role] = _explicit(table, role, said[role])
        elif role in OPTIONAL and role != "current":
            found[role] = _unambiguous(table, meanings, role, taken)
        else:
            found[role] = _by_name(table, meanings, role, taken)
    effort = _one_effort(table, found, torque)
    optional = frozenset(OPTIONAL) - {effort} - set(said)
    numbered = [name for name, m in meanings.items() if m and m.role == "episode"]
    episode = next((name for name in numbered if _is_column(table, name)), None)
    if not found["q"]:
        raise LogError(table.path, f"no {WORDS_OF['q']} among its columns: {_names(table)}.")
    if None in found["q"]:
        names, order = _blocks(table, found, joints, optional, notes)
        return Matched(time, nanosec, episode, names, order, effort, optional, notes)
    wanted, labels = _order(table, list(found["q"]), joints, "q" in said, notes)
    result: dict[str, Sequence[str]] = {}
    for role, columns_of in found.items():
        if role in optional:
            result[role] = _of_all_joints(table, columns_of, labels)
        elif role in said and len(columns_of) == len(labels):
            result[role] = in_order(columns_of, labels, explicit=True)
        elif columns_of and None not in columns_of:
            result[role] = _of_joints(table, role, columns_of, labels)
        elif columns_of:
            raise LogError(
                table.path,
                f"positions are columns of single joints but {role!r} is the array "
                f"{columns_of[None]!r}; say what is meant: {EXAMPLE}.",
            )
    names = {k: v for k, v in result.items() if v}
    return Matched(time, nanosec, episode, names, wanted, effort, optional, notes)


def meaning_in(table: Table, name: str) -> Meaning | None:
    """Return the meaning of a column: the one that its reader knows, or that of its name."""
    return table.meanings.get(name) or understood(name)


def understood(name: str) -> Meaning | None:
    """Return the meaning of a name; for fields of structures, that of the field name."""
    if name.startswith(EXTRA):
        return None
    whole = meaning(name)
    if whole is not None or "." not in name or not is_measured(name):
        return whole
    return meaning(name.rsplit(".", 1)[1])


def _list(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _time(
    table: Table, meanings: Mapping[str, Meaning | None], said: Mapping[str, str | Sequence[str]]
) -> tuple[str, str | None]:
    if "t" in said:
        (name,) = _explicit(table, "t", said["t"]).values()
        return name, None
    times = [name for name, m in meanings.items() if m and m.role == "t"]
    parts = [name for name, m in meanings.items() if m and m.role == "nanosec"]
    if parts and times:
        seconds = [name for name in times if (m := meanings[name]) and m.unit == "s"]
        if len(parts) == len(seconds) == 1:
            return seconds[0], parts[0]
    if parts and not times:
        times, parts = parts, []
    if not times:
        raise LogError(table.path, f"no {WORDS_OF['t']} among its columns: {_names(table)}.")
    if len(times) > 1:
        raise _ambiguous(table, "t", times)
    return times[0], None


def _by_name(
    table: Table, meanings: Mapping[str, Meaning | None], role: str, taken: set[str]
) -> dict[str | None, str]:
    """Return the columns of a quantity by joint; the key of a block of all joints is None."""
    result: dict[str | None, str] = {}
    for name, m in meanings.items():
        if m is None or m.role != role or name in taken:
            continue
        block = name in table.columns and table.columns[name].ndim == 2
        joint = None if block else m.joint
        if joint in result:
            raise _ambiguous(table, role, [result[joint], name])
        result[joint] = name
    if None in result and len(result) > 1:
        raise _ambiguous(table, role, list(result.values()))
    return result


def _is_column(table: Table, name: str) -> bool:
    return name in table.columns and table.columns[name].ndim == 1


def _unambiguous(
    table: Table, meanings: Mapping[str, Meaning | None], role: str, taken: set[str]
) -> dict[str | None, str]:
    """Return the columns of numbers of a quantity; none if two are of the same joint."""
    numbers = {name: m for name, m in meanings.items() if name in table.columns}
    try:
        return _by_name(table, numbers, role, taken)
    except LogError:
        return {}


def _explicit(table: Table, role: str, names: str | Sequence[str]) -> dict[str | None, str]:
    there = [*table.columns, *table.text]
    if isinstance(names, str) and "*" in names and names not in there:
        before, _, after = names.partition("*")
        # brackets hold units, they are no pattern
        pattern = re.sub(r"[\[\]?]", lambda found: f"[{found[0]}]", names)
        hits = [name for name in there if fnmatch.fnmatchcase(name, pattern)]
        if not hits:
            raise LogError(table.path, f"no column is like {names!r}; there are: {_names(table)}.")
        return {name[len(before) : len(name) - len(after) or None]: name for name in hits}
    for name in _list(names):
        if name not in there:
            close = difflib.get_close_matches(name, there, n=2)
            meant = f"; did you mean {' or '.join(map(repr, close))}?" if close else ";"
            raise LogError(table.path, f"no column {name!r}{meant} there are: {_names(table)}.")
    block = table.columns.get(names) if isinstance(names, str) else None
    if role == "t" or (block is not None and block.ndim == 2):
        if len(_list(names)) != 1:
            raise InputError(f"`columns['t']` is {shown(names)}, expected one name.")
        return {None: _list(names)[0]}
    result: dict[str | None, str] = {}
    for k, name in enumerate(_list(names), 1):
        m = meaning_in(table, name)
        label = m.joint if m and m.joint is not None and m.role == role else None
        result[str(k) if label is None or label in result else label] = name
    if len(result) != len(_list(names)):
        raise InputError(f"`columns[{role!r}]` is {shown(names)}, which names a joint twice.")
    return result


def _one_effort(table: Table, found: dict[str, dict[str | None, str]], torque: str) -> str:
    """Keep only the effort that is wanted, and currents beside torques; return its quantity."""
    if torque == "auto":
        torque = "torque" if found["tau"] else "current"
    elif torque != "none" and not found[wanted := EFFORTS[torque]]:
        raise LogError(table.path, f"there are no {WORDS_OF[wanted]}: {_names(table)}.")
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


def _of_all_joints(
    table: Table, columns: Mapping[str | None, str], labels: Sequence[str]
) -> list[str]:
    """Return the columns of a quantity for the joints of the positions; none if one has none."""
    folded = {
        label.casefold(): name
        for label, name in columns.items()
        if label is not None and _is_column(table, name)
    }
    there = [folded[label.casefold()] for label in labels if label.casefold() in folded]
    return there if len(there) == len(labels) else []


def _order(
    table: Table,
    labels: list[str | None],
    joints: Sequence[str] | None,
    said: bool,
    notes: list[str],
) -> tuple[tuple[str, ...], list[str]]:
    """Return the names of the joints and the label in the file of each."""
    there = [label for label in labels if label is not None]
    if joints is None:
        if all(label.isdigit() for label in there) and not said:
            there.sort(key=int)
        return tuple(there), there
    if said and len(there) == len(joints):
        return tuple(joints), there
    order, words = assigned(there, joints)
    if order is None:
        raise LogError(
            table.path,
            f"its joints are not those of the arm: {words} The file has "
            f"{', '.join(there)}; the arm has {', '.join(joints)}. Say which columns are meant, in "
            f"the order of the arm: {EXAMPLE}.",
        )
    if words:
        notes.append(words)
    return tuple(joints), order


def _of_joints(
    table: Table, role: str, columns: Mapping[str | None, str], labels: Sequence[str]
) -> list[str]:
    """Return the columns of a quantity for the joints of the positions; none if it has none."""
    folded = {label.casefold(): name for label, name in columns.items() if label is not None}
    there = [label for label in labels if label.casefold() in folded]
    if len(there) == len(labels):
        return [folded[label.casefold()] for label in labels]
    if not there and role in ("qd", "qdd"):
        return []
    gone = ", ".join(label for label in labels if label not in there)
    raise LogError(
        table.path,
        f"{role!r} has {', '.join(columns.values())} but nothing for the joints {gone}; say which "
        f"columns are meant: {EXAMPLE}.",
    )


def _ambiguous(table: Table, role: str, names: Sequence[str]) -> LogError:
    return LogError(
        table.path,
        f"{role!r} could be any of {', '.join(map(repr, names))}; say which one, as in "
        f'columns={{"{role}": "{names[0]}"}}. There are: {_names(table)}.',
    )


def _names(table: Table) -> str:
    names = [shown(name)[1:-1] for name in (*table.columns, *table.text)]
    more = f", ... and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return ", ".join(names[:MOST_SHOWN]) + more
