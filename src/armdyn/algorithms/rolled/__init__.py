"""Long arms: quantities by walks along the joints, one function for all joints."""

from __future__ import annotations

from collections.abc import Callable

from armdyn.algorithms.rolled.forward import forward_dynamics
from armdyn.algorithms.rolled.inverse import inverse_dynamics
from armdyn.algorithms.rolled.matrices import inverse_mass_matrix, mass_matrix
from armdyn.algorithms.rolled.walks import Pass, Plan, Step, Values
from armdyn.robot import Chain

__all__ = ["PLANS", "Pass", "Plan", "Step", "Values"]

PLANS: dict[str, Callable[[Chain, bool], Plan]] = {
    "mass_matrix": lambda chain, friction: mass_matrix(chain),
    "inverse_dynamics": inverse_dynamics,
    "bias": lambda chain, friction: inverse_dynamics(chain, friction=False),
    "gravity": lambda chain, friction: inverse_dynamics(chain, friction=False),
    "forward_dynamics": forward_dynamics,
    "inverse_mass_matrix": lambda chain, friction: inverse_mass_matrix(chain),
}
"""By kind, the plan for a chain, with joint friction or without."""
