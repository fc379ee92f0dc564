"""Match the joints of a file with those of an arm if their names differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def assigned(labels: Sequence[str], joints: Sequence[str]) -> tuple[list[str] | None, str]:
    """Return the label of every joint and the assumptions made; if impossible, None and why.

    Labels are the joint names themselves, in upper or lower case; numbers from 0 or 1; or names
    that differ from those of the arm only in a common part: fer_joint1 ... for panda_joint1 ...
    """
    for rule in (str, str.casefold):
        by_name = {rule(label): label for label in labels}
        if len(by_name) == len(labels) and all(rule(joint) in by_name for joint in joints):
            rest = sorted(set(labels) - {by_name[rule(joint)] for joint in joints})
            words = f"joints that the arm does not have are left out: {', '.join(rest)}."
            return [by_name[rule(joint)] for joint in joints], words if rest else ""
    if len(labels) != len(joints):
        return None, f"the file has {len(labels)}, the arm {len(joints)}."
    if all(label.isdigit() for label in labels):
        numbers = sorted(labels, key=int)
        if [int(k) for k in numbers] in ([*range(len(joints))], [*range(1, len(joints) + 1)]):
            return numbers, ""
        return None, f"the numbers {', '.join(numbers)} do not count joints."
    cores, wanted = _cores(labels), _cores(joints)
    if len(set(cores)) == len(labels) and set(cores) == set(wanted):
        by_core = dict(zip(cores, labels, strict=True))
        order = [by_core[core] for core in wanted]
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(order, joints, strict=True))
        return order, f"joints go by other names, taken as {pairs}."
    return None, "names differ."


def in_order(
    columns: Mapping[str | None, str], labels: Sequence[str], *, explicit: bool
) -> list[str]:
    """Return columns in the order of the labels, or as given if explicit ones lack a label."""
    if explicit and not set(labels) <= set(columns):
        return list(columns.values())
    return [columns[label] for label in labels]


def _cores(names: Sequence[str]) -> list[str]:
    """Return names without their common beginning and end; numbers are not split."""
    if len(names) < 2:
        return [""] * len(names)
    folded = [name.casefold() for name in names]
    begin = len(_common(folded).rstrip("0123456789"))
    rest = [name[begin:] for name in folded]
    backwards = _common([name[::-1] for name in rest])
    end = len(backwards.rstrip("0123456789"))
    return [name[: len(name) - end] for name in rest]


def _common(names: Sequence[str]) -> str:
    """Return the common prefix of all names."""
    low, high = min(names), max(names)
    return low[
        : next((k for k, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    ]
