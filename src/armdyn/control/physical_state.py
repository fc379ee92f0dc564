"""Parameters that stay physically possible while they adapt: their state and its steps.

The law of [Lee2018]: a link has the pseudo-inertia P, and s . Y p is tr(L P) plus what depends on
other links. dP/dt = -r P L P keeps P positive, and the divergence of P from the truth,
-log det P + ..., takes the place of the square of the error in Lyapunov's function.

Here P = G G^T, and G is the state: dG/dt = -G X/2 with X = r G^T L G. Rotor inertias and friction
coefficients that cannot be negative are squares x = g^2 in the same way, dx/dt = -X x with X = r u
a, a scale u and a = dV/dx; signed coefficients: dx/dt = -u X.

A step is G (1 - h X / (2 + 2 h |X|/c)) with |X|^2 the sum of all squares: within a period h no
parameter changes by more than the share c, whatever happens. As c is at most 1, the factor is
regular, and P = G G^T is positive after every step, without a test or a projection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.algorithms.vector import inner
from armdyn.arrays import Array
from armdyn.scalar import Scalar, sqrt

Row = Sequence[Scalar]

# Numbers of a link in the state: G, row by row.
ROOT = 16


@dataclass(frozen=True)
class PhysicalState:
    """How the state of an arm is laid out: G of n links, then its drives.

    Attributes:
        n: number of links.
        rates: r times the period h, for every link ``(n,)`` and every drive parameter.
        scales: u of the drive parameters.
        signed: which of them may be negative.
        most: c, the largest relative change within a period, at most 1.
    """

    n: int
    rates: Array
    scales: Array
    signed: tuple[bool, ...]
    most: float

    def parameters(self, state: Row) -> list[Scalar]:
        """Return link parameters, then those of the drives."""
        links = [p for i in range(self.n) for p in link_parameters(self._root(state, i))]
        own = zip(state[ROOT * self.n :], self.signed, strict=True)
        return links + [x if signed else x * x for x, signed in own]

    def advanced(self, state: Row, slopes: Row) -> list[Scalar]:
        """Return the state a period later; `slopes` are dV/dp of all parameters."""
        n = self.n
        roots = [self._root(state, i) for i in range(n)]
        links = [
            _rates(G, functional(slopes[10 * i : 10 * i + 10]), float(self.rates[i]))
            for i, G in enumerate(roots)
        ]
        drives = [
            (float(rate) * float(u)) * a
            for a, rate, u in zip(slopes[10 * n :], self.rates[n:], self.scales, strict=True)
        ]
        every = [x for X in links for row in X for x in row] + drives
        share = 1.0 / (2.0 + (2.0 / self.most) * sqrt(inner(every, every)))
        after = [
            G[r][c] - share * inner(G[r], X[c])
            for G, X in zip(roots, links, strict=True)
            for r in range(4)
            for c in range(4)
        ]
        own = zip(state[ROOT * n :], drives, self.scales, self.signed, strict=True)
        for x, X, u, signed in own:
            after.append(x - (2.0 * float(u)) * (share * X) if signed else x - x * (share * X))
        return after

    def _root(self, state: Row, i: int) -> list[Row]:
        own = state[ROOT * i : ROOT * (i + 1)]
        return [own[4 * r : 4 * r + 4] for r in range(4)]


def link_parameters(G: Sequence[Row]) -> list[Scalar]:
    """Return m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz of P = G G^T."""
    P = [[inner(G[a], G[b]) for b in range(a + 1)] for a in range(4)]
    (x,), (xy, y), (xz, yz, z), (mx, my, mz, m) = P
    return [m, mx, my, mz, y + z, -xy, x + z, -xz, -yz, x + y]


def functional(a: Row) -> list[list[Scalar]]:
    """Return L, symmetric, such that tr(L P) is the sum of a times the parameters of P."""
    m, mx, my, mz, xx, xy, yy, xz, yz, zz = a
    hx, hy, hz = 0.5 * mx, 0.5 * my, 0.5 * mz
    nxy, nxz, nyz = -0.5 * xy, -0.5 * xz, -0.5 * yz
    return [
        [yy + zz, nxy, nxz, hx],
        [nxy, xx + zz, nyz, hy],
        [nxz, nyz, xx + yy, hz],
        [hx, hy, hz, m],
    ]


def _rates(G: Sequence[Row], L: Sequence[Row], rate: float) -> list[list[Scalar]]:
    """Return X = rate G^T L G."""
    columns = [[G[r][c] for r in range(4)] for c in range(4)]
    LG = [[inner(row, column) for column in columns] for row in L]
    images = [[LG[r][c] for r in range(4)] for c in range(4)]
    X = [[rate * inner(columns[a], images[b]) for b in range(a + 1)] for a in range(4)]
    return [[X[max(a, b)][min(a, b)] for b in range(4)] for a in range(4)]
