"""Which terms of friction, rotors and tilt of gravity a fit has: chosen by the data.

The wide model has, for every joint, the common terms of friction; each further term, one column for
each speed of a grid if its shape is a speed; and dry terms once more with tanh(v/v0) in place of
sign(v), for error bars. One pass over the data gives the Gram matrices of all of them.

The choice begins with a fit of all groups of columns, whose widths the data give: automatic
relevance determination [MacKay1992]. Groups are dropped that explain nothing, that have impossible
values or give others impossible values, and then the least significant one, until all are
significant. The way is backward because terms of friction work in pairs: forward choice is worse
(UR10 3.9 to 5.4 % against 3.7 to 3.9 %, `benchmarks/real_logs.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.columns import (
    Column,
    Function,
    Model,
    friction_column,
    friction_rows,
    not_negative,
    rotor_rows,
    short_name,
)
from armdyn.identification.fit.gram import Gram
from armdyn.identification.fit.gravity import gravity_columns, tilts
from armdyn.identification.fit.solver import Fit, Group, Solver
from armdyn.numerics import scaled_inverse
from armdyn.robot.friction import FRICTION_TERMS

AUTO = "auto"

# What a group of columns may be, beside terms of friction.
ROTOR, TILT = "rotor", "tilt"

# Speeds at which friction may fade, as shares of the joint's highest speed.
SPEEDS = (0.02, 0.05, 0.1, 0.2)

# The reversal of dry friction is smooth over this share of the highest speed, in half of the models
# that give error bars: the true width is unknown.
SOFT = 0.01

# Speeds at which friction must not drive a joint, as shares of the highest speed.
CURVE = (0.0, *(np.linspace(0.1, 1.0, 9) ** 2).tolist())

# A speed [rad/s or m/s] at the onset of motion: all but dry friction vanishes.
ONSET = 1e-12

# Significance of a group that stays (3.5 standard deviations), and how much more it needs for each
# further column.
SIGNIFICANCE, PER_COLUMN = 12.0, 2.0

# Halves of the data agree on a tilt or delay if they differ by at most this share of it.
HALVES_AGREE = 0.5

# A larger tilt [rad] is none: the description is of another mount.
LARGEST_TILT = math.radians(15.0)


@dataclass(frozen=True)
class Terms:
    """Which terms of friction a fit has.

    Attributes:
        common: terms that every joint has.
        offered: further terms.
        forced: every joint has the offered terms; else they are chosen by the data.
    """

    common: tuple[str, ...]
    offered: tuple[str, ...] = ()
    forced: bool = False

    @property
    def asked(self) -> str | list[str]:
        """What a user asked for: "auto", or the names of the terms."""
        names = [short_name(kind) for kind in (*self.common, *self.offered)]
        return names if self.forced or not self.offered else AUTO


# The wide model.


@dataclass(frozen=True, eq=False)
class Wide:
    """The wide model, and which of its columns are what.

    Attributes:
        model: all columns.
        always: columns of every fit.
        groups: columns that may come or go together.
        members: the columns of each of the full models whose spread gives error bars.
    """

    model: Model
    always: tuple[int, ...]
    groups: tuple[Group, ...]
    members: tuple[tuple[int, ...], ...]


def wide_model(
    narrow: Model,
    terms: Terms,
    top: Array,
    choose_rotors: bool,
    load: Array,
    links: Array,
    tilt: bool | None,
) -> Wide:
    """Return the wide model.

    Args:
        narrow: the model with the common terms.
        terms: which terms may be chosen.
        top: highest speed of every drive, ``(n,)``.
        choose_rotors: rotors are chosen by the data; else all minimal parameters are in every fit.
        load: parameters that give the load of the gears.
        links: natural parameters of the links, whose weight a tilt of gravity turns.
        tilt: True if gravity may be turned by the data, None if it has been, False if it is known.
    """
    arm, own = narrow.arm, list[Column]()
    full = [kind for kind, term in FRICTION_TERMS.items() if not term.common]
    full = full if terms.common else []
    for j in range(arm.n):
        for kind in full:
            shapes = _shapes(arm.robot.joints[j], kind, float(top[j]))
            own += [friction_column(arm, j, kind, shape) for shape in shapes]
        for kind in (*terms.common, *full):
            if FRICTION_TERMS[kind].dry:
                shapes = _shapes(arm.robot.joints[j], kind, float(top[j]))
                soft = SOFT * float(top[j])
                own += [friction_column(arm, j, kind, shape, soft) for shape in shapes]
    if tilt is not False:
        own += _tilt_columns(narrow, links)
    model = narrow.with_columns(own).with_load(load)
    first = len(narrow.columns)
    rotors = rotor_rows(model.base)
    free = set(rotors.values()) if choose_rotors else set[int]()
    always = tuple(i for i in range(first) if i not in free)
    groups = _friction_groups(model, first, terms)
    groups += [Group((i,), ROTOR, j, least=0.0) for j, i in rotors.items() if i in free]
    turned = tuple(model.indices(TILT))
    if turned and tilt:
        groups.append(Group(turned, TILT, -1))
    return Wide(model, always, tuple(groups), _members(model, tilt is None))


def _friction_groups(model: Model, first: int, terms: Terms) -> list[Group]:
    groups: list[Group] = []
    common = not_negative(model.columns[:first])
    for j in range(model.n):
        for kind in terms.offered:
            columns = tuple(
                i for i, c in enumerate(model.columns[first:], first)
                if c.joint == j and not c.soft and c.kind == kind
            )  # fmt: skip
            term = FRICTION_TERMS[kind]
            bounds = (0.0 if term.load else -np.inf, term.below)
            beside = () if term.load else tuple(i for i in common if model.columns[i].joint == j)
            if columns:
                groups.append(Group(columns, short_name(kind), j, *bounds, terms.forced, beside))
    return groups


def _tilt_columns(model: Model, links: Array) -> list[Column]:
    """Return the torques for tilts of gravity by 1 rad, a column of all joints each."""
    robot, n = model.arm.robot, model.n
    gravity = np.asarray(robot.gravity, dtype=np.float64)
    if not gravity.any():
        return []
    K = np.eye(n) if model.coupling is None else model.coupling

    def column(change: Array) -> Function:
        return lambda q, qd, qdd: gravity_columns(robot, links, q) @ change @ K.T

    return [
        Column(f"tilt{i}", "rad", TILT, -1, column(change), shared=tuple(range(n)))
        for i, change in enumerate(tilts(gravity), 1)
    ]


def _shapes(joint: object, kind: str, top: float) -> list[tuple[float, ...]]:
    """Return the shapes of a term's columns: none, the described one, or speeds of the grid."""
    fields = FRICTION_TERMS[kind].shape
    if not fields:
        return [()]
    described = tuple(float(getattr(joint, name)) for name in fields)
    if FRICTION_TERMS[kind].common:
        return [described] if all(described) else []
    return [(share * max(top, 1e-9),) * len(fields) for share in SPEEDS]


