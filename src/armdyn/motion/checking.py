"""What a time law asks of the drives, by the arm's own inverse dynamics between all nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from armdyn.arrays import Array
from armdyn.graph.interpret import NODES, evaluate
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.kernel.kernel import Kernel
from armdyn.motion.limits import Limits, Row
from armdyn.motion.paths import Indices, Splines, chunk_rows, cubic
from armdyn.motion.problem import Problem, compiled_step
from armdyn.programs.evaluate import Evaluator
from armdyn.scalar import Scalar, max, select, sqrt

# What a time law asks of the drives in one piece of a spline, as a program.
#
# Positions, the arm's inverse dynamics and the comparison with limits are one program, at all
# places of a piece: of the thousands of states of a path, nothing is written to memory but the
# largest.


@lru_cache(maxsize=32)
def asked_step(inverse_dynamics: Program, places: int, accelerations: bool) -> Evaluator:
    """Return the evaluator of what is asked: see `Asked`; of `accelerations` only if asked for.

    Inputs are the coefficients of the polynomial, s at the left end of the piece from its knot,
    the places from there, x at the left end and u, and of each joint the limit of effort, the
    inverses of the limits of effort, acceleration and velocity, 0 if there is none, and the loss
    of effort.
    """
    n = inverse_dynamics.inputs[0].size

    def function(polynomial: Row, left: Row, along: Row, law: Row, limits: Row) -> object:
        effort, *inverse, loss = (limits[k * n : (k + 1) * n] for k in range(5))
        found: list[list[Scalar]] = []
        for place in along:
            q, by_s, by_ss = cubic(polynomial, left[0] + place)
            x = max(law[0] + 2.0 * law[1] * place, 0.0)
            y = sqrt(x)
            qd = [a * y for a in by_s]
            qdd = [a * law[1] + b * x for a, b in zip(by_s, by_ss, strict=True)]
            tau = evaluate(inverse_dynamics, [*q, *qd, *qdd], NODES)
            most = [effort[j] - loss[j] * abs(qd[j]) for j in range(n)]
            above, below = ([s * t - m for t, m in zip(tau, most, strict=True)] for s in (1, -1))
            found.append([*above, *below, *map(abs, qdd), *map(abs, qd)])
        largest = found[0]
        for values in found[1:]:
            largest = [max(a, b) for a, b in zip(values, largest, strict=True)]
        over = [max(largest[j], largest[n + j]) for j in range(n)]
        shares = [select(r, 1.0 + x * r, 0.0) for x, r in zip(over, inverse[0], strict=True)]
        rates = [x * r for x, r in zip(largest[2 * n : 3 * n], inverse[1], strict=True)]
        speeds = [x * r for x, r in zip(largest[3 * n :], inverse[2], strict=True)]
        used, which = _largest(shares + rates if accelerations else shares, shares[0], 0.0, 0)
        beyond = used
        used, which = _largest(speeds, used, which, 2 * n)
        fastest, _ = _largest(speeds, speeds[0], 0.0, 0)
        results = beyond, fastest, used, which, largest[: 2 * n]
        return (*results, largest[2 * n : 3 * n]) if accelerations else results

    sizes = {"polynomial": 4 * n, "left": 1, "along": places, "law": 2, "limits": 5 * n}
    inputs = [Slot(name, (size,)) for name, size in sizes.items()]
    outputs = [Slot(name, ()) for name in ("beyond", "velocity", "used", "which")]
    outputs.append(Slot("over", (2 * n,)))
    if accelerations:
        outputs.append(Slot("acceleration", (n,)))
    return Evaluator(trace(function, inputs, outputs, "time_optimal_asked"))


def _largest(shares: Row, used: Scalar, which: Scalar, first: int) -> tuple[Scalar, Scalar]:
    """Return the largest of shares and of `used`, and which it is, counted from `first`."""
    for k, share in enumerate(shares, first):
        which = select(share - used, float(k), which)
        used = max(share, used)
    return used, which


# States that are computed at a time: they stay in the cache.
STATES = 8192

LIMITS = ("effort", "acceleration", "velocity")


@dataclass(frozen=True)
class Asked:
    """The largest of what is asked in each piece.

    Attributes:
        velocity: the largest share of a limit of velocity that is used, ``(N, B)``.
        used: the largest share of any limit, ``(N, B)``.
        which: of which limit, n times its index in `LIMITS` plus the joint, ``(N, B)``.
        beyond: the k pieces, and their paths, in which a limit of effort or of acceleration is
            exceeded.
        over: torque less its upper limit, then its lower limit less the torque there, ``(k, 2n)``.
        acceleration: size of the acceleration there, ``(k, n)``; none if no joint has a limit.
    """

    velocity: Array
    used: Array
    which: Array
    beyond: tuple[Indices, Indices]
    over: Array
    acceleration: Array | None

    def some(self, which: Indices) -> Asked:
        """Return what is asked on some paths."""
        place = np.full(self.used.shape[1], -1)
        place[which] = np.arange(len(which))
        piece, lane = self.beyond
        kept = place[lane] >= 0
        velocity, used, limit = (
            x.take(which, axis=1) for x in (self.velocity, self.used, self.which)
        )
        rates = None if self.acceleration is None else self.acceleration[kept]
        beyond = piece[kept], place[lane[kept]]
        return Asked(velocity, used, limit, beyond, self.over[kept], rates)


def asked(problem: Problem, speed: Array) -> Asked:
    """Return what a time law asks.

    Args:
        problem: the paths.
        speed: along the path at the nodes, ``(N + 1, B)``.
    """
    x = speed * speed
    length = np.where(problem.length > 0.0, problem.length, 1.0)
    u = np.where(problem.length > 0.0, np.diff(x, axis=0) / (2.0 * length), 0.0)
    law = np.stack([x[:-1], u], axis=-1)
    paths, places = problem.paths, problem.places.shape[-1]
    if isinstance(paths, Splines):
        step = partial(asked_step, places=places, accelerations=any(problem.drives.acceleration))
        if kernel := compiled_step(problem.arm, paths, problem.friction, step):
            return _by_program(problem, paths, kernel, law)
    return _by_parts(problem, law)


def _by_program(problem: Problem, paths: Splines, kernel: Kernel, law: Array) -> Asked:
    """Return what is asked, by one program for some pieces of all paths at a time."""
    (N, B), n = problem.length.shape, problem.n
    limits = np.repeat(_flat(problem.limits)[None], chunk_rows(B), axis=0)
    velocity, used, which = (np.empty(N * B) for _ in range(3))
    beyond, over = np.empty(len(limits)), np.empty((len(limits), 2 * n))
    rates = [np.empty((len(limits), n))] if any(problem.drives.acceleration) else []
    left, along, law = (x.reshape(N * B, -1) for x in (problem.left, problem.places, law))
    found: list[tuple[Array, ...]] = []
    for part, polynomials in paths.chunks(problem.segments):
        count = len(polynomials)
        results = (beyond, velocity[part], used[part], which[part], over, *rates)
        kernel(
            polynomials, left[part], along[part], law[part], limits[:count],
            out=tuple(x[:count] for x in results),
        )  # fmt: skip
        at = np.nonzero(beyond[:count] > 1.0)[0]
        found.append((at + part.start, *(x[at] for x in (over, *rates))))
    at, over, *rates = (np.concatenate(x) for x in zip(*found, strict=True))
    piece, lane = np.divmod(at, B)
    velocity, used, which = (x.reshape(N, B) for x in (velocity, used, which))
    return Asked(velocity, used, which, (piece, lane), over, rates[0] if rates else None)


def _flat(limits: Limits) -> Array:
    """Return limits as `asked_step` reads them."""
    inverses = [1.0 / x for x in (limits.effort, limits.acceleration, limits.velocity)]
    effort = np.where(np.isfinite(limits.effort), limits.effort, 0.0)
    return np.concatenate([effort, *inverses, limits.loss])


def _by_parts(problem: Problem, law: Array) -> Asked:
    """Return what is asked, with all states in memory; for any arm and path."""
    (N, B), limits, along = problem.length.shape, problem.limits, problem.places
    finite = np.isfinite(limits.effort)
    effort = np.where(finite, limits.effort, 0.0)
    found = np.empty((4, N, B, problem.n))
    rows = STATES // (B * along.shape[-1]) or 1
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
    shares = (
        np.where(finite, 1.0 + over, 0.0),
        found[2] / limits.acceleration,
        found[3] / limits.velocity,
    )
    each = np.concatenate(shares, axis=-1)
    at = np.nonzero(np.maximum(shares[0], shares[1]).max(axis=-1) > 1.0)
    return Asked(
        shares[2].max(axis=-1),
        each.max(axis=-1),
        each.argmax(axis=-1).astype(np.float64),
        (at[0], at[1]),
        np.concatenate([found[0][at], found[1][at]], axis=-1),
        found[2][at] if any(problem.drives.acceleration) else None,
    )
