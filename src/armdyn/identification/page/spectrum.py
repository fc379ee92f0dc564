"""Spectra of torques and residuals: at which frequencies the model is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.page.fine import fine_torques
from armdyn.present.html import Html, joined, section, tag
from armdyn.present.scatter import Trace, logarithmic

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Length of a window of the spectra [s], and points for each factor of two of the frequency.
SECONDS = 4.0
PER_OCTAVE = 8
SHORTEST = 16


def spectrum_section(result: Result) -> Html:
    """Return a drawing for each joint."""
    pieces, rates, filtered = _pieces(result)
    of = "data not used for the fit" if result.held_out else "the data of the fit"
    words = (
        f"Spectra on {of}: grey, the measured torque; blue, measured less predicted"
        f"{', both in the band of the fit' if filtered else ', not filtered'}. Where blue meets "
        "grey, the model explains nothing: above the motion that is noise, and a peak of both is "
        "an oscillation that rigid links do not have. Where blue is above grey, the model has what "
        "was not measured: steps of friction that a smooth torque does not show, or noise of "
        "accelerations. Dashed: the end of the band of the fit"
        f"{'' if filtered else ', and the cut-off of the positions'}."
    )
    edges = [] if filtered else [_edge(result), result.about.cutoff]
    figures: list[Html] = []
    for j, joint in enumerate(result.arm.robot.joints):
        force = "N m" if joint.is_revolute else "N"
        traces = [
            Trace(*smoothed(*spectrum([x[k][:, j] for x in pieces], rates)), kind)
            for k, kind in ((0, "is"), (1, "rest"))
        ]
        if not all(len(one.x) for one in traces):
            continue
        picture = logarithmic(traces, edges, "Hz", f"spectra of {joint.name}")
        caption = tag("figcaption", tag("b", joint.name), f" [{force}/√Hz]")
        figures.append(tag("figure", caption, picture))
    title = "Spectra of the residuals"
    if not figures:
        short = f"The log has no piece of {SHORTEST} samples without gaps."
        return section(title, tag("p", short), key="spectra")
    hint = tag("p", words, class_="hint")
    return section(title, hint, tag("div", joined(figures), class_="grid"), key="spectra")


def _pieces(result: Result) -> tuple[list[tuple[Array, Array]], list[float], bool]:
    """Return (torque, residual) of segments, their rates, and whether they are filtered."""
    fine = fine_torques(result, result.held_out)
    if fine:
        pairs = [(one.torque, one.torque - one.model) for one in fine]
        return pairs, [one.signals.used.rate for one in fine], False
    series = result.test if result.held_out else result.train
    rates = [1.0 / float(np.median(np.diff(s.t))) if len(s.t) > 1 else 1.0 for s in series]
    return [(s.measured, s.residual) for s in series], rates, True


def _edge(result: Result) -> float:
    """Return the highest frequency of the band of the fit [Hz]."""
    return 0.5 * max(result.rate)


def spectrum(pieces: Sequence[Array], rates: Sequence[float]) -> tuple[Array, Array]:
    """Return frequencies [Hz] and amplitude densities, from windows that overlap by half.

    Args:
        pieces: signals without gaps ``(N,)``.
        rates: their samples per second; pieces of other rates than the first are left out.
    """
    rate = rates[0]
    used = [y for y, r in zip(pieces, rates, strict=True) if abs(r - rate) < 1e-3 * rate]
    length = min(int(SECONDS * rate), max(len(y) for y in used))
    if length < SHORTEST:
        return np.zeros(0), np.zeros(0)
    window = np.hanning(length)
    power: Array = np.zeros(length // 2 + 1)
    count = 0
    for y in used:
        for start in range(0, len(y) - length + 1, length // 2):
            part = y[start : start + length]
            power += np.abs(np.fft.rfft(window * (part - part.mean()))) ** 2
            count += 1
    power *= 2.0 / (rate * count * float(np.sum(window**2)))
    # without the mean, which was taken out
    steps = np.arange(1, length // 2 + 1, dtype=np.float64)
    return steps * (rate / length), np.sqrt(power[1:])


def smoothed(f: Array, y: Array) -> tuple[Array, Array]:
    """Return the spectrum with equally spaced points on a logarithmic axis, by means of powers."""
    if not len(f):
        return f, y
    number = np.floor(PER_OCTAVE * np.log2(f / f[0])).astype(np.int64)
    count = np.bincount(number)
    there = count > 0
    mean = [np.bincount(number, weights=x)[there] / count[there] for x in (np.log(f), y**2)]
    return np.exp(mean[0]), np.sqrt(mean[1])
