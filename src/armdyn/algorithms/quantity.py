"""What the table of methods is made of: quantities, and methods that compute them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any


def resolve(reference: str | Callable[..., Any]) -> Callable[..., Any]:
    """Return a function from a reference "module:name" within `armdyn.algorithms`.

    References let programs read the table without importing any algorithm.
    """
    if not isinstance(reference, str):
        return reference
    module, _, name = reference.partition(":")
    return getattr(import_module(f"armdyn.algorithms.{module}"), name)


@dataclass(frozen=True, eq=False)
class Method:
    """One way to compute a quantity.

    Attributes:
        function: the algorithm, as a reference "module:name" within `armdyn.algorithms`, or itself.
        source: the work it follows: a key of docs/references.md and a place in it.
    """

    function: str | Callable[..., Any]
    source: str

    @cached_property
    def run(self) -> Callable[..., Any]:
        """The algorithm, called as ``run(chain, *inputs)``; imported at the first use."""
        return resolve(self.function)


@dataclass(frozen=True)
class Quantity:
    """A quantity: its inputs (each of n numbers), its outputs with shapes, and its methods.

    A shape is written with "n" for the number of joints and "10n" for the number of parameters.
    Where `takes_frame` is set, ``run(chain, *inputs, frame=k)`` answers for E_k, k = 0..n, or for
    the tip, k = n+1. Where `about_frames` is set, the answer speaks of the frames E_i themselves,
    so that none may be moved to where it costs less.
    Of methods that cost the same "auto" takes the first. Methods that are made by differentiating
    others are not here: only the graph can make them.
    """

    inputs: tuple[str, ...]
    outputs: dict[str, tuple[int | str, ...]]
    methods: dict[str, Method] = field(default_factory=dict[str, Method])
    takes_frame: bool = False
    about_frames: bool = False

    def shapes(self, n: int) -> dict[str, tuple[int, ...]]:
        """Return the shape of each output for an arm of n joints."""
        size = {"n": n, "10n": 10 * n}
        return {
            name: tuple(size[s] if isinstance(s, str) else s for s in shape)
            for name, shape in self.outputs.items()
        }
