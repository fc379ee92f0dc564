"""Sweeps along the joints, described as functions of one joint: what long arms are computed by.

A step is a function of the numbers at one joint, by the names of their places, "place:name", and
returns numbers by places again. The same function serves all joints: what differs between them
comes from "constant" places. It may ask whether a constant is zero; the answer is yes only if it is
zero at all joints, otherwise the constant is unknown to the function.

=============  ====================================================================================
``constant``   constants of joint i, made offline
``input``      entry i of an input, a list of one; not there if the quantity does not depend on it
``carry``      what the sweep brings from the joint before, takes to the next
``kept``       what a sweep keeps for joint i
``column``     what column k holds: put there by the step of joint k, then changed by column steps
``output``     entry i of a vector or, of column steps, entry (i, k) of a matrix
=============  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from armdyn.scalar import Scalar

Values: TypeAlias = Mapping[str, Sequence[Scalar]]
Step: TypeAlias = Callable[[Values], Values]

Table: TypeAlias = dict[str, list[tuple[Scalar, ...]]]
"""Constants by name, a row for each joint."""


@dataclass(frozen=True)
class Sweep:
    """One sweep over all joints.

    Attributes:
        outward: from joint 1 to n; else from n to 1.
        step: what is done at a joint.
        start: what is carried to the first joint of the sweep, by name.
        columns: what is done for every column k >= i after the step of joint i.
    """

    outward: bool
    step: Step
    start: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])
    columns: Step | None = None


@dataclass(frozen=True)
class Sweeps:
    """How a quantity is computed by sweeps.

    Attributes:
        constants: of all joints.
        sweeps: in order.
        symmetric: matrices whose entries k >= i are written; the others mirror them.
    """

    constants: Table
    sweeps: tuple[Sweep, ...]
    symmetric: tuple[str, ...] = ()


def nothing(_: Values) -> Values:
    """Do nothing at a joint: all is done in its columns."""
    return {}
