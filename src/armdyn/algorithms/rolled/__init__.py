"""Long arms: quantities computed by sweeps along the joints, with one function for all joints.

The table of quantities names the functions. An algorithm is imported when it first runs.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.algorithms.rolled.sweeps import Step, Sweep, Sweeps, Values

__all__ = ["Step", "Sweep", "Sweeps", "Values"]

__getattr__ = lazy_names(__name__, dict.fromkeys(__all__, "sweeps"))
