"""Inverse kinematics as code: all branches of an arm with a closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.checks import checked_choice
from armdyn.errors import InputError
from armdyn.export.c import c_source
from armdyn.export.c_package import CFunction
from armdyn.export.libraries import javascript_source
from armdyn.graph.interpret import NODES, evaluate
from armdyn.graph.program import Program, Slot
from armdyn.graph.show import show
from armdyn.graph.trace import trace
from armdyn.kinematics.branch_programs import branches
from armdyn.kinematics.branch_solver import ERROR, BranchSolver
from armdyn.kinematics.elimination import GenericSolver
from armdyn.kinematics.inverse_kinematics import solver_of
from armdyn.robot.model import Robot
from armdyn.scalar import Scalar
from armdyn.scalar import min as lesser

NAME = "inverse_kinematics"

WRITERS: dict[str, Callable[[Program], str]] = {
    "javascript": javascript_source,
    "c": lambda program: c_source(program, NAME),
    "python": show,
}

# Poses that the self-test tries; of a few arms, some are out of reach.
TESTED = 5
SEED = 17


def inverse_kinematics_program(robot: Robot) -> Program | None:
    """Return all branches of an arm as a program; None if it has no closed form.

    Its inputs are the pose and, of seven joints, the position of the one that is given. It returns
    positions, margins, and how far joints are beyond their limits; steps of Newton's method are
    included where the family needs them.
    """
    solver = _solver(robot)
    if solver is None:
        return None
    form = solver.form
    newton = solver.newton_program if form.polish or not form.exact else None
    n, B = robot.n, form.branches

    def function(
        pose: list[Scalar], given: Sequence[Scalar] = ()
    ) -> tuple[list[list[Scalar]], list[Scalar], list[Scalar]]:
        spare = given[0] if given else None
        q, margin, beyond, _ = branches(form, solver.limits, solver.turns.tolist(), pose, spare)
        if newton is None:
            return q, margin, beyond
        for k in range(B):
            for _ in range(form.polish):
                q[k] = evaluate(newton, [*q[k], *pose], NODES)[:n]
            # not valid unless the pose is reached
            margin[k] = lesser(margin[k], ERROR - evaluate(newton, [*q[k], *pose], NODES)[n])
        return q, margin, beyond

    outputs = [Slot("q", (B, n)), Slot("margin", (B,)), Slot("beyond", (B,))]
    return trace(function, solver.inputs, outputs, NAME)


def inverse_kinematics_source(robot: Robot, language: str) -> str:
    """Return all branches of an arm as source text; see `Arm.inverse_kinematics_source`."""
    wanted = checked_choice(language, "language", tuple(WRITERS))
    program = inverse_kinematics_program(robot)
    if program is None:
        raise InputError(f"robot {robot.name!r} has no closed form of its inverse kinematics.")
    return WRITERS[wanted](program)


def _solver(robot: Robot) -> BranchSolver | None:
    solver = solver_of(robot, robot.n + 1)
    return None if isinstance(solver, GenericSolver) else solver


def inverse_kinematics_function(robot: Robot, name: str) -> CFunction:
    """Return the C function of an arm with a closed form."""
    solver, code = _solver(robot), inverse_kinematics_program(robot)
    if solver is None or code is None:
        raise InputError(
            f"robot {robot.name!r} has no closed form of its inverse kinematics; leave "
            f"{NAME!r} out.",
            argument="functions",
        )
    form = solver.form
    notes = [
        f"{name}: all branches of the inverse kinematics of the tip ({form.words}).",
        "pose: 4x4, row-major, of the tip in the base frame; its upper left must be a rotation.",
    ]
    if form.given is not None:
        notes.append(f"given: the position of joint {form.given + 1}, counted from 1.")
    notes += [
        f"q: {form.branches} rows of joint positions; always finite.",
        f"margin: a branch reaches the pose if this is at least {-ERROR:g}.",
        f"beyond: how far a joint is beyond its limits [rad or m]; within if at most {ERROR:g}.",
    ]
    return CFunction(name, code, tuple(notes), _states(robot, code, form.given))


def given_joint(robot: Robot) -> int | None:
    """Return the index of the joint that the closed form of seven joints asks for."""
    solver = _solver(robot)
    return None if solver is None else solver.form.given


def _states(robot: Robot, code: Program, given: int | None) -> tuple[tuple[float, ...], ...]:
    """Return poses in reach, and what else the function reads."""
    low = [max(j.lower, -2.5 if j.is_revolute else -0.5) for j in robot.joints]
    high = [min(j.upper, 2.5 if j.is_revolute else 0.5) for j in robot.joints]
    q = np.random.default_rng(SEED).uniform(low, np.maximum(low, high), (TESTED, robot.n))
    rows = [Arm(robot).pose(q).reshape(TESTED, 16)]
    if given is not None:
        rows.append(q[:, given : given + 1])
    assert sum(slot.size for slot in code.inputs) == sum(part.shape[1] for part in rows)
    return tuple(tuple(row) for row in np.hstack(rows).tolist())
