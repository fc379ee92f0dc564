"""A falling PUMA by several integrators, and its linear systems by several solvers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms import cholesky, udu
from armdyn.algorithms.vector import Matrix
from armdyn.arm.arm import Arm
from armdyn.errors import NumericalError
from armdyn.graph.count import Operations, count
from armdyn.graph.interpret import evaluate
from armdyn.graph.program import Slot
from armdyn.graph.trace import record, trace
from armdyn.scalar import Scalar
from armdyn.simulation.simulate import simulate
from armdyn_papers.studies.as_printed import gauss_jordan
from armdyn_papers.studies.puma_runs import arm_of
from armdyn_papers.studies.single import RULES

Array: TypeAlias = NDArray[np.float64]
Solve: TypeAlias = Callable[[Matrix, Sequence[Scalar]], list[Scalar]]

START = np.deg2rad([0.0, -45.0, 90.0, 20.0, 30.0, 10.0])
DURATION = 2.0
STEPS = tuple(2**k for k in range(4, 14))
TOLERANCES = tuple(10.0**-k for k in range(2, 13))
FINEST = 1e-13

INTEGRATORS = ("ab4", "rk4", "rk45", "dop853")
FIXED = ("ab4", "rk4")
METHODS = {"LDLᵀ": "mass_matrix_udu", "Cholesky": "gibbs_appell"}
SOLVERS: dict[str, Solve] = {
    "LDLᵀ": udu.solve, "Cholesky": cholesky.solve, "Gauss-Jordan": gauss_jordan,
}  # fmt: skip

TINY = 1e-300  # instead of an error of zero, which has no logarithm

# States of the falling arm at which linear systems are solved.
SYSTEMS = 100


@dataclass(frozen=True)
class Point:
    """One integration: evaluations of the dynamics, and the largest error of a joint [rad]."""

    evaluations: int
    error: float


@dataclass(frozen=True)
class Series:
    """An integrator with all its steps or tolerances, coarsest first; `failed` are unstable."""

    rotors: bool
    integrator: str
    solver: str
    points: tuple[Point, ...]
    failed: int

    def needed(self, error: float) -> float | None:
        """Return the evaluations for an error, interpolated between the points; None if unknown.

        An error counts as reached only if all finer runs stay below it.
        """
        x = [math.log(p.evaluations) for p in self.points]
        finest_first = [-math.log(max(p.error, TINY)) for p in reversed(self.points)]
        y = np.minimum.accumulate(np.array(finest_first))[::-1]
        wanted = -math.log(error)
        return math.exp(float(np.interp(wanted, y, x))) if y[0] <= wanted <= y[-1] else None

    def order(self, floor: float) -> float:
        """Return the order observed by the last halving of the step with errors above a floor."""
        errors = [p.error for p in self.points if p.error > floor]
        return math.log2(errors[-2] / errors[-1])


@dataclass(frozen=True)
class Falling:
    """All integrations of one arm; `certain` is the known error of the reference."""

    rotors: bool
    series: tuple[Series, ...]
    certain: float


@dataclass(frozen=True)
class Solver:
    """A way to solve M x = y: operations, and relative errors of x in both precisions."""

    name: str
    operations: Operations | None
    single: float
    double: float


def fall(rotors: bool, steps: Sequence[int], tolerances: Sequence[float]) -> Falling:
    """Release the arm, and simulate it with all integrators and solvers."""
    arm = arm_of("rotors" if rotors else "no rotors")
    reference, _ = _end(arm, "dop853", "mass_matrix_udu", rtol=FINEST)
    again, _ = _end(arm, "dop853", "mass_matrix_udu", rtol=10 * FINEST)
    series: list[Series] = []
    for integrator in INTEGRATORS:
        settings: list[dict[str, float]] = [{"rtol": x} for x in tolerances]
        if integrator in FIXED:
            settings = [{"step": DURATION / k} for k in steps]
        for solver, method in METHODS.items():
            points: list[Point] = []
            for setting in settings:
                try:
                    q, evaluations = _end(arm, integrator, method, **setting)
                except NumericalError:  # unstable: the step is too long
                    continue
                points.append(Point(evaluations, float(np.abs(q - reference).max())))
            failed = len(settings) - len(points)
            series.append(Series(rotors, integrator, solver, tuple(points), failed))
    return Falling(rotors, tuple(series), float(np.abs(again - reference).max()))


def _end(arm: Arm, integrator: str, method: str, **setting: Any) -> tuple[Array, int]:
    """Return the last positions and the evaluations."""
    samples: Any = 2 if integrator in FIXED else [0.0, DURATION]
    run = simulate(
        arm, START, None, DURATION, None, integrator, method,
        samples=samples, friction=False, **setting,
    )  # fmt: skip
    return run.q[-1], run.evaluations


def solvers(rotors: bool) -> tuple[Solver, ...]:
    """Solve the linear systems of the falling arm; errors are root mean squares over them."""
    arm = arm_of("rotors" if rotors else "no rotors")
    run = simulate(
        arm, START, None, DURATION, None, "dop853", rtol=1e-10,
        samples=np.linspace(0.0, DURATION, SYSTEMS), friction=False,
    )  # fmt: skip
    M, y = arm.mass_matrix(run.q), -arm.bias(run.q, run.qd)
    found = [
        Solver(
            name,
            _counted(solve, arm.n),
            _error(lambda A, b, s=solve: _interpreted(s, A, b), M, y, np.float32),
            _error(lambda A, b, s=solve: _interpreted(s, A, b), M, y, np.float64),
        )
        for name, solve in SOLVERS.items()
    ]
    single, double = (_error(_lapack, M, y, p) for p in (np.float32, np.float64))
    return (*found, Solver("Cholesky of LAPACK", None, single, double))


def _error(solve: Callable[[Any, Any], Any], M: Array, y: Array, precision: Any) -> float:
    """Return the error of solutions relative to exact ones, for data stored in a precision."""
    A, b = M.astype(precision), y.astype(precision)
    exact = np.array([_exact(X, z) for X, z in zip(A.tolist(), b.tolist(), strict=True)])
    off: Array = np.linalg.norm(np.asarray(solve(A, b), dtype=np.float64) - exact, axis=1)
    size: Array = np.linalg.norm(exact, axis=1)
    return math.sqrt(float(np.mean((off / size) ** 2)))


def _exact(X: list[list[float]], y: list[float]) -> list[float]:
    """Solve in fractions: only the result is rounded."""
    rows: Any = [list(map(Fraction, row)) for row in X]
    right: Any = list(map(Fraction, y))
    return [float(cast(Any, x)) for x in gauss_jordan(rows, right)]


def _interpreted(solve: Solve, A: Any, b: Any) -> Any:
    n = A.shape[-1]
    program = record(_on_rows(solve, n), *_slots(n))
    columns = [*A.reshape(len(A), -1).T.copy(), *b.T.copy()]
    return np.stack(evaluate(program, columns, RULES), axis=1)


def _lapack(A: Any, b: Any) -> Any:
    linalg: Any = import_module("scipy.linalg")
    solve, factor = linalg.cho_solve, linalg.cho_factor
    return np.stack([solve(factor(M, lower=True), y) for M, y in zip(A, b, strict=True)])


def _counted(solve: Solve, n: int) -> Operations:
    return count(trace(_on_rows(solve, n), *_slots(n)))


def _on_rows(solve: Solve, n: int) -> Callable[..., list[Scalar]]:
    def run(X: list[Scalar], y: list[Scalar]) -> list[Scalar]:
        return solve([X[n * i : n * i + n] for i in range(n)], y)

    return run


def _slots(n: int) -> tuple[list[Slot], list[Slot]]:
    return [Slot("X", (n, n)), Slot("y", (n,))], [Slot("x", (n,))]
