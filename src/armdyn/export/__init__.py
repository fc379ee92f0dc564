"""Programs in other languages.

Names are imported on first access.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.export._budget import Budget, c_budget
    from armdyn.export._c import c_source
    from armdyn.export._c_package import MARK, CFunction, CTable, c_package
    from armdyn.export._javascript import (
        javascript_module,
        javascript_object,
        javascript_source,
    )
    from armdyn.export._libraries import (
        check_sizes,
        imported,
        to_casadi,
        to_jax,
        to_latex,
        to_sympy,
    )
    from armdyn.export._names import prefix_of
    from armdyn.export._offline import linear_constants
    from armdyn.export._texts import casadi_source, jax_source

__all__ = [
    "MARK",
    "Budget",
    "CFunction",
    "CTable",
    "c_budget",
    "c_package",
    "c_source",
    "casadi_source",
    "check_sizes",
    "imported",
    "javascript_module",
    "javascript_object",
    "javascript_source",
    "jax_source",
    "linear_constants",
    "prefix_of",
    "to_casadi",
    "to_jax",
    "to_latex",
    "to_sympy",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Budget": "_budget",
        "CFunction": "_c_package",
        "CTable": "_c_package",
        "MARK": "_c_package",
        "c_budget": "_budget",
        "c_package": "_c_package",
        "c_source": "_c",
        "casadi_source": "_texts",
        "check_sizes": "_libraries",
        "imported": "_libraries",
        "javascript_module": "_javascript",
        "javascript_object": "_javascript",
        "javascript_source": "_javascript",
        "jax_source": "_texts",
        "linear_constants": "_offline",
        "prefix_of": "_names",
        "to_casadi": "_libraries",
        "to_jax": "_libraries",
        "to_latex": "_libraries",
        "to_sympy": "_libraries",
    },
)
