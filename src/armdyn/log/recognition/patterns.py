"""Columns that the caller names: one by one, as a list, or by a pattern."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Sequence

from armdyn.errors import InputError, LogError, shown
from armdyn.log.columns import Table
from armdyn.log.recognition.names import EXTRA, Meaning, is_measured, joint_key, meaning, natural

# How much of a long list of columns a message shows: of all, and of those of a pattern.
MOST_SHOWN = 40
MOST_LISTED = 20


def matching(pattern: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the names that a pattern of *, ? and [...] matches, with what varies in each.

    Brackets are taken literally first, since they hold units: "Axis * angle [deg]". Names with
    numbers come in natural order, A2 before A10; others in the order of the file.
    """
    literal = re.sub(r"[\[\]]", lambda found: f"[{found[0]}]", pattern)
    for one in (literal, pattern):
        form = re.compile(_with_groups(one), re.S)
        hits = [(name, found.groups()) for name in names if (found := form.fullmatch(name))]
        if hits:
            break
    else:
        return []
    varying = [k for k, parts in enumerate(zip(*(g for _, g in hits), strict=True)) if
               len(set(parts)) > 1 or len(hits) == 1]  # fmt: skip
    labels = [(name, "_".join(groups[k] for k in varying)) for name, groups in hits]
    if all(re.search(r"\d", label) for _, label in labels):
        labels.sort(key=lambda pair: natural(pair[1]))
    return labels


def is_pattern(text: str) -> bool:
    """Whether a text has a wildcard."""
    return "*" in text or "?" in text or re.search(r"\[[^\]]+\]", text) is not None


def _with_groups(pattern: str) -> str:
    """Return the regular expression of a pattern, with a group for each wildcard."""
    parts = re.split(r"(\*|\?|\[!?\]?[^\]]*\])", pattern)
    return "".join(
        re.escape(part) if k % 2 == 0
        else re.escape(part[1]) if len(part) == 3
        else f"({'.*?' if part == '*' else '.' if part == '?' else _class(part)})"
        for k, part in enumerate(parts)
    )  # fmt: skip


def _class(part: str) -> str:
    """Return the regular expression of a wildcard of characters, without the end of a pattern."""
    return fnmatch.translate(part).removeprefix("(?s:").removesuffix(r")\Z").removesuffix(r")\z")


def meaning_in(table: Table, name: str) -> Meaning | None:
    """Return the meaning of a column: the one that its reader knows, or that of its name."""
    known = table.meanings.get(name) or understood(name)
    block = table.columns.get(name)
    if known is None or block is None or block.ndim == 1 or known.joint != "d":
        return known
    # a block q_d of Franka is that of the goals; a column q_d may be a joint called d
    return Meaning("q_cmd", None, known.unit, "qd") if known.role == "q" else None


def understood(name: str) -> Meaning | None:
    """Return the meaning of a name; for fields of structures, that of the field name."""
    if name.startswith(EXTRA):
        return None
    whole = meaning(name)
    if whole is not None or "." not in name or not is_measured(name):
        return whole
    return meaning(name.rsplit(".", 1)[1])


def is_glob(table: Table, names: str | Sequence[str]) -> bool:
    """Whether names are one pattern, not a column or a list."""
    there = names in table.columns or names in table.text if isinstance(names, str) else True
    return isinstance(names, str) and not there and is_pattern(names)


def explicit(
    table: Table, role: str, names: str | Sequence[str], count: int | None
) -> dict[str | None, str]:
    """Return the columns that the caller names by joint; the key of one for all joints is None.

    Args:
        table: the file.
        role: the quantity.
        names: of columns, or a pattern.
        count: the number of joints; None if it is not known.

    Raises:
        LogError: there is no such column, or a pattern matches too many or too few.
        InputError: the names are of two columns for the time, or name a joint twice.
    """
    there = [*table.columns, *table.text]
    if is_glob(table, names):
        hits = matching(str(names), there)
        if not hits:
            raise LogError(table.path, f"no column is like {names!r}; there are: {listed(table)}.")
        blocks = [
            name for name, _ in hits if name in table.columns and table.columns[name].ndim > 1
        ]
        wanted = 1 if role == "t" or blocks else count
        if wanted is not None and len(hits) != wanted:
            what = "one column is" if wanted == 1 else f"{wanted} columns, one for each joint, are"
            raise LogError(
                table.path,
                f"{names!r} matches {len(hits)} columns: {_listing([name for name, _ in hits])}; "
                f"{what} wanted for {role!r}.",
            )
        if role == "t" or blocks:
            return {None: hits[0][0]}
        labels = [label for _, label in hits]
        joints = _joints_of([name for name, _ in hits], table, role)
        if [*map(joint_key, joints)] != [*map(joint_key, labels)]:  # left_* of left_waist, ...
            labels = joints or labels
        if len(set(labels)) < len(labels):
            raise LogError(table.path, f"{names!r} matches a joint twice: {_listing(labels)}.")
        return dict(zip(labels, (name for name, _ in hits), strict=True))
    if not isinstance(names, str) and any(is_pattern(k) and k not in there for k in names):
        parts = [[k] if k in there else [hit for hit, _ in matching(k, there)] for k in names]
        names = [hit for part, k in zip(parts, names, strict=True) for hit in part or [k]]
    for name in as_list(names):
        if name not in there:
            close = difflib.get_close_matches(name, there, n=2)
            meant = f"; did you mean {' or '.join(map(repr, close))}?" if close else ";"
            raise LogError(table.path, f"no column {name!r}{meant} there are: {listed(table)}.")
    block = table.columns.get(names) if isinstance(names, str) else None
    if role == "t" or (block is not None and block.ndim == 2):
        if len(as_list(names)) != 1:
            raise InputError(f"`columns['t']` is {shown(names)}, expected one name.")
        return {None: as_list(names)[0]}
    result: dict[str | None, str] = {}
    for k, name in enumerate(as_list(names), 1):
        m = meaning_in(table, name)
        label = m.joint if m and m.joint is not None and m.role == role else None
        result[str(k) if label is None or label in result else label] = name
    if len(result) != len(as_list(names)):
        raise InputError(f"`columns[{role!r}]` is {shown(names)}, which names a joint twice.")
    return result


def _joints_of(names: Sequence[str], table: Table, role: str) -> list[str]:
    """Return the joints that the names of columns of a quantity tell; none if one tells none."""
    meanings = [meaning_in(table, name) for name in names]
    joints = [m.joint for m in meanings if m and m.role == role and m.joint is not None]
    return joints if len(set(joints)) == len(names) else []


def as_list(names: str | Sequence[str]) -> list[str]:
    """Return one name or several as a list."""
    return [names] if isinstance(names, str) else list(names)


def listed(table: Table) -> str:
    """Return the names of the columns of a file, not too many."""
    names = [shown(name)[1:-1] for name in (*table.columns, *table.text)]
    more = f", ... and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return ", ".join(names[:MOST_SHOWN]) + more


def _listing(names: Sequence[str]) -> str:
    more = f", ... ({len(names)})" if len(names) > MOST_LISTED else ""
    return ", ".join(shown(name)[1:-1] for name in names[:MOST_LISTED]) + more
