"""What acts on the arm besides its weight and friction: drives, a wrench at the tip, springs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.arm import Arm
from armdyn.errors import ArmdynError, InputError, shown
from armdyn.log import Log

Array = NDArray[np.float64]
Rule = Callable[[float, Array, Array], Array]
"""What something is at a time and a state; states are rows ``(B, n)``."""

# Over so many values of a table a step may go, if they are evenly spaced: then it sees all of them.
VALUES_A_STEP = 4


class Controller(Protocol):
    """Torques by time and state, prepared for an arm."""

    def prepared(self, arm: Arm) -> Callable[[float, Array, Array], Array]:
        """Return the rule for an arm; refuse what does not fit it."""
        ...


@runtime_checkable
class ManyTargets(Controller, Protocol):
    """A controller that may have a target for each arm of a batch.

    Attributes:
        rows: how many targets; None for one.
    """

    @property
    def rows(self) -> int | None: ...

    def of_arm(self, k: int) -> Controller:
        """Return the controller of one arm."""
        ...


class Quantity:
    """A torque or a wrench: constant, over time, or a function of time and state.

    Attributes:
        constant: what it is if it never changes, ``(width,)`` or ``(B, width)``; else None.
    """

    def __init__(self, name: str, value: object, arm: Arm, width: int, rows: int | None) -> None:
        """Understand what was given.

        Args:
            name: of the argument.
            value: None, an array, (times, values), a `Log`, a function or a controller.
            arm: what it acts on.
            width: how many numbers it has.
            rows: how many arms there are; None for one, whose states are given as ``(n,)``.
        """
        self._name, self._width, self._rows = name, width, rows
        self._times: Array | None = None
        self._values = np.zeros(width)
        self._tick = 0.0
        self._function: Callable[..., object] | None = None
        self._row: Callable[[int], Callable[..., object]] | None = None
        self.constant: Array | None = None
        if value is None:
            self.constant = self._values
        elif hasattr(value, "prepared"):
            controller = cast(Controller, value)
            self._function = _prepared(name, controller, arm)
            if isinstance(controller, ManyTargets):
                self._row = lambda k: controller.of_arm(k).prepared(arm)
                if controller.rows not in (None, rows):
                    raise InputError(
                        f"the target of `{name}` has shape ({controller.rows}, {arm.n}), for "
                        f"{rows or 'one'} arm{'s' if rows else ''}."
                    )
        elif callable(value):
            self._function = value
        elif isinstance(value, Log):
            if value.tau is None or value.n != width or value.effort != "torque":
                raise InputError(f"`{name}` is a log without torques of {width} joints.")
            self._set_times(value.t - value.t[0], value.tau)
        elif isinstance(value, tuple) and _is_over_time(cast("tuple[object, ...]", value)):
            self._set_times(*cast("tuple[object, object]", value))
        else:
            self.constant = self._numbers(cast(object, value))

    @property
    def is_zero(self) -> bool:
        """Whether there is none."""
        return self.constant is not None and not self.constant.any()

    @property
    def is_function(self) -> bool:
        """Whether it is asked of Python code, with all arms at once."""
        return self._function is not None

    def part(self, i: int, j: int) -> Quantity:
        """Return that of rows i to j, without j, of the arms; not for functions."""
        result = object.__new__(Quantity)
        vars(result).update(vars(self), _rows=None if self._rows is None else j - i)
        if self.constant is not None and self.constant.ndim == 2:
            result.constant = self.constant[i:j]
        return result

    def of_arm(self, k: int) -> Quantity:
        """Return that of one arm of a batch, which is then simulated alone."""
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
        """Return the function of a batch for one arm: a batch of one, by which it may know more."""
        function, rows = self._function, self._rows
        assert function is not None

        def torque(t: float, q: Array, qd: Array) -> object:
            value = cast("Sequence[object]", function(t, q[None], qd[None]))
            if np.ndim(cast(ArrayLike, value)) == 2 and len(value) in (1, rows):
                return value[k if len(value) == rows else 0]
            return value

        return torque

    def check_until(self, until: float) -> None:
        """Refuse values over time that end before the simulation does."""
        times = self._times
        if times is not None and not times[0] <= 0.0 <= until <= times[-1] * (1 + 1e-12):
            raise InputError(
                f"the times of `{self._name}` are from {times[0]:g} s to {times[-1]:g} s, but the "
                f"simulation lasts from 0 to {until:g} s."
            )

    def longest_step(self, t: float) -> float:
        """Return how long a step from a time may be so that no value over time is missed."""
        times = self._times
        if times is None:
            return np.inf
        k = int(np.searchsorted(times, t + self._tick, side="right"))
        ahead, gaps = times[k : k + VALUES_A_STEP] - t, np.diff(times[k - 1 : k + VALUES_A_STEP])
        if not len(ahead):
            return np.inf
        seen = ahead <= VALUES_A_STEP * (1 + 1e-9) * np.minimum.accumulate(gaps)
        # up to the next value it is a straight line
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
            raise InputError(
                f"`{self._name}` raised {type(error).__name__}: {error}; at t = {t:.9g} s"
                f"{_state(*given) if one else ''}."
            ) from error
        return self._checked(value, t)

    def _between(self, t: float) -> Array:
        times = self._times
        assert times is not None
        k = min(max(int(np.searchsorted(times, t, side="right")) - 1, 0), len(times) - 2)
        w = (t - times[k]) / (times[k + 1] - times[k])
        return (1.0 - w) * self._values[k] + w * self._values[k + 1]

    def _checked(self, value: object, t: float) -> Array:
        try:
            array = _real(value)
        except (TypeError, ValueError):
            raise InputError(
                f"`{self._name}` returned {shown(value)} at t = {t:.9g} s, expected numbers."
            ) from None
        if array.shape not in self._shapes():
            raise InputError(
                f"`{self._name}` returned shape {array.shape} at t = {t:.9g} s, expected "
                f"{self._shapes()[-1]}."
            )
        if not np.isfinite(array).all():
            at = np.argwhere(~np.isfinite(array))[0]
            whose = f" of arm {at[0]}" if array.ndim == 2 else ""
            raise InputError(
                f"`{self._name}` returned {array[tuple(at)]} for number {at[-1] + 1}{whose} at "
                f"t = {t:.9g} s, expected finite numbers."
            )
        return array

    def _shapes(self) -> list[tuple[int, ...]]:
        one = (self._width,)
        return [one] if self._rows is None else [one, (self._rows, self._width)]

    def _numbers(self, value: object) -> Array:
        expected = " or ".join(map(str, self._shapes()))
        try:
            array = _real(value)
        except (TypeError, ValueError):
            raise InputError(
                f"`{self._name}` is {shown(value)}, expected None, an array {expected}, "
                f"(times, values), a function of (t, q, qd) or a controller."
            ) from None
        if array.shape not in self._shapes():
            hint = "; torques over time are given as (times, values)" if array.ndim == 2 else ""
            raise InputError(f"`{self._name}` has shape {array.shape}, expected {expected}{hint}.")
        if not np.isfinite(array).all():
            raise InputError(f"`{self._name}` is {shown(value)}: its numbers must be finite.")
        return array

    def _set_times(self, times: object, values: object) -> None:
        try:
            t, v = _real(times), _real(values)
        except (TypeError, ValueError):
            raise InputError(f"`{self._name}` over time is not made of numbers.") from None
        if t.ndim != 1 or len(t) < 2 or v.shape != (len(t), self._width):
            raise InputError(
                f"`{self._name}` over time has times of shape {t.shape} and values of shape "
                f"{v.shape}, expected (K,) and (K, {self._width}) with K at least two."
            )
        if not np.isfinite(t).all() or not np.isfinite(v).all():
            raise InputError(f"`{self._name}` over time has numbers that are not finite.")
        late = np.flatnonzero(np.diff(t) <= 0)
        if len(late):
            k = int(late[0])
            raise InputError(
                f"the times of `{self._name}` go backwards: {t[k + 1]:g} s comes after {t[k]:g} s."
            )
        self._times, self._values = t, v
        self._tick = 1e-9 * float(np.diff(t).min())  # nearer than this is at the value


class Forces:
    """All that acts on the joints."""

    def __init__(
        self, arm: Arm, drive: Quantity, wrench: Quantity, spring: Rule | None = None
    ) -> None:
        self.drive = drive
        self._arm, self._wrench, self._spring = arm, wrench, spring

    @property
    def is_constant(self) -> bool:
        """Whether the drives give the same torques always, and nothing else acts."""
        plain = self._wrench.is_zero and self._spring is None
        return plain and self.drive.constant is not None

    @property
    def is_function(self) -> bool:
        """Whether Python code is asked, with all arms at once."""
        return self.drive.is_function or self._wrench.is_function

    @property
    def is_passive(self) -> bool:
        """Whether nothing can bring energy into the arm."""
        return self.drive.is_zero and self._wrench.is_zero

    def longest_step(self, t: float) -> float:
        """Return how long a step from a time may be so that nothing over time is missed."""
        return min(self.drive.longest_step(t), self._wrench.longest_step(t))

    def part(self, i: int, j: int) -> Forces:
        """Return those on rows i to j, without j, of the arms."""
        return Forces(self._arm, self.drive.part(i, j), self._wrench.part(i, j), self._spring)

    def of_arm(self, k: int) -> Forces:
        """Return those on one arm of a batch, which is then simulated alone."""
        return Forces(self._arm, self.drive.of_arm(k), self._wrench.of_arm(k), self._spring)

    def at(self, t: float, q: Array, qd: Array) -> tuple[Array, Array]:
        """Return the torques on the joints ``(B, n)``, and those of them that the drives give."""
        driven = self.drive.at(t, q, qd)
        total = driven
        if not self._wrench.is_zero:
            J = self._arm.jacobian(q)
            wrench = np.broadcast_to(self._wrench.at(t, q, qd), (len(q), 6))
            total = total + np.einsum("bij,bi->bj", J, wrench)
        if self._spring is not None:
            total = total + self._spring(t, q, qd)
        return np.broadcast_to(total, q.shape), driven


def _prepared(name: str, controller: Controller, arm: Arm) -> Callable[..., object]:
    try:
        return controller.prepared(arm)
    except ArmdynError:
        raise
    except Exception as error:
        raise InputError(
            f"`{name}` raised {type(error).__name__}: {error}; when prepared for the arm."
        ) from error


def _real(value: object) -> Array:
    """Return an array of its own: whoever gave the value may use its memory again."""
    given = np.array(cast(ArrayLike, value))
    if value is None or given.dtype.kind == "c":  # NumPy would take nan, and the real part
        raise TypeError
    return given.astype(np.float64)


def _is_over_time(value: tuple[object, ...]) -> bool:
    """Whether a tuple is (times, values), and not the torques of an arm with two joints."""
    return len(value) == 2 and isinstance(value[0], Sequence | np.ndarray)


def _state(q: Array, qd: Array) -> str:
    def row(x: Array) -> str:
        return "[" + ", ".join(f"{v:.6g}" for v in x.ravel()[:12]) + "]"

    return f", q = {row(q)}, qd = {row(qd)}"
