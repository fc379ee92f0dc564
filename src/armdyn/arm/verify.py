"""Check an arm: all methods against each other and Pinocchio, and single precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.arm import Arm
from armdyn.arm.pinocchio import PinocchioAnswers
from armdyn.arrays import Array
from armdyn.checks import checked_seed, checked_whole
from armdyn.errors import MissingExtraError, NumericalError
from armdyn.programs.methods import methods_of
from armdyn.progress import Progress
from armdyn.robot.chain import chain_of
from armdyn.robot.model import Robot

# Check an arm against itself and against Pinocchio: all methods, at random states.
#
# Methods of one quantity are compared with their median, so that a single wrong method is
# identified by name. If the row of a quantity in the table has an identity (M = U D U^T, Y p = tau
# ...), its methods are checked by that identity. If Pinocchio is installed, it is a second,
# independent reference.

Parts: TypeAlias = tuple[Array, ...]
Answer: TypeAlias = Array | Parts

# Largest difference between two correct answers, relative to the largest entry: rounding of some
# hundred operations, with a margin for cancellation.
TOLERANCE = 1e-10
# Additional tolerance of solutions of M x = y, times the condition number of M: rounding, with a
# margin.
LOST_BY_SOLVING = 1e-14
# Tolerance of derivatives by central differences, for answers that are not of order one.
DIFFERENCE_TOLERANCE = 1e-6
# Entries below this [SI] are rounding; they are compared by absolute differences.
ABSOLUTE_BELOW = 1e-6

# Step of central differences [rad], [m], [rad/s] ...: for answers of order one, the error of the
# formula and the rounding error divided by the step are both near 1e-10.
STEP = 1e-6

MOST_STATES = 10_000


@dataclass(frozen=True)
class Check:
    """The largest relative differences of one method, and whether they are rounding."""

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
    arm = arm.astype(np.float64)
    states = random_states(arm.robot, n_states, seed)
    try:
        second: PinocchioAnswers | None = PinocchioAnswers(arm.robot, states, tip_of(arm))
    except MissingExtraError:
        second = None
    able = {quantity: methods_of(arm.robot, quantity) for quantity in arm.quantities}
    rows = [(quantity, method) for quantity, names in able.items() for method in names]
    values: dict[tuple[str, str], Any] = {}
    inputs = {quantity: _inputs(arm, quantity, states) for quantity in arm.quantities}
    for done, (quantity, method) in enumerate(rows, 1):
        f = arm.function(quantity, method, frame=tip_of(arm), friction=False)
        values[quantity, method] = f(*inputs[quantity])
        if progress:
            progress(done, len(rows), "comparing methods")
    median = {
        quantity: _median([values[quantity, m] for m in names]) for quantity, names in able.items()
    }
    condition = float(np.linalg.cond(median["mass_matrix"]).max())
    at = StateAnswers(arm, states, median)
    checks: list[Check] = []
    for quantity, method in rows:
        got = values[quantity, method]
        against, error, tolerance = _compare(quantity, got, at, condition)
        other = _worst_error(got, second[quantity]) if second and quantity in second else None
        checks.append(Check(quantity, method, against, error, tolerance, other))
    version = second.version if second else None
    return Verification(arm.name, n_states, seed, version, tuple(checks))


def tip_of(arm: Arm) -> str:
    """Return the frame whose pose and Jacobian are compared: the tip, of a tree its last one."""
    return "tip" if arm.robot.is_serial else (arm.robot.tips or arm.joint_names)[-1]


def random_states(robot: Robot, n_states: int, seed: int) -> dict[str, Array]:
    """Return random q within the limits (or half a turn, or 1 m), and qd, qdd, tau of order one."""
    rng = np.random.default_rng(seed)
    reach = np.array([np.pi if j.is_revolute else 1.0 for j in robot.joints])
    lower = np.array([j.lower for j in robot.joints])
    upper = np.array([j.upper for j in robot.joints])
    # a joint with one limit moves away from it
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - reach, -reach))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + reach, reach))
    q = rng.uniform(low, high, (n_states, robot.n))
    qd, qdd, tau = rng.normal(size=(3, n_states, robot.n))
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau}


def relative_error(got: Array, expected: Array) -> float:
    """Return the largest difference over the largest expected entry of the same state."""
    axes = tuple(range(1, expected.ndim))
    size = np.abs(expected).max(axis=axes) if axes else np.abs(expected)
    # for example, gravity of a gantry
    size = np.where(size < ABSOLUTE_BELOW, 1.0, size)
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
    method = methods_of(arm.robot, quantity)[0]
    slots = arm.function(quantity, method, frame=tip_of(arm)).program.inputs
    return [states[slot.name] for slot in slots]


def _compare(
    quantity: str, got: Any, at: StateAnswers, condition: float
) -> tuple[str, float, float]:
    """Return (what it is compared with, error, tolerance)."""
    row = QUANTITIES[quantity]
    tolerance = max(TOLERANCE, LOST_BY_SOLVING * condition) if row.solves else TOLERANCE
    if row.identity is None:
        return "the median", _worst_error(got, at.medians[quantity]), tolerance
    pairs = row.identity.sides(states_last(got), at)
    error = max(relative_error(*map(at.states_first, pair)) for pair in pairs)
    words = row.identity.words
    if not row.identity.by_differences:
        return words, error, tolerance
    if len(methods_of(at.robot, quantity)) == 1:
        return words, error, DIFFERENCE_TOLERANCE
    # comparison with other methods is more accurate than finite differences
    within = error * (tolerance / DIFFERENCE_TOLERANCE)
    error = max(_worst_error(got, at.medians[quantity]), within)
    return f"the median, {words}", error, tolerance


class StateAnswers:
    """Answers of an arm at some states, to check identities; friction is left out.

    Identities are plain arithmetic on numbers. Here a number is an array over all states, so an
    identity runs once for any number of states: inputs and answers have states on the last axis.

    Args:
        arm: the arm.
        states: inputs by name, each ``(B, n)``.
        medians: quantities by name, states first.
    """

    def __init__(
        self, arm: Arm, states: Mapping[str, Array], medians: Mapping[str, Answer]
    ) -> None:
        self.robot, self.chain = arm.robot, chain_of(arm.robot)
        self.medians = medians
        self._arm = arm
        self._states = dict(states)

    def __getitem__(self, name: str) -> Any:
        """Return an input, or the median of the methods of a quantity."""
        return states_last(self._states[name] if name in self._states else self.medians[name])

    def slope(self, quantity: str, by: str) -> Any:
        """Return the derivative of a quantity by one of its inputs, by central differences."""
        columns: list[Array] = []
        for step in STEP * np.eye(self.chain.dof):
            ahead, behind = (
                self._at(quantity, {by: self._states[by] + sign * step}) for sign in (1, -1)
            )
            columns.append((cast(Array, ahead) - cast(Array, behind)) / (2 * STEP))
        return states_last(np.stack(columns, axis=-1))

    def evaluate(self, quantity: str, **inputs: Any) -> Any:
        """Return a quantity at these states, with some inputs replaced."""
        given = {name: self.states_first(x) for name, x in inputs.items()}
        return states_last(self._at(quantity, given))

    def states_first(self, side: Any) -> Array:
        """Return a side of an identity, nested lists or an array, with states on the first axis."""
        if isinstance(side, list | tuple):
            return np.stack([self.states_first(x) for x in cast("list[Any]", side)], axis=1)
        array = np.asarray(side, dtype=np.float64)
        if array.ndim == 0:  # the same for all states
            return np.full(len(self._states["q"]), array)
        return np.moveaxis(array, -1, 0)

    def _at(self, quantity: str, replaced: Mapping[str, Array]) -> Answer:
        f = self._arm.function(quantity, frame=tip_of(self._arm), friction=False)
        given = {**self._states, **replaced}
        return f(*(given[slot.name] for slot in f.program.inputs))


def states_last(answer: Answer) -> Any:
    """Return an answer as numbers, each an array over the states."""
    if isinstance(answer, tuple):
        return tuple(map(states_last, answer))
    return np.moveaxis(answer, 0, -1)


# Measure what single precision loses on an arm: float32 beside float64 at the same random states.
#
# The states are exact in float32, so the differences are those of the computation alone. A
# difference is divided by the largest entry of the same result at the same state: in a vector or
# matrix, small entries are sums of large ones and have the errors of these.

MOST_PRECISION_STATES = 1_000_000


@dataclass(frozen=True)
class Loss:
    """What single precision loses of one quantity.

    Attributes:
        quantity: the quantity.
        method: the method that computes it.
        largest_entry: the largest entry of all results [SI].
        largest_difference: the largest difference of an entry [SI].
        largest: the largest difference, relative to the largest entry of its state; NaN if a result
            is not finite in float32.
        rms: the root of the mean square of these relative differences, over entries and states.
    """

    quantity: str
    method: str
    largest_entry: float
    largest_difference: float
    largest: float
    rms: float


@dataclass(frozen=True)
class Precision:
    """What single precision loses on an arm.

    Attributes:
        robot: name of the arm.
        n_states: at how many random states.
        seed: of these states.
        condition: median of the condition numbers of the mass matrix: forward dynamics loses more
            digits as it grows.
        losses: one for each quantity.
    """

    robot: str
    n_states: int
    seed: int
    condition: float
    losses: tuple[Loss, ...]


def single_precision(
    arm: Arm, n_states: int = 1000, seed: int = 0, progress: Progress | None = None
) -> Precision:
    """Compare float32 with float64 at random states within the joint limits.

    Args:
        arm: the arm.
        n_states: how many states, up to a million.
        seed: of the random numbers.
        progress: called with (done, total, what) after each quantity.
    """
    n_states, seed = (
        checked_whole(n_states, "n_states", 1, MOST_PRECISION_STATES),
        checked_seed(seed),
    )
    double, single = arm.astype(np.float64), arm.astype(np.float32)
    states = random_states(arm.robot, n_states, seed)
    rounded = {name: x.astype(np.float32) for name, x in states.items()}
    losses: list[Loss] = []
    for done, quantity in enumerate(double.quantities, 1):
        frame = tip_of(double)
        exact, short = (x.function(quantity, frame=frame) for x in (double, single))
        given = [rounded[slot.name] for slot in exact.program.inputs]
        losses.append(_loss(quantity, exact.method, _parts(exact(*given)), _floats(short, given)))
        if progress:
            progress(done, len(double.quantities), "comparing with double")
    mass_matrices = double.mass_matrix(rounded["q"])
    condition = float(np.median(np.linalg.cond(mass_matrices)))
    return Precision(arm.name, n_states, seed, condition, tuple(losses))


def _parts(result: Any) -> list[Array]:
    return list(cast("tuple[Array, ...]", result)) if isinstance(result, tuple) else [result]


def _floats(f: Any, given: list[NDArray[np.float32]]) -> list[Array] | None:
    """Return the results in float32; None if one is not finite."""
    try:
        return _parts(f(*given))
    except NumericalError:
        return None


def _loss(quantity: str, method: str, exact: list[Array], short: list[Array] | None) -> Loss:
    entry = max(float(np.abs(part).max(initial=0.0)) for part in exact)
    if short is None:
        return Loss(quantity, method, entry, np.nan, np.nan, np.nan)
    differences = [np.abs(a - b) for a, b in zip(short, exact, strict=True)]
    relative = [(off / _sizes(part)).ravel() for off, part in zip(differences, exact, strict=True)]
    together = np.concatenate(relative)
    return Loss(
        quantity,
        method,
        entry,
        max(float(off.max(initial=0.0)) for off in differences),
        float(together.max(initial=0.0)),
        float(np.sqrt(np.mean(together**2))),
    )


def _sizes(part: Array) -> Array:
    """Return the largest entry of every state; of a single number, the largest of all states."""
    axes = tuple(range(1, part.ndim)) or None
    size = np.abs(part).max(axis=axes, keepdims=True)
    return np.where(size < ABSOLUTE_BELOW, 1.0, size)
