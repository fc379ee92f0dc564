"""The columns of all terms of friction that a joint may have, before some are chosen.

The wide model has, for every joint, the common terms; each further term, one column for each speed
of the grid if its shape is a speed; and dry terms once more with tanh(v/v0) in place of sign(v).
One pass over the data gives the sums of all of them. The choice of terms and the error bars pick
their columns from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.choice.evidence import Group
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
from armdyn.identification.fit.gravity import gravity_columns, tilts
from armdyn.robot.friction import FRICTION_TERMS

AUTO = "auto"

# What a group of columns may be, beside terms of friction.
ROTOR = "rotor"
TILT = "tilt"

# Speeds at which friction may fade, as shares of the joint's highest speed.
SPEEDS = (0.02, 0.05, 0.1, 0.2)

# The reversal of dry friction is smooth over this share of the highest speed, in half of the
# models that give error bars: the true width is unknown.
SOFT = 0.01

# Speeds at which friction must not drive a joint, as shares of the highest, and the onset of
# motion [rad/s or m/s].
CURVE = np.concatenate([[0.0], np.linspace(0.1, 1.0, 9) ** 2])
ONSET = 1e-12


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

    It has no load and no constant part: it must not be negative, from the onset of motion to the
    highest speed `top` of the joint.
    """
    rows = [friction_rows(model, j, v * CURVE + ONSET) for j, v in enumerate(top.tolist())]
    found = np.concatenate(rows)
    for i, column in enumerate(model.columns):
        term = FRICTION_TERMS.get(column.kind)
        if term is not None and (term.load or not term.drags):
            found[:, i] = 0.0
    return found[found.any(axis=1)]
