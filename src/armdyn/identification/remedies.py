"""What mends a finding: the same identification with the remedy applied.

Advice is applied before it is given. A remedy changes the logs (sign, unit, order of joints), an
option of the fit (delay) or adds columns; the model is fitted again, and its error on data
held out must fall on the joint that the finding speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.findings import Finding
from armdyn.identification.fit.columns import Column
from armdyn.identification.judge.effects import EFFECTS, State
from armdyn.log.log import Log
from armdyn.log.rows import is_in_file
from armdyn.log.trim import with_gain

if TYPE_CHECKING:
    from armdyn.identification.pipeline import Options


@dataclass(frozen=True, eq=False)
class Task:
    """An identification: an arm as described, in the unit of the torques, logs and options."""

    arm: Arm
    train: Sequence[Log]
    test: Sequence[Log]
    options: Options

    def with_logs(self, change: Callable[[Log], Log]) -> Task:
        """Return the task with all logs changed."""
        train, test = ([change(log) for log in logs] for logs in (self.train, self.test))
        return replace(self, train=train, test=test)


def remedied(task: Task, finding: Finding, arm: Arm) -> Task | None:
    """Return the task with a finding mended; None if nothing here mends it.

    Args:
        task: the logs and options.
        finding: what was found.
        arm: as described, in N m.
    """
    at = [j - 1 for j in finding.joints]
    gain = np.ones(arm.n)
    if any(is_in_file(log.q) for log in (*task.train, *task.test)):
        return None
    match finding.kind:
        case "sign":
            gain[at] = -1.0
            return task.with_logs(lambda log: with_gain(log, gain))
        case "scale" | "currents" if finding.values:
            gain[at] = 1.0 / np.abs(finding.values)  # signs are right already
            scaled = task.with_logs(lambda log: with_gain(log, gain))
            # gains of all joints make N m of currents
            return replace(scaled, arm=arm) if finding.kind == "currents" else scaled
        case "swap":
            other = dict(zip(at, reversed(at), strict=True))
            order = [other.get(j, j) for j in range(arm.n)]
            return task.with_logs(lambda log: replace(log, tau=_columns(log.tau, order)))
        case "zero":
            offset = np.zeros(arm.n)
            offset[at] = finding.values[0]
            return task.with_logs(lambda log: replace(log, q=log.q + offset))
        case "degrees":
            turning = [joint.is_revolute for joint in arm.robot.joints]
            unit = np.where(turning, finding.values[0], 1.0)
            return task.with_logs(
                lambda log: replace(
                    log, q=log.q * unit, qd=None if log.qd is None else log.qd * unit
                )
            )
        case "delay":
            delay = (task.options.delay or 0.0) + finding.values[0]
            return replace(task, options=replace(task.options, delay=delay))
        case kind:
            columns = [c for j in at for c in _extra(kind, j)]
            if not columns:
                return None
            more = (*task.options.extra, *columns)
            return replace(task, options=replace(task.options, extra=more))


def _columns(tau: Array | None, order: list[int]) -> Array | None:
    return None if tau is None else np.take(tau, order, axis=1)


def _extra(kind: str, j: int) -> list[Column]:
    """Return the columns of an effect that is a function of one joint's motion."""
    effect = next((e for e in EFFECTS if e.kind == kind and e.motion), None)
    if effect is None:
        return []

    def column(i: int) -> Callable[[Array, Array, Array], Array]:
        # State has no reference: such effects ask it for nothing
        return lambda q, qd, qdd: effect.columns(State(None, q, qd, qdd, None, 1.0))[:, j, i]

    names = (f"{kind} {i + 1}" for i in range(effect.count))
    return [Column(name, "", "extra", j, column(i)) for i, name in enumerate(names)]
