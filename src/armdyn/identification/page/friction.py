"""Friction curves over speed and over load, with the data around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.choice import SIGNIFICANCE
from armdyn.identification.fit.columns import Column, short_name
from armdyn.identification.page.residuals import JointRows
from armdyn.identification.tables import hint, units_of
from armdyn.present.curves import captioned
from armdyn.present.html import Html, joined, section, tag
from armdyn.present.scatter import DOTS, Trace, scatter
from armdyn.present.tables import Grid, Toned, number, percent, with_deviation
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Points of a curve: more do not show in a small drawing.
POINTS = 60


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
        return np.sqrt(np.maximum(np.sum((A @ self.covariance) * A, axis=1), 0.0))

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


def friction_section(result: Result, rows: Sequence[JointRows]) -> Html:
    """Return two drawings for each joint, and how the terms were selected."""
    figures: list[Html] = []
    for j, (joint, mine) in enumerate(zip(result.arm.robot.joints, rows, strict=True)):
        law = friction_law(result, j)
        if law.columns and len(mine.speed):
            figures += _figures(mine, joint, law, float(result.about.dead_band[j]))
    coefficients = _coefficients(result)
    if not coefficients:
        words = "Friction was taken as described, not fitted."
        return section("Friction", tag("p", words), key="friction")
    held_out = "; orange: held-out rows" * result.held_out
    explained = hint(
        "Friction of each joint over its speed, at its median load, and over its load, at its "
        "median speed (against the motion, without the constant part). The line is the model, with "
        "a band of two standard deviations. Blue dots: the measured torque minus all other parts "
        f"of the model{held_out}. Dots that bend away from the line are friction that the model "
        "lacks."
    )
    drawn = tag("div", joined(figures), class_="grid pairs")
    return section("Friction", coefficients, explained, drawn, term_trials(result), key="friction")


def _coefficients(result: Result) -> Html:
    """Return a row of coefficients for each joint; nothing if no friction was fitted."""
    joints = result.arm.robot.joints
    cells: dict[tuple[int, str], list[str]] = {}
    units: dict[str, dict[str, None]] = {}
    for column, value, std in zip(result.model.columns, result.values, result.std, strict=True):
        if column.kind in FRICTION_TERMS:
            words = f"{with_deviation(value, std)} ± {number(std, 2)}"
            cells.setdefault((column.joint, column.kind), []).append(words)
            unit = FRICTION_TERMS[column.kind].unit(joints[column.joint].is_revolute)
            units.setdefault(column.kind, {})[unit] = None
    if not cells:
        return Html("")
    heads = ["friction of"]
    for kind, some in units.items():
        words = ", ".join(unit for unit in some if unit != "1")
        heads.append(FRICTION_TERMS[kind].words + f" [{words}]" * bool(words))
    rows = tuple(
        (joint.name, *(", ".join(cells.get((j, kind), [])) for kind in units))
        for j, joint in enumerate(joints)
    )
    return Grid("", tuple(heads), 1, rows).html()


def _figures(rows: JointRows, joint: Joint, law: FrictionLaw, dead: float) -> list[Html]:
    units = units_of(joint)
    load, speed = (float(np.median(np.abs(x))) for x in (rows.load, rows.speed))
    top, heaviest = (float(np.abs(x).max()) for x in (rows.speed, rows.load))
    every = max(len(rows.speed) // (4 * DOTS), 1)  # enough for two kinds of dots
    rows = JointRows(*(x[::every] for x in vars(rows).values()))

    def at_load(v: Array) -> tuple[Array, Array]:
        return law.torque(v, load), 2.0 * law.std(v, load)

    def at_speed(loads: Array) -> tuple[Array, Array]:
        v = np.full(len(loads), speed)
        return law.torque(v, loads, offset=False), 2.0 * law.std(v, loads, offset=False)

    grid, loads = np.linspace(max(dead, 1e-3 * top), top, POINTS), np.linspace(0, heaviest, POINTS)
    against = rows.residual * np.sign(rows.speed)
    drawings = {
        "speed": (rows.speed, at_load, rows.residual, (-grid[::-1], grid), units.speed),
        "load": (np.abs(rows.load), at_speed, against, (loads,), units.torque),
    }
    figures: list[Html] = []
    for what, (x, friction, residual, grids, unit) in drawings.items():
        dots = rows.dots(x, friction(x)[0] + residual)
        traces: list[Trace] = []
        for some in grids:
            torque, band = friction(some)
            traces.append(Trace(some, torque, "said", band))
        picture = scatter(dots, traces, unit, f"friction of {joint.name} over {what}")
        figures.append(captioned([joint.name, f" over {what} [{units.torque}]"], picture))
    return figures


def term_trials(result: Result) -> Html:
    """Return errors with and without each friction term; nothing if terms were not selected."""
    if not result.trials:
        return Html("")
    words = {short_name(kind): term.words for kind, term in FRICTION_TERMS.items()}
    cells = tuple(
        (
            result.arm.joint_names[trial.joint],
            words.get(trial.term, trial.term),
            percent(trial.error_without),
            percent(trial.error_with),
            f"{trial.deviations:.1f}",
            Toned("selected", "good") if trial.chosen else "",
        )
        for trial in result.trials
    )
    explained = hint(
        "Every joint has viscous, Coulomb and constant friction. It gets each further term that "
        f"differs from zero by {np.sqrt(SIGNIFICANCE):.2g} standard deviations beside all others; "
        "rotor and load coefficients must be positive. The table has cross-validation errors "
        "without and with each further term, beside the selected ones."
    )
    heads = ("joint", "term", "error without", "error with", "fall in standard errors", "")
    table = Grid("", heads, 2, cells, words_after=1).html()
    folded = tag("details", tag("summary", "Show all trials"), table)
    return joined([tag("h3", "Selection of friction terms"), explained, folded])
