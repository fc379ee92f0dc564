"""Articulated bodies of long arms: eliminate joint i, pass the remaining inertia to link i-1.

Symbols of `denoc_udu`: Mh_i is the extended mass of links i..n with joints i+1..n free, mh_i the
inertia that the torque of joint i accelerates, psi_i = Mh_i p_i / mh_i. The links are not
regrouped: their constants are only added here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.denoc_udu import Pivot
from armdyn.algorithms.rolled.inverse import moments_of
from armdyn.algorithms.rolled.place import Place, turned
from armdyn.algorithms.rolled.sweeps import Values
from armdyn.algorithms.spatial import Inertia, Six, from_rows, rigid_inertia, shifted
from armdyn.algorithms.vector import Matrix
from armdyn.scalar import Scalar

NO_MASS = (0.0,) * 21


def body(x: Values) -> Inertia:
    """Return Mh_i: the inertia of link i plus the carried inertia."""
    carried = iter(x["carry:body"])
    upper: Matrix = [[0.0] * row + [next(carried) for _ in range(row, 6)] for row in range(6)]
    return rigid_inertia(moments_of(tuple(x["constant:links"]))) + from_rows(upper)


def flat(Mh: Inertia) -> Six:
    """Return the upper triangle, row by row: the carried numbers."""
    return [value for row, values in enumerate(Mh.rows) for value in values[row:]]


def to_parent(P: Place, Mh: Inertia) -> Inertia:
    """Return an inertia at O_i in E_i as one at O_{i-1} in E_{i-1}.

    53M if the row of a revolute joint's axis is zero; the shift by d_i comes before the rotation,
    while that row is still zero.
    """
    Mh = shifted(Mh, 2, P.d)
    for axis, turn in (0, P.turn), (1, P.tilt):
        rows = Mh.rows
        blocks = [[row[a : a + 3] for row in rows[b : b + 3]] for b, a in ((0, 0), (0, 3), (3, 3))]
        A, B, M = (turned(block, axis, turn) for block in blocks)
        upper: Matrix = [[*A[r], *B[r]] for r in range(3)]
        Mh = from_rows(upper + [[0.0, 0.0, 0.0, *M[r]] for r in range(3)])
    return shifted(Mh, 0, P.b)


@dataclass(frozen=True)
class Joint:
    """Joint i, about to be eliminated.

    Attributes:
        turns: r_i.
        inverse: 1 / mh_i.
        psi: Mh_i p_i / mh_i; along the axis, 1 minus the share of the rotor in mh_i.
        free: Mh_i - psi mh psi^T: the extended mass with joint i free.
    """

    turns: Scalar
    inverse: Scalar
    psi: Six
    free: Inertia

    def along(self, x: Sequence[Scalar]) -> Scalar:
        """Return p_i^T x."""
        return self.turns * x[2] + (1.0 - self.turns) * x[5]


def joint(Mh: Inertia, r: Scalar, Jm: Scalar) -> Joint:
    """Return joint i, given its articulated body."""
    if isinstance(r, float):
        return _joint_of_one_kind(Mh, 2 if r else 5, r, Jm)
    rows, slides = Mh.rows, 1.0 - r
    # products with 1 and 0 are exact: terms that cancel without a rotor cancel to the last digit
    phi = [r * a + slides * b for a, b in zip(rows[2], rows[5], strict=True)]
    inverse = 1.0 / ((r * phi[2] + slides * phi[5]) + Jm)
    rotor = Jm * inverse
    psi = [inverse * a for a in phi]
    psi[2] = r * (1.0 - rotor) + slides * psi[2]
    psi[5] = slides * (1.0 - rotor) + r * psi[5]
    free = [[rows[a][b] - psi[a] * phi[b] for b in range(6)] for a in range(6)]
    return Joint(r, inverse, psi, from_rows(free))


def _joint_of_one_kind(Mh: Inertia, k: int, r: Scalar, Jm: Scalar) -> Joint:
    """Return joint i if all joints are revolute, or all are prismatic."""
    phi = Mh.rows[k]
    mh = phi[k] + Jm
    inverse = 1.0 / mh
    rotor = Jm * inverse
    psi = [inverse * a for a in phi]
    psi[k] = 1.0 - rotor
    free = Pivot(k, Jm, mh, phi, psi, rotor).released(Mh)
    return Joint(r, inverse, psi, free)
