"""`Chain`: the constants of a robot as algorithms read them, with structural zeros exact.

cos(pi/2) is 6e-17 in floats but zero in the geometry. If kept, it adds dead terms to every
program and makes minimal parameters wrong. Sines and cosines of constant angles are computed only
here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property, lru_cache
from typing import TypeAlias

from armdyn.robot.friction import FRICTION_TERMS, coefficients, shape_fields, shapes
from armdyn.robot.model import Placement, Robot
from armdyn.scalar import Scalar

# Cosine and sine of a constant angle, and the angle of a vector, correctly rounded.
#
# C libraries differ in the last bit of sines and angles. The constants of an arm are therefore
# computed in integers, so that one file is the same arm, to the bit, on every machine.

# Binary digits after the point. An angle has at most 1074 of its own; what is beyond these digits
# cannot change the rounding of an angle that is not within 1e-12 rad of a multiple of pi/2.
BITS = 192
# The angle of a vector that rises less is its slope, but for 1e-25 of it.
SMALL_SLOPE = 1e-12


@lru_cache(maxsize=4096)
def rounded_cos_sin(angle: float) -> tuple[float, float]:
    """Return (cos, sin) of an angle [rad], the floats that are nearest to them."""
    c, s = _cos_sin(_fixed(angle))
    one = 1 << BITS
    return c / one, s / one  # Python rounds quotients of integers correctly


def rounded_atan2(y: float, x: float) -> float:
    """Return the angle [rad] of the vector (x, y), the float that is nearest to it."""
    if abs(y) < SMALL_SLOPE * x:
        return y / x
    near = math.atan2(y, x)
    if x == 0.0 or y == 0.0:
        return near
    angle = _fixed(near)
    c, s = _cos_sin(angle)
    (a, b), (p, q) = x.as_integer_ratio(), y.as_integer_ratio()
    X, Y = a * q, p * b
    # the vector turned back by `near`: the angle that is left is its tangent, but for 1e-45 rad
    along, across = X * c + Y * s, Y * c - X * s
    return (angle * along + (across << BITS)) / (along << BITS)


def _fixed(angle: float) -> int:
    numerator, denominator = angle.as_integer_ratio()
    return (numerator << BITS) // denominator


def _cos_sin(x: int) -> tuple[int, int]:
    half_pi = _half_pi()
    quarter = (2 * x + half_pi) // (2 * half_pi)
    r = x - quarter * half_pi
    c, s = _series(r, 0), _series(r, 1)
    return ((c, s), (-s, c), (-c, -s), (s, -c))[quarter % 4]


def _series(r: int, power: int) -> int:
    """Return the sum of every second term of the series of exp(i r), from a power of r on."""
    term = r if power else 1 << BITS
    square = r * r >> BITS
    total = 0
    while term:
        total += term
        power += 2
        # rounds towards zero, so that the terms end
        size = abs(term) * square // (power * (power - 1)) >> BITS
        term = -size if term > 0 else size
    return total


@cache
def _half_pi() -> int:
    """Return pi/2 by Machin's formula: pi/4 = 4 arctan(1/5) - arctan(1/239)."""
    guard = 32
    one = 1 << BITS + guard

    def arctan(inverse: int) -> int:
        total, term, k = 0, one // inverse, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term //= inverse * inverse
            k += 2
        return total

    return 2 * (4 * arctan(5) - arctan(239)) >> guard


Vector: TypeAlias = tuple[Scalar, Scalar, Scalar]

# Entries (xx, xy, xz, yy, yz, zz) of a symmetric 3x3 matrix.
Symmetric: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]

# An angle this close to a multiple of pi/2 [rad] is taken as that multiple: the difference is
# rounding of pi, not geometry (a thousandth of a nanometre on a link of 1 m).
QUADRANT_TOLERANCE = 1e-12


def exact_cos_sin(angle: float) -> tuple[float, float]:
    """Return (cos, sin) of an angle [rad], exact at multiples of pi/2."""
    quarter = round(angle / (math.pi / 2))
    # beyond some thousand turns floats are coarser than the tolerance
    if abs(angle - quarter * (math.pi / 2)) <= max(QUADRANT_TOLERANCE, 2 * math.ulp(angle)):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarter % 4]
    return rounded_cos_sin(angle)


@dataclass(frozen=True)
class Link:
    """Joint i and link i as numbers: the data of `Joint` without names and limits.

    Cb, Sb are cos and sin of beta_i; C0, S0 those of theta_i; c and I the centre of mass in E_i and
    the inertia about it; Jm the rotor inertia; friction the coefficients in the order of
    `FRICTION_TERMS`; shapes the numbers of its columns' shapes; Cg, Sg cos and sin of the tilt.

    A `fixed` link has no joint and no mass: it is the frame of a branch, see `tree_chain`. It does
    not count as rotational.
    """

    rotational: bool
    Cb: float
    Sb: float
    b: Scalar
    theta: float
    C0: float
    S0: float
    d: Scalar
    m: Scalar
    c: Vector
    I: Symmetric
    Jm: Scalar = 0.0
    friction: tuple[Scalar, ...] = field(default_factory=lambda: (0.0,) * len(FRICTION_TERMS))
    shapes: tuple[float, ...] = field(default_factory=lambda: (1.0,) * len(shape_fields()))
    Cg: float = 1.0
    Sg: float = 0.0
    fixed: bool = False


FIXED, TRANSLATING, MOVING = "fixed", "translating", "moving"

# How a base may move, with the inputs that tell the motion; each includes those before it.
BASES: dict[str, dict[str, int]] = {
    FIXED: {},
    TRANSLATING: {"base_acceleration": 3},
    MOVING: {"base_acceleration": 6, "base_velocity": 6},
}


