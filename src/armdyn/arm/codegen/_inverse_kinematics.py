"""Inverse kinematics in C: all branches of an arm with a closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.algorithms.closed_form.programs import branches
from armdyn.arm.kinematics._branch_solver import ERROR, solver_of
from armdyn.arm.kinematics._generic import GenericSolver
from armdyn.errors import InputError
from armdyn.export import CFunction
from armdyn.graph import NODES, Program, Slot, evaluate, trace
from armdyn.robot import Robot
from armdyn.scalar import Scalar
from armdyn.scalar import min as lesser

NAME = "inverse_kinematics"

# Poses that the self-test tries; of a few arms, some are out of reach.
TESTED = 5
SEED = 17


def inverse_kinematics_function(robot: Robot, name: str) -> CFunction:
    """Return the C function of an arm with a closed form."""
    solver = solver_of(robot, robot.n + 1)
    if solver is None or isinstance(solver, GenericSolver):
        raise InputError(
            f"robot {robot.name!r} has no closed form of its inverse kinematics; leave "
            f"{NAME!r} out.",
            argument="functions",
        )
    form = solver.form
    steps = form.polish
    newton = solver.newton_program if steps or not form.exact else None
    n, B = robot.n, form.branches

    def function(
        pose: list[Scalar], given: Sequence[Scalar] = ()
    ) -> tuple[list[list[Scalar]], list[Scalar], list[Scalar]]:
        q, margin, beyond, _ = branches(form, solver.limits, solver.turns.tolist(), pose, *given)
        if newton is None:
            return q, margin, beyond
        for k in range(B):
            for _ in range(steps):
                q[k] = evaluate(newton, [*q[k], *pose], NODES)[:n]
            # not valid unless the pose is reached
            margin[k] = lesser(margin[k], ERROR - evaluate(newton, [*q[k], *pose], NODES)[n])
        return q, margin, beyond

    outputs = [Slot("q", (B, n)), Slot("margin", (B,)), Slot("beyond", (B,))]
    code = trace(function, solver.inputs, outputs, NAME)
    notes = [
        f"{name}: all {B} branches of the inverse kinematics of the tip ({form.words}).",
        "pose: 4x4, row-major, of the tip in the base frame; its upper left must be a rotation.",
    ]
    if form.given is not None:
        notes.append(f"given: the position of joint {form.given + 1}, counted from 1.")
    notes += [
        f"q: {B} rows of joint positions; always finite.",
        f"margin: a branch reaches the pose if this is at least {-ERROR:g}.",
        f"beyond: how far a joint is beyond its limits [rad or m]; within if at most {ERROR:g}.",
    ]
    return CFunction(name, code, tuple(notes), _states(robot, code, form.given))


def _states(robot: Robot, code: Program, given: int | None) -> tuple[tuple[float, ...], ...]:
    """Return poses in reach, and what else the function reads."""
    from armdyn.arm._arm import Arm

    low = [max(j.lower, -2.5 if j.is_revolute else -0.5) for j in robot.joints]
    high = [min(j.upper, 2.5 if j.is_revolute else 0.5) for j in robot.joints]
    q = np.random.default_rng(SEED).uniform(low, np.maximum(low, high), (TESTED, robot.n))
    rows = [Arm(robot).pose(q).reshape(TESTED, 16)]
    if given is not None:
        rows.append(q[:, given : given + 1])
    assert sum(slot.size for slot in code.inputs) == sum(part.shape[1] for part in rows)
    return tuple(tuple(row) for row in np.hstack(rows).tolist())
