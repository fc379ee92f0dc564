"""Residuals: over position, speed and load, and their spectra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.page.rows import (
    RowsOfJoints,
    data_in_words,
    figure,
    hint,
    units_of,
)
from armdyn.identification.page.torques import fine_torques
from armdyn.log.segments import scipy
from armdyn.present.html import Html, joined, listed, section, tag
from armdyn.present.scatter import Trace, binned, logarithmic, scatter
from armdyn.present.tables import percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Bins of a mean residual, enough to show a bump at low speeds; and least rows of one.
BINS = 12, 4

# From this explained share of the variance of residuals on, a sentence names the cause.
NAMED_SHARE = 0.25

# Length of a window of a spectrum [s]: a resolution of 1/4 Hz.
WINDOW_SECONDS = 4.0

# Least length of a window [samples].
SHORTEST_WINDOW = 16


# Possible causes of residuals that follow a quantity.
CAUSES = {
    "position": "position-dependent friction (gear teeth, cables), a spring or counterbalance, or "
    "a wrong geometry",
    "speed": "another friction law: a bump at low speeds is Stribeck friction, a bend is friction "
    "that grows less than the speed",
    "load": "load-dependent friction, or a wrong scale of the measured torque",
}


def residual_section(result: Result, rows: RowsOfJoints) -> Html:
    """Return three drawings for each joint."""
    held_out = "; orange: on held-out data" * result.held_out
    explained_by = hint(
        "Residuals over position, speed and load of the joint. Blue: rows of the "
        f"fit{held_out}. The line is their mean; it is zero if the model has all effects that the "
        "torque depends on. The load is the torque of the links, without friction. In the corner: "
        "the share of the variance that the line explains, corrected for chance."
    )
    figures: list[Html] = []
    causes: list[str] = []
    for j, joint in enumerate(result.arm.robot.joints):
        both, (x_unit, v_unit, _, unit) = rows.both(j), units_of(joint)
        independent = len(both) / max(float(result.correlation[j]), 1.0)
        sets = ((rows.of(j, False), "dots"), (rows.of(j, True), "dots others"))
        quantities = zip(CAUSES.items(), (x_unit, v_unit, unit), strict=True)
        for k, ((what, cause), x_axis) in enumerate(quantities):
            if not len(both):
                figures.append(figure(joint.name, " never moves"))
                continue
            share = explained(both.quantities[k], both.residual, independent)
            x, y, _ = binned(both.quantities[k], both.residual, *BINS)
            picture = scatter(
                [(some.quantities[k], some.residual, kind) for some, kind in sets],
                [Trace(x, y, "bar")],
                x_axis,
                f"residuals of {joint.name} over {what}",
                percent(share),
            )
            figures.append(figure(joint.name, f" over {what} [{unit}]", picture))
            if share > NAMED_SHARE:
                causes.append(
                    f"{joint.name}: {percent(share)} of the residuals follow the {what}. "
                    f"Possible cause: {cause}."
                )
    words = listed(causes) if causes else tag("p", "No residuals follow position, speed or load.")
    drawn = tag("div", joined(figures), class_="grid")
    title = "Residuals over position, speed and load"
    return section(title, explained_by, words, drawn, key="residuals")


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
    pieces, rates, filtered = _pieces(result)
    band = ", both in the band of the fit" if filtered else ", not filtered"
    words = (
        f"Spectra on {data_in_words(result)}: grey, the measured torque; blue, measured minus "
        f"predicted{band}. Where blue meets grey, the model explains nothing: above the motion "
        "that is noise, and a peak of both is an oscillation that rigid links do not have. Where "
        "blue is above grey, the model predicts what was not measured: steps of friction that a "
        "smooth torque does not show, or noise of accelerations. Dashed: the end of the band of "
        f"the fit{'' if filtered else ', and the cut-off of the positions'}."
    )
    edges = [] if filtered else [0.5 * max(result.rate), result.about.cutoff]
    figures: list[Html] = []
    for j, joint in enumerate(result.arm.robot.joints):
        traces = [
            Trace(*smoothed(*spectrum([x[k][:, j] for x in pieces], rates)), kind)
            for k, kind in ((0, "is"), (1, "rest"))
        ]
        if all(len(one.x) for one in traces):
            picture = logarithmic(traces, edges, "Hz", f"spectra of {joint.name}")
            figures.append(figure(joint.name, f" [{units_of(joint).torque}/√Hz]", picture))
    title = "Spectra of the residuals"
    if not figures:
        short = f"The log has no piece of {SHORTEST_WINDOW} samples without gaps."
        return section(title, tag("p", short), key="spectra")
    return section(title, hint(words), tag("div", joined(figures), class_="grid"), key="spectra")


def _pieces(result: Result) -> tuple[list[tuple[Array, Array]], list[float], bool]:
    """Return (torque, residual) of segments, their rates, and whether they are filtered."""
    fine = fine_torques(result, result.held_out)
    if fine:
        pairs = [(one.torque, one.torque - one.model) for one in fine]
        return pairs, [one.signals.used.rate for one in fine], False
    series = result.test if result.held_out else result.train
    rates = [1.0 / float(np.median(np.diff(s.t))) if len(s.t) > 1 else 1.0 for s in series]
    return [(s.measured, s.residual) for s in series], rates, True


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
