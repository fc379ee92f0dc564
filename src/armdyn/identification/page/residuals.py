"""Residuals: over position, speed and load, and their spectra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.page.time_series import fine_torques
from armdyn.identification.tables import tested_on, units_of
from armdyn.log.segments import scipy
from armdyn.present.curves import captioned
from armdyn.present.html import Html, hint, joined, listed, section, tag
from armdyn.present.scatter import Trace, binned, logarithmic, scatter
from armdyn.present.tables import percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Bins of a mean residual, enough to show a bump at low speeds; and least rows of one.
BINS = 12, 4

# From this explained share of the variance of residuals on, a sentence names the cause.
NAMED_SHARE = 0.25

# Windows of a spectrum: their length [s], a resolution of 1/4 Hz; and their least length [samples].
WINDOW_SECONDS, SHORTEST_WINDOW = 4.0, 16

# Possible causes of residuals that follow a quantity of `JointRows`.
CAUSES = {
    "position": "position-dependent friction (gear teeth, cables), a spring or counterbalance, or "
    "a wrong geometry",
    "speed": "another friction law: a bump at low speeds is Stribeck friction, a bend is friction "
    "that grows less than the speed",
    "load": "load-dependent friction, or a wrong scale of the measured torque",
}


@dataclass(frozen=True, eq=False)
class JointRows:
    """The rows of one joint where it is faster than its dead band, ``(M,)`` each.

    Attributes:
        position: of the joint.
        speed: of the joint, with its sign.
        load: torque that its gear transmits: of the links, without friction and rotor.
        residual: measured minus predicted torque.
        held_out: which rows are not of the fit.
    """

    position: Array
    speed: Array
    load: Array
    residual: Array
    held_out: NDArray[np.bool_]

    def dots(self, x: Array, y: Array) -> list[tuple[Array, Array, str]]:
        """Return rows of the fit and held-out rows as two kinds of dots."""
        kinds = ((~self.held_out, "dots"), (self.held_out, "dots others"))
        return [(x[some], y[some], kind) for some, kind in kinds]


def rows_of_joints(result: Result) -> list[JointRows]:
    """Return the rows of every joint, those of the fit first."""
    rotors = np.array([joint.rotor_inertia for joint in result.arm.robot.joints])
    parts: list[tuple[Array, ...]] = []
    for s in (*result.train, *result.test):
        state = s.position, s.velocity, s.acceleration
        load = result.arm.inverse_dynamics(*state, friction=False) - rotors * s.acceleration
        parts.append((s.position, s.velocity, load, s.residual))
    position, speed, load, residual = (np.concatenate(x) for x in zip(*parts, strict=True))
    held_out = np.arange(len(speed)) >= sum(len(s.t) for s in result.train)
    rows: list[JointRows] = []
    for j, dead_band in enumerate(result.about.dead_band):
        at = np.abs(speed[:, j]) > dead_band
        columns = position[at, j], speed[at, j], load[at, j], residual[at, j]
        rows.append(JointRows(*columns, held_out[at]))
    return rows


def residual_section(result: Result, rows: Sequence[JointRows]) -> Html:
    """Return three drawings for each joint."""
    held_out = "; orange: held-out rows" * result.held_out
    words = hint(
        f"Residuals over position, speed and load. Blue: rows of the fit{held_out}. The line is "
        "their mean; it is zero if the model has all effects that the torque depends on. The load "
        "is the torque of the links, without friction. In the corner: the share of the variance "
        "that the line explains."
    )
    figures: list[Html] = []
    causes: list[str] = []
    for j, (joint, mine) in enumerate(zip(result.arm.robot.joints, rows, strict=True)):
        if not len(mine.residual):
            figures += [captioned([joint.name, " never moves"], Html(""))] * len(CAUSES)
            continue
        independent = len(mine.residual) / max(float(result.correlation[j]), 1.0)
        position, speed, _, unit = units_of(joint)
        for (what, cause), x_unit in zip(CAUSES.items(), (position, speed, unit), strict=True):
            x: Array = getattr(mine, what)
            share = explained(x, mine.residual, independent)
            mean = Trace(*binned(x, mine.residual, *BINS)[:2], "bar")
            label = f"residuals of {joint.name} over {what}"
            dots = mine.dots(x, mine.residual)
            picture = scatter(dots, [mean], x_unit, label, percent(share))
            figures.append(captioned([joint.name, f" over {what} [{unit}]"], picture))
            if share > NAMED_SHARE:
                causes.append(
                    f"{joint.name}: {percent(share)} of the residuals follow the {what}. "
                    f"Possible cause: {cause}."
                )
    said = listed(causes) if causes else tag("p", "No residuals follow position, speed or load.")
    drawn = tag("div", joined(figures), class_="grid")
    return section("Residuals", words, said, drawn, key="residuals")


def explained(x: Array, y: Array, independent: float) -> float:
    """Return the share of the variance of y that its means over x explain, corrected for chance.

    Args:
        x: the quantity, ``(N,)``.
        y: residuals, ``(N,)``.
        independent: number of independent rows that the rows are worth.
    """
    _, means, count = binned(x, y, *BINS)
    size = float(np.sum(y**2))
    free = independent - len(means)
    if size <= 0.0 or free <= 0.0:
        return 0.0
    share = float(np.sum(count * means**2)) / size
    return max(1.0 - (1.0 - share) * independent / free, 0.0)


def spectrum_section(result: Result) -> Html:
    """Return spectra of torques and residuals of each joint."""
    fine = fine_torques(result, result.held_out)
    if fine:
        pieces = [(x.torque, x.torque - x.model) for x in fine]
        rates = [x.used.rate for x in fine]
        edges = {"the end of the band of the fit": 0.5 * max(result.rate),
                 "the cut-off of the positions": result.about.cutoff}  # fmt: skip
    else:
        series = result.test if result.held_out else result.train
        pieces = [(s.measured, s.residual) for s in series]
        rates = [1.0 / float(np.median(np.diff(s.t))) if len(s.t) > 1 else 1.0 for s in series]
        edges = {}
    words = (
        f"Spectra of {tested_on(result)}, {'not filtered' if fine else 'in the band of the fit'}. "
        "Grey: measured torque. Blue: measured minus predicted. Where blue meets grey, the model "
        "explains nothing: noise, or an oscillation (a peak of both) that rigid links do not have. "
        "Where blue is above grey, the model predicts more than was measured: steps of friction, "
        "or noise of accelerations."
    )
    if edges:
        words += f" Dashed: {' and '.join(edges)}."
    figures: list[Html] = []
    for j, joint in enumerate(result.arm.robot.joints):
        traces = [
            Trace(*smoothed(*spectrum([x[k][:, j] for x in pieces], rates)), kind)
            for k, kind in ((0, "is"), (1, "rest"))
        ]
        if all(len(one.x) for one in traces):
            picture = logarithmic(traces, [*edges.values()], "Hz", f"spectra of {joint.name}")
            figures.append(captioned([joint.name, f" [{units_of(joint).torque}/√Hz]"], picture))
    drawn = tag("div", joined(figures), class_="grid")
    if not figures:
        drawn = tag("p", f"The log has no piece of {SHORTEST_WINDOW} samples without gaps.")
    return section("Spectra", hint(words), drawn, key="spectra")


def spectrum(pieces: Sequence[Array], rates: Sequence[float]) -> tuple[Array, Array]:
    """Return frequencies [Hz] and amplitude densities (Welch, half-overlapping windows).

    Args:
        pieces: signals without gaps ``(N,)``.
        rates: their samples per second; pieces of other rates than the first do not count.
    """
    rate = rates[0]
    same = [y for y, r in zip(pieces, rates, strict=True) if abs(r - rate) < 1e-3 * rate]
    length = min(int(WINDOW_SECONDS * rate), max(map(len, same)))
    if length < SHORTEST_WINDOW:
        return np.zeros(0), np.zeros(0)
    step = length // 2
    long = [y for y in same if len(y) >= length]
    welch, options = scipy("signal").welch, {"fs": rate, "noverlap": length - step}
    powers = [welch(y, window=np.hanning(length), **options)[1] for y in long]
    windows = [(len(y) - length) // step + 1 for y in long]
    power: Array = np.average(powers, axis=0, weights=windows)
    return np.arange(1.0, len(power)) * (rate / length), np.sqrt(power[1:])


def smoothed(f: Array, y: Array) -> tuple[Array, Array]:
    """Return a spectrum at eight points per octave: means of powers."""
    if not len(f):
        return f, y
    number = np.floor(8 * np.log2(f / f[0])).astype(np.int64)
    count = np.bincount(number)
    full = count > 0
    mean = [np.bincount(number, weights=x)[full] / count[full] for x in (np.log(f), y**2)]
    return np.exp(mean[0]), np.sqrt(mean[1])