def _members(model: Model, turned: bool) -> tuple[tuple[int, ...], ...]:
    """Return full models: one speed of the grid each, with sharp and with smooth reversals.

    They have a tilt of gravity if it was turned.
    """
    listed: list[tuple[int, ...]] = []
    for at, soft in product(range(len(SPEEDS)), (False, True)):
        picked: list[int] = []
        seen = dict[tuple[int, str, bool], int]()
        for i, column in enumerate(model.columns):
            if column.kind not in FRICTION_TERMS:
                if column.kind != TILT or turned:
                    picked.append(i)
                continue
            term = FRICTION_TERMS[column.kind]
            if term.dry and bool(column.soft) is not soft:
                continue
            if term.shape and not term.common:
                key = (column.joint, column.kind, soft)
                seen[key] = seen.get(key, -1) + 1
                if seen[key] != at:
                    continue
            picked.append(i)
        listed.append(tuple(picked))
    return tuple(dict.fromkeys(listed))


def curve_rows(model: Model, top: Array) -> Array:
    """Return rows ``(m, p)`` for which rows @ values is the friction of a joint at some speed.

    It must not be negative, from the onset of motion to the highest speed `top` of the joint.
    """
    shares = np.array(CURVE)
    found = np.concatenate(
        [braking_rows(model, j, v * shares + ONSET) for j, v in enumerate(top.tolist())]
    )
    return found[found.any(axis=1)]


def braking_rows(model: Model, j: int, speeds: Array) -> Array:
    """Return rows ``(V, p)`` whose products with values are friction without load and offset."""
    rows = friction_rows(model, j, speeds)
    for i, column in enumerate(model.columns):
        term = FRICTION_TERMS.get(column.kind)
        if term is not None and (term.load or not term.drags):
            rows[:, i] = 0.0
    return rows


# The choice.


def select_terms(solver: Solver, groups: Sequence[Group]) -> Fit:
    """Return the fit with the groups that are significant.

    Of a group whose columns are one term in several shapes, the best single shape is left.
    """
    found = fit_all_terms(solver, groups)
    while True:
        crowding = [g for g in found.groups if makes_friction_negative(g, found) and not g.forced]
        if crowding:
            solver, found = _with_positive_friction(solver, found, crowding[0].joint, groups)
            continue
        worst, least = None, 0.0
        for group in found.groups:
            if group.forced:
                continue
            spare = solver.significance(found, group) - SIGNIFICANCE
            spare -= PER_COLUMN * (len(group.columns) - 1)
            values = found.values[list(group.columns)]
            if (values <= group.least).any() or (values >= group.most).any():
                spare = -math.inf
            if spare < least:
                worst, least = group, spare
        if worst is None:
            return found
        found = _without(solver, found, worst, groups)


def fit_all_terms(solver: Solver, groups: Sequence[Group]) -> Fit:
    """Return the fit with all groups that explain anything, each in the shape that fits best."""
    found = solver.fit(groups)
    for group in found.groups:
        found = _shaped(solver, found, group, group)
    return solver.fit(found.groups, found)


def makes_friction_negative(group: Group, found: Fit) -> bool:
    """Whether a group goes with a negative value that no joint has."""
    return bool((found.values[list(group.beside)] < 0.0).any())


