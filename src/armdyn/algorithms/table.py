"""The table of methods: what can be computed, and by whose formulas. One row a method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from armdyn.algorithms import friction, newton_euler


@dataclass(frozen=True)
class Method:
    """One way to compute a quantity; ``run(chain, *inputs)`` is the algorithm."""

    run: Callable[..., Any]
    source: str  # the work it follows: a key of docs/references.md and a place in it


@dataclass(frozen=True)
class Kind:
    """A quantity: its inputs (each of n numbers), its outputs with shapes, and its methods.

    A shape is written with "n" for the number of joints and "10n" for the number of parameters.
    """

    inputs: tuple[str, ...]
    outputs: dict[str, tuple[int | str, ...]]
    methods: dict[str, Method] = field(default_factory=dict[str, Method])

    def shapes(self, n: int) -> dict[str, tuple[int, ...]]:
        """Return the shape of each output for an arm of n joints."""
        size = {"n": n, "10n": 10 * n}
        return {
            name: tuple(size[s] if isinstance(s, str) else s for s in shape)
            for name, shape in self.outputs.items()
        }


KINDS: dict[str, Kind] = {
    "mass_matrix": Kind(("q",), {"M": ("n", "n")}, {
    }),
    "inverse_dynamics": Kind(("q", "qd", "qdd"), {"tau": ("n",)}, {
        "newton_euler": Method(newton_euler.inverse_dynamics, "[Mata2002] Table 2, baseline"),
    }),
    "bias": Kind(("q", "qd"), {"tau": ("n",)}, {
        "newton_euler": Method(newton_euler.bias, "[Mata2002] Table 2, baseline"),
    }),
    "gravity": Kind(("q",), {"tau": ("n",)}, {
        "newton_euler": Method(newton_euler.gravity, "[Mata2002] Table 2, baseline"),
    }),
    "coriolis_matrix": Kind(("q", "qd"), {"C": ("n", "n")}, {
    }),
    "forward_dynamics": Kind(("q", "qd", "tau"), {"qdd": ("n",)}, {
    }),
    "inverse_mass_matrix": Kind(("q",), {"Minv": ("n", "n")}, {
    }),
    "udu": Kind(("q",), {"U": ("n", "n"), "D": ("n",)}, {
    }),
    "regressor": Kind(("q", "qd", "qdd"), {"Y": ("n", "10n")}, {
    }),
    "kinetic_energy": Kind(("q", "qd"), {"T": ()}, {
    }),
    "potential_energy": Kind(("q",), {"V": ()}, {
    }),
    "friction": Kind(("qd",), {"tau": ("n",)}, {
        "linear": Method(friction.friction, "viscous, Coulomb and offset"),
    }),
}  # fmt: skip
"""Everything an arm can compute from its state."""
