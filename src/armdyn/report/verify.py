"""Check an arm against itself and against Pinocchio: all methods, at random states.

Methods of one quantity are compared with their median, so that one wrong method among several
stands out by name; quantities with few methods are checked by what binds them to the others
(M = U D U^T, Y p = tau ...) and derivatives by differences. Where Pinocchio is installed it is
the second, independent opinion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from armdyn._checks import checked_seed, checked_whole
from armdyn._progress import Progress
from armdyn.algorithms.friction import friction
from armdyn.arm import Arm, methods
from armdyn.errors import MissingExtraError
from armdyn.report._pinocchio import PinocchioAnswers
from armdyn.robot import Robot, chain_of

Array = NDArray[np.float64]
Parts: TypeAlias = tuple[Array, ...]

# Largest difference between two right answers, relative to the largest entry: rounding of some
# hundred operations, with room for cancellation. Solutions of M x = y also lose the condition of M.
TOLERANCE = 1e-10
# Of derivatives taken by central differences with steps of 1e-6.
DIFFERENCE_TOLERANCE = 1e-6
STEP = 1e-6

MOST_STATES = 10_000


@dataclass(frozen=True)
class Check:
    """One method's largest relative differences, and whether they are rounding."""

    quantity: str
    method: str
    against: str  # what it was compared with inside armdyn
    error: float
    tolerance: float
    pinocchio_error: float | None  # None where Pinocchio is missing or has no such quantity

    @property
    def passed(self) -> bool:
        """Whether all differences are within the tolerance (a NaN is not)."""
        errors = (self.error, self.pinocchio_error)
        return all(error <= self.tolerance for error in errors if error is not None)


@dataclass(frozen=True)
class Verification:
    """All checks of an arm."""

    robot: str
    n_states: int
    seed: int
    pinocchio: str | None  # its version, None where it is not installed
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def offenders(self) -> tuple[str, ...]:
        """The checks that did not pass, as "quantity method"."""
        return tuple(f"{c.quantity} {c.method}" for c in self.checks if not c.passed)


def verify(
    arm: Arm, n_states: int = 20, seed: int = 0, progress: Progress | None = None
) -> Verification:
    """Compare all methods at random states.

    Args:
        arm: the arm.
        n_states: how many states, up to 10,000.
        seed: of the random numbers.
        progress: called with (done, total, what) after each method.
    """
    n_states, seed = checked_whole(n_states, "n_states", 1, MOST_STATES), checked_seed(seed)
    states = random_states(arm.robot, n_states, seed)
    try:
        second: PinocchioAnswers | None = PinocchioAnswers(arm.robot, states)
    except MissingExtraError:
        second = None
    rows = [(quantity, method) for quantity in arm.quantities for method in methods(quantity)]
    values: dict[tuple[str, str], Any] = {}
    inputs = {quantity: _inputs(arm, quantity, states) for quantity in arm.quantities}
    for done, (quantity, method) in enumerate(rows, 1):
        values[quantity, method] = arm.function(quantity, method, friction=False)(*inputs[quantity])
        if progress:
            progress(done, len(rows), "comparing methods")
    median = {
        quantity: _median([values[quantity, m] for m in methods(quantity)])
        for quantity in arm.quantities
    }
    condition = float(np.linalg.cond(median["mass_matrix"]).max())
    checks: list[Check] = []
    for quantity, method in rows:
        got = values[quantity, method]
        against, error, tolerance = _compare(arm, quantity, got, median, states, condition)
        other = _worst_error(got, second[quantity]) if second and quantity in second else None
        checks.append(Check(quantity, method, against, error, tolerance, other))
    version = second.version if second else None
    return Verification(arm.name, n_states, seed, version, tuple(checks))


def random_states(robot: Robot, n_states: int, seed: int) -> dict[str, Array]:
    """Return random q within the limits (or half a turn, or 1 m), and qd, qdd, tau of order one."""
    rng = np.random.default_rng(seed)
    reach = np.array([np.pi if j.is_revolute else 1.0 for j in robot.joints])
    lower = np.array([j.lower for j in robot.joints])
    upper = np.array([j.upper for j in robot.joints])
    # a joint limited on one side only moves from there
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - reach, -reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + reach, reach))
    q = rng.uniform(low, high, (n_states, robot.n))
    qd, qdd, tau = rng.normal(size=(3, n_states, robot.n))
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau}


def relative_error(got: Array, expected: Array) -> float:
    """Return the largest difference over the largest expected entry of the same state."""
    axes = tuple(range(1, expected.ndim))
    size = np.abs(expected).max(axis=axes) if axes else np.abs(expected)
    # A quantity that vanishes (gravity of a gantry) is compared in its own units.
    size = np.where(size < 1e-6, 1.0, size)
    difference = np.abs(got - expected).max(axis=axes) if axes else np.abs(got - expected)
    return float((difference / size).max())


