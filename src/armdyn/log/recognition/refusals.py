"""Errors on columns that are missing, ambiguous or of other joints, with likely options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.errors import LogError
from armdyn.log.columns import Table, likely_joints
from armdyn.log.recognition.patterns import listed, meaning_in
from armdyn.log.recognition.suggest import in_python, likely_columns, pattern_of

EXAMPLE = 'columns={"t": "clock", "q": ["a1", "a2"], "tau": ["m1", "m2"]}'

WORDS_OF = {
    "t": "time stamps (t, time, stamp, ...)",
    "q": "positions (q1, q_<joint>, position_<joint>, A1_ActPos, ...)",
    "tau": "torques (tau1, effort_<joint>, torque_<joint>, ...)",
    "current": "currents (i1, current_<joint>, ...)",
}


def missing_columns(
    table: Table, role: str, count: int | None, said: Mapping[str, object]
) -> LogError:
    """Return the error for a quantity that no column is, with options that may be right."""
    likely = likely_columns(table, count, said)
    fix = f"Say which columns are meant: {EXAMPLE}."
    if likely:
        fix = f"By their names and values these may be right: {in_python(likely)}."
    elif role == "t":
        fix = f"For samples at equal steps say their rate, as in {in_python({'t': '100 Hz'})}."
    message = f"no {WORDS_OF[role]} among its columns: {listed(table)}. {fix}"
    return LogError(table.path, message, columns=likely)


def other_joints(
    table: Table,
    columns: Mapping[str | None, str],
    labels: Sequence[str],
    joints: Sequence[str],
    why: str,
) -> LogError:
    """Return the error for a file of other joints, with the option that may be right."""
    likely = likely_joints(labels, len(joints))
    words = "In the order of the arm these may be right"
    if not likely and len(labels) > len(joints):
        likely, words = labels[: len(joints)], f"If the first {len(joints)} are those of the arm"
    option = {"q": pattern_of([columns[k] for k in likely], [*table.columns])} if likely else {}
    fix = f"Say which columns are meant, in the order of the arm: {EXAMPLE}."
    if any(option.values()):
        fix = f"{words}: {in_python(option)}."
    elif len(labels) < len(joints):
        fix = "For an arm without its last joints say its tip link: tip='LINK'."
    return LogError(
        table.path,
        f"its joints are not those of the arm: {why} The file has {', '.join(labels)}; the arm "
        f"has {', '.join(joints)}. {fix}",
        columns=option if any(option.values()) else None,
    )


def ambiguous_columns(table: Table, role: str, names: Sequence[str]) -> LogError:
    """Return the error for a quantity that several columns may be, with a likely option."""
    first = meaning_in(table, names[0])
    alike = [names[0]]
    if first is not None and first.joint is not None:
        alike = [
            name for name in table.columns
            if (m := meaning_in(table, name))
            and (m.role, m.unit, m.word) == (role, first.unit, first.word)
        ]  # fmt: skip
    option = {role: pattern_of(alike, [*table.columns]) or names[0]}
    return LogError(
        table.path,
        f"{role!r} could be any of {', '.join(map(repr, names))}. There are: {listed(table)}. Say "
        f"which are meant, as in: {in_python(option)}.",
        columns=option,
    )
