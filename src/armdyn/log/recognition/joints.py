"""The columns of a quantity for the joints of an arm, by the names of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.errors import LogError
from armdyn.log.columns import Table, assigned
from armdyn.log.recognition.names import joint_key, without_unit
from armdyn.log.recognition.refusals import other_joints
from armdyn.log.recognition.suggest import in_python, pattern_of


def joint_order(
    table: Table,
    columns: Mapping[str | None, str],
    joints: Sequence[str] | None,
    notes: list[str],
    is_list: bool,
    by_pattern: bool,
) -> tuple[tuple[str, ...], list[str]]:
    """Return the names of the joints and the label in the file of each."""
    there = [label for label in columns if label is not None]
    if joints is None:
        if not is_list and all(joint_key(label).isdecimal() for label in there):
            there.sort(key=lambda label: int(joint_key(label)))
        return tuple(there), there
    if is_list and len(there) == len(joints):
        return tuple(joints), there
    order, words = assigned(there, joints)
    if order is None and by_pattern and len(there) == len(joints):
        order = there
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(order, joints, strict=True))
        words = f"joints of the pattern are taken in this order: {pairs}."
    if order is None:
        raise other_joints(table, columns, there, joints, words)
    if words:
        notes.append(words)
    return tuple(joints), order


def called_as_joints(
    table: Table,
    found: Mapping[str, Mapping[str | None, str]],
    joints: Sequence[str] | None,
    taken: set[str],
    notes: list[str],
) -> dict[str | None, str]:
    """Return the columns that are called as the joints, of the arm or of another quantity."""
    there = {
        without_unit(name).casefold(): name
        for name in table.columns if is_column(table, name) and name not in taken
    }  # fmt: skip
    for labels in (joints or (), *found.values()):
        each = {label: there.get(str(label).casefold(), "") for label in labels}
        if each and all(each.values()):
            notes.append(f"{few([*each.values()])} are taken as positions of joints of this name.")
            return dict(each)
    return {}


def of_joints(
    table: Table,
    role: str,
    columns: Mapping[str | None, str],
    labels: Sequence[str],
    positions: Mapping[str | None, str],
    notes: list[str],
) -> list[str]:
    """Return the columns of a quantity for the joints of the positions; none if it has none.

    A joint without an effort has the column "".
    """
    folded = {joint_key(label): name for label, name in columns.items() if label is not None}
    for names in (labels, [without_unit(positions[label]) for label in labels]):
        there = [name for name in names if joint_key(name) in folded]
        if len(there) == len(labels):
            return [folded[joint_key(name)] for name in names]
        if there:
            break
    order, words = assigned([label for label in columns if label is not None], labels)
    if order is not None:
        notes += [f"{role}: {words}"] if words else []
        return [columns[label] for label in order]
    if not there:
        if role in ("qd", "qdd") or len(columns) < len(labels):
            if role not in ("qd", "qdd"):  # the current of a battery, the torque of a gripper
                notes.append(f"{few([*columns.values()])}: of none of the joints, left out.")
            return []
        option = pattern_of([*columns.values()], [*table.columns])
        raise LogError(
            table.path,
            f"{role!r} has {', '.join(columns.values())}, but positions are of "
            f"{', '.join(labels)}. If they are in the same order: {in_python({role: option})}.",
            columns={role: option} if option else None,
        )
    gone = ", ".join(label for label in labels if label not in there)
    if role in ("qd", "qdd"):
        notes.append(f"{role} is left out: there is none of {gone}.")
        return []
    notes.append(f"there is no {role} of {gone}: it is 0.")
    return [folded.get(joint_key(label), "") for label in labels]


def of_all_joints(
    table: Table, columns: Mapping[str | None, str], labels: Sequence[str]
) -> list[str]:
    """Return the columns of a quantity for the joints of the positions; none if one has none."""
    folded = {
        joint_key(label): name
        for label, name in columns.items()
        if label is not None and is_column(table, name)
    }
    there = [folded[joint_key(label)] for label in labels if joint_key(label) in folded]
    return there if len(there) == len(labels) else []


def is_column(table: Table, name: str) -> bool:
    """Whether a name is that of a column of numbers, not of a block or of text."""
    return name in table.columns and table.columns[name].ndim == 1


def few(names: Sequence[str]) -> str:
    """Return the first names of a list, and how many there are."""
    return ", ".join(names[:3]) + (f", ... ({len(names)} columns)" if len(names) > 3 else "")