@dataclass(frozen=True)
class BaseMotion:
    """How the base moves, in E_0.

    a is the acceleration of O_0 [m/s^2]; w, wd are angular velocity and acceleration of E_0.
    """

    a: Vector = (0.0, 0.0, 0.0)
    w: Vector = (0.0, 0.0, 0.0)
    wd: Vector = (0.0, 0.0, 0.0)


# Kinds of mechanisms; each includes those before it. Links of a tree have any number of children;
# a follower is a joint whose position is linear in coordinates that other joints have.
SERIAL, TREE, COUPLED = MECHANISMS = ("serial arm", "tree", "tree with followers")


@dataclass(frozen=True)
class Coupling:
    """The position of a joint: the sum of factors times coordinates, from 0 on, plus an offset."""

    factors: tuple[tuple[int, float], ...] = ()
    offset: float = 0.0


@dataclass(frozen=True)
class Chain:
    """A robot's constants; ``chain[i]`` is link i = 1..n, `g` is gravity in E_0 [m/s^2].

    The base is at rest unless `motion` says otherwise. The tip is at `tool` in E_n, or in E_k if
    `carrier` is k.

    The links of a tree are numbered so that parents come before their children. Positions of its
    joints are q_t = G q + q0, with coordinates q: a row of G for each link. These fields are empty
    for a serial arm.

    Attributes:
        parents: the number of the link before link i = 1..n; 0 is the base.
        couplings: the rows of G with q0, for i = 1..n.
        numbered: the numbers of the robot's own links, in its order: of joints, then of followers.
    """

    links: tuple[Link, ...]
    g: tuple[float, float, float]
    base: Placement
    tool: Placement
    motion: BaseMotion | None = None
    carrier: int | None = None
    parents: tuple[int, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    numbered: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        """Number of links; that of joints, but for followers and frames of branches."""
        return len(self.links)

    @property
    def is_serial(self) -> bool:
        """Whether every link but the last has one child, and every joint its own coordinate."""
        return not self.parents

    @cached_property
    def dof(self) -> int:
        """Number of coordinates."""
        if self.is_serial:
            return self.n
        return 1 + max(k for row in self.couplings for k, _ in row.factors)

    @cached_property
    def mechanism(self) -> str:
        """The kind of mechanism, one of `MECHANISMS`."""
        if self.is_serial:
            return SERIAL
        rows = [row for row, link in zip(self.couplings, self.links, strict=True) if not link.fixed]
        own = [Coupling(((k, 1.0),)) for k in range(len(rows))]
        return TREE if rows == own else COUPLED

    @property
    def link_numbers(self) -> Sequence[int]:
        """Numbers of the robot's own links, in its order; fixed ones are not among them."""
        return range(1, self.n + 1) if self.is_serial else self.numbered

    def parent(self, i: int) -> int:
        """Return the number of the link before link i; 0 is the base."""
        return self.parents[i - 1] if self.parents else i - 1

    def children(self, i: int) -> Sequence[int]:
        """Return the numbers of the links that joints connect to link i, from 0 (the base) to n."""
        return self._children[i]

    def before(self, i: int) -> list[int]:
        """Return the numbers of the links between link i and the base, nearest first."""
        found: list[int] = []
        while i := self.parent(i):
            found.append(i)
        return found

    @cached_property
    def _children(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(self.n + 1)]
        for i in range(1, self.n + 1):
            found[self.parent(i)].append(i)
        return found

    @property
    def is_normal(self) -> bool:
        """Whether every x_i is the common normal of two axes: no joint has a tilt."""
        return all(link.Sg == 0.0 for link in self.links)

    @cached_property
    def _hash(self) -> int:
        return hash((
            self.links, self.g, self.base, self.tool, self.motion, self.carrier,
            self.parents, self.couplings, self.numbered,
        ))  # fmt: skip

    def __hash__(self) -> int:
        """Return the hash, computed once: a chain is part of the key of every program."""
        return self._hash

    def __getstate__(self) -> dict[str, object]:
        """Pickle without what is computed: the hash is that of this process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __getitem__(self, i: int) -> Link:
        """Return link i, counted from 1 as in the papers."""
        assert 1 <= i <= len(self.links)
        return self.links[i - 1]


def chain_of(robot: Robot) -> Chain:
    """Return the constants of a robot, with exact structural zeros."""
    links: list[Link] = []
    for j in robot.links:
        Cb, Sb = exact_cos_sin(j.beta)
        C0, S0 = exact_cos_sin(j.theta)
        Cg, Sg = exact_cos_sin(j.tilt)
        links.append(
            Link(
                rotational=j.is_revolute, Cb=Cb, Sb=Sb, b=j.b, theta=j.theta, C0=C0, S0=S0, d=j.d,
                m=j.mass, c=j.com, I=j.inertia, Jm=j.rotor_inertia, friction=coefficients(j),
                shapes=shapes(j), Cg=Cg, Sg=Sg,
            )
        )  # fmt: skip
    chain = Chain(tuple(links), _gravity_in_first_frame(robot), robot.base, robot.tool)
    if robot.is_serial:
        return chain
    from armdyn.robot.tree_chain import tree_chain  # serial arms do without it

    return tree_chain(robot, chain, links)


def _gravity_in_first_frame(robot: Robot) -> tuple[float, float, float]:
    """Return base^T g with rounding residues of the rotation removed."""
    g, base = robot.gravity, robot.base
    size = max(map(abs, g))
    # written out: from Python 3.12 on `sum` rounds floats differently
    rotated = [base[0][k] * g[0] + base[1][k] * g[1] + base[2][k] * g[2] for k in range(3)]
    x, y, z = (v if abs(v) > 1e-14 * size else 0.0 for v in rotated)
    return (x, y, z)
