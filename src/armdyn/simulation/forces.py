"""Forces on the arm other than gravity and friction: drives, a wrench at the tip, springs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_per_joint
from armdyn.errors import ArmdynError, InputError, shown
from armdyn.kinematics.turns import joint_limits
from armdyn.log.log import Log
from armdyn.simulation.events import SAME_GAP, SAME_TIME

# `Quantity`: a torque or a wrench in any of its input forms.

# A step may span this many values of a table if they are evenly spaced: it still uses all of them.
VALUES_A_STEP = 4

# Number of entries of a state that an error message shows.
MOST_SHOWN = 12


class Controller(Protocol):
    """Torques as a function of time and state, prepared for an arm."""

    def prepared(self, arm: Arm) -> Callable[[float, Array, Array], Array]:
        """Return the torque function for an arm; refuse a controller that does not fit the arm."""
        ...


@runtime_checkable
class ManyTargets(Controller, Protocol):
    """A controller that may have a target for each arm of a batch.

    Attributes:
        rows: number of targets; None for one.
    """

    @property
    def rows(self) -> int | None:
        """How many arms it has values for; None if it serves any."""
        ...

    def of_arm(self, k: int) -> Controller:
        """Return the controller of one arm."""
        ...


@runtime_checkable
class Sampled(Protocol):
    """Torques of a controller that samples: constant from one sample to the next.

    Attributes:
        period: time between samples [s].
    """

    period: float

    def sample(self, t: float, q: Array, qd: Array) -> None:
        """Measure a state and compute the torques of the coming period."""
        ...

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques of this period."""
        ...


