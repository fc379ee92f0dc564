"""What unknown columns may be: patterns of names, and options that say which columns are meant."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from armdyn.log.columns import Table, common_prefix
from armdyn.log.recognition.names import meaning, natural
from armdyn.log.recognition.patterns import matching

# Columns that are looked at, and rows of each: a suggestion needs no more.
MOST_COLUMNS, MOST_ROWS = 1000, 10_000
# More columns of one name are not one for each joint.
MOST_JOINTS = 64

# Parts of words that hint at a quantity, where no whole word tells it.
HINTS = {
    "t": r"time|stamp|clock|zeit|tick|cycle|sec\b|\bms\b",
    "tau": r"torq|trq|tau|moment|eff|force|nm\b|dreh|^t_?\d+$",
    "current": r"cur|amp|strom|\biq?\b|_ma?\b",
    "qd": r"vel|speed|omega|rate|geschw|dot",
    "q": r"pos|ang|winkel|enc|theta|deg|rad\b|axis|achse|joint|\bist|\bstate$",
}


def likely_columns(table: Table, n: int | None, said: Mapping[str, object]) -> dict[str, str]:
    """Return the columns that time, positions and efforts may be, as `Log.read` takes them.

    It is empty if nothing shows time or positions.

    Args:
        table: the file.
        n: the number of joints; None if it is not known.
        said: quantities whose columns are given.
    """
    time = _time(table)
    result: dict[str, str] = {}
    if time is not None and "t" not in said:
        result["t"] = pattern_of([time], [*table.columns])
    groups = _groups(table, n, time)
    if "q" not in said and (group := _likeliest(table, groups, "q")) is not None:
        result["q"] = pattern_of(group, [*table.columns])
        groups.remove(group)
    result |= _likely_effort(table, groups, said)
    known = {*said, *(role for role, names in result.items() if names)}
    return result if {"t", "q"} <= known and "" not in result.values() else {}


def likely_effort(table: Table, labels: Sequence[str], used: Sequence[str]) -> dict[str, str]:
    """Return the columns besides the used ones that torques or currents of joints may be."""
    rest = {name: x for name, x in table.columns.items() if name not in used}
    groups = _groups(Table(table.path, rest), len(labels), None, labels)
    found = _likely_effort(table, groups, {})
    return found if "" not in found.values() else {}


def _likely_effort(
    table: Table, groups: Sequence[list[str]], said: Mapping[str, object]
) -> dict[str, str]:
    for role in ("tau", "current"):
        group = _likeliest(table, groups, role)
        if role not in said and group is not None:
            return {role: pattern_of(group, [*table.columns])}
    return {}


def in_python(columns: Mapping[str, str]) -> str:
    """Return columns as an argument of `Log.read`; a name with commas is a list."""
    each = (f'"{role}": {v.split(",") if "," in v else v!r}' for role, v in columns.items())
    return f"columns={{{', '.join(each)}}}"


def _time(table: Table) -> str | None:
    """Return the column of time: by its name, or the only one that always increases."""
    single = [k for k, column in [*table.columns.items()][:MOST_COLUMNS] if column.ndim == 1]
    named = [name for name in single if (m := meaning(name)) is not None and m.role == "t"]
    rising = [
        name for name in single
        if name in named or (not _is_other(name) and _rises(table, name))
    ]  # fmt: skip
    hinted = [name for name in rising if re.search(HINTS["t"], name, re.I)]
    for names in (named, hinted, rising):
        if len(names) == 1:
            return names[0]
    return next(iter(hinted or rising), None)


def _is_other(name: str) -> bool:
    """Whether a name says that a column is a quantity that may rise, but not time."""
    m = meaning(name)
    return m is not None and m.role in ("q", "qd", "tau", "current", "q_cmd")


def _rises(table: Table, name: str) -> bool:
    """Whether a column increases, and does not only count the rows."""
    values = table.columns[name][:MOST_ROWS]
    with np.errstate(all="ignore"):
        rises = bool((np.diff(values) > 0).all())
    return len(values) > 1 and rises and not _is_count(table, name)


def _is_count(table: Table, name: str) -> bool:
    """Whether a column counts the rows, from 0 or 1."""
    values = table.columns[name][:MOST_ROWS]
    if values.ndim != 1 or not len(values) or values[0] not in (0.0, 1.0):
        return False
    return bool((values == values[0] + np.arange(len(values))).all())


def _groups(
    table: Table, n: int | None, time: str | None, labels: Sequence[str] = ()
) -> list[list[str]]:
    """Return columns whose names differ in one part, one for each joint; a block is one."""
    names = [
        name for name, column in table.columns.items()
        if name != time and (column.ndim == 1 or n is None or column.shape[1] == n)
    ][:MOST_COLUMNS]  # fmt: skip
    groups = [[name] for name in names if table.columns[name].ndim == 2]
    single = [name for name in names if table.columns[name].ndim == 1]
    named = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    keys = (r"\d+", r"^[^\W_]+(?=[\W_])", r"(?<=[\W_])[^\W_]+$", *([named] if named else []))
    for key in keys:
        left = [name for name in single if not any(name in group for group in groups)]
        templates: dict[str, list[str]] = {}
        for name in left:
            templates.setdefault(re.sub(key, "\0", name, count=1), []).append(name)
        groups += [
            sorted(group, key=natural) if key == r"\d+" else group
            for template, group in templates.items()
            if "\0" in template and len(group) == (n or min(max(len(group), 2), MOST_JOINTS))
        ]
    if n in (1, None):
        groups += [[name] for name in single if not any(name in group for group in groups)]
    return groups


def _likeliest(table: Table, groups: Sequence[list[str]], role: str) -> list[str] | None:
    """Return the group that a hint names; for positions, else the smoothest one."""

    def hint(group: Sequence[str]) -> str:
        return next((k for k, v in HINTS.items() if re.search(v, group[0], re.I)), "")

    hinted = [group for group in groups if hint(group) == role]
    if hinted or role != "q":
        return hinted[0] if hinted else None
    others = [k for k in groups if not hint(k) and not any(_is_count(table, name) for name in k)]
    return min(others, key=lambda group: _roughness(table, group), default=None)


def _roughness(table: Table, group: Sequence[str]) -> float:
    """Return the median size of steps beside the size of the motion; infinite at rest."""
    ratios: list[float] = []
    for name in group:
        values = table.columns[name][:MOST_ROWS]
        with np.errstate(all="ignore"):
            size = np.std(values) if len(values) > 2 else 0.0
            ratio = float(np.std(np.diff(values, axis=0)) / size) if size else np.inf
        ratios.append(ratio if np.isfinite(ratio) else np.inf)
    return float(np.median(ratios))


def pattern_of(group: Sequence[str], names: Sequence[str]) -> str:
    """Return a short text that an option takes for these columns; "" if there is none."""
    if not group:
        return ""
    plain = [name for name in group if not set(name) & set(",{}") and name == name.strip() != ""]
    if len(group) == 1:
        name = group[0]
        if plain and (name in names):
            return name
        pattern = re.sub(r"[,\[\]*?{}]|^\s|\s$", "?", name)
        return pattern if [hit for hit, _ in matching(pattern, names)] == [name] else ""
    first = group[0]
    for key in (r"\d+", r"^[^\W_]+", r"[^\W_]+$"):
        pattern = re.sub(r"[,{}]|^\s|\s$", "?", re.sub(key, "*", first, count=1))
        if [name for name, _ in matching(pattern, names)] == list(group):
            return pattern
    begin, end = (common_prefix(k) for k in (group, [name[::-1] for name in group]))
    pattern = f"{begin}*{end[::-1]}"
    hits = [name for name, _ in matching(pattern, names)]
    if hits == list(group) and set(pattern).isdisjoint(",[]?{}"):
        return pattern
    return ",".join(group) if len(plain) == len(group) else ""
