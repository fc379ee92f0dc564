"""The factors of I = U D U^T, written down joint by joint: [Saha1999] section 5.1.

Reverse Gaussian elimination of the inertia matrix, done on the formulas of its entries and not on
numbers, leaves formulas of the same kind. Mh_i (M-hat): extended mass of the articulated body i,
links i..n with joints i+1..n free, (35); mh_i = p_i^T Mh_i p_i: what it sets against joint i, the
entry D_i, (34); alpha_ij = p_i^T B_ji^T Mh_j p_j / mh_j: the entries of U above the diagonal, (34).

Reference points and axes are those of `spatial`, and the links are regrouped (`link_moments`):
neither changes U or D. A rotor of inertia Jm_i turns with joint i: mh_i = p_i^T Mh_i p_i + Jm_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.link_moments import regrouped
from armdyn.algorithms.spatial import Inertia, Six, axis, from_rows, rigid_inertia, wrench_to_base
from armdyn.algorithms.vector import Matrix
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


@dataclass(frozen=True)
class Pivot:
    """Joint i of an articulated body, about to be eliminated.

    Attributes:
        k: where p_i has its one.
        Jm: inertia of the rotor.
        mh: mh_i, the inertia that the joint's torque meets.
        phi: Mh_i p_i.
        psi: Mh_i p_i / mh_i.
        rotor: Jm / mh_i, the share of the rotor in mh_i: psi[k] = 1 - rotor.
    """

    k: int
    Jm: Scalar
    mh: Scalar
    phi: Six
    psi: Six
    rotor: Scalar

    def released(self, Mh: Inertia) -> Inertia:
        """Return Psi_i Mh_i = Mh_i - phi psi^T: the extended mass with joint i free. (35); 15M 15A.

        Row and column k are phi (1 - psi[k]) = Jm psi: exactly zero without a rotor, and with one
        free of cancellation.
        """
        rows = Mh.rows
        for x in range(6):
            for y in range(x, 6):
                if self.k in (x, y):
                    rows[x][y] = self.Jm * self.psi[x + y - self.k]
                else:
                    rows[x][y] = rows[x][y] - self.psi[x] * self.phi[y]
        return from_rows(rows)

    def let_through(self, w: Six, tau: Scalar, e: Scalar) -> Six:
        """Return w + psi e: what joint i passes on of a wrench w when e = tau - w[k] drives it.

        Along the axis that is tau less what the rotor takes.
        """
        passed = [w[x] + self.psi[x] * e for x in range(6)]
        passed[self.k] = tau - self.rotor * e
        return passed

    def driven(self, motion: Six, e: Scalar) -> tuple[Scalar, Six]:
        """Return the joint's acceleration (e - phi^T motion) / mh, and the link's with it."""
        total = e / self.mh + self.rotor * motion[self.k]
        for x in range(6):
            if x != self.k:
                total = total - self.psi[x] * motion[x]
        return total - motion[self.k], [total if x == self.k else motion[x] for x in range(6)]


def pivot(Mh: Inertia, k: int, Jm: Scalar) -> Pivot:
    """Return joint i, along axis k of its articulated body."""
    phi = Mh.rows[k]
    mh = phi[k] + Jm
    return Pivot(k, Jm, mh, phi, psi=[x / mh for x in phi], rotor=Jm / mh)


def articulated(chain: Chain, F: list[Frame], links: list[Inertia]) -> dict[int, Pivot]:
    """Return the pivots of joints i = 1..n, eliminated from the last to the first.

    A fixed link has none: it passes everything on.

    Args:
        chain: the robot.
        F: its frames.
        links: extended masses M_i of links i = 1..n; entry 0 is that of the base.
    """
    joints: dict[int, Pivot] = {}
    Mh = list(links)
    for i in range(chain.n, 0, -1):
        passed, p = Mh[i], chain.parent(i)
        if not chain[i].fixed:
            joints[i] = pivot(Mh[i], axis(chain[i]), chain[i].Jm)
            passed = joints[i].released(Mh[i])
        Mh[p] = Mh[p] + passed.to_parent(F[i])
    return joints


def regrouped_masses(chain: Chain) -> list[Inertia]:
    """Return the extended masses of the regrouped links i = 1..n; entry 0 is the base's, zero."""
    return [rigid_inertia(body) for body in regrouped(chain)]


def udu(chain: Chain, q: Sequence[Scalar]) -> tuple[Matrix, list[Scalar]]:
    """Return U (n x n, full, with exact ones and zeros) and D (n), with I = U diag(D) U^T. (33)."""
    n, F = chain.n, frames(chain, q)
    joints = articulated(chain, F, regrouped_masses(chain))
    U: Matrix = [[float(i == j) for j in range(n)] for i in range(n)]
    for j in joints:
        for i, alpha in enumerate(wrench_to_base(chain, F, j, joints[j].psi)[:-1]):  # (34)
            U[i][j - 1] = alpha
    return U, [joints[i].mh if i in joints else 1.0 for i in range(1, n + 1)]
