"""Pinocchio called from Python, one state per call."""

from __future__ import annotations

from typing import Any

from armdyn.arm import Arm
from armdyn.arm.pinocchio import import_pinocchio, pinocchio_model
from armdyn.report.bench._clock import Job
from armdyn.report.bench.peers._peer import (
    Array,
    Offer,
    Parts,
    Task,
    one_by_one,
    parts_of,
    symmetric,
)


class PinocchioPython:
    """Pinocchio's Python module."""

    name = "Pinocchio Python"
    note = (
        "pin.crba, rnea, aba, computeMinverse, computeJointTorqueRegressor, computeRNEADerivatives "
        "and computeABADerivatives with their data made before; crba and aba by the faster of both "
        "conventions"
    )

    def __init__(self) -> None:
        self._pin = import_pinocchio()
        self.version = str(self._pin.__version__)

    def arm(self, arm: Arm) -> _PinocchioArm:
        """Return Pinocchio's model of an arm."""
        return _PinocchioArm(self._pin, arm)


class _PinocchioArm:
    def __init__(self, pin: Any, arm: Arm) -> None:
        self._model = pinocchio_model(arm.robot)
        self._data = self._model.createData()
        both = [(pin.Convention.LOCAL,), (pin.Convention.WORLD,)]
        self._rules: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
            "mass_matrix": (pin.crba, both),
            "inverse_dynamics": (pin.rnea, [()]),
            "forward_dynamics": (pin.aba, both),
            "inverse_mass_matrix": (pin.computeMinverse, [()]),
            "regressor": (pin.computeJointTorqueRegressor, [()]),
            "inverse_dynamics_derivatives": (pin.computeRNEADerivatives, [()]),
            "forward_dynamics_derivatives": (pin.computeABADerivatives, [()]),
        }

    def offers(self, task: Task) -> list[Offer]:
        """Return one call for each convention."""
        if task.quantity not in self._rules:
            return []
        rule, conventions = self._rules[task.quantity]
        return [self._offer(task, rule, convention) for convention in conventions]

    def _offer(self, task: Task, rule: Any, convention: tuple[Any, ...]) -> Offer:
        first = [state[0].copy() for state in task.states]
        shapes = {slot.name: slot.shape for slot in task.function.program.outputs}

        def answer(*state: Array) -> Any:
            given = rule(self._model, self._data, *state, *convention)
            if task.quantity in ("mass_matrix", "inverse_mass_matrix"):
                return symmetric(given)
            if not isinstance(given, tuple):
                return given
            by_q, by_qd, matrix = parts_of(given)
            return by_q, by_qd, symmetric(matrix)

        def answers() -> Parts:
            return one_by_one(answer, task.states, shapes)

        return Offer("one", Job(rule, (self._model, self._data, *first, *convention)), answers)
