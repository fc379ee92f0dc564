"""Positions and velocities as recorded, under those that the fit used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.page.fine import (
    LONGEST,
    drawn_share,
    every,
    fine_torques,
    thinned_in_words,
    within,
)
from armdyn.identification.signals.prepared import Signals
from armdyn.present.curves import Curve, Panel, captioned, placed, zoomable
from armdyn.present.html import Html, Packed, joined, section, tag
from armdyn.present.scatter import Trace, logarithmic
from armdyn.present.tables import number

if TYPE_CHECKING:
    from armdyn.identification.result import Result

TALL, SHORT = 110, 50


def signal_section(result: Result, packed: Packed) -> Html:
    """Return positions, their noise, velocities and accelerations of every joint over time."""
    title = "Signals as recorded and as used"
    if not result.signals or sum(len(s.used) for s in result.signals) > LONGEST:
        words = "The log is too long to draw its signals as recorded."
        return section(title, tag("p", words), key="signals")
    hint = tag(
        "p",
        "Pale: as recorded. Blue: as used, low-passed without delay at "
        f"{number(result.about.cutoff)} Hz. From above: position; recorded less used position, "
        "the noise that the low-pass takes away (if it follows the motion, the cut-off is too "
        "low); velocity; acceleration. Torques as recorded are in the drawings of torques."
        f"{thinned_in_words(result)}",
        class_="hint",
    )
    times = placed([s.recorded.t for s in result.signals])
    drawn = joined(_drawing(result, j, times, packed) for j in range(result.arm.n))
    folded = tag("details", tag("summary", "Show the drawings"), drawn)
    return section(title, hint, folded, key="signals")


def _drawing(result: Result, j: int, times: Sequence[Array], packed: Packed) -> Html:
    joint = result.arm.robot.joints[j]
    length = "rad" if joint.is_revolute else "m"
    share = drawn_share(result)
    pairs = list(zip(result.signals, times, strict=True))
    raw_q = [within(t, np.ascontiguousarray(s.recorded.q[:, j]), share) for s, t in pairs]
    raw_v = [
        within(t, np.ascontiguousarray(s.recorded.qd[:, j]), share)
        for s, t in pairs
        if s.recorded.qd is not None
    ]
    noise = [_noise(s, t, j) for s, t in pairs]
    used = {
        name: [within(*piece, share) for s, t in pairs for piece in _used(s, t, column, j)]
        for name, column in (("q", "q"), ("v", "qd"), ("a", "qdd"))
    }
    panels = [
        Panel([Curve("recorded", "raw", raw_q), Curve("used", "rest", used["q"])], TALL, length),
        Panel(
            [Curve("recorded less used", "rest", [within(*x, share) for x in noise])], SHORT, length
        ),
        Panel(
            [Curve("recorded", "raw", raw_v)] * bool(raw_v) + [Curve("used", "rest", used["v"])],
            TALL,
            f"{length}/s",
        ),
        Panel([Curve("used", "rest", used["a"])], SHORT, f"{length}/s²"),
    ]
    picture = zoomable(panels, "signals", f"signals of {joint.name}", packed)
    size = float(np.sqrt(np.mean(np.concatenate([y for _, y in noise]) ** 2)))
    said = (
        f" [{length}, {length}, {length}/s, {length}/s²] · rms of recorded less used position "
        f"{number(size, 2)} {length}"
    )
    return captioned([joint.name, said], picture)


def _noise(signals: Signals, t: Array, j: int) -> tuple[Array, Array]:
    """Return recorded minus used positions, where there are used ones."""
    log, used = signals.recorded, signals.used
    inside = np.zeros(len(log.t), dtype=bool)
    for a, b in used.bounds:
        inside |= (log.t >= used.t[a]) & (log.t <= used.t[b - 1])
    smooth = np.interp(log.t[inside], used.t, used.q[:, j])
    return t[inside], log.q[inside, j] - smooth


def _used(signals: Signals, t: Array, column: str, j: int) -> list[tuple[Array, Array]]:
    """Return the pieces of a low-passed signal, at a rate that shows all of it."""
    used = signals.used
    step = every(signals)
    shift = t[0] - signals.recorded.t[0]
    values: Array = getattr(used, column)
    return [
        (used.t[a:b:step] + shift, np.ascontiguousarray(values[a:b:step, j]))
        for a, b in used.bounds
    ]


# Spectra of torques and residuals: at which frequencies the model is wrong.

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
