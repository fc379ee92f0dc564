"""The mathematics: one file a method, in its paper's symbols, as plain arithmetic on numbers.

Where a paper misprints an equation the code has the corrected one; docs/papers/errata.md lists all
misprints, with the numbers that decide them. Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.algorithms.link_parameters import PARAMETER_NAMES, parameters
    from armdyn.algorithms.quantity import Derivative, Identity, Method, Quantity, RolledMethod
    from armdyn.algorithms.table import QUANTITIES, SIGNALS

__all__ = [
    "PARAMETER_NAMES",
    "QUANTITIES",
    "SIGNALS",
    "Derivative",
    "Identity",
    "Method",
    "Quantity",
    "RolledMethod",
    "parameters",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Derivative": "quantity",
        "Identity": "quantity",
        "Method": "quantity",
        "PARAMETER_NAMES": "link_parameters",
        "QUANTITIES": "table",
        "Quantity": "quantity",
        "RolledMethod": "quantity",
        "SIGNALS": "table",
        "parameters": "link_parameters",
    },
)
