"""Sweeps along the joints, described as functions of one joint: the algorithms of long arms.

A step is a function of the numbers at one joint, by name, "place:name"; it returns numbers by name
in the same way. The same function serves all joints: values that differ between joints come from
"constant" places. It may check whether a constant is zero; the answer is yes only if it is zero at
all joints, otherwise the constant is symbolic.

=============  ====================================================================================
``constant``   constants of joint i, computed offline
``input``      entry i of an input, a list of one; missing if the quantity does not depend on it
``carry``      values carried from the previous joint, and to the next
``kept``       values that a sweep keeps for joint i
``column``     values of column k: written by the step of joint k, then updated by column steps
``output``     entry i of a vector; in column steps, entry (i, k) of a matrix
=============  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from armdyn.scalar import Scalar

Values: TypeAlias = Mapping[str, Sequence[Scalar]]
Step: TypeAlias = Callable[[Values], Values]

# Constants by name, a row for each joint.
Table: TypeAlias = dict[str, list[tuple[Scalar, ...]]]


@dataclass(frozen=True)
class Sweep:
    """One sweep over all joints.

    Attributes:
        outward: from joint 1 to n; else from n to 1.
        step: runs at every joint.
        start: the values carried to the first joint of the sweep, by name.
        columns: runs for every column k >= i after the step of joint i.
    """

    outward: bool
    step: Step
    start: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])
    columns: Step | None = None


@dataclass(frozen=True)
class Sweeps:
    """The sweeps that compute a quantity.

    Attributes:
        constants: the constants of all joints.
        sweeps: in order.
        symmetric: matrices whose entries k >= i are written; the others mirror them.
    """

    constants: Table
    sweeps: tuple[Sweep, ...]
    symmetric: tuple[str, ...] = ()


def nothing(_: Values) -> Values:
    """Do nothing at a joint: the column steps do all the work."""
    return {}
