"""`Rolled`: a program that sweeps along the joints, with one step traced for all of them.

Straight-line code grows with the number of joints, and with its square for matrices; a rolled
program is as long for 500 joints as for 5. What differs from joint to joint is in a table of
constants. A sweep goes over all joints, outward (1..n) or inward (n..1). At each joint its step is
run once and then, if there is one, its column step for every column k = i..n.

The slots of a step say by their names where its numbers come from and go to, "place:name":

=============  =============================  ====================================================
place          as an input                    as an output
=============  =============================  ====================================================
``constant``   row i of the table             -
``input``      entry i of an input            -
``carry``      what the sweep brings from     what it takes to the next joint
               the joint before
``kept``       what an earlier sweep kept     kept for joint i, for later sweeps and for the
               for joint i                    column steps of this joint
``output``     column steps: entry (i, k)     entry i of a vector; of a column step entry (i, k) of
               that an earlier sweep wrote    a matrix
``column``     column steps: what column k    column steps: the same, for the next joint; steps:
               holds                          what column k = i holds from now on
=============  =============================  ====================================================

A column step reads ``constant`` and ``kept`` of joint i, as the step of this joint left them.
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
        step: what is done at a joint.
        start: what is carried to the first joint that the sweep meets, by name without place.
        columns: what is done for every column k >= i after the step of joint i.
    """

    outward: bool
    step: Program
    start: Mapping[str, tuple[float, ...]]
    columns: Program | None = None


@dataclass(frozen=True)
class Rolled:
    """Sweeps, one after another, that together compute a quantity of n joints.

    Attributes:
        name: of the quantity.
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
