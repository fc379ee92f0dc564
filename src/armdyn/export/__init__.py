"""Programs in other languages."""

from armdyn.export._c import c_source
from armdyn.export._c_package import MARK, CFunction, CTable, c_package
from armdyn.export._libraries import to_casadi, to_jax, to_latex, to_sympy
from armdyn.export._names import prefix_of
from armdyn.export._offline import linear_constants
from armdyn.export._texts import casadi_source, jax_source

__all__ = [
    "MARK",
    "CFunction",
    "CTable",
    "c_package",
    "c_source",
    "casadi_source",
    "jax_source",
    "linear_constants",
    "prefix_of",
    "to_casadi",
    "to_jax",
    "to_latex",
    "to_sympy",
]
