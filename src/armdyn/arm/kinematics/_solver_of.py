"""Which solver of inverse kinematics an arm has for a frame."""

from __future__ import annotations

from dataclasses import replace

from armdyn.algorithms.closed_form import closed_form
from armdyn.arm.kinematics._branch_solver import BranchSolver
from armdyn.robot import IDENTITY, Robot, chain_of


def solver_of(robot: Robot, frame: int | str, swivel: bool = False) -> BranchSolver | None:
    """Return the closed form for a frame, n + 1 for the tip or a name; None if there is none.

    With `swivel`, that of an arm of seven joints at given swivel angles.
    """
    chain = chain_of(robot)
    if isinstance(frame, str):
        named = next(x for x in robot.frames if x.name == frame)
        if named.link != robot.n:
            return None
        chain = replace(chain, tool=named.placement)
    elif frame == robot.n:
        chain = replace(chain, tool=IDENTITY)
    elif frame < robot.n:
        return None
    if swivel:
        from armdyn.algorithms.closed_form.families import swivel_form

        form = swivel_form(chain)
    else:
        form = closed_form(chain)
    if form is not None:
        return BranchSolver(chain, form, robot.joints)
    six = robot.n == 6 and all(joint.is_revolute for joint in robot.joints)
    if swivel or not (six and chain.is_normal):
        return None
    from armdyn.arm.kinematics._generic import GenericSolver

    generic = GenericSolver(chain, robot.joints)
    return generic if generic.walks else None
