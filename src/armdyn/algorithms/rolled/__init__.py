"""Long arms: quantities by sweeps along the joints, one function for all joints."""

from __future__ import annotations

from collections.abc import Callable

from armdyn.algorithms.rolled.forward import forward_dynamics
from armdyn.algorithms.rolled.inverse import inverse_dynamics
from armdyn.algorithms.rolled.matrices import inverse_mass_matrix, mass_matrix
from armdyn.algorithms.rolled.sweeps import Step, Sweep, Sweeps, Values
from armdyn.robot import Chain

__all__ = ["ROLLED_METHODS", "Step", "Sweep", "Sweeps", "Values"]

ROLLED_METHODS: dict[str, Callable[[Chain, bool], Sweeps]] = {
    "mass_matrix": lambda chain, friction: mass_matrix(chain),
    "inverse_dynamics": inverse_dynamics,
    "bias": lambda chain, friction: inverse_dynamics(chain, friction=False),
    "gravity": lambda chain, friction: inverse_dynamics(chain, friction=False),
    "forward_dynamics": forward_dynamics,
    "inverse_mass_matrix": lambda chain, friction: inverse_mass_matrix(chain),
}
"""By kind, the sweeps for a chain, with joint friction or without."""