class Quantity:
    """A torque or a wrench: constant, over time, or a function of time and state.

    Attributes:
        constant: the value if it never changes, ``(width,)`` or ``(B, width)``; else None.
    """

    def __init__(self, name: str, value: object, arm: Arm, width: int, rows: int | None) -> None:
        """Read the argument.

        Args:
            name: of the argument.
            value: None, an array, (times, values), a `Log`, a function or a controller.
            arm: the arm on which it acts.
            width: number of entries.
            rows: number of arms; None for one arm with states ``(n,)``.
        """
        self._name, self._width, self._rows = name, width, rows
        self._times: Array | None = None
        self._values = np.zeros(width)
        self._tick = 0.0
        self._function: Callable[..., object] | None = None
        self._row: Callable[[int], Callable[..., object]] | None = None
        self._sampled: Sampled | None = None
        self._samples = 0
        self.constant: Array | None = None
        if value is None:
            self.constant = self._values
        elif hasattr(value, "prepared"):
            controller = cast(Controller, value)
            self._function = _prepared(name, controller, arm)
            self._sampled = self._function if isinstance(self._function, Sampled) else None
            if isinstance(controller, ManyTargets):
                self._row = lambda k: controller.of_arm(k).prepared(arm)
                if controller.rows not in (None, rows):
                    raise InputError(
                        f"the target of `{name}` has shape ({controller.rows}, {arm.n}), for "
                        f"{rows or 'one'} arm{'s' if rows else ''}.",
                        argument=name,
                    )
        elif callable(value):
            self._function = value
        elif isinstance(value, Log):
            if value.tau is None or value.n != width or value.effort != "torque":
                raise InputError(
                    f"`{name}` is a log without torques of {width} joints.", argument=name
                )
            self._set_times(value.t - value.t[0], value.tau)
        elif isinstance(value, tuple) and _is_over_time(cast("tuple[object, ...]", value)):
            self._set_times(*cast("tuple[object, object]", value))
        else:
            self.constant = self._numbers(cast(object, value))

    @property
    def is_zero(self) -> bool:
        """Whether it is zero."""
        return self.constant is not None and not self.constant.any()

    @property
    def is_function(self) -> bool:
        """Whether Python code computes it, for all arms at once."""
        return self._function is not None

    @property
    def period(self) -> float | None:
        """Time between the samples of a controller [s]; None if it has none."""
        return None if self._sampled is None else self._sampled.period

    @property
    def next_sample(self) -> float:
        """When a controller samples next [s]; infinite if it never does."""
        return np.inf if self._sampled is None else self._samples * self._sampled.period

    def sample(self, t: float, q: Array, qd: Array) -> None:
        """Let a controller sample if it is time; called between the steps of an integrator."""
        sampled = self._sampled
        if sampled is not None and t >= self.next_sample - SAME_GAP * sampled.period:
            self._samples += 1
            rows = slice(None) if self._rows is not None else 0
            sampled.sample(t, q[rows].copy(), qd[rows].copy())

    def part(self, i: int, j: int) -> Quantity:
        """Return the quantity of arms i to j, without j; not for functions."""
        result = object.__new__(Quantity)
        vars(result).update(vars(self), _rows=None if self._rows is None else j - i)
        if self.constant is not None and self.constant.ndim == 2:
            result.constant = self.constant[i:j]
        return result

    def of_arm(self, k: int) -> Quantity:
        """Return the quantity of one arm of a batch, to simulate it alone."""
        if self.period is not None:
            raise InputError(
                f"`{self._name}` is a controller that samples: it takes one arm, or a batch with "
                "an integrator of equal steps, e.g. 'rk4'.",
                argument=self._name,
            )
        result = self.part(k, k + 1)
        result._rows = None
        if result.constant is not None and result.constant.ndim == 2:
            result.constant = result.constant[0]
        if self._row:
            result._function = self._row(k)
        elif self._function is not None:
            result._function = self._asked_for(k)
        return result

    def _asked_for(self, k: int) -> Callable[..., object]:
        """Return the function of a batch for one arm, called with a batch of one."""
        function, rows = self._function, self._rows
        assert function is not None

        def torque(t: float, q: Array, qd: Array) -> object:
            value = cast("Sequence[object]", function(t, q[None], qd[None]))
            if np.ndim(cast(ArrayLike, value)) == 2 and len(value) in (1, rows):
                return value[k if len(value) == rows else 0]
            return value

        return torque

    def check_until(self, until: float) -> None:
        """Refuse values over time that end before the simulation."""
        times = self._times
        if times is not None and not times[0] <= 0.0 <= until <= times[-1] * (1 + SAME_TIME):
            raise InputError(
                f"the times of `{self._name}` are from {times[0]:g} s to {times[-1]:g} s, but the "
                f"simulation lasts from 0 to {until:g} s.",
                argument=self._name,
            )

    def longest_step(self, t: float) -> float:
        """Return the longest step from time t that skips no value of a table."""
        times = self._times
        if times is None:
            return np.inf
        k = int(np.searchsorted(times, t + self._tick, side="right"))
        ahead, gaps = times[k : k + VALUES_A_STEP] - t, np.diff(times[k - 1 : k + VALUES_A_STEP])
        if not len(ahead):
            return np.inf
        seen = ahead <= VALUES_A_STEP * (1 + SAME_GAP) * np.minimum.accumulate(gaps)
        # linear up to the next value
        return float(ahead[max(int(seen.cumprod().sum()) - 1, 0)])

    def at(self, t: float, q: Array, qd: Array) -> Array:
        """Return the numbers at a time and states, ``(width,)`` or ``(B, width)``."""
        if self.constant is not None:
            return self.constant
        if self._times is not None:
            return self._between(t)
        assert self._function is not None
        one = self._rows is None
        given = (q[0].copy(), qd[0].copy()) if one else (q.copy(), qd.copy())
        try:
            value = self._function(t, *given)
        except Exception as error:
            when = f"at t = {t:.9g} s{_state(*given) if one else ''}"
            raise raised(self._name, error, when) from error
        return self._checked(value, t)

    def _between(self, t: float) -> Array:
        times = self._times
        assert times is not None
        k = min(max(int(np.searchsorted(times, t, side="right")) - 1, 0), len(times) - 2)
        w = (t - times[k]) / (times[k + 1] - times[k])
        return (1.0 - w) * self._values[k] + w * self._values[k + 1]

    def _checked(self, value: object, t: float) -> Array:
        """Return a checked copy of a function's result: the function may reuse its memory."""
        if type(value) is np.ndarray and value.dtype == np.float64:
            array = value.copy()
        else:
            try:
                array = checked_array(value, self._name, finite=False)
            except InputError:
                raise InputError(
                    f"`{self._name}` returned {shown(value)} at t = {t:.9g} s, expected numbers.",
                    argument=self._name,
                ) from None
        if array.shape not in self._shapes():
            raise InputError(
                f"`{self._name}` returned shape {array.shape} at t = {t:.9g} s, expected "
                f"{self._shapes()[-1]}.",
                argument=self._name,
            )
        if not np.isfinite(array).all():
            at = np.argwhere(~np.isfinite(array))[0]
            whose = f" of arm {at[0]}" if array.ndim == 2 else ""
            raise InputError(
                f"`{self._name}` returned {array[tuple(at)]} for number {at[-1] + 1}{whose} at "
                f"t = {t:.9g} s, expected finite numbers.",
                argument=self._name,
            )
        return array

    def _shapes(self) -> list[tuple[int, ...]]:
        one = (self._width,)
        return [one] if self._rows is None else [one, (self._rows, self._width)]

    def _numbers(self, value: object) -> Array:
        shapes = " or ".join(map(str, self._shapes()))
        what = f"None, an array {shapes}, (times, values), a function of (t, q, qd) or a controller"
        if isinstance(value, list | tuple | np.ndarray):
            what = f"{shapes}; values over time are given as (times, values)"
        return checked_array(cast(object, value), self._name, *self._shapes(), what=what)

    def _set_times(self, times: object, values: object) -> None:
        name = self._name
        what = f"(K,) and (K, {self._width}): times and values, K at least two"
        t = checked_array(times, name, ("K",), what=what)
        v = checked_array(values, name, (len(t), self._width), what=what)
        if len(t) < 2:
            raise InputError(f"`{name}` has a single time, expected {what}.", argument=name)
        check_increasing(t, name)
        self._times, self._values = t, v
        self._tick = SAME_GAP * float(np.diff(t).min())


