"""Paths, an arm and its limits as the arrays that the programs read, for many paths at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.motion.timing._limits import Limits, is_exact
from armdyn.motion.timing._nodes import nodes_of
from armdyn.motion.timing._paths import Indices, Paths, Splines
from armdyn.motion.timing._rows import Drives
from armdyn.robot.friction import coefficients

Array = NDArray[np.float64]

# Largest speed along a path [1/s]; more means that no limit holds.
FASTEST = 1e8
# A speed at which a joint slides, but at which only dry friction counts.
CREEPING = 1e-9


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
        q, by_s, by_ss = (x[:, :, 0] for x in paths.states(inside, s[:, :, None]))
        rest = np.zeros_like(q)
        ways = ((rest, rest), (rest, by_s), (by_s, by_ss))
        g, a, b = (arm.inverse_dynamics(q, *x, friction=False) for x in ways)
        a, b = a - g, b - g
        node = np.concatenate([by_s, by_ss, a, b, g], axis=-1)
        sigma = np.sign(paths.states(middle, middle[:, :, None])[1][:, :, 0])
        with np.errstate(divide="ignore"):
            fastest = np.minimum((limits.velocity / np.abs(by_s)).min(axis=-1), FASTEST)
        return cls(arm, paths, limits, friction, s, node, sigma, fastest)

    def some(self, which: Indices) -> Problem:
        """Return the problem of some of the paths."""
        arrays = (x[:, which] for x in (self.s, self.node, self.sigma, self.fastest))
        part = Problem(self.arm, self.paths.some(which), self.limits, self.friction, *arrays)
        part.creeping, part.spare = self.creeping[:, which], self.spare[:, which]
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
    def polynomials(self) -> tuple[Array, Array]:
        """The coefficients of splines in each piece, and s at its left end from their knot."""
        assert isinstance(self.paths, Splines)
        found, knots = self.paths.inside(self.middle)
        return found, (self.s[:-1] - knots)[..., None]

    @cached_property
    def length(self) -> Array:
        """The length of each piece; 0 of those that only other paths have."""
        return np.diff(self.s, axis=0)

    @cached_property
    def exact(self) -> bool:
        """Whether dry friction does not depend on the speed."""
        return not self.friction or is_exact(self.arm)

    def dry(self, speed: Array | None) -> tuple[Array, Array]:
        """Return friction but for its viscous part at both ends of pieces, ``(N, B, n)`` each.

        Args:
            speed: along the path at the nodes; None: it creeps.
        """
        if speed is None or self.exact:
            return self.creeping, self.creeping
        size = np.abs(self.node[:, :, : self.n]) * speed[:, :, None]
        ends = (self.sigma * np.maximum(x, CREEPING) for x in (size[:-1], size[1:]))
        left, right = (self._dry(v) for v in ends)
        return left, right

    @cached_property
    def creeping(self) -> Array:
        """Friction of joints that only just slide, ``(N, B, n)``."""
        return self._dry(CREEPING * self.sigma) if self.rubs else np.zeros_like(self.sigma)

    @cached_property
    def rubs(self) -> bool:
        """Whether there is any friction."""
        return self.friction and any(any(coefficients(j)) for j in self.arm.robot.joints)

    def _dry(self, v: Array) -> Array:
        viscous = np.array([joint.viscous for joint in self.arm.robot.joints])
        return self.arm.friction(v, load=np.zeros_like(v)) - viscous * v

    @cached_property
    def spare(self) -> Array:
        """What limits leave of each joint that holds still, at both ends of pieces."""
        limit = np.where(np.isfinite(self.limits.effort), self.limits.effort, 0.0)
        if not self.rubs:
            left = limit - np.abs(self.node[:, :, 4 * self.n :])
            return np.minimum(left[1:], left[:-1])
        ends = enumerate(self.dry(None))
        return np.minimum(*(self.held(limit - f, -limit - f, right=k == 1) for k, f in ends))

    def held(self, high: Array, low: Array, right: bool) -> Array:
        """Return what limits leave of each joint that holds still, least of both sides.

        Args:
            high: limits above less dry friction, ``(N, B, n)``.
            low: limits below less dry friction.
            right: at the right ends of pieces, or at the left ones.
        """
        node = self.node[1:] if right else self.node[:-1]
        g = node[:, :, 4 * self.n :]
        f = np.array(self.drives.share) * np.abs(self.sigma)
        more, less = (1.0 + f) * g, (1.0 - f) * g
        above = high - np.where(self.sigma > 0.0, np.maximum(more, less), less)
        below = np.where(self.sigma < 0.0, np.minimum(more, less), less) - low
        return np.minimum(above, below)


def _middle(s: Array) -> Array:
    return (s[1:] + s[:-1]) / 2
