"""Long arms: quantities by sweeps along the joints, one function for all joints.

An algorithm is imported when it first runs; the names of the quantities cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.algorithms.rolled.sweeps import Step, Sweep, Sweeps, Values
    from armdyn.robot import Chain

__all__ = ["ROLLED_METHODS", "Step", "Sweep", "Sweeps", "Values"]


def _mass_matrix(chain: Chain, friction: bool) -> Sweeps:
    from armdyn.algorithms.rolled.matrices import mass_matrix

    return mass_matrix(chain)


def _inverse_mass_matrix(chain: Chain, friction: bool) -> Sweeps:
    from armdyn.algorithms.rolled.matrices import inverse_mass_matrix

    return inverse_mass_matrix(chain)


def _inverse_dynamics(chain: Chain, friction: bool) -> Sweeps:
    from armdyn.algorithms.rolled.inverse import inverse_dynamics

    return inverse_dynamics(chain, friction)


def _without_friction(chain: Chain, friction: bool) -> Sweeps:
    return _inverse_dynamics(chain, friction=False)


def _forward_dynamics(chain: Chain, friction: bool) -> Sweeps:
    from armdyn.algorithms.rolled.forward import forward_dynamics

    return forward_dynamics(chain, friction)


ROLLED_METHODS: dict[str, Callable[[Chain, bool], Sweeps]] = {
    "mass_matrix": _mass_matrix,
    "inverse_dynamics": _inverse_dynamics,
    "bias": _without_friction,
    "gravity": _without_friction,
    "forward_dynamics": _forward_dynamics,
    "inverse_mass_matrix": _inverse_mass_matrix,
}
"""By quantity, the sweeps for a chain, with joint friction or without."""

__getattr__ = lazy_names(__name__, dict.fromkeys(("Step", "Sweep", "Sweeps", "Values"), "sweeps"))
