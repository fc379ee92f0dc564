"""Uses of a model on a moving arm: adaptive control, and torques from outside.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.control.adaptive._control import AdaptiveControl
    from armdyn.control.adaptive._history import History
    from armdyn.control.observer._choice import model_for
    from armdyn.control.observer._contacts import Contact
    from armdyn.control.observer._levels import Levels
    from armdyn.control.observer._observation import Observation
    from armdyn.control.observer._observer import MomentumObserver

__all__ = [
    "AdaptiveControl",
    "Contact",
    "History",
    "Levels",
    "MomentumObserver",
    "Observation",
    "model_for",
]

__getattr__ = lazy_names(
    __name__,
    {
        "AdaptiveControl": "adaptive._control",
        "Contact": "observer._contacts",
        "History": "adaptive._history",
        "Levels": "observer._levels",
        "MomentumObserver": "observer._observer",
        "Observation": "observer._observation",
        "model_for": "observer._choice",
    },
)
