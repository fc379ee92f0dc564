"""Paths, an arm and its limits as the arrays that the programs read, for many paths at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.graph.interpret import NODES, evaluate
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.kernel.kernel import Kernel
from armdyn.motion.limits import Drives, Limits, Row, is_exact
from armdyn.motion.paths import (
    MORE_PLACES,
    PLACES,
    Indices,
    Paths,
    Splines,
    chunk_rows,
    cubic,
    nodes_of,
    places_of,
)
from armdyn.numerics import ratio
from armdyn.programs.evaluate import Evaluator
from armdyn.robot.friction import coefficients
from armdyn.scalar import Scalar, max, sign

# What the rows need of the nodes of splines, as a program.
#
# The inverse dynamics three times, with the sines they share: nothing but the coefficients is
# written to memory.

# Largest speed along a path [1/s]; more means that no limit holds.
MAX_PATH_SPEED = 1e8


@lru_cache(maxsize=32)
def node_step(inverse_dynamics: Program) -> Evaluator:
    """Return the evaluator of dq/ds, d2q/ds2, a, b and g at a node; of signs; of the largest speed.

    Inputs are the coefficients of the polynomial, s of the node and of the middle of its piece,
    both from the knot, and the inverses of the limits of velocity, 0 if there is none.

    Args:
        inverse_dynamics: the program, without friction.
    """
    n = inverse_dynamics.inputs[0].size
    rest: list[Scalar] = [0.0] * n

    def torques(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> list[Scalar]:
        return evaluate(inverse_dynamics, [*q, *qd, *qdd], NODES)

    def function(polynomial: Row, places: Row, inverse: Row) -> object:
        q, by_s, by_ss = cubic(polynomial, places[0])
        g = torques(q, rest, rest)
        a, b = (
            [x - y for x, y in zip(found, g, strict=True)]
            for found in (torques(q, rest, by_s), torques(q, by_s, by_ss))
        )
        rate: Scalar = 1.0 / MAX_PATH_SPEED
        for x, r in zip(by_s, inverse, strict=True):
            rate = max(rate, abs(x) * r)
        signs = [sign(x) for x in cubic(polynomial, places[1])[1]]
        return [*by_s, *by_ss, *a, *b, *g], signs, 1.0 / rate

    inputs = [Slot("polynomial", (4 * n,)), Slot("places", (2,)), Slot("inverse", (n,))]
    outputs = [Slot("node", (5 * n,)), Slot("signs", (n,)), Slot("fastest", ())]
    return Evaluator(trace(function, inputs, outputs, "time_optimal_node"))


# From this number of splines on, programs are compiled for all that is computed of a node or piece.
MIN_COMPILED_SPLINES = 16
# A speed at which a joint slides, but at which only dry friction counts.
CREEP_SPEED = 1e-9


@dataclass
class Problem:
    """What is the same in all passes.

    Attributes:
        arm: the arm.
        paths: B paths.
        limits: of the joints.
        friction: whether friction counts.
        s: nodes, ``(N + 1, B)``.
        node: dq/ds, d2q/ds2, a, b and g at them, ``(N + 1, B, 5n)``.
        sigma: signs of dq/ds inside the pieces, ``(N, B, n)``.
        fastest: largest speed along the path that velocities allow, ``(N + 1, B)``.
    """

    arm: Arm
    paths: Paths
    limits: Limits
    friction: bool
    s: Array
    node: Array
    sigma: Array
    fastest: Array

    @classmethod
    def of(cls, arm: Arm, paths: Paths, limits: Limits, friction: bool, pieces: int) -> Problem:
        """Return the problem with a number of equal pieces, and more where paths need them."""
        s = nodes_of(paths, pieces)
        middle = _middle(s)
        inside = np.concatenate([middle, middle[-1:]])
        if isinstance(paths, Splines) and (kernel := compiled_step(arm, paths, False, node_step)):
            found = _by_program(paths, limits, kernel, s, inside)
            return cls(arm, paths, limits, friction, s, *found)
        q, by_s, by_ss = (x[:, :, 0] for x in paths.states(inside, s[:, :, None]))
        rest = np.zeros_like(q)
        ways = ((rest, rest), (rest, by_s), (by_s, by_ss))
        g, a, b = (arm.inverse_dynamics(q, *x, friction=False) for x in ways)
        a, b = a - g, b - g
        node = np.concatenate([by_s, by_ss, a, b, g], axis=-1)
        sigma = np.sign(paths.states(middle, middle[:, :, None])[1][:, :, 0])
        fastest = ratio(limits.velocity, np.abs(by_s), MAX_PATH_SPEED).min(axis=-1)
        fastest = np.minimum(fastest, MAX_PATH_SPEED)
        return cls(arm, paths, limits, friction, s, node, sigma, fastest)

    def some(self, which: Indices) -> Problem:
        """Return the problem of some of the paths."""
        some = partial(np.take, indices=which, axis=1)
        arrays = (some(x) for x in (self.s, self.node, self.sigma, self.fastest))
        part = Problem(self.arm, self.paths.some(which), self.limits, self.friction, *arrays)
        part.creeping, part.places = some(self.creeping), some(self.places)
        return part

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.arm.n

    @cached_property
    def drives(self) -> Drives:
        """The form of the rows."""
        return self.limits.drives(self.arm, self.friction)

    @cached_property
    def middle(self) -> Array:
        """The middle of each piece."""
        return _middle(self.s)

    @cached_property
    def segments(self) -> Indices:
        """The segment of a spline in which each piece is: see `Splines.segments`."""
        assert isinstance(self.paths, Splines)
        return self.paths.segments(self.middle)

    @cached_property
    def left(self) -> Array:
        """The left end of each piece from the knot before, ``(N, B)``."""
        assert isinstance(self.paths, Splines)
        return self.s[:-1] - self.paths.starts[self.segments]

    @cached_property
    def length(self) -> Array:
        """The length of each piece; 0 of those that only other paths have."""
        return np.diff(self.s, axis=0)

    @cached_property
    def places(self) -> Array:
        """Places in each piece at which a law is judged, from its left end, ``(N, B, places)``."""
        return places_of(self.length, PLACES if self.exact else MORE_PLACES)

    @cached_property
    def exact(self) -> bool:
        """Whether dry friction does not depend on the speed."""
        return not self.friction or is_exact(self.arm)

    def efforts(self, speed: Array | None) -> tuple[Array, Array]:
        """Return limits of torque above, then below, less friction but for its viscous part.

        They are ``(N, B, 2n)`` at left and at right ends of pieces.

        Args:
            speed: along the path at the nodes; None: it creeps.
        """
        if speed is None or self.exact:
            return self.creeping, self.creeping
        size = np.abs(self.node[:, :, : self.n]) * speed[:, :, None]
        ends = (self.sigma * np.maximum(x, CREEP_SPEED) for x in (size[:-1], size[1:]))
        left, right = (self._less(self._dry(v)) for v in ends)
        return left, right

    @cached_property
    def creeping(self) -> Array:
        """Limits of torque less friction of joints that only just slide, ``(N, B, 2n)``."""
        if not self.rubs:
            return self._less(np.zeros(self.n))
        # only the direction counts
        back, rest, ahead = (
            self._dry(np.full(self.n, CREEP_SPEED * way)) for way in (-1.0, 0.0, 1.0)
        )
        still = np.where(self.sigma < 0.0, back, rest)
        return self._less(np.where(self.sigma > 0.0, ahead, still))

    def _dry(self, v: Array) -> Array:
        """Return friction but for its viscous part at velocities."""
        viscous = np.array([joint.viscous for joint in self.arm.robot.joints])
        return self.arm.friction(v, load=np.zeros_like(v)) - viscous * v

    def _less(self, dry: Array) -> Array:
        """Return limits of torque above, then below, less dry friction."""
        n, limit = self.n, np.where(np.isfinite(self.limits.effort), self.limits.effort, 0.0)
        found = np.empty((*self.length.shape, 2 * n))
        found[:, :, :n], found[:, :, n:] = limit - dry, -limit - dry
        return found

    @cached_property
    def rubs(self) -> bool:
        """Whether there is any friction."""
        return self.friction and any(any(coefficients(j)) for j in self.arm.robot.joints)

    def spare(self, at: tuple[Indices, ...]) -> Array:
        """Return what limits leave above and below of joints that hold still, in some pieces."""
        i, lanes = at
        ends = (self.node[i + right, lanes, 4 * self.n :] for right in (0, 1))
        return np.minimum(*(self.held(g, self.creeping[at], self.sigma[at]) for g in ends))

    def held(self, g: Array, efforts: Array, sigma: Array) -> Array:
        """Return what limits leave above, then below, of joints that hold still, ``(..., 2n)``.

        Args:
            g: torque at rest, ``(..., n)``.
            efforts: limits above, then below, less dry friction, ``(..., 2n)``.
            sigma: signs of dq/ds, ``(..., n)``.
        """
        high, low = efforts[..., : self.n], efforts[..., self.n :]
        f = np.array(self.drives.share) * np.abs(sigma)
        more, less = (1.0 + f) * g, (1.0 - f) * g
        above = high - np.where(sigma > 0.0, np.maximum(more, less), less)
        below = np.where(sigma < 0.0, np.minimum(more, less), less) - low
        return np.concatenate([above, below], axis=-1)


def compiled_step(
    arm: Arm, paths: Splines, friction: bool, step: Callable[[Program], Evaluator]
) -> Kernel | None:
    """Return a step made of inverse dynamics as machine code; None if it would not pay off."""
    program = arm.function("inverse_dynamics", friction=friction).program
    if not isinstance(program, Program) or paths.count < MIN_COMPILED_SPLINES:
        return None
    return step(program).kernel


def _middle(s: Array) -> Array:
    return (s[1:] + s[:-1]) / 2


def _by_program(
    paths: Splines, limits: Limits, kernel: Kernel, s: Array, inside: Array
) -> tuple[Array, Array, Array]:
    """Return `node`, `sigma` and `fastest` of nodes, of pieces with places inside."""
    segments, n, count = paths.segments(inside), paths.n, s.size
    knots = paths.starts[segments]
    places = np.stack([s - knots, inside - knots], axis=-1).reshape(count, 2)
    slow = np.repeat(1.0 / limits.velocity[None], chunk_rows(paths.count), axis=0)
    results = [np.empty((count, 5 * n)), np.empty((count, n)), np.empty(count)]
    for part, polynomials in paths.chunks(segments):
        out = tuple(x[part] for x in results)
        kernel(polynomials, places[part], slow[: len(polynomials)], out=out)
    node, sigma, fastest = (x.reshape(*s.shape, *x.shape[1:]) for x in results)
    return node, sigma[:-1], fastest
