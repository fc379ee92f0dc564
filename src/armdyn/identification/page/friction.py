"""Friction curves over speed and over load, with the data around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.choice import SIGNIFICANCE
from armdyn.identification.fit.columns import Column, short_name
from armdyn.identification.page.rows import JointRows, RowsOfJoints
from armdyn.present.html import Html, joined, section, tag
from armdyn.present.scatter import Trace, scatter
from armdyn.present.tables import Grid, Toned, number, percent, with_deviation
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# The friction of a joint as a function of speed and load, with error bars.

OFFSET = "offset"


@dataclass(frozen=True, eq=False)
class FrictionLaw:
    """What was found of the friction of one joint.

    Attributes:
        columns: its terms; empty if friction was not fitted.
        values: their coefficients.
        covariance: of the coefficients.
    """

    columns: tuple[Column, ...]
    values: Array
    covariance: Array

    @property
    def depends_on_load(self) -> bool:
        """Whether it has a term of the load."""
        return any(_of_load(column) for column in self.columns)

    def torque(self, v: Array, load: Array | float, *, offset: bool = True) -> Array:
        """Return the friction at speeds and loads ``(N,)``, with or without its constant part."""
        return self._matrix(v, load, offset) @ self.values

    def std(self, v: Array, load: Array | float, *, offset: bool = True) -> Array:
        """Return its standard deviation ``(N,)``."""
        A = self._matrix(v, load, offset)
        return np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", A, self.covariance, A), 0.0))

    def _matrix(self, v: Array, load: Array | float, offset: bool) -> Array:
        A = np.zeros((len(v), len(self.columns)))
        for i, column in enumerate(self.columns):
            if offset or column.kind != OFFSET:
                A[:, i] = _evaluated(column, v) * (np.abs(load) if _of_load(column) else 1.0)
        return A


def friction_law(result: Result, j: int) -> FrictionLaw:
    """Return the friction of a joint."""
    at = [
        i for i, c in enumerate(result.model.columns) if c.kind in FRICTION_TERMS and c.joint == j
    ]
    return FrictionLaw(
        tuple(result.model.columns[i] for i in at),
        result.values[at],
        result.covariance[np.ix_(at, at)],
    )


def _of_load(column: Column) -> bool:
    return FRICTION_TERMS[column.kind].load


def _evaluated(column: Column, v: Array) -> Array:
    """Return a column at speeds, for a load of 1."""
    term = FRICTION_TERMS[column.kind]
    direction = np.tanh(v / column.soft) if column.soft else np.sign(v)
    found = [term.column(x, s, *column.shape) for x, s in zip(v, direction, strict=True)]
    return np.array(found, dtype=np.float64)


TITLE = "Friction"

# Points of a curve, and rows that are drawn.
POINTS = 60
ROWS = 1200


def friction_section(result: Result, rows: RowsOfJoints) -> Html:
    """Return two drawings for each joint, and how the terms were chosen."""
    laws = [friction_law(result, j) for j in range(result.arm.n)]
    if not any(law.columns for law in laws):
        words = "Friction was taken as described, not fitted."
        return section(TITLE, tag("p", words), key="friction")
    held = "; orange: rows held out" * result.held_out
    hint = tag(
        "p",
        "Friction of each joint over its speed, at its usual load, and over its load, at its usual "
        "speed (there against the motion, without the constant part). The line is the model, with "
        "twice its standard deviation. Blue dots: what is left of the measured torque when all "
        f"other parts of the model are taken away{held}. Dots that bend away from the line are "
        "friction that the model does not have.",
        class_="hint",
    )
    figures: list[Html] = []
    for j, joint in enumerate(result.arm.robot.joints):
        if laws[j].columns and len(rows.both(j)):
            figures += _figures(rows, j, joint, laws[j], float(result.about.dead_band[j]))
    drawn = tag("div", joined(figures), class_="grid pairs")
    return section(TITLE, _coefficients(result), hint, drawn, term_trials(result), key="friction")


def _coefficients(result: Result) -> Html:
    """Return a row of coefficients for each joint."""
    found = [
        (i, column)
        for i, column in enumerate(result.model.columns)
        if column.kind in FRICTION_TERMS
    ]
    kinds = list(dict.fromkeys(column.kind for _, column in found))
    cells: dict[tuple[int, str], list[str]] = {}
    for i, column in found:
        value, std = float(result.values[i]), float(result.std[i])
        said = f"{with_deviation(value, std)} ± {number(std, 2)}"
        cells.setdefault((column.joint, column.kind), []).append(said)
    rows = tuple(
        (name, *(", ".join(cells.get((j, kind), [])) for kind in kinds))
        for j, name in enumerate(result.arm.joint_names)
    )
    joints = result.arm.robot.joints
    types = list(dict.fromkeys(joints[column.joint].is_revolute for _, column in found))
    heads = ("friction of", *(_head(kind, types) for kind in kinds))
    return Grid("", heads, 1, rows).html()


def _head(kind: str, types: Sequence[bool]) -> str:
    """Return the name of a term with its units, for the types of joints that there are."""
    term = FRICTION_TERMS[kind]
    units = [unit for unit in dict.fromkeys(map(term.unit, types)) if unit != "1"]
    return f"{term.words} [{', '.join(units)}]" if units else term.words


def _figures(rows: RowsOfJoints, j: int, joint: Joint, law: FrictionLaw, dead: float) -> list[Html]:
    both, fit, test = rows.both(j), _thin(rows.of(j, False)), _thin(rows.of(j, True))
    force = "N m" if joint.is_revolute else "N"
    usual = float(np.median(np.abs(both.load)))
    top, speed = float(np.abs(both.velocity).max()), float(np.median(np.abs(both.velocity)))
    grid = np.linspace(max(dead, 1e-3 * top), top, POINTS)
    kinds = ((fit, "dots"), (test, "dots others"))
    over_speed = scatter(
        [(x.velocity, law.torque(x.velocity, usual) + x.residual, kind) for x, kind in kinds],
        [_trace(law, v, usual) for v in (-grid[::-1], grid)],
        "rad/s" if joint.is_revolute else "m/s",
        f"friction of {joint.name} over speed",
    )
    loads = np.linspace(0.0, float(np.abs(both.load).max()), POINTS)
    steady = np.full(POINTS, speed)
    against = Trace(
        loads, law.torque(steady, loads, offset=False), "said",
        2.0 * law.std(steady, loads, offset=False),
    )  # fmt: skip
    over_load = scatter(
        [(np.abs(x.load), _against(law, x, speed), kind) for x, kind in kinds],
        [against],
        force,
        f"friction of {joint.name} over load",
    )
    captions = (f" over speed [{force}]", f" over load [{force}]")
    return [
        tag("figure", tag("figcaption", tag("b", joint.name), said), picture)
        for said, picture in zip(captions, (over_speed, over_load), strict=True)
    ]


def _trace(law: FrictionLaw, v: Array, load: float) -> Trace:
    return Trace(v, law.torque(v, load), "said", 2.0 * law.std(v, load))


def _against(law: FrictionLaw, rows: JointRows, speed: float) -> Array:
    """Return friction against the motion of rows, as if all had the same speed."""
    steady = np.full(len(rows), speed)
    return law.torque(steady, rows.load, offset=False) + rows.residual * np.sign(rows.velocity)


def _thin(rows: JointRows) -> JointRows:
    every = max(len(rows) // ROWS, 1)
    return JointRows(
        rows.position[::every], rows.velocity[::every], rows.load[::every], rows.residual[::every]
    )


def term_trials(result: Result) -> Html:
    """Return how the terms were chosen: errors with and without each; nothing without a choice."""
    names = result.arm.joint_names
    cells: list[tuple[Html | str | Toned, ...]] = [
        (
            names[trial.joint],
            _terms((trial.term,)),
            percent(trial.error_without),
            percent(trial.error_with),
            f"{trial.deviations:.1f}",
            Toned("chosen", "good") if trial.chosen else "",
        )
        for trial in result.trials
    ]
    if not cells:
        return Html("")
    words = tag(
        "p",
        "Which terms friction has was chosen inside the data of the fit. A joint has each further "
        f"term that is {np.sqrt(SIGNIFICANCE):.2g} standard deviations away from zero beside all "
        "others; rotor and load coefficients must be positive. Common terms are viscous, Coulomb "
        "and constant friction. The table has errors on parts of the data that were left out of "
        "the fit, without and with each further term, beside the chosen ones.",
        class_="hint",
    )
    heads = ("joint", "term", "error without", "error with", "fall in standard errors", "")
    tried = Grid("", heads, 2, tuple(cells), words_after=1).html()
    folded = tag("details", tag("summary", "Show what was tried"), tried)
    return joined([tag("h3", "How the terms were chosen"), words, _chosen(result), folded])


def _chosen(result: Result) -> Html:
    """Return the terms of every joint."""
    rows = tuple((name, _terms(terms)) for name, terms in result.friction_terms.items())
    return Grid("", ("joint", "terms of its friction"), 2, rows).html()


def _terms(names: Sequence[str]) -> str:
    """Return terms in words."""
    words = {short_name(kind): term.words for kind, term in FRICTION_TERMS.items()}
    return ", ".join(words.get(name, name) for name in names) or "none"
