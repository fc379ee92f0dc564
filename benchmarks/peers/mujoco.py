"""MuJoCo called from Python, one state per call, without contacts and constraints."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.pinocchio import pinocchio_model
from armdyn.errors import ArmdynError, MissingExtraError
from peers.peer import Array, Offer, Parts, Task, one_by_one
from timing import Job


class MuJoCo:
    """MuJoCo's Python module."""

    name = "MuJoCo"
    note = (
        "mj_kinematics, mj_comPos and mj_crb for the mass matrix, mj_inverse, mj_forward; contacts "
        "and constraints off, the state set before"
    )

    def __init__(self) -> None:
        try:
            self._mujoco: Any = import_module("mujoco")
        except ImportError:
            raise MissingExtraError("mujoco", "bench", "the comparison with MuJoCo") from None
        self.version = str(self._mujoco.__version__)

    def arm(self, arm: Arm) -> _MuJoCoArm:
        """Return MuJoCo's model of an arm."""
        return _MuJoCoArm(self._mujoco, arm)


class _MuJoCoArm:
    def __init__(self, mujoco: Any, arm: Arm) -> None:
        self._mujoco = mujoco
        try:
            self._model = mujoco.MjModel.from_xml_string(mjcf(arm))
        except ValueError as error:  # for example, a moving body without mass
            why = " ".join(str(error).split())
            raise ArmdynError(f"MuJoCo does not take the arm {arm.name!r}: {why}") from None
        self._data = mujoco.MjData(self._model)

    def offers(self, task: Task) -> list[Offer]:
        """Return the call, if MuJoCo computes this quantity exactly."""
        mujoco, model, data = self._mujoco, self._model, self._data
        rules: dict[str, tuple[Callable[[], object], Callable[[], Array]]] = {
            "mass_matrix": (self._composite, self._full_matrix),
            "inverse_dynamics": (
                lambda: mujoco.mj_inverse(model, data),
                lambda: data.qfrc_inverse,
            ),
            "forward_dynamics": (lambda: mujoco.mj_forward(model, data), lambda: data.qacc),
        }
        if task.quantity not in rules:
            return []
        call, result = rules[task.quantity]
        goes_to = "qfrc_applied" if task.quantity == "forward_dynamics" else "qacc"
        places = ("qpos", "qvel", goes_to)

        def answer(*state: Array) -> Array:
            for place, values in zip(places, state, strict=False):
                getattr(data, place)[:] = values
            call()
            return result()

        shapes = {slot.name: slot.shape for slot in task.function.program.outputs}

        def answers() -> Parts:
            return one_by_one(answer, task.states, shapes)

        timed = {
            "inverse_dynamics": Job(mujoco.mj_inverse, (model, data)),
            "forward_dynamics": Job(mujoco.mj_forward, (model, data)),
        }
        return [Offer("one", timed.get(task.quantity, Job(call, ())), answers)]

    def _composite(self) -> None:
        self._mujoco.mj_kinematics(self._model, self._data)
        self._mujoco.mj_comPos(self._model, self._data)
        self._mujoco.mj_crb(self._model, self._data)

    def _full_matrix(self) -> Array:
        full = np.zeros((self._model.nv, self._model.nv))
        self._mujoco.mj_fullM(self._model, self._data, full)
        return full


def mjcf(arm: Arm) -> str:
    """Return an arm as MJCF, converted joint by joint from Pinocchio's model."""
    model = pinocchio_model(arm.robot)
    head = [
        "<mujoco>",
        '<compiler angle="radian" autolimits="false"/>',
        f'<option gravity="{_numbers(arm.robot.gravity)}">',
        '<flag contact="disable" constraint="disable"/></option>',
        "<worldbody>",
    ]
    bodies = [_body(model, i, joint.is_revolute) for i, joint in enumerate(arm.robot.joints, 1)]
    return "\n".join([*head, *bodies, "</body>" * arm.n, "</worldbody>", "</mujoco>"])


def _body(model: Any, joint: int, revolute: bool) -> str:
    """Return the start of a link's body element, which contains the body of the next link."""
    placement, body = model.jointPlacements[joint], model.inertias[joint]
    x, y = placement.rotation[:, 0], placement.rotation[:, 1]
    xx, xy, xz, _, yy, yz, _, _, zz = np.array(body.inertia).ravel()
    return (
        f'<body pos="{_numbers(placement.translation)}" xyaxes="{_numbers((*x, *y))}">'
        f'<joint type="{"hinge" if revolute else "slide"}" axis="0 0 1" '
        f'armature="{_numbers([model.armature[joint - 1]])}"/>'
        f'<inertial pos="{_numbers(body.lever)}" mass="{_numbers([body.mass])}" '
        f'fullinertia="{_numbers((xx, yy, zz, xy, xz, yz))}"/>'
    )


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
