"""What drives and brakes the joints of a compiled model: inertia, friction and limits of effort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from armdyn.robot.formats._records import Fault
from armdyn.robot.friction import FRICTION_TERMS, shape_fields

OWN = "armdyn"
"""Numbers of <custom> called "armdyn:<joint>:<field>" hold what MJCF has no attribute for."""

EXACT = f"{OWN}:exact"
"""The number of <custom> that says that all numbers are exact: none is snapped."""

NO_LIMIT = 1e9
"""A limit needs two sides: one of at least this size means that there is none."""

ATTRIBUTES = {"viscous": "damping", "coulomb": "frictionloss"}
"""The attributes of <joint> by the fields of `Joint`."""


def own_fields() -> tuple[str, ...]:
    """Return the fields of `Joint` that <custom> holds."""
    friction = [field for field in (*FRICTION_TERMS, *shape_fields()) if field not in ATTRIBUTES]
    return ("velocity", *friction)


def own_name(joint: str, field: str) -> str:
    """Return the name of a number of <custom>."""
    return f"{OWN}:{joint}:{field}"


class Drives:
    """Reads the drives of joints, by the number of the joint in the model."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        """Take what MuJoCo's process sent."""
        self._answer = answer
        self._actuators: dict[int, list[dict[str, Any]]] = {}
        for actuator in answer["actuators"]:
            self._actuators.setdefault(actuator["joint"], []).append(actuator)
        self._own = _own_numbers(answer)
        self.exact = EXACT in answer["numeric_names"]
        self.uneven: set[int] = set()
        """Joints whose two limits of effort differ."""

    def has_actuator(self, joint: int) -> bool:
        """Whether an actuator acts on a joint."""
        return joint in self._actuators

    def rotor_inertia(self, joint: int) -> float:
        """Return the armature of a joint and, reflected by their gears, of its actuators."""
        own = self._answer["dof_armature"][self._answer["jnt_dofadr"][joint]]
        return own + self.reflected_inertia(joint)

    def reflected_inertia(self, joint: int) -> float:
        """Return the armature of a joint's actuators, reflected by their gears."""
        return sum(one["armature"] * one["gear"] ** 2 for one in self._actuators.get(joint, ()))

    def damping(self, joint: int) -> list[float]:
        """Return the coefficients of v, v|v| and v^3."""
        own, reflected = self.own_damping(joint), self.reflected_damping(joint)
        return [a + b for a, b in zip(own, reflected, strict=True)]

    def own_damping(self, joint: int) -> list[float]:
        """Return the coefficients of v, v|v| and v^3 that the joint itself has."""
        dof = self._answer["jnt_dofadr"][joint]
        return [self._answer["dof_damping"][dof], *self._answer["dof_dampingpoly"][dof]]

    def reflected_damping(self, joint: int) -> list[float]:
        """Return the coefficients that the actuators of a joint add, reflected by their gears."""
        sums = [0.0, 0.0, 0.0]
        for one in self._actuators.get(joint, ()):
            for power, coefficient in enumerate(one["damping"]):
                sums[power] += coefficient * abs(one["gear"]) ** (power + 2)
        return sums

    def friction(self, joint: int, name: str) -> dict[str, float]:
        """Return the coefficients of friction by the fields of `Joint`."""
        disabled = self._answer["disabled"]
        loss = self._answer["dof_frictionloss"][self._answer["jnt_dofadr"][joint]]
        found = {
            "viscous": 0.0 if "damping" in disabled else self.damping(joint)[0],
            "coulomb": 0.0 if "frictionloss" in disabled else loss,
        }
        own = {field: self._own.get((name, field), 0.0) for field in own_fields()}
        own.pop("velocity")
        return found | own

    def velocity(self, name: str) -> float | None:
        """Return the limit of velocity that armdyn wrote."""
        return self._own.get((name, "velocity"))

    def effort(self, joint: int) -> float | None:
        """Return the limit of effort, or None: the smaller one where the two directions differ."""
        low, high = -float("inf"), float("inf")
        acting = self._actuators.get(joint, [])
        ranges = [_scaled(one["force"], one["gear"]) for one in acting if one["force"] is not None]
        if acting and len(ranges) == len(acting):
            low, high = sum(one[0] for one in ranges), sum(one[1] for one in ranges)
        if self._answer["jnt_actfrclimited"][joint]:
            least, most = self._answer["jnt_actfrcrange"][joint]
            low, high = max(low, least), min(high, most)
        sizes = sorted((abs(low), abs(high)))
        if sizes[1] == float("inf") and sizes[0] == float("inf"):
            return None
        if sizes[0] != sizes[1]:
            self.uneven.add(joint)
        return (sizes[0] or sizes[1]) or None


def _scaled(force: Sequence[float], gear: float) -> tuple[float, float]:
    a, b = sorted(gear * one for one in force)
    return a, b


def _own_numbers(answer: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for name, at, size in zip(
        answer["numeric_names"], answer["numeric_adr"], answer["numeric_size"], strict=True
    ):
        if not name.startswith(f"{OWN}:") or name == EXACT:
            continue
        joint, _, field = name.removeprefix(f"{OWN}:").rpartition(":")
        if field not in own_fields() or size != 1:
            raise Fault(
                f"<numeric name={name[:80]!r}> of <custom> is not one of armdyn's: expected one "
                f"number called {OWN}:<joint>:<field> with a field of {', '.join(own_fields())}."
            )
        if joint not in answer["jnt_names"]:
            raise Fault(f"<numeric name={name[:80]!r}> of <custom>: there is no such joint.")
        found[joint, field] = answer["numeric_data"][at]
    return found
