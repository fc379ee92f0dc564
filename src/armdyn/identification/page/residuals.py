"""Residuals over position, speed and load: what the model leaves out, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.page.rows import JointRows, RowsOfJoints
from armdyn.present.html import Html, joined, listed, section, tag
from armdyn.present.scatter import Trace, binned, scatter
from armdyn.present.tables import percent
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result

BINS = 12
FEWEST = 4

# From this share of the variance of residuals on, what they follow is named in words.
NAMED = 0.25

MEANINGS = {
    "position": "friction that changes along the way (gear teeth, cables), a spring or "
    "counterbalance, or a wrong geometry",
    "speed": "friction of another shape: a bump at low speeds is Stribeck friction, a bend is "
    "friction that grows less than the speed",
    "load": "friction that grows with the load, or a wrong scale of the measured torque",
}

Quantity = tuple[str, Callable[[JointRows], Array], Callable[[Joint], str]]
QUANTITIES: tuple[Quantity, ...] = (
    ("position", lambda rows: rows.position, lambda joint: "rad" if joint.is_revolute else "m"),
    ("speed", lambda rows: rows.velocity, lambda joint: "rad/s" if joint.is_revolute else "m/s"),
    ("load", lambda rows: rows.load, lambda joint: "N m" if joint.is_revolute else "N"),
)


def residual_section(result: Result, rows: RowsOfJoints) -> Html:
    """Return three drawings for each joint."""
    held = "; orange: on data held out" * result.held_out
    hint = tag(
        "p",
        f"Residuals over position, speed and load of the joint. Blue: rows of the fit{held}. The "
        "line is their mean; it lies on zero if the model has all that the torque depends on. The "
        "load is the torque of the links, without friction. In the corner: how much of the "
        "residuals the line explains, beyond chance.",
        class_="hint",
    )
    figures: list[Html] = []
    named: list[str] = []
    for j, joint in enumerate(result.arm.robot.joints):
        mine = rows.both(j)
        worth = len(mine) / max(float(result.correlation[j]), 1.0)
        for what, of, unit in QUANTITIES:
            share = explained(of(mine), mine.residual, worth)
            figures.append(_figure(rows, j, joint, what, of, unit(joint), share))
            if share > NAMED:
                named.append(
                    f"{joint.name}: {percent(share)} of the residuals follow the {what}. That may "
                    f"be {MEANINGS[what]}."
                )
    words = listed(named) if named else tag("p", "No residuals follow position, speed or load.")
    drawn = tag("div", joined(figures), class_="grid")
    title = "Residuals over position, speed and load"
    return section(title, hint, words, drawn, key="residuals")


def explained(x: Array, y: Array, worth: float) -> float:
    """Return the share of the variance of y that its means over x explain, beyond chance.

    Args:
        x: the quantity, ``(N,)``.
        y: residuals, ``(N,)``.
        worth: number of independent rows that the rows are worth.
    """
    _, means, count = binned(x, y, BINS, FEWEST)
    size = float(np.sum(y**2))
    free = worth - len(means)
    if size <= 0.0 or free <= 0.0:
        return 0.0
    share = float(np.sum(count * means**2)) / size
    return max(1.0 - (1.0 - share) * worth / free, 0.0)


def _figure(
    rows: RowsOfJoints,
    j: int,
    joint: Joint,
    what: str,
    of: Callable[[JointRows], Array],
    unit: str,
    share: float,
) -> Html:
    force = "N m" if joint.is_revolute else "N"
    fit, test, both = rows.of(j, False), rows.of(j, True), rows.both(j)
    if not len(both):
        return tag("figure", tag("figcaption", tag("b", joint.name), " never moves"))
    x, y, _ = binned(of(both), both.residual, BINS, FEWEST)
    picture = scatter(
        [(of(fit), fit.residual, "dots"), (of(test), test.residual, "dots others")],
        [Trace(x, y, "bar")],
        unit,
        f"residuals of {joint.name} over {what}",
        percent(share),
    )
    said = f" over {what} [{force}]"
    return tag("figure", tag("figcaption", tag("b", joint.name), said), picture)
