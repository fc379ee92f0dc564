"""The regressor Y: torques are Y times the inertial parameters of the links, plus rotors.

Newton-Euler, with a unit of one parameter at a time in place of the link. w, wd: angular velocity
and acceleration of link i; a: acceleration of O_i less gravity; Omega: see `angular`, a point of
the link at x has the acceleration a + Omega x. A unit of the parameter p of link i needs a force
f_p and a moment t_p about O_i. Carrying ten wrenches to every joint before i is expensive: the axes
of these joints, as motions (angular; linear) at O_i, are carried to link i instead. All in E_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.angular import omega_matrix, sliding, turning
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.spatial import Six, halves, motion_to_child
from armdyn.algorithms.vector import ZERO, Matrix, Rows, add, apply, column, cross, dot, neg, scale
from armdyn.robot.chain import Chain, Symmetric, Vector
from armdyn.scalar import Scalar

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

# Inertias with one unit entry each, in the order of `PARAMETER_NAMES`.
UNIT_INERTIAS: tuple[Symmetric, ...] = (
    (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
)


@dataclass(frozen=True)
class Motion:
    """How link i moves: w, wd and a, in E_i."""

    w: Vector
    wd: Vector
    a: Vector

    @property
    def omega(self) -> Rows:
        """Omega, see `angular`."""
        return omega_matrix(self.w, self.wd)

    def next(self, F: Frame, qd: Scalar, qdd: Scalar) -> Motion:
        """Return the motion of link i if this is that of link i-1.

        Of the way from O_{i-1} to O_i, b lies in link i-1 and d on the joint axis, which both links
        share. It counts as a part of link i: its Omega is there for the wrenches anyway.
        """
        a = F.to_child(add(self.a, scale(F.b, column(self.omega, 1))))
        w, wd = turning(F, self.w, self.wd, qd, qdd)
        along = scale(F.d, column(omega_matrix(w, wd), 3))
        return Motion(w, wd, add(a, sliding(F, w, qd, qdd), along))

    def unit_wrenches(self) -> list[tuple[Vector, Vector]]:
        """Return (f_p, t_p) of the ten parameters.

        m: f = a. First moment h: f = Omega h, t = h x a. Inertia J: t = J wd + w x (J w).
        """
        w, wd, a = self.w, self.wd, self.a
        moments = [(column(self.omega, k), cross(h, a)) for k, h in enumerate((X, Y, Z), 1)]
        inertias = [(ZERO, add(apply(J, wd), cross(w, apply(J, w)))) for J in UNIT_INERTIAS]
        return [(a, ZERO), *moments, *inertias]


def regressor(
    chain: Chain, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> Matrix:
    """Return the n rows of 10n; inverse dynamics is Y times `parameters`, plus Jm qdd."""
    F, motions = frames(chain, q), [Motion(ZERO, ZERO, neg(chain.g))]
    for i in range(1, chain.n + 1):
        motions.append(motions[chain.parent(i)].next(F[i], qd[i - 1], qdd[i - 1]))
    return rows_of(chain, F, [motion.unit_wrenches() for motion in motions])


def rows_of(
    chain: Chain, F: Sequence[Frame], wrenches: Sequence[Sequence[tuple[Vector, Vector]]]
) -> Matrix:
    """Return the rows of a regressor: what the unit wrenches of every link do along the axes.

    Args:
        chain: the arm.
        F: its frames.
        wrenches: (f_p, t_p) of the ten parameters of link i, at index i; those of 0 are not read.
    """
    n = chain.n
    rows: Matrix = [[0.0] * (10 * n) for _ in range(n)]
    axes: list[dict[int, Six]] = [{}]  # of the joints on the way to each link, in its frame
    for i in range(1, n + 1):
        axes.append({j: motion_to_child(F[i], x) for j, x in axes[chain.parent(i)].items()})
        axes[i][i] = [*Z, *ZERO] if chain[i].rotational else [*ZERO, *Z]
        for j, axis in axes[i].items():  # the rows of other joints stay zero
            angular, linear = halves(axis)
            for p, (f, t) in enumerate(wrenches[i]):
                rows[j - 1][10 * (i - 1) + p] = dot(angular, t) + dot(linear, f)
    return rows
