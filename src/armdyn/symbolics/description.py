"""The constants of a robot as symbols: which numbers get one, and what they are called.

A zero stays zero and a right angle exact; every other number of the description gets a symbol. So
special geometry makes short formulas, as in a textbook.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from armdyn.algorithms import gibbs_appell
from armdyn.algorithms.denoc import mass_matrix as denoc_mass_matrix
from armdyn.errors import InputError
from armdyn.graph.interpret import ARITHMETIC, evaluate
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.minimal.closed_form import axes_at_zero
from armdyn.robot.chain import Chain, Link, chain_of
from armdyn.robot.model import IDENTITY, Robot
from armdyn.scalar import Op, Scalar
from armdyn.symbolics.series import Angle, Series

# Arms with more joints have no formulas that could be read, unless all their joints turn about
# parallel axes.
MOST_JOINTS = 3
# Sines of angles between axes below this are zero.
PARALLEL = 1e-12

ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")

# A number that stays one, or the name of an input of the algorithms.
Constant: TypeAlias = float | str


@dataclass(frozen=True)
class Group:
    """Angles whose waves are combined.

    Attributes:
        angles: for each angle, the names of the symbols it is the sum of.
        signs: of each angle in the sum of all: -1 where an axis points the other way.
    """

    angles: tuple[tuple[str, ...], ...]
    signs: tuple[int, ...]


@dataclass(frozen=True)
class Described:
    """An arm in symbols.

    Attributes:
        n: number of joints.
        rotational: whether each joint turns.
        values: the number of each symbol in the description.
        groups: the groups of angles.
        places: group and place in it of the angle of each joint that turns.
        inertial: names of masses, inertias and rotors; M and C are linear in them.
        inputs: the series or angle of each input of the algorithms; those of the joints are "q1"...
        links: the constants of the links.
        gravity: gravitational acceleration in E_0.
    """

    n: int
    rotational: tuple[bool, ...]
    values: dict[str, float]
    groups: tuple[Group, ...]
    places: dict[int, tuple[int, int]]
    inertial: frozenset[str]
    inputs: dict[str, Series | Angle]
    links: tuple[Mapping[str, Any], ...]
    gravity: tuple[Constant, Constant, Constant]

    def evaluated(
        self, method: Callable[..., Any], outputs: Sequence[int], states: Sequence[str] = ("q",)
    ) -> list[Series]:
        """Run an algorithm of a chain and its states on series; return its flattened results."""
        named = [name for name in self.inputs if not name.startswith("q")]
        slots = [*(Slot(state, (self.n,)) for state in states), Slot("constants", (len(named),))]

        def function(*given: list[Scalar]) -> object:
            return method(self._chain(dict(zip(named, given[-1], strict=True))), *given[:-1])

        program = trace(function, slots, [Slot("result", tuple(outputs))], name="symbolic")
        joints = [self.inputs[f"q{i}"] for i in range(1, self.n + 1)]
        found = evaluate(program, [*joints, *(self.inputs[name] for name in named)], RULES)
        return [Series.of(x) for x in found]

    def _chain(self, nodes: Mapping[str, Scalar]) -> Chain:
        def at(x: Any) -> Any:
            if isinstance(x, tuple):
                return tuple(at(y) for y in cast("tuple[Any, ...]", x))
            if not isinstance(x, str):
                return x
            return -nodes[x[1:]] if x.startswith("-") else nodes[x]

        links = [Link(**{field: at(x) for field, x in link.items()}) for link in self.links]
        return Chain(tuple(links), at(self.gravity), IDENTITY, IDENTITY)


def _cos(x: Angle) -> Series:
    return x.cos


def _sin(x: Angle) -> Series:
    return x.sin


RULES = {**ARITHMETIC, Op.COS: _cos, Op.SIN: _sin}


def described(robot: Robot, *, general: bool) -> Described:
    """Give symbols to the numbers of a robot.

    Args:
        robot: the robot.
        general: give a symbol also to each mass, centre of mass and inertia that is zero.
    """
    chain = chain_of(robot)
    axes = axes_at_zero(chain).directions
    _check_size(robot, chain, axes)
    build = _Builder(chain, general)
    build.joint_angles(axes)
    for i in range(1, chain.n + 1):
        build.add_link(i)
    build.add_gravity()
    return build.result()


def _check_size(robot: Robot, chain: Chain, axes: Any) -> None:
    if not chain.is_normal:
        tilted = [j.name for j in robot.joints if j.tilt]
        raise InputError(
            f"robot {robot.name!r} has axes that are nearly parallel (joints {', '.join(tilted)} "
            "have a tilt), for which there are no closed forms; read its file with snap=True.",
            argument="robot",
        )
    turning = [axes[i] for i, link in enumerate(chain.links) if link.rotational]
    parallel = all(np.linalg.norm(np.cross(turning[0], u)) <= PARALLEL for u in turning)
    if chain.n > MOST_JOINTS and not parallel:
        raise InputError(
            f"robot {robot.name!r} has {chain.n} joints: symbolic models are for arms of up to "
            f"{MOST_JOINTS} joints, or of any number if all revolute axes are parallel. For "
            "formulas of this arm with its numbers, see `Function.sympy` and `Function.source`.",
            argument="robot",
        )


class _Builder:
    """Collects symbols, angles and links."""

    def __init__(self, chain: Chain, general: bool) -> None:
        self.chain, self.general = chain, general
        self.values: dict[str, float] = {}
        self.groups: list[Group] = []
        self.places: dict[int, tuple[int, int]] = {}
        self.inertial: set[str] = set()
        self.inputs: dict[str, Series | Angle] = {}
        self.links: list[dict[str, Any]] = []
        self.gravity: list[Constant] = [0.0, 0.0, 0.0]

    def joint_angles(self, axes: Any) -> None:
        """Put joints that turn about parallel axes, with no other turn between, into groups."""
        runs: list[list[int]] = []
        for i, link in enumerate(self.chain.links, 1):
            if not link.rotational:
                continue
            last = runs[-1] if runs else []
            if last and np.linalg.norm(np.cross(axes[last[-1] - 1], axes[i - 1])) <= PARALLEL:
                last.append(i)
            else:
                runs.append([i])
        for run in runs:
            signs = tuple(1 if axes[i - 1] @ axes[run[0] - 1] > 0 else -1 for i in run)
            self.groups.append(Group(tuple(map(self._angle, run)), signs))
            for place, i in enumerate(run):
                self.places[i] = (len(self.groups) - 1, place)

    def _angle(self, i: int) -> tuple[str, ...]:
        link = self.chain[i]
        if link.C0 * link.S0 == 0.0:
            return (f"q{i}",)
        self.values[f"theta{i}"] = link.theta
        return (f"q{i}", f"theta{i}")

    def add_link(self, i: int) -> None:
        """Give symbols to a link."""
        link = self.chain[i]
        Cb, Sb = self._constant_angle(f"beta{i}", link.Cb, link.Sb)
        C0, S0 = (
            (1.0, 0.0) if link.rotational else self._constant_angle(f"theta{i}", link.C0, link.S0)
        )
        d = self._symbol(f"d{i}", link.d)
        if link.rotational:
            self.inputs[f"q{i}"] = self._joint_angle(i)
        else:
            # the joint's variable is d_i + q_i
            offset = self.inputs.pop(d) if isinstance(d, str) else Series.of(0.0)
            self.inputs[f"q{i}"] = cast(Series, offset) + Series.generator(f"q{i}")
            d = 0.0
        m = self._symbol(f"m{i}", link.m, inertial=True)
        c = tuple(
            self._symbol(f"c{i}{axis}", x, general=True)
            for axis, x in zip("xyz", link.c, strict=True)
        )
        I = tuple(
            self._symbol(f"I{i}{entry}", x, inertial=True)
            for entry, x in zip(ENTRIES, link.I, strict=True)
        )
        Jm = self._symbol(f"Jm{i}", link.Jm, inertial=bool(link.Jm))
        self.links.append(
            {"rotational": link.rotational, "Cb": Cb, "Sb": Sb, "b": self._symbol(f"b{i}", link.b),
             "theta": 0.0, "C0": C0, "S0": S0, "d": d, "m": m, "c": c, "I": I, "Jm": Jm}
        )  # fmt: skip

    def add_gravity(self) -> None:
        """Name gravity g along an axis of E_0, or name its components."""
        g = self.chain.g
        along = [a for a in range(3) if g[a]]
        for a in along:
            name = "g" if len(along) == 1 else f"g{'xyz'[a]}"
            value = abs(g[a]) if len(along) == 1 else g[a]
            self.values[name], self.inputs[name] = value, Series.generator(name)
            self.gravity[a] = f"-{name}" if value != g[a] else name

    def result(self) -> Described:
        """Return all of it."""
        rotational = tuple(link.rotational for link in self.chain.links)
        x, y, z = self.gravity
        return Described(
            self.chain.n, rotational, self.values, tuple(self.groups), self.places,
            frozenset(self.inertial), self.inputs, tuple(self.links), (x, y, z),
        )  # fmt: skip

    def _symbol(
        self, name: str, value: Scalar, *, inertial: bool = False, general: bool = False
    ) -> Constant:
        """Return the name of a number that is not zero."""
        number = cast(float, value)
        if number == 0.0 and not (self.general and (inertial or general)):
            return 0.0
        self.values[name], self.inputs[name] = number, Series.generator(name)
        if inertial:
            self.inertial.add(name)
        return name

    def _constant_angle(self, name: str, C: float, S: float) -> tuple[Constant, Constant]:
        """Return names of the cosine and sine of a constant angle that is no right one."""
        if C * S == 0.0:
            return C, S
        self.values[name] = float(np.arctan2(S, C))
        self.groups.append(Group(((name,),), (1,)))
        for function, odd in (("cos", False), ("sin", True)):
            self.inputs[f"{function} {name}"] = Series.wave(len(self.groups) - 1, (1,), odd)
        return f"cos {name}", f"sin {name}"

    def _joint_angle(self, i: int) -> Angle:
        """Return q_i + theta_i; quarter turns exchange cosine and sine."""
        link = self.chain[i]
        group, place = self.places[i]
        multiples = tuple(int(k == place) for k in range(len(self.groups[group].angles)))
        cos, sin = (Series.wave(group, multiples, odd) for odd in (False, True))
        if link.C0 * link.S0 == 0.0:
            return Angle(cos * link.C0 - sin * link.S0, cos * link.S0 + sin * link.C0)
        return Angle(cos, sin)


# M, the Christoffel symbols and the gravity torques of an arm as series.

Table = list[list[Series]]


def mass_matrix(arm: Described) -> Table:
    """Return M by [Saha1999] (22), full and symmetric."""
    flat = arm.evaluated(denoc_mass_matrix, (arm.n, arm.n))
    return [flat[arm.n * i : arm.n * (i + 1)] for i in range(arm.n)]


def gravity(arm: Described) -> list[Series]:
    """Return the torques that hold the arm still."""
    return arm.evaluated(gibbs_appell.gravity, (arm.n,))


def christoffel(arm: Described, M: Table) -> list[Table]:
    """Return c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2; C_ij is the sum of c_ijk qd_k."""
    joints = range(arm.n)
    slope = [[[_by_joint(arm, M[i][j], k) for k in joints] for j in joints] for i in joints]
    return [
        [[0.5 * (slope[i][j][k] + slope[i][k][j] - slope[j][k][i]) for k in joints] for j in joints]
        for i in joints
    ]


def _by_joint(arm: Described, entry: Series, k: int) -> Series:
    if not arm.rotational[k]:
        return entry.by_generator(f"q{k + 1}")
    return entry.by_angle(*arm.places[k + 1])