def _with_positive_friction(
    solver: Solver, found: Fit, joint: int, groups: Sequence[Group]
) -> tuple[Solver, Fit]:
    """Return the best fit without a group of a joint, or with one of its negative values zero."""
    mine = [g for g in found.groups if g.joint == joint and makes_friction_negative(g, found)]
    tries = [(solver, _without(solver, found, g, groups)) for g in mine if not g.forced]
    for column in sorted({i for g in mine for i in g.beside if found.values[i] < 0.0}):
        zero = solver.without(column)
        tries.append((zero, _reshaped(zero, zero.fit(found.groups, found), joint, groups)))
    # each fit has weights of its own: compare with the same ones
    return min(tries, key=lambda one: solver.misfit(replace(one[1], weights=found.weights)))


def _without(solver: Solver, found: Fit, gone: Group, groups: Sequence[Group]) -> Fit:
    """Return the fit without a group; terms of its joint take the shape that fits best then."""
    left = solver.fit([g for g in found.groups if g is not gone], found)
    return _reshaped(solver, left, gone.joint, groups)


def _reshaped(solver: Solver, found: Fit, joint: int, groups: Sequence[Group]) -> Fit:
    """Return the fit with terms of a joint in the shape that fits best."""
    for group in found.groups:
        if group.joint == joint:
            shapes = next(g for g in groups if {*g.columns} >= {*group.columns})
            found = _shaped(solver, found, group, shapes)
    return found


def _shaped(solver: Solver, found: Fit, group: Group, shapes: Group) -> Fit:
    """Return the fit with one column of a group of shapes in place of a group."""
    if group.joint < 0 or len(shapes.columns) == 1:
        return found
    singles = [replace(shapes, columns=(column,)) for column in shapes.columns]
    tries = [solver.exchanged(found, group, one) for one in singles]
    return min(tries, key=solver.misfit)


# A tilt of gravity: the base of an arm is not quite as described. A mount that is tilted by one
# degree loads the first joint, which carries nothing else, with some per cent of the torque of the
# second. Something else may look like a tilt in one part of a log, so both halves of the data must
# agree on it, and it must exceed its own scatter between blocks.


@dataclass(frozen=True, eq=False)
class Tilt:
    """By how much gravity is turned.

    Attributes:
        change: of gravity in the base frame ``(3,)``, which keeps its size [m/s^2].
        links: natural parameters ``(10n,)`` of the links that it was found with.
        angle: [rad].
        deviation: standard deviation of the angle [rad].
        halves: angles between the described gravity and that of either half of the data [rad].
        errors: relative errors of the torques without it and with it.
    """

    change: Array
    links: Array
    angle: float
    deviation: float
    halves: tuple[float, float]
    errors: tuple[float, float]

    def and_then(self, more: Tilt, gravity: Array) -> Tilt:
        """Return the tilt with another one after it; `gravity` ``(3,)`` is the described one."""
        new, size = gravity + self.change + more.change, float(np.linalg.norm(gravity))
        new *= size / np.linalg.norm(new)
        angle = float(np.arccos(np.clip(new @ gravity / size**2, -1.0, 1.0)))
        return replace(self, change=new - gravity, links=more.links, angle=angle)


def tilt_of(solver: Solver, found: Fit, gram: Gram, gravity: Array, links: Array) -> Tilt | None:
    """Return the tilt in a fit; None if there is none, or it is not the same everywhere.

    Args:
        solver: makes fits.
        found: a fit.
        gram: its rows.
        gravity: as described ``(3,)``.
        links: natural parameters that the columns of the tilt were made with.
    """
    group = next((g for g in found.groups if g.what == TILT), None)
    if group is None:
        return None
    at = list(group.columns)
    c: Array = found.values[at]
    angle = float(np.linalg.norm(c))
    count = gram.blocks
    halves = (slice(0, count // 2), slice(count // 2, count))
    first, second = (
        solver.like(found, 2.0 * gram.part(half).squares()).values[at] for half in halves
    )
    each = (gram.part(slice(b, b + 1)).squares() for b in range(count))
    without = np.array([solver.like(found, solver.squares - one).values[at] for one in each])
    off = without - without.mean(axis=0)
    scatter: Array = (count - 1) / count * off.T @ off
    sure = float(c @ scaled_inverse(scatter) @ c)
    if (
        angle > LARGEST_TILT
        or sure < SIGNIFICANCE + PER_COLUMN
        or float(np.linalg.norm(first - second)) > HALVES_AGREE * angle
    ):
        return None
    along: Array = c / angle
    angles = (float(np.linalg.norm(first)), float(np.linalg.norm(second)))
    new = gravity + c @ tilts(gravity)
    change = new * (np.linalg.norm(gravity) / np.linalg.norm(new)) - gravity
    bar = float(np.sqrt(along @ scatter @ along))
    plain = solver.fit([g for g in found.groups if g is not group], found)
    errors = (solver.error(plain), solver.error(found))
    return Tilt(change, links, angle, bar, angles, errors)
