"""What changed between two days of an arm, beside the error bars of both.

Friction is compared as a torque, over the speeds that both days have, and gravity as a torque, in
the postures that both have: terms of friction and single parameters may exchange what they explain.
A change is the root mean square over these; its bar is the standard deviation of the difference,
from the covariances of both identifications.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import Column
from armdyn.identification.fit.gravity import Turned
from armdyn.identification.page.friction import friction_rows
from armdyn.monitoring.work import Row

# A change that exceeds this many standard deviations is a drift. Of 27,000 comparisons (50 arms of
# 6 joints, 3 quantities, 30 days), one or two exceed it by chance; `benchmarks/fleet.py` counts the
# arms without a drift that are named.
DEVIATIONS = 4.0

# Smaller changes than this share of the joint's rms torque (of errors: of torque) do not matter.
LEAST_SHARE = 0.01

# Speeds in either direction, and postures, in which models are compared.
SPEEDS, POSTURES = 12, 64

KINDS = ("friction", "gravity", "torque error")


@dataclass(frozen=True, eq=False)
class Change:
    """A change of every joint from one row to another.

    Attributes:
        kind: one of `KINDS`.
        size: of every joint ``(n,)`` [N m or N; of torque errors a share]; negative if it fell; NaN
            where the rows cannot be compared.
        bar: its standard deviation ``(n,)``.
        relative: the size beside the joint's rms torque ``(n,)``.
    """

    kind: str
    size: Array
    bar: Array
    relative: Array

    @property
    def exceeds(self) -> NDArray[np.bool_]:
        """Whether the change of each joint exceeds its error bars ``(n,)``."""
        with np.errstate(invalid="ignore"):
            above = np.abs(self.size) > DEVIATIONS * self.bar
            return above & (np.abs(self.relative) > LEAST_SHARE)


def changes(arm: Arm, rotor: bool, before: Row, after: Row) -> list[Change]:
    """Return the changes of friction, gravity and torque errors from one row to another.

    Args:
        arm: the described arm.
        rotor: whether minimal parameters have rotors.
        before: the earlier row, with a result.
        after: the later one.
    """
    load = 0.5 * (numbers(before["box"]["load"]) + numbers(after["box"]["load"]))
    made = [
        _as_change("friction", load, *_friction(arm.n, before, after, load)),
        _as_change("gravity", load, *_gravity(arm, rotor, before, after)),
    ]
    error = numbers(after["torque_error"]) - numbers(before["torque_error"])
    bars = numbers(after["torque_error_std"]), numbers(before["torque_error_std"])
    made.append(Change(KINDS[2], error, np.hypot(*bars), error))
    return made


def _as_change(kind: str, load: Array, size: Array, bar: Array) -> Change:
    share = np.divide(size, load, out=np.full(len(load), np.nan), where=load > 0.0)
    return Change(kind, size, bar, share)


def numbers(values: Sequence[float | None]) -> Array:
    """Return numbers of a row; NaN where it has none."""
    return np.array([np.nan if x is None else x for x in values], np.float64)


def friction_at(terms: Sequence[Row], v: Array, load: float) -> tuple[Array, Array]:
    """Return the friction of a joint at speeds ``(N,)``, and its covariance ``(N, N)``."""
    columns = [
        Column(x["term"], "", x["kind"], 0, shape=tuple(x["shape"]), soft=x["soft"]) for x in terms
    ]
    A = friction_rows(columns, v, load)
    covariance = np.array([x["covariance"] for x in terms], np.float64)
    return A @ np.array([x["value"] for x in terms]), A @ covariance @ A.T


def speeds_of(rows: Sequence[Row], j: int) -> Array | None:
    """Return speeds of a joint in both directions that all rows have; None without any."""
    slowest = max(float(row["box"]["dead_band"][j] or 0.0) for row in rows)
    fastest = min(float(row["box"]["speed"][j] or 0.0) for row in rows)
    if not 0.0 <= slowest < fastest:
        return None
    v = np.linspace(slowest, fastest, SPEEDS + 1)[1:]
    return np.concatenate([-v[::-1], v])


def _friction(n: int, before: Row, after: Row, load: Array) -> tuple[Array, Array]:
    size, bar = np.full((2, n), np.nan)
    for j in range(n):
        v = speeds_of((before, after), j)
        if v is None or not before["friction"][j] or not after["friction"][j]:
            continue
        (f, C), (g, D) = (
            friction_at(row["friction"][j], v, float(load[j])) for row in (before, after)
        )
        sign = -1.0 if float((g - f) @ np.sign(v)) < 0.0 else 1.0
        size[j] = sign * _rms(g - f)
        bar[j] = np.sqrt(max(float(np.mean(np.diag(C + D))), 0.0))
    return size, bar


def _gravity(arm: Arm, rotor: bool, before: Row, after: Row) -> tuple[Array, Array]:
    """Return rms changes of the torques of gravity, positive where they grew, and their bars."""
    size, bar = np.full((2, arm.n), np.nan)
    boxes = before["box"], after["box"]
    lower = np.max([numbers(box["lower"]) for box in boxes], axis=0)
    upper = np.min([numbers(box["upper"]) for box in boxes], axis=0)
    if not (lower <= upper).all():
        return size, bar
    q = np.random.default_rng(0).uniform(lower, upper, (POSTURES, arm.n))
    (g, C), (h, D) = (gravity_at(arm, rotor, row, q) for row in (before, after))
    sign = np.where(np.sum(h**2 - g**2, axis=0) < 0.0, -1.0, 1.0)
    return sign * np.sqrt(np.mean((h - g) ** 2, axis=0)), np.sqrt(np.mean(C + D, axis=0))


def gravity_at(arm: Arm, rotor: bool, row: Row, q: Array) -> tuple[Array, Array]:
    """Return the torques of gravity of a row at positions ``(N, n)``, and their variances."""
    base, told = arm.minimal_with(rotor=rotor), row["gravity"]
    at = [base.names.index(name) for name in told["names"]]
    Y = base.regressor(q, np.zeros_like(q), np.zeros_like(q))[:, :, at]
    torque = Y @ np.array(told["values"])
    if told["turned"] is not None:
        torque += Turned(numbers(told["turned"]), numbers(told["links"])).torques(arm.robot, q)
    variance = np.einsum("pji,ik,pjk->pj", Y, np.array(told["covariance"]), Y)
    return torque, np.maximum(variance, 0.0)


def _rms(x: Array) -> float:
    return float(np.sqrt(np.mean(x**2)))


def add_drift(arm: Arm, rotor: bool, rows: Sequence[Row]) -> None:
    """Add to every row its changes against the last row of the same arm with a result.

    Rows are in the order of arms and days. A row gets "since", the day it is compared with,
    "changes", sizes and bars of each kind, and "drift", sentences on what exceeds its error bars.
    """
    last: dict[str, Row] = {}
    for row in rows:
        row.update(since=None, changes=None, drift=[])
        if row["error"] is not None:
            continue
        before = last.get(row["arm"])
        last[row["arm"]] = row
        if before is None:
            continue
        made = changes(arm, rotor, before, row)
        row["since"] = before["day"]
        row["changes"] = {one.kind: _plain_change(one) for one in made}
        row["drift"] = [words for one in made for words in _sentences(arm, one)]


def _plain_change(change: Change) -> dict[str, Any]:
    return {
        "size": [None if np.isnan(x) else float(x) for x in change.size],
        "bar": [None if np.isnan(x) else float(x) for x in change.bar],
        "exceeds": [bool(x) for x in change.exceeds],
    }


def _sentences(arm: Arm, change: Change) -> list[str]:
    made: list[str] = []
    for j, joint in enumerate(arm.robot.joints):
        if not change.exceeds[j]:
            continue
        size, bar = float(change.size[j]), float(change.bar[j])
        unit = "N m" if joint.is_revolute else "N"
        words = f"{size:+.3g} {unit} (error bar {bar:.2g})"
        if change.kind == KINDS[2]:
            words = f"{100 * size:+.2g} points (error bar {100 * bar:.2g})"
        made.append(f"{change.kind} of {joint.name} changed by {words}")
    return made
