"""What a time law asks of the drives, by the arm's own inverse dynamics between all nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.graph import Program
from armdyn.motion.timing._asked_program import asked_step
from armdyn.motion.timing._limits import Limits
from armdyn.motion.timing._paths import Indices, Splines
from armdyn.motion.timing._problem import Problem

Array = NDArray[np.float64]

# Places in each piece at which torques are computed; just inside the ends, since dry friction has
# no sign where a joint turns.
INSIDE = 1e-4
PLACES = np.array([INSIDE, 0.25, 0.5, 0.75, 1.0 - INSIDE])
# Where friction bends more with the speed, there are more of them.
MORE_PLACES = np.concatenate([[INSIDE], np.arange(1, 8) / 8.0, [1.0 - INSIDE]])
# States that are computed at a time: they stay in the cache.
STATES = 8192


# From this number of paths on, a program is compiled for the whole of a piece.
MANY = 16

LIMITS = ("effort", "acceleration", "velocity")


@dataclass(frozen=True)
class Asked:
    """The largest of what is asked in each piece.

    Attributes:
        above: torque less its upper limit, ``(N, B, n)``.
        below: its lower limit less the torque, ``(N, B, n)``.
        acceleration: size of the acceleration, ``(N, B, n)``.
        velocity: size of the velocity, ``(N, B, n)``.
        used: the largest share of a limit that is used, ``(N, B)``.
        which: of which limit, n times its index in `LIMITS` plus the joint, ``(N, B)``.
    """

    above: Array
    below: Array
    acceleration: Array
    velocity: Array
    used: Array
    which: Array

    def some(self, which: Indices) -> Asked:
        """Return what is asked on some paths."""
        return Asked(*(x[:, which] for x in vars(self).values()))


def asked(problem: Problem, speed: Array) -> Asked:
    """Return what a time law asks.

    Args:
        problem: the paths.
        speed: along the path at the nodes, ``(N + 1, B)``.
    """
    x = speed * speed
    length = np.where(problem.length > 0.0, problem.length, 1.0)
    u = np.where(problem.length > 0.0, np.diff(x, axis=0) / (2.0 * length), 0.0)
    along, law = _places(problem), np.stack([x[:-1], u], axis=-1)
    paths = problem.paths
    program = problem.arm.function("inverse_dynamics", friction=problem.friction).program
    if isinstance(paths, Splines) and isinstance(program, Program) and paths.count >= MANY:
        step = asked_step(program, along.shape[-1])
        if step.kernel is not None:
            given = (*problem.polynomials, along, law, _flat(problem.limits))
            return Asked(*step.kernel(*given))
    return _by_parts(problem, along, law)


def _flat(limits: Limits) -> Array:
    """Return limits as `asked_step` reads them."""
    inverses = [1.0 / x for x in (limits.effort, limits.acceleration, limits.velocity)]
    effort = np.where(np.isfinite(limits.effort), limits.effort, 0.0)
    return np.concatenate([effort, *inverses, limits.loss])


def _by_parts(problem: Problem, along: Array, law: Array) -> Asked:
    """Return what is asked, with all states in memory; for any arm and path."""
    (N, B), limits = problem.length.shape, problem.limits
    finite = np.isfinite(limits.effort)
    effort = np.where(finite, limits.effort, 0.0)
    found = np.empty((4, N, B, problem.n))
    rows = max(1, STATES // (B * along.shape[-1]))
    for i in range(0, N, rows):
        part = slice(i, i + rows)
        x, u = law[part, :, None, :1], law[part, :, None, 1:]
        x = np.maximum(x + 2.0 * u * along[part, ..., None], 0.0)
        s = problem.s[:-1][part, :, None] + along[part]
        q, by_s, by_ss = problem.paths.states(problem.middle[part], s)
        qd, qdd = by_s * np.sqrt(x), by_s * u + by_ss * x
        tau = problem.arm.inverse_dynamics(q, qd, qdd, friction=problem.friction)
        size = np.abs(qd)
        most = effort - limits.loss * size
        for k, value in enumerate((tau - most, -most - tau, np.abs(qdd), size)):
            found[k, part] = value.max(axis=2)
    over = np.maximum(found[0], found[1]) / np.where(finite, limits.effort, 1.0)
    shares = np.concatenate(
        [
            np.where(finite, 1.0 + over, 0.0),
            found[2] / limits.acceleration,
            found[3] / limits.velocity,
        ],
        axis=-1,
    )
    above, below, rates, speeds = found
    which = shares.argmax(axis=-1).astype(np.float64)
    return Asked(above, below, rates, speeds, shares.max(axis=-1), which)


def _places(problem: Problem) -> Array:
    """Return places in each piece, from its left end, ``(N, B, places)``.

    In the first and the last piece they are nearer to the ends of the path, where speeds rise from
    rest. At the start itself the arm may rest, and dry friction is none.
    """
    usual = PLACES if problem.exact else MORE_PLACES
    along = problem.length[:, :, None] * usual
    last, lanes = np.count_nonzero(problem.length, axis=0) - 1, np.arange(problem.paths.count)
    along[last, lanes] = problem.length[last, lanes, None] * (1.0 - np.square(1.0 - usual))
    along[0] = problem.length[0, :, None] * np.square(usual)
    along[0, :, 0] = 0.0
    return along