def check_increasing(t: Array, name: str) -> None:
    """Refuse times [s] that do not increase."""
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0])
        raise InputError(
            f"the times of `{name}` go backwards: {t[k + 1]:g} s comes after {t[k]:g} s.",
            argument=name,
        )


def raised(name: str, error: Exception, when: str) -> InputError:
    """Return the error about a function of the caller that raised one."""
    message = f"`{name}` raised {type(error).__name__}: {error}; {when}."
    return InputError(message, argument=name.partition("[")[0])


def _prepared(name: str, controller: Controller, arm: Arm) -> Callable[..., object]:
    try:
        return controller.prepared(arm)
    except ArmdynError:
        raise
    except Exception as error:
        raise raised(name, error, "when prepared for the arm") from error


def _is_over_time(value: tuple[object, ...]) -> bool:
    """Whether a tuple is (times, values), and not the torques of an arm with two joints."""
    return len(value) == 2 and isinstance(value[0], Sequence | np.ndarray)


def _state(q: Array, qd: Array) -> str:
    def row(x: Array) -> str:
        return "[" + ", ".join(f"{v:.6g}" for v in x.ravel()[:MOST_SHOWN]) + "]"

    return f", q = {row(q)}, qd = {row(qd)}"


# A torque as a function of time and state; states are rows ``(B, n)``.
Rule = Callable[[float, Array, Array], Array]


class Forces:
    """All forces on the joints other than gravity and friction."""

    def __init__(
        self, arm: Arm, drive: Quantity, wrench: Quantity, spring: Rule | None = None
    ) -> None:
        self.drive = drive
        self._arm, self._wrench, self._spring = arm, wrench, spring

    @property
    def is_constant(self) -> bool:
        """Whether the drive torques are constant during a step, and nothing else acts."""
        plain = self._wrench.is_zero and self._spring is None
        return plain and (self.drive.constant is not None or self.drive.period is not None)

    @property
    def is_function(self) -> bool:
        """Whether Python code computes a part of the forces, for all arms at once."""
        return self.drive.is_function or self._wrench.is_function

    @property
    def is_passive(self) -> bool:
        """Whether no force can add energy to the arm."""
        return self.drive.is_zero and self._wrench.is_zero

    def sample(self, t: float, q: Array, qd: Array) -> None:
        """Let a controller sample if it is time."""
        self.drive.sample(t, q, qd)

    def longest_step(self, t: float) -> float:
        """Return the longest step from time t that skips no value of a table."""
        return min(self.drive.longest_step(t), self._wrench.longest_step(t))

    def part(self, i: int, j: int) -> Forces:
        """Return the forces on arms i to j, without j."""
        return Forces(self._arm, self.drive.part(i, j), self._wrench.part(i, j), self._spring)

    def of_arm(self, k: int) -> Forces:
        """Return the forces on one arm of a batch, to simulate it alone."""
        return Forces(self._arm, self.drive.of_arm(k), self._wrench.of_arm(k), self._spring)

    def at(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the torques on the joints ``(B, n)``, and the part of the drives."""
        driven = self.drive.at(t, q, qd)
        total = driven
        if not self._wrench.is_zero:
            J = self._arm.jacobian(q)
            wrench = np.broadcast_to(self._wrench.at(t, q, qd), (len(q), 6))
            total = total + np.einsum("bij,bi->bj", J, wrench)
        if self._spring is not None:
            total = total + self._spring(t, q, qd)
        return np.broadcast_to(total, q.shape), driven


# Springs that push joints back into their limits.

# Frequency [Hz] at which a joint swings in its spring, and damping as a share of the critical.
FREQUENCY = 25.0
DAMPING = 0.5


def spring_constants(arm: Arm, q: Array, stiffness: object, damping: object) -> tuple[Array, Array]:
    """Return stiffness and damping of every joint's spring; for the arguments, see `simulate`."""
    inertia = np.diagonal(arm.mass_matrix(q), axis1=-2, axis2=-1).max(axis=0)
    w = 2 * np.pi * FREQUENCY
    k = inertia * w**2
    if stiffness is not None:
        k = checked_per_joint(stiffness, "stiffness", arm.n, least=0.0)
    d = 2 * DAMPING * np.sqrt(k * inertia)
    if damping is not None:
        d = checked_per_joint(damping, "damping", arm.n, least=0.0)
    return k, d


def spring(arm: Arm, q: Array, stiffness: object, damping: object) -> Rule:
    """Return the torques of the springs; for the arguments, see `simulate`."""
    lower, upper = joint_limits(arm.robot.joints)
    k, d = spring_constants(arm, q, stiffness, damping)

    def torque(t: float, q: Array, qd: Array) -> Array:
        beyond = np.minimum(q - lower, 0.0) + np.maximum(q - upper, 0.0)
        pushed = -k * beyond - d * qd
        # a spring pushes only; it does not pull a joint that leaves it
        return np.where(beyond > 0.0, np.minimum(pushed, 0.0), 0.0) + np.where(
            beyond < 0.0, np.maximum(pushed, 0.0), 0.0
        )

    return torque
