"""The composite body method of Walker and Orin in two systems of frames, for rotational joints.

[Lin1991] says that the normal driving-axis system saves 45M 28A of the method beside frames of
Denavit and Hartenberg, in an earlier work that was not at hand. Here both are written as loops of
which nothing is left out at the ends: mass M, centre c and inertia E about it of links i..n; force
f and moment n of a unit acceleration of joint i.

- Driving axes: E_i turns with link i, its z is the axis of joint i.
- Denavit and Hartenberg: E_i turns with link i, its z is the axis of joint i + 1; O_i is p from
  O_{i-1}. The axis of joint i is z only in E_{i-1}, so every body is carried there, body 1 to the
  base, one more than with driving axes.

R E R^T is charged as Figure A1 of the paper counts it: 37M 25A.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.vector import (
    Matrix,
    add,
    add_symmetric,
    cross,
    point_inertia,
    scale,
    sub,
    symmetric_full,
)
from armdyn.robot.chain import Chain, Link, Symmetric, Vector, chain_of
from armdyn.robot.library import generic
from armdyn.scalar import Scalar, symbol
from armdyn_papers.as_printed.lines import CountedLines, Lines

# The last frame of Denavit and Hartenberg is free; a general one has a twist (here its cosine and
# sine) and a length [m].
LAST = (0.8, 0.6, 0.25)


@dataclass(frozen=True)
class Body:
    """Links i..n: mass, centre from the origin of a frame, inertia about it, in the frame."""

    M: Scalar
    c: Vector
    E: Symmetric


@dataclass(frozen=True)
class StandardFrame:
    """Frame i of Denavit and Hartenberg: a turn about z_{i-1}, then a twist about x_i."""

    C: Scalar
    S: Scalar
    Ca: float
    Sa: float
    a: Scalar
    d: Scalar

    @property
    def p(self) -> Vector:
        """The vector O_{i-1} -> O_i in E_i, constant."""
        return (self.a, self.d * self.Sa, self.d * self.Ca)

    def to_parent(self, v: Vector) -> Vector:
        """Return components in E_{i-1}; 8M 4A."""
        x, y, z = v
        y, z = self.Ca * y - self.Sa * z, self.Sa * y + self.Ca * z
        return (self.C * x - self.S * y, self.S * x + self.C * y, z)

    def symmetric_to_parent(self, X: Symmetric) -> Symmetric:
        """Return R X R^T."""
        xx, xy, xz, yy, yz, zz = X
        rows = [self.to_parent(row) for row in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]
        x, y, z = (self.to_parent(column) for column in zip(*rows, strict=True))
        return (x[0], x[1], x[2], y[1], y[2], z[2])


def driving_axes(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix, frames on the driving axes."""
    F, n = frames(chain, q), chain.n
    _check(chain)
    D: dict[tuple[int, int], Scalar] = {}
    body = Body(chain[n].m, line.given(chain[n].c), line.given(chain[n].I))
    for i in range(n, 0, -1):
        if i < n:
            p = F[i + 1]
            c = line("R c + s", add(p.to_parent(body.c), p.s))
            E = line.charged("R E R^T", 37, 25, p.symmetric_to_parent(body.E))
            body = _joined(chain[i], chain[i].c, chain[i].I, Body(body.M, c, E), line)
        f, moment = _wrench(body, line)
        D[i, i] = moment[2]
        for j in range(i - 1, 0, -1):
            f = line("f_ji", F[j + 1].to_parent(f))
            shifted = cross(F[j + 1].s, f)
            moment = line("n_ji", add(F[j + 1].to_parent(moment), shifted))
            D[j, i] = moment[2]
    return _full(D, n)


def denavit_hartenberg(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix of the same arm, in frames of Denavit and Hartenberg."""
    F, n = _standard(chain, q), chain.n
    _check(chain)
    D: dict[tuple[int, int], Scalar] = {}
    beyond: Body | None = None
    for i in range(n, 0, -1):
        p = F[i]
        c, I = _moved(chain[i], p)
        if beyond is None:
            body, arm = Body(chain[i].m, c, line.given(I)), line.given(add(c, p.p))  # constants
        else:
            body = _joined(chain[i], c, I, beyond, line)
            arm = add(body.c, p.p)
        arm = line("R c + s", p.to_parent(arm))
        E = line.charged("R E R^T", 37, 25, p.symmetric_to_parent(body.E))
        beyond = Body(body.M, arm, E)
        f, moment = _wrench(beyond, line)
        D[i, i] = moment[2]
        for j in range(i - 1, 0, -1):
            shifted = add(moment, cross(F[j].p, f))
            moment = line("n_ji", F[j].to_parent(shifted))
            f = line("f_ji", F[j].to_parent(f))
            D[j, i] = moment[2]
    return _full(D, n)


def operations(n: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return (M, A) in frames of Denavit and Hartenberg, and on driving axes, of a generic arm."""
    chain = chain_of(generic(n))

    def total(run: Callable[[Chain, Sequence[Scalar], Lines], Matrix]) -> tuple[int, int]:
        lines = CountedLines()
        run(chain, [symbol(f"q{i}") for i in range(n)], lines)
        return lines.total

    return total(denavit_hartenberg), total(driving_axes)


def _wrench(body: Body, line: Lines) -> tuple[Vector, Vector]:
    """Return force and moment about the origin for a unit acceleration about z."""
    x, y, _ = body.c  # the zero is not used later
    f = line("f_ii", (-(body.M * y), body.M * x, line.given(0.0)))
    column = (body.E[2], body.E[4], body.E[5])
    return f, line("n_ii", add(column, cross(body.c, f)))


def _joined(link: Link, c: Vector, I: Symmetric, beyond: Body, line: Lines) -> Body:
    """Return a link and the bodies beyond it as one; masses are constants."""
    M = link.m + beyond.M
    centre = add(scale(beyond.M / M, beyond.c), scale(link.m / M, c))
    reduced = point_inertia(link.m * beyond.M / M, sub(beyond.c, c))
    E = add_symmetric(beyond.E, I, reduced)
    return Body(M, line("c_i", centre), line("E_i", E))


def _standard(chain: Chain, q: Sequence[Scalar]) -> list[StandardFrame]:
    """Return frames 1..n of Denavit and Hartenberg, after an entry that is not read."""
    F: list[Frame] = frames(chain, q)
    after = [(f.Cb, f.Sb, f.b) for f in F[2:]] + [LAST]
    turns = [
        StandardFrame(f.C, f.S, Ca, Sa, a, f.d) for f, (Ca, Sa, a) in zip(F[1:], after, strict=True)
    ]
    return [turns[0], *turns]


def _moved(link: Link, p: StandardFrame) -> tuple[Vector, Symmetric]:
    """Return centre and inertia of a link in the frame of Denavit and Hartenberg: constants."""
    still = StandardFrame(1.0, 0.0, p.Ca, -p.Sa, 0.0, 0.0)  # the twist back about x
    x, y, z = still.to_parent(link.c)
    return (x - p.a, y, z), still.symmetric_to_parent(link.I)


def _full(D: dict[tuple[int, int], Scalar], n: int) -> Matrix:
    return symmetric_full([[D[j, i] for j in range(1, i + 1)] for i in range(1, n + 1)])


def _check(chain: Chain) -> None:
    assert all(link.rotational for link in chain.links), "both are written for rotational joints"
