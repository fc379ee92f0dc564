"""The programs of an arm that its page contains, as JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from armdyn.arm.codegen._inverse_kinematics import inverse_kinematics_program
from armdyn.export import javascript_object
from armdyn.graph import Program, Rolled

if TYPE_CHECKING:
    from armdyn.arm._arm import Arm

# What the page itself calls; the other functions are for its console.
NEEDED = (
    "pose", "jacobian", "gravity", "mass_matrix", "inverse_mass_matrix", "kinetic_energy",
    "potential_energy", "friction", "forward_dynamics", "inverse_dynamics",
)  # fmt: skip
WITHOUT_FRICTION = ("forward_dynamics", "inverse_dynamics")
# Arms with more joints have sweeps instead of straight-line code: their page shows where they are.
MOST_JOINTS = 40
# Operations of all programs together: some 30 bytes each.
MOST_OPERATIONS = 30_000
# Operations of the closed form of inverse kinematics; longer ones (quartics) are left to a search.
MOST_EXACT = 4_000


def programs_of(arm: Arm, console: bool = True) -> tuple[str, tuple[str, ...]]:
    """Return the programs as an expression of JavaScript, and the names of those left out.

    Args:
        arm: the arm.
        console: whether those that only a console calls are among them.
    """
    found: list[tuple[str, Program]] = []
    left_out: list[str] = []
    room = MOST_OPERATIONS
    for name, program in _wanted(arm, console):
        if program is None or len(program.code) > room:
            left_out.append(name)
        else:
            found.append((name, program))
            room -= len(program.code)
    return javascript_object(found), tuple(left_out)


def _wanted(arm: Arm, console: bool) -> Iterator[tuple[str, Program | None]]:
    """Yield names and programs, those that the page needs first; None for a program with loops."""
    if arm.n > MOST_JOINTS:
        for name in NEEDED:
            yield name, None
        return
    has = arm.quantities
    for name in NEEDED:
        if name in has:
            yield name, _straight(arm, name)
    for name in WITHOUT_FRICTION:
        if name in has:
            yield f"{name}_without_friction", _straight(arm, name, friction=False)
    exact = inverse_kinematics_program(arm.robot)
    if exact is not None and len(exact.code) <= MOST_EXACT:
        yield exact.name, exact
    for name in has:
        if console and name not in NEEDED:
            yield name, _straight(arm, name)


def _straight(arm: Arm, name: str, friction: bool = True) -> Program | None:
    program = arm.function(name, friction=friction).program
    return None if isinstance(program, Rolled) else program
