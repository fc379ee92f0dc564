"""Friction curves over speed and over load, with the data around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.choice import SIGNIFICANCE
from armdyn.identification.fit.columns import Column, short_name
from armdyn.identification.page.rows import RowsOfJoints, figure, hint, units_of
from armdyn.present.html import Html, joined, section, tag
from armdyn.present.scatter import Trace, scatter
from armdyn.present.tables import Grid, Toned, number, percent, with_deviation
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Points of a curve, and rows that are drawn: more do not show in a small drawing.
POINTS, ROWS = 60, 1200


@dataclass(frozen=True, eq=False)
class FrictionLaw:
    """The fitted friction of one joint, as a function of speed and load.

    Attributes:
        columns: its terms; empty if friction was not fitted.
        values: their coefficients.
        covariance: of the coefficients.
    """

    columns: tuple[Column, ...]
    values: Array
    covariance: Array

    def torque(self, v: Array, load: Array | float, *, offset: bool = True) -> Array:
        """Return the friction at speeds and loads ``(N,)``, with or without its constant part."""
        return self._matrix(v, load, offset) @ self.values

    def std(self, v: Array, load: Array | float, *, offset: bool = True) -> Array:
        """Return its standard deviation ``(N,)``."""
        A = self._matrix(v, load, offset)
        return np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", A, self.covariance, A), 0.0))

    def trace(self, x: Array, v: Array, load: Array | float, *, offset: bool = True) -> Trace:
        """Return the curve over x, with a band of twice its standard deviation."""
        band = 2.0 * self.std(v, load, offset=offset)
        return Trace(x, self.torque(v, load, offset=offset), "said", band)

    def _matrix(self, v: Array, load: Array | float, offset: bool) -> Array:
        A = np.zeros((len(v), len(self.columns)))
        for i, column in enumerate(self.columns):
            if offset or column.kind != "offset":
                term = FRICTION_TERMS[column.kind]
                direction = np.tanh(v / column.soft) if column.soft else np.sign(v)
                pairs = zip(v, direction, strict=True)
                values = [term.column(x, s, *column.shape) for x, s in pairs]
                A[:, i] = np.array(values, np.float64) * (np.abs(load) if term.load else 1.0)
        return A


def friction_law(result: Result, j: int) -> FrictionLaw:
    """Return the friction of a joint."""
    columns = result.model.columns
    at = [i for i, c in enumerate(columns) if c.kind in FRICTION_TERMS and c.joint == j]
    covariance = result.covariance[np.ix_(at, at)]
    return FrictionLaw(tuple(columns[i] for i in at), result.values[at], covariance)


def friction_section(result: Result, rows: RowsOfJoints) -> Html:
    """Return two drawings for each joint, and how the terms were selected."""
    laws = [friction_law(result, j) for j in range(result.arm.n)]
    if not any(law.columns for law in laws):
        words = "Friction was taken as described, not fitted."
        return section("Friction", tag("p", words), key="friction")
    held_out = "; orange: held-out rows" * result.held_out
    explained = hint(
        "Friction of each joint over its speed, at its median load, and over its load, at its "
        "median speed (against the motion, without the constant part). The line is the model, with "
        "twice its standard deviation. Blue dots: the measured torque minus all other parts of the "
        f"model{held_out}. Dots that bend away from the line are friction that the model does not "
        "have."
    )
    figures: list[Html] = []
    for j, joint in enumerate(result.arm.robot.joints):
        if laws[j].columns and len(rows.both(j)):
            figures += _figures(rows, j, joint, laws[j], float(result.about.dead_band[j]))
    drawn = tag("div", joined(figures), class_="grid pairs")
    return section(
        "Friction", _coefficients(result), explained, drawn, term_trials(result), key="friction"
    )


def _coefficients(result: Result) -> Html:
    """Return a row of coefficients for each joint."""
    joints = result.arm.robot.joints
    cells: dict[tuple[int, str], list[str]] = {}
    units: dict[str, dict[str, None]] = {}
    each = zip(result.model.columns, result.values.tolist(), result.std.tolist(), strict=True)
    for column, value, std in each:
        if column.kind in FRICTION_TERMS:
            words = f"{with_deviation(value, std)} ± {number(std, 2)}"
            cells.setdefault((column.joint, column.kind), []).append(words)
            unit = FRICTION_TERMS[column.kind].unit(joints[column.joint].is_revolute)
            units.setdefault(column.kind, {})[unit] = None
    heads = ["friction of"]
    for kind, some in units.items():
        words = ", ".join(unit for unit in some if unit != "1")
        heads.append(FRICTION_TERMS[kind].words + f" [{words}]" * bool(words))
    rows = tuple(
        (joint.name, *(", ".join(cells.get((j, kind), [])) for kind in units))
        for j, joint in enumerate(joints)
    )
    return Grid("", tuple(heads), 1, rows).html()


def _figures(rows: RowsOfJoints, j: int, joint: Joint, law: FrictionLaw, dead: float) -> list[Html]:
    both, units = rows.both(j), units_of(joint)
    kinds = ((False, "dots"), (True, "dots others"))
    sets = [(rows.of(j, held_out).thinned(ROWS), kind) for held_out, kind in kinds]
    load, speed = (float(np.median(np.abs(x))) for x in (both.load, both.velocity))
    top = float(np.abs(both.velocity).max())
    grid = np.linspace(max(dead, 1e-3 * top), top, POINTS)
    over_speed = scatter(
        [(x.velocity, law.torque(x.velocity, load) + x.residual, kind) for x, kind in sets],
        [law.trace(v, v, load) for v in (-grid[::-1], grid)],
        units.speed,
        f"friction of {joint.name} over speed",
    )

    def steady(loads: Array) -> Array:
        """Return friction against the motion, as if all rows had the same speed."""
        return law.torque(np.full(len(loads), speed), loads, offset=False)

    loads = np.linspace(0.0, float(np.abs(both.load).max()), POINTS)
    over_load = scatter(
        [(np.abs(x.load), steady(x.load) + x.residual * np.sign(x.velocity), k) for x, k in sets],
        [law.trace(loads, np.full(POINTS, speed), loads, offset=False)],
        units.torque,
        f"friction of {joint.name} over load",
    )
    return [
        figure(joint.name, f" over {what} [{units.torque}]", picture)
        for what, picture in (("speed", over_speed), ("load", over_load))
    ]


def term_trials(result: Result) -> Html:
    """Return errors with and without each friction term; nothing if terms were not selected."""
    if not result.trials:
        return Html("")
    cells = tuple(
        (
            result.arm.joint_names[trial.joint],
            _terms((trial.term,)),
            percent(trial.error_without),
            percent(trial.error_with),
            f"{trial.deviations:.1f}",
            Toned("selected", "good") if trial.chosen else "",
        )
        for trial in result.trials
    )
    words = hint(
        "Friction terms were selected on the data of the fit. Common terms are viscous, Coulomb "
        "and constant friction. A joint gets each further term that differs from zero by "
        f"{np.sqrt(SIGNIFICANCE):.2g} standard deviations beside all others; rotor and load "
        "coefficients must be positive. The table has cross-validation errors without and with "
        "each further term, beside the selected ones."
    )
    heads = ("joint", "term", "error without", "error with", "fall in standard errors", "")
    table = Grid("", heads, 2, cells, words_after=1).html()
    folded = tag("details", tag("summary", "Show all trials"), table)
    terms = tuple((name, _terms(terms)) for name, terms in result.friction_terms.items())
    selected = Grid("", ("joint", "friction terms"), 2, terms).html()
    return joined([tag("h3", "Selection of friction terms"), words, selected, folded])


def _terms(names: Sequence[str]) -> str:
    """Return terms in words."""
    words = {short_name(kind): term.words for kind, term in FRICTION_TERMS.items()}
    return ", ".join(words.get(name, name) for name in names) or "none"