def _worst_error(got: Any, expected: Any) -> float:
    """Return the relative error, the largest of them if there are several arrays."""
    if not isinstance(got, tuple):
        return relative_error(got, expected)
    return max(relative_error(a, b) for a, b in zip(cast(Parts, got), expected, strict=True))


def _median(values: list[Any]) -> Any:
    """Return the median of the methods' answers, part by part if there are several arrays."""
    if isinstance(values[0], tuple):
        return tuple(np.median(part, axis=0) for part in zip(*values, strict=True))
    return np.median(values, axis=0)


def _inputs(arm: Arm, quantity: str, states: dict[str, Array]) -> list[Array]:
    slots = arm.function(quantity, methods(quantity)[0]).program.inputs
    return [states[slot.name] for slot in slots]


def _compare(
    arm: Arm,
    quantity: str,
    got: Any,
    median: dict[str, Any],
    states: dict[str, Array],
    condition: float,
) -> tuple[str, float, float]:
    """Return (what it is compared with, error, tolerance)."""
    M, qd = median["mass_matrix"], states["qd"]
    solving = max(TOLERANCE, 1e-14 * condition)
    match quantity:
        case "udu":
            U, D = got
            product = np.einsum("...ij,...j,...kj->...ik", U, D, U)
            return "M = U D U^T", relative_error(product, M), TOLERANCE
        case "inverse_mass_matrix":
            expected = np.asarray(np.linalg.inv(M), dtype=np.float64)
            return "numpy.linalg.inv(M)", relative_error(got, expected), solving
        case "coriolis_matrix":
            product = np.einsum("...ij,...j->...i", got, qd)
            expected = median["bias"] - median["gravity"]
            return "C qd = bias - gravity", relative_error(product, expected), TOLERANCE
        case "regressor":
            tau = got @ arm.parameters
            rotors = np.array([j.rotor_inertia for j in arm.robot.joints]) * states["qdd"]
            error = relative_error(tau + rotors, median["inverse_dynamics"])
            return "Y p = tau", error, TOLERANCE
        case "kinetic_energy":
            half = 0.5 * np.einsum("...i,...ij,...j->...", qd, M, qd)
            return "T = qd M qd / 2", relative_error(got, half), TOLERANCE
        case "potential_energy":
            slope = _difference(arm, "potential_energy", states, "q")
            error = relative_error(slope, median["gravity"])
            return "dV/dq = gravity", error, DIFFERENCE_TOLERANCE
        case "pose" | "jacobian":
            slope = _difference(arm, "pose", states, "q")[..., :3, 3, :]
            error = relative_error(median["jacobian"][..., :3, :], slope)
            return "d pose/dq = jacobian", error, DIFFERENCE_TOLERANCE
        case "jacobian_derivative":
            slope = _difference(arm, "jacobian", states, "q") @ qd[:, None, :, None]
            error = relative_error(got, slope[..., 0])
            return "d jacobian/dt", error, DIFFERENCE_TOLERANCE
        case "inverse_dynamics_derivatives":
            # taken together: differences of the whole torque are no better than its rounding
            slopes = [_difference(arm, "inverse_dynamics", states, x) for x in ("q", "qd")]
            apart = relative_error(np.concatenate(got[:2], -1), np.concatenate(slopes, -1))
            within = apart * (TOLERANCE / DIFFERENCE_TOLERANCE)
            error = max(_worst_error(got, median[quantity]), within)
            return "the median, d tau", error, TOLERANCE
        case "forward_dynamics_derivatives":
            qdd = median["forward_dynamics"]
            by_q, by_qd, _ = arm.inverse_dynamics_derivatives(states["q"], qd, qdd, friction=False)
            one = np.broadcast_to(np.eye(arm.n), M.shape)
            error = _worst_error(tuple(-M @ part for part in got), (by_q, by_qd, -one))
            return "M dqdd = -dtau", error, solving
        case "friction":
            chain = chain_of(arm.robot)
            expected = np.array([friction(chain, row) for row in qd.tolist()])
            return "its definition", relative_error(got, expected), TOLERANCE
        case "forward_dynamics":
            return "the median", relative_error(got, median[quantity]), solving
        case _:
            return "the median", relative_error(got, median[quantity]), TOLERANCE


def _difference(arm: Arm, quantity: str, states: dict[str, Array], by: str) -> Array:
    """Return the derivative of a quantity by one of its inputs, on the last axis."""
    f: Any = arm.function(quantity, friction=False)
    names = [slot.name for slot in f.program.inputs]
    columns: list[Array] = []
    for step in STEP * np.eye(arm.n):
        ahead, behind = ({**states, by: states[by] + sign * step} for sign in (1, -1))
        difference = f(*(ahead[name] for name in names)) - f(*(behind[name] for name in names))
        columns.append(difference / (2 * STEP))
    return np.stack(columns, axis=-1)
