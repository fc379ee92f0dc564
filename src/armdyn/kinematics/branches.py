"""`Arm.inverse_kinematics_all`: its arguments, checked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_flag, checked_whole
from armdyn.errors import InputError
from armdyn.kinematics.branch_solver import BranchSolver, Query
from armdyn.kinematics.elimination import put_nearest
from armdyn.kinematics.poses import shaped_poses
from armdyn.kinematics.search import Reach
from armdyn.kinematics.turns import Branches, joined
from armdyn.programs.arguments import checked_out

# More steps of Newton's method are taken to be a mistake.
MOST_POLISH = 20

TURNS = "turns"

SPARE = "positions of a joint, or swivel angles"
NOT_BOTH = "give `redundancy` or `swivel`, not both."


def inverse_kinematics_all(
    solver: BranchSolver | None,
    robot: str,
    poses: ArrayLike,
    redundancy: ArrayLike | None,
    swivel: ArrayLike | None,
    limits: bool | str,
    polish: int | None,
    out: Branches | None,
    reach: Callable[[], Reach],
) -> Branches:
    """Return all branches for poses; see `Arm.inverse_kinematics_all`.

    `solver` is the closed form at given swivel angles if these are given, and `reach` makes what a
    search needs.
    """
    if redundancy is not None and swivel is not None:
        raise InputError(NOT_BOTH, argument="swivel")
    if solver is None and swivel is not None:
        raise InputError(
            f"`swivel` is for arms of seven joints with a shoulder, an elbow and a wrist; robot "
            f"{robot!r} is none.",
            argument="swivel",
        )
    if solver is None:
        raise InputError(
            f"robot {robot!r} has no closed form of its inverse kinematics for this frame; "
            "`inverse_kinematics` searches for one solution."
        )
    turns = isinstance(limits, str) and limits == TURNS
    inside = turns or checked_flag(limits, "limits")
    steps = None if polish is None else checked_whole(polish, "polish", 0, MOST_POLISH)
    given = shaped_poses("poses", poses)
    lead = given.shape[:-2]
    name, value = ("redundancy", redundancy) if swivel is None else ("swivel", swivel)
    spare: Array | None = None
    if value is not None and not solver.form.asks:
        raise InputError(
            f"`redundancy` is for arms with a joint to spare; robot {robot!r} has none.",
            argument="redundancy",
        )
    if value is not None:
        spare = checked_spare(value, name)
        lead = check_lead(given, spare, name)
    elif solver.form.asks:
        spare, given, lead = solver.spread(), given[..., None, :, :], (*lead, len(solver.spread()))
    several = spare is not None and value is None
    wanted = None if out is None else _checked_out(out, solver, lead, several, turns)
    found = solver(Query(given, spare, inside, steps, out=wanted))
    if solver.searches and (found.margin < 0.0).all(axis=-1).any():
        put_nearest(found, given, reach())
    if several:
        found = joined(found)
    if out is not None:
        return out
    return solver.with_turns(found) if turns else found


def _checked_out(
    out: Branches, solver: BranchSolver, lead: tuple[int, ...], several: bool, turns: bool
) -> Branches:
    """Return the arrays that receive the results, shaped for the closed form."""
    if turns:
        raise InputError('`out` does not go with `limits="turns"`; leave it out.', argument="out")
    if not isinstance(out, Branches):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"`out` is {type(out).__name__}, expected the result of an earlier call.",
            argument="out",
        )
    B, n = solver.form.branches, solver.chain.n
    outer = lead[:-1] if several else lead
    total = B * lead[-1] if several else B
    checked_out(out.q, "`out.q`", (*outer, total, n))
    checked_out(out.margin, "`out.margin`", (*outer, total))
    for array, name, shape in (
        (out.valid, "valid", (*outer, total)),
        (out.complete, "complete", outer),
    ):
        if array.shape != shape or array.dtype != np.bool_:
            raise InputError(
                f"`out.{name}` is {array.dtype} of shape {array.shape}, expected bools of shape "
                f"{shape}.",
                argument="out",
            )
    if not all(x.flags.c_contiguous for x in (out.q, out.margin, out.valid)):
        raise InputError("the arrays of `out` are not dense (C-contiguous).", argument="out")
    if not several:
        return out
    whole = np.empty(lead, dtype=bool)
    out.complete[...] = True
    return Branches(
        out.q.reshape(*lead, B, n), out.valid.reshape(*lead, B), out.margin.reshape(*lead, B), whole
    )


def checked_spare(value: ArrayLike, name: str) -> Array:
    """Return positions of a joint to spare, or swivel angles, of any shape."""
    return checked_array(value, name, what=SPARE, empty=True)


def check_lead(poses: Array, spare: Array, name: str) -> tuple[int, ...]:
    """Return the common broadcast shape of the leading axes of poses and of what is to spare."""
    try:
        return np.broadcast_shapes(poses.shape[:-2], spare.shape)
    except ValueError:
        raise InputError(
            f"`{name}` has shape {spare.shape}, which does not broadcast with poses of "
            f"shape {poses.shape}; expected {poses.shape[:-2]} or a number.",
            argument=name,
        ) from None
