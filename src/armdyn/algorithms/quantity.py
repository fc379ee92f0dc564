"""The rows of the table of quantities: a row holds everything about a quantity.

Functions stand in the table as references "module:name" within `armdyn.algorithms`, so that
programs read the table without importing any algorithm. A function itself may stand there, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from armdyn.robot.chain import BASES, FIXED, SERIAL

Reference = str | Callable[..., Any]


def resolve(reference: Reference) -> Callable[..., Any]:
    """Return the function that a reference names."""
    if not isinstance(reference, str):
        return reference
    module, _, name = reference.partition(":")
    return getattr(import_module(f"armdyn.algorithms.{module}"), name)


@dataclass(frozen=True, eq=False)
class Method:
    """One way to compute a quantity.

    Attributes:
        function: the algorithm, ``function(chain, *inputs)``.
        source: the work it follows: a key of docs/references.md and a place in it.
        base: the most general motion of the base that the algorithm allows, see `BASES`; it reads
            the motion from the chain.
        race: whether "auto" compares it with others; False where it has never taken fewer
            operations than all of those, so that it is not traced in vain. "trees": only there.
        mechanism: the most general mechanism that the algorithm takes, see `MECHANISMS`.
        projected: it takes coordinates and answers for them; else it is of joints, and on a tree
            `coordinates` makes it one of coordinates.
    """

    function: Reference
    source: str
    base: str = FIXED
    race: bool | Literal["trees"] = True
    mechanism: str = SERIAL
    projected: bool = False

    @cached_property
    def run(self) -> Callable[..., Any]:
        """The algorithm, imported at the first use."""
        return resolve(self.function)


@dataclass(frozen=True, eq=False)
class Derivative:
    """A method that the graph makes: it differentiates the program of another quantity.

    Attributes:
        of: the other quantity; its cheapest method is differentiated.
        mode: whether derivatives are carried forward or followed back.
        source: a description of how it is made.
        along: the last input is a direction in which the other inputs change; else the answer is
            the derivatives by each input of the other quantity.
        then: a function of (chain, *inputs, derivatives) that returns the answer; `derivatives` is
            a function of (chain, *inputs of the other quantity). None: they are the answer.
    """

    of: str
    mode: Literal["forward", "reverse"]
    source: str
    along: bool = False
    then: Reference | None = None


@dataclass(frozen=True, eq=False)
class RolledMethod:
    """A quantity by sweeps along the joints, for long arms.

    Attributes:
        function: returns the `Sweeps` of a chain; where friction enters the quantity, of
            (chain, friction), with the friction of joints or without.
        work: multiplications relative to the cheapest straight-line method on a long arm, roughly.
        base: as for `Method`.
    """

    function: Reference
    work: int = 1
    base: str = FIXED

    @cached_property
    def sweeps(self) -> Callable[..., Any]:
        """The function, imported at the first use."""
        return resolve(self.function)


@dataclass(frozen=True, eq=False)
class Identity:
    """An equation between a quantity and others: a check that needs no second method.

    Attributes:
        words: the equation, as tables show it.
        function: ``function(got, at)``, see `armdyn.algorithms.identities`.
        by_differences: derivatives in it are finite differences, exact to some digits only.
    """

    words: str
    function: Reference
    by_differences: bool = False

    @cached_property
    def sides(self) -> Callable[..., Any]:
        """The function, imported at the first use."""
        return resolve(self.function)


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity that can be computed for an arm.

    A shape is written with "n" for the number of joints and "10n" for the number of parameters.

    Attributes:
        inputs: names of the inputs, each of n numbers.
        outputs: names and shapes of the outputs.
        methods: by name; among equally cheap ones that race, "auto" takes the first.
        sentence: what it is, with units, for headers of C and for help.
        derived: methods that the graph makes, after the others.
        rolled: how long arms are computed; None if only by straight-line code.
        general: the method that is cheapest on arms without special geometry.
        takes_frame: ``run(chain, *inputs, frame=k)`` answers for E_k, k = 0..n, or for the tip,
            k = n+1.
        frame_dependent: the result depends on the choice of the frames E_i, so that none may be
            moved to a cheaper place.
        needs_invertible_mass_matrix: it divides by the mass matrix and does not exist where that
            is singular.
        solves: it loses digits as the condition of the mass matrix grows.
        minimal: minimal parameters determine it. The others need no masses, or more than torques
            can tell.
        friction: how joint friction enters: ``function(run, chain, *inputs)`` with a method of the
            quantity without friction; None if it does not.
        identity: what `verify` checks; None if methods are compared with each other only.
    """

    inputs: tuple[str, ...]
    outputs: dict[str, tuple[int | str, ...]]
    methods: dict[str, Method] = field(default_factory=dict[str, Method])
    sentence: str = ""
    derived: dict[str, Derivative] = field(default_factory=dict[str, Derivative])
    rolled: RolledMethod | None = None
    general: str = ""
    takes_frame: bool = False
    frame_dependent: bool = False
    needs_invertible_mass_matrix: bool = False
    solves: bool = False
    minimal: bool = False
    friction: Reference | None = None
    identity: Identity | None = None

    @property
    def base(self) -> str:
        """The most general motion of the base for which a method computes it, see `BASES`."""
        return max((m.base for m in self.methods.values()), key=[*BASES].index, default=FIXED)

    def shapes(self, n: int, links: int | None = None) -> dict[str, tuple[int, ...]]:
        """Return the shape of each output for n coordinates, and n links unless told otherwise."""
        size = {"n": n, "10n": 10 * (n if links is None else links)}
        return {
            name: tuple(size[s] if isinstance(s, str) else s for s in shape)
            for name, shape in self.outputs.items()
        }
