"""Uses of a model on a moving arm: adaptive control, and torques from outside.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.control.adaptive._control import AdaptiveControl
    from armdyn.control.adaptive._history import History

__all__ = ["AdaptiveControl", "History"]

__getattr__ = lazy_names(
    __name__,
    {
        "AdaptiveControl": "adaptive._control",
        "History": "adaptive._history",
    },
)
