"""What makes functions on arrays from programs; `armdyn.arm` has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from armdyn.arrays import Array
from armdyn.graph.program import Program

if TYPE_CHECKING:
    from armdyn.minimal.parameters import MinimalParameters


class FunctionFactory(Protocol):
    """Makes functions on arrays from programs."""

    def function(self, program: Program, method: str) -> Callable[..., Any]:
        """Return a program as a function on arrays ``(..., n)``."""
        ...

    def at_run_time(
        self, base: MinimalParameters, quantity: str, method: str
    ) -> Callable[..., Any]:
        """Return a quantity as a function of the states and of the minimal values."""
        ...

    def built_in(
        self, base: MinimalParameters, quantity: str, method: str, w: Array
    ) -> Callable[..., Any]:
        """Return a quantity as a function of the states, for given minimal values."""
        ...
