"""`Rolled`: a program that sweeps along the joints, with one step traced for all of them.

Straight-line code grows with the number of joints, and with its square for matrices; a rolled
program is as long for 500 joints as for 5. A table of constants holds what differs between joints.
A sweep visits all joints, outward (1..n) or inward (n..1). At each joint i it runs its step once
and then its column step, if it has one, for every column k = i..n.

The slot names of a step, "place:name", say where its numbers come from and go to:

=============  =============================  ====================================================
place          as an input                    as an output
=============  =============================  ====================================================
``constant``   row i of the table             -
``input``      entry i of an input            -
``carry``      value carried from the         value carried to the next joint
               previous joint
``kept``       value that an earlier sweep    kept for joint i, for later sweeps and for the
               kept for joint i               column steps of this joint
``output``     column steps: entry (i, k)     entry i of a vector; in a column step, entry (i, k)
               that an earlier sweep wrote    of a matrix
``column``     column steps: value stored     column steps: its value for the next joint; steps:
               in column k                    the initial value of column k = i
=============  =============================  ====================================================

A column step reads ``constant`` and ``kept`` of joint i after the step of this joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from armdyn.graph._program import Program, Slot


@dataclass(frozen=True)
class Sweep:
    """One pass over all joints.

    Attributes:
        outward: from joint 1 to n; else from n to 1.
        step: runs at every joint.
        start: the values carried to the first joint of the sweep, by name without place.
        columns: runs for every column k >= i after the step of joint i.
    """

    outward: bool
    step: Program
    start: Mapping[str, tuple[float, ...]]
    columns: Program | None = None


@dataclass(frozen=True)
class Rolled:
    """A sequence of sweeps that computes a quantity of n joints.

    Attributes:
        name: name of the quantity.
        inputs: each of shape (n,).
        outputs: each of shape (n,) or (n, n).
        constants: the table, by name without place; n rows each.
        sweeps: in order.
        symmetric: names of matrices whose entries k < i are the mirror image of those that the
            sweeps write; other matrices are zero there.
    """

    name: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    constants: Mapping[str, tuple[tuple[float, ...], ...]]
    sweeps: tuple[Sweep, ...]
    symmetric: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.inputs[0].size


def place_and_name(slot: str) -> tuple[str, str]:
    """Return the two parts of the name of a step's slot."""
    place, _, name = slot.partition(":")
    return place, name
