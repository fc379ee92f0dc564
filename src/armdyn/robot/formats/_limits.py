"""The limits of a joint of the tree as limits of `Joint`, and notes on those that are missing."""

from __future__ import annotations

from collections.abc import Iterator

from armdyn.robot._joint import NO_LIMITS, limit_faults
from armdyn.robot._leniency import PhysicalFault
from armdyn.robot.formats._records import TreeJoint, Words, listed


def limits_of(joint: TreeJoint) -> tuple[dict[str, float], list[PhysicalFault]]:
    """Return the limits of a joint that can be right, and the faults of the others."""
    found = dict(NO_LIMITS)
    if joint.lower is not None and joint.upper is not None:
        found["lower"], found["upper"] = joint.lower, joint.upper
    if joint.velocity is not None:
        found["velocity"] = joint.velocity
    if joint.effort is not None:
        found["effort"] = joint.effort
    faults: list[PhysicalFault] = []
    for names, text in limit_faults(**found):
        faults.append(PhysicalFault(f"joint {joint.name!r}: {text.removesuffix('.')}", "limits"))
        found |= {name: NO_LIMITS[name] for name in names}
    return found, faults


def limit_notes(joints: list[TreeJoint], words: Words) -> Iterator[str]:
    """Yield a sentence for each kind of limit that joints lack."""
    endless = [j.name for j in joints if j.type != "continuous" and j.lower is None]
    if endless:
        yield f"No position limits are used where {words.no_range}: joints {listed(endless)}."
    for what in ("velocity", "effort"):
        without = [j.name for j in joints if getattr(j, what) is None]
        if without:
            yield f"No {what} limit{words.no_limit}: joints {listed(without)}."
