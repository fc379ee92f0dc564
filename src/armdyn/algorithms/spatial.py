"""Six-vectors and six-by-six inertias at the origins of the link frames.

A motion is (angular; linear), a wrench (moment; force), of six scalars each, all at O_i in E_i. An
inertia is [[A, B], [B^T, M]]: motion in, wrench out. Of a rigid link with mass m, first moment h
and inertia J about O_i it is A = J, B = [h x], M = m 1; of links coupled by joints M is full.

[Saha1999] takes the centres of mass for reference points. Here they are the origins O_i: the vector
p_i of joint i, (11) and (13), is then a unit vector, and M_i p_i a column of M_i. His B_{i,i-1} is
here a shift by b_i along x_{i-1}, the rotation to E_i and a shift by d_i along z_i: each is sparse,
and they cost less than one shift along O_{i-1} O_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from armdyn.algorithms.frame import Frame
from armdyn.algorithms.link_moments import Moments
from armdyn.algorithms.vector import Matrix, add, cross, dot, trace_minus
from armdyn.robot.chain import Chain, Link, Symmetric, Vector
from armdyn.scalar import Scalar

if TYPE_CHECKING:
    from armdyn.algorithms.rolled.place import Place

# A motion (angular; linear) or a wrench (moment; force).
Six: TypeAlias = list[Scalar]


def axis(link: Link) -> int:
    """Return where p_i has its one: 2 (turns about z) or 5 (slides along z)."""
    return 2 if link.rotational else 5


def halves(x: Sequence[Scalar]) -> tuple[Vector, Vector]:
    """Split a six-vector into its angular and linear (or moment and force) vectors."""
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])


def add_six(x: Sequence[Scalar], y: Sequence[Scalar]) -> Six:
    """Return x + y."""
    return [a + b for a, b in zip(x, y, strict=True)]


def power(motion: Sequence[Scalar], wrench: Sequence[Scalar]) -> Scalar:
    """Return the power of a wrench along a motion, at the same point and in one frame; 6M 5A."""
    (w, v), (n, f) = halves(motion), halves(wrench)
    return dot(w, n) + dot(v, f)


def wrench_to_parent(F: Frame | Place, wrench: Sequence[Scalar]) -> Six:
    """Return B_{i,i-1}^T w: a wrench about O_i in E_i as one about O_{i-1} in E_{i-1}; 20M 12A."""
    n, f = halves(wrench)
    n = F.to_parent(add(n, cross((0.0, 0.0, F.d), f)))
    f = F.to_parent(f)
    return [*add(n, cross((F.b, 0.0, 0.0), f)), *f]


def wrench_to_base(
    chain: Chain, F: Sequence[Frame], i: int, wrench: Sequence[Scalar]
) -> list[Scalar]:
    """Return p_j^T B_ij^T w, j = 1..i: what a wrench about O_i in E_i does along axes 1..i.

    B_ij^T is taken from joint to joint, B_ij^T = B_{j+1,j}^T B_{i,j+1}^T, [Saha1999] (12): 20M 12A
    each. Along axes off the way from link i to the base it does nothing, and fixed links have
    none.
    """
    row: list[Scalar] = [0.0] * i
    row[i - 1] = wrench[axis(chain[i])]
    child = i
    for j in chain.before(i):
        wrench = wrench_to_parent(F[child], wrench)
        child = j
        if not chain[j].fixed:
            row[j - 1] = wrench[axis(chain[j])]
    return row


def motion_to_child(F: Frame | Place, motion: Sequence[Scalar]) -> Six:
    """Return B_{i,i-1} t: what a motion at O_{i-1} in E_{i-1} is at O_i in E_i; 20M 12A."""
    w, v = halves(motion)
    v = F.to_child(add(v, cross(w, (F.b, 0.0, 0.0))))
    w = F.to_child(w)
    return [*w, *add(v, cross(w, (0.0, 0.0, F.d)))]


@dataclass(frozen=True)
class Inertia:
    """The blocks of a symmetric six-by-six inertia; `B` by rows."""

    A: Symmetric
    B: tuple[Vector, Vector, Vector]
    M: Symmetric

    @property
    def rows(self) -> Matrix:
        """The full matrix."""
        A, B, M = _square(self.A), self.B, _square(self.M)
        upper: Matrix = [[*A[r], *B[r]] for r in range(3)]
        return upper + [[B[0][r], B[1][r], B[2][r], *M[r]] for r in range(3)]

    def __add__(self, other: Inertia) -> Inertia:
        """Return the sum."""
        return from_rows([add_six(x, y) for x, y in zip(self.rows, other.rows, strict=True)])

    def to_parent(self, F: Frame) -> Inertia:
        """Return B_{i,i-1}^T X B_{i,i-1}: the inertia at O_i in E_i as one at O_{i-1} in E_{i-1}.

        60M 61A where the row of a revolute joint's axis is zero. The shift by d_i comes before the
        rotation, while that row still is.
        """
        turned = _turned(shifted(self, 2, F.d), 0, F.C, F.S, constant=not F.rotational)
        if F.Sg:
            turned = _turned(turned, 2, F.Cg, F.Sg, constant=True)
        return shifted(_turned(turned, 1, F.Cb, F.Sb, constant=True), 0, F.b)


def times(X: Inertia, motion: Sequence[Scalar]) -> Six:
    """Return X times a motion: a wrench."""
    products = [[a * b for a, b in zip(row, motion, strict=True)] for row in X.rows]
    return [a + b + c + d + e + f for a, b, c, d, e, f in products]


def from_rows(X: Matrix) -> Inertia:
    """Return the blocks of a symmetric six-by-six matrix; reads its upper triangle."""
    return _from_blocks(
        [row[:3] for row in X[:3]], [row[3:] for row in X[:3]], [row[3:] for row in X[3:]]
    )


def rigid_inertia(body: Moments) -> Inertia:
    """Return the inertia of a rigid body from its moments."""
    x, y, z = body.h
    return Inertia(
        A=trace_minus(body.K),
        B=((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)),
        M=(body.m, 0.0, 0.0, body.m, 0.0, body.m),
    )


def _from_blocks(A: Matrix, B: Matrix, M: Matrix) -> Inertia:
    (Bxx, Bxy, Bxz), (Byx, Byy, Byz), (Bzx, Bzy, Bzz) = B
    return Inertia(
        A=(A[0][0], A[0][1], A[0][2], A[1][1], A[1][2], A[2][2]),
        B=((Bxx, Bxy, Bxz), (Byx, Byy, Byz), (Bzx, Bzy, Bzz)),
        M=(M[0][0], M[0][1], M[0][2], M[1][1], M[1][2], M[2][2]),
    )


def _square(X: Symmetric) -> Matrix:
    xx, xy, xz, yy, yz, zz = X
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def shifted(X: Inertia, c: int, s: Scalar) -> Inertia:
    """Return the inertia about a point that lies s behind the old one on axis c.

    B' = B + s [u x] M and A' = A + s ([u x] B^T - B [u x]) - s^2 [u x] M [u x], u the unit vector
    of axis c. Written with B and B' together, A' takes no product of s with itself.
    """
    p, r = (c + 1) % 3, (c + 2) % 3
    A, M, old = _square(X.A), _square(X.M), X.B
    B: Matrix = [list(row) for row in X.B]
    for k in range(3):
        B[p][k] = old[p][k] - s * M[r][k]
        B[r][k] = old[r][k] + s * M[p][k]
    A[p][p] = A[p][p] - s * (old[p][r] + B[p][r])
    A[r][r] = A[r][r] + s * (old[r][p] + B[r][p])
    A[p][r] = A[r][p] = A[p][r] + s * (B[p][p] - old[r][r])
    A[p][c] = A[c][p] = A[p][c] - s * old[c][r]
    A[r][c] = A[c][r] = A[r][c] + s * old[c][p]
    return _from_blocks(A, B, M)


def _turned(X: Inertia, i: int, c: Scalar, s: Scalar, constant: bool) -> Inertia:
    """Return Q X Q^T of every block, Q the turn from axis i to i+1 with cosine c and sine s.

    Only a constant angle is tested for being a right angle: angles that depend on q must take the
    same path whether they are numbers or symbols.
    """
    A, B, M = _square(X.A), [list(row) for row in X.B], _square(X.M)
    if constant and (c == 0.0 or s == 0.0):
        return _from_blocks(*(_turned_squarely(Y, i, c, s) for Y in (A, B, M)))
    return _from_blocks(
        _turned_symmetric(A, i, c, s), _turned_general(B, i, c, s), _turned_symmetric(M, i, c, s)
    )


def turned_matrix(X: Matrix, i: int, c: Scalar, s: Scalar, constant: bool) -> Matrix:
    """Return Q X Q^T of any three-by-three matrix, Q the turn from axis i to i+1; 12M 11A.

    `constant` as for inertias: only a constant angle is tested for being a right angle.
    """
    if constant and (c == 0.0 or s == 0.0):
        return _turned_squarely(X, i, c, s)
    return _turned_general(X, i, c, s)


def _turned_squarely(X: Matrix, i: int, c: Scalar, s: Scalar) -> Matrix:
    """Turn by a multiple of a right angle, which only moves entries; 0M 0A."""
    j = (i + 1) % 3
    N = _with_sides_turned(X, i, c, s)
    N[i][i], N[j][j] = (c * c) * X[i][i] + (s * s) * X[j][j], (s * s) * X[i][i] + (c * c) * X[j][j]
    N[i][j], N[j][i] = (c * c) * X[i][j] - (s * s) * X[j][i], (c * c) * X[j][i] - (s * s) * X[i][j]
    return N


def _turned_symmetric(X: Matrix, i: int, c: Scalar, s: Scalar) -> Matrix:
    """Turn a symmetric matrix; 8M 8A."""
    j = (i + 1) % 3
    e = s * (X[i][i] - X[j][j]) + (c + c) * X[i][j]
    N = _with_sides_turned(X, i, c, s)
    N[i][i], N[j][j] = X[i][i] - s * e, X[j][j] + s * e
    N[i][j] = N[j][i] = c * e - X[i][j]
    return N


def _turned_general(X: Matrix, i: int, c: Scalar, s: Scalar) -> Matrix:
    """Turn any matrix; 12M 11A."""
    j = (i + 1) % 3
    e = s * (X[i][i] - X[j][j]) + c * (X[i][j] + X[j][i])
    N = _with_sides_turned(X, i, c, s)
    N[i][i], N[j][j] = X[i][i] - s * e, X[j][j] + s * e
    N[i][j], N[j][i] = c * e - X[j][i], c * e - X[i][j]
    return N


def _with_sides_turned(X: Matrix, i: int, c: Scalar, s: Scalar) -> Matrix:
    """Turn what only one side of Q X Q^T touches: row and column of the third axis."""
    j, k = (i + 1) % 3, (i + 2) % 3
    N: Matrix = [list(row) for row in X]
    N[i][k], N[j][k] = c * X[i][k] - s * X[j][k], s * X[i][k] + c * X[j][k]
    N[k][i], N[k][j] = c * X[k][i] - s * X[k][j], s * X[k][i] + c * X[k][j]
    return N
