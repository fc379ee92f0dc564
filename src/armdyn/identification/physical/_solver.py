"""CVXPY with Clarabel: imported on use; its failures become errors with a clear message."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from typing import Any

from armdyn.errors import MissingExtraError, NumericalError

PACKAGES = ("cvxpy", "clarabel")


def need_solver(why: str) -> None:
    """Raise an error if a package is missing, before any work is done."""
    for package in PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, "identify", why)


def convex(why: str) -> Any:
    """Return the module cvxpy, which has no types of its own."""
    need_solver(why)
    return importlib.import_module("cvxpy")


def solved(cp: Any, objective: Any, constraints: list[Any], what: str) -> float:
    """Solve a problem, and return the value of its objective."""
    problem = cp.Problem(objective, constraints)
    try:
        with warnings.catch_warnings():
            # the caller judges whether an inaccurate solution is good enough
            warnings.simplefilter("ignore")
            problem.solve(solver=cp.CLARABEL)
    except (cp.SolverError, ValueError, ArithmeticError) as error:
        raise NumericalError(f"{what}: the solver Clarabel gave up ({error}).") from None
    if problem.status not in (cp.OPTIMAL, cp.OPTIMAL_INACCURATE):
        raise NumericalError(f"{what}: the solver Clarabel says {problem.status!r}.")
    return float(problem.value)
