"""Friction curves over speed and over load, with the data around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.choice import SIGNIFICANCE
from armdyn.identification.fit.columns import Column, short_name
from armdyn.identification.page.residuals import JointRows
from armdyn.identification.tables import units_of
from armdyn.present.curves import captioned
from armdyn.present.html import Html, hint, joined, section, tag
from armdyn.present.scatter import DOTS, Trace, scatter
from armdyn.present.tables import Grid, Toned, number, percent, with_deviation
from armdyn.robot.friction import FRICTION_TERMS

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Points of a curve: more do not show in a small drawing.
POINTS = 60


def fitted_friction(
    result: Result, j: int, v: Array, load: Array | float, *, offset: bool = True
) -> tuple[Array, Array]:
    """Return the friction of a joint and its standard deviation, ``(N,)`` each.

    Args:
        result: of the identification.
        j: the joint, from 0.
        v: speeds ``(N,)``.
        load: torques that the gear transmits, ``(N,)`` or one for all.
        offset: whether the constant part counts.
    """
    kinds = [kind for kind in FRICTION_TERMS if offset or kind != "offset"]
    at = [i for i in result.model.indices(*kinds) if result.model.columns[i].joint == j]
    A = friction_rows([result.model.columns[i] for i in at], v, load)
    variance = np.sum((A @ result.covariance[np.ix_(at, at)]) * A, axis=1)
    return A @ result.values[at], np.sqrt(np.maximum(variance, 0.0))


def friction_rows(columns: Sequence[Column], v: Array, load: Array | float) -> Array:
    """Return columns of friction of one joint ``(N, m)``, at speeds ``(N,)`` and loads."""
    A = np.empty((len(v), len(columns)))
    for k, column in enumerate(columns):
        term = FRICTION_TERMS[column.kind]
        direction = np.tanh(v / column.soft) if column.soft else np.sign(v)
        values = [term.column(x, s, *column.shape) for x, s in zip(v, direction, strict=True)]
        A[:, k] = np.array(values, np.float64) * (np.abs(load) if term.load else 1.0)
    return A


def friction_section(result: Result, rows: Sequence[JointRows]) -> Html:
    """Return two drawings for each joint, and how the terms were selected."""
    if not len(result.model.indices(*FRICTION_TERMS)):
        words = "Friction was taken as described, not fitted."
        return section("Friction", tag("p", words), key="friction")
    figures = [_figures(result, j, mine) for j, mine in enumerate(rows) if len(mine.speed)]
    held_out = "; orange: held-out rows" * result.held_out
    explained = hint(
        "Friction of each joint over its speed, at its median load, and over its load, at its "
        "median speed (against the motion, without the constant part). The line is the model, with "
        "a band of two standard deviations. Blue dots: the measured torque minus all other parts "
        f"of the model{held_out}. Dots that bend away from the line: friction that the model lacks."
    )
    drawn = tag("div", joined(figures), class_="grid pairs")
    parts = _coefficients(result), explained, drawn, term_trials(result)
    return section("Friction", *parts, key="friction")


def _coefficients(result: Result) -> Html:
    """Return a row of coefficients for each joint."""
    joints = result.arm.robot.joints
    cells: dict[str, list[list[str]]] = {}
    for i in result.model.indices(*FRICTION_TERMS):
        column, std = result.model.columns[i], result.std[i]
        unit = FRICTION_TERMS[column.kind].unit(joints[column.joint].is_revolute)
        value = f"{with_deviation(result.values[i], std)} ± {number(std, 2)}"
        row = cells.setdefault(column.kind, [[] for _ in joints])[column.joint]
        row.append(value + f" {unit}" * (unit != "1"))
    heads = ("friction of", *(FRICTION_TERMS[kind].words for kind in cells))
    rows = tuple(
        (joint.name, *(", ".join(column[j]) for column in cells.values()))
        for j, joint in enumerate(joints)
    )
    return Grid("", heads, 1, rows).html()


def _figures(result: Result, j: int, rows: JointRows) -> Html:
    joint = result.arm.robot.joints[j]
    load, speed = (float(np.median(np.abs(x))) for x in (rows.load, rows.speed))
    top, heaviest = (float(np.abs(x).max()) for x in (rows.speed, rows.load))
    every = max(len(rows.speed) // (4 * DOTS), 1)  # enough for two kinds of dots
    rows = JointRows(*(x[::every] for x in vars(rows).values()))

    def over_speed(v: Array) -> Trace:
        torque, std = fitted_friction(result, j, v, load)
        return Trace(v, torque, "said", 2.0 * std)

    def over_load(x: Array) -> Trace:
        torque, std = fitted_friction(result, j, np.full(len(x), speed), x, offset=False)
        return Trace(x, torque, "said", 2.0 * std)

    grid = np.linspace(max(float(result.about.dead_band[j]), 1e-3 * top), top, POINTS)
    size, against = np.abs(rows.load), rows.residual * np.sign(rows.speed)
    of_speed = rows.dots(rows.speed, over_speed(rows.speed).y + rows.residual)
    of_load = rows.dots(size, over_load(size).y + against)
    curves = [over_speed(-grid[::-1]), over_speed(grid)]
    line = [over_load(np.linspace(0.0, heaviest, POINTS))]
    units, label = units_of(joint), f"friction of {joint.name} over"
    pictures = {
        "speed": scatter(of_speed, curves, units.speed, f"{label} speed"),
        "load": scatter(of_load, line, units.torque, f"{label} load"),
    }
    return joined(
        captioned([joint.name, f" over {what} [{units.torque}]"], picture)
        for what, picture in pictures.items()
    )


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
