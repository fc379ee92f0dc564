"""Signals over time, joint by joint: measured and predicted torques, positions and velocities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.judge.holdout import Errors, Series
from armdyn.identification.page.rows import hint, units_of
from armdyn.identification.signals.prepared import Signals
from armdyn.present.curves import Curve, Panel, Pieces, captioned, placed, zoomable
from armdyn.present.html import Html, Packed, joined, section, tag
from armdyn.present.tables import number, percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Points of a low-passed curve for each row of the fit, and for each period of the cut-off: lines
# between them look smooth.
PER_ROW = 8

# Numbers that a page carries, at three bytes each; curves of longer logs are thinned.
MOST_NUMBERS = 1_600_000

# Points that a thinned curve keeps: more than a screen has pixels.
FEWEST = 2000

# Longer logs [samples] are drawn at the rows of the fit only.
LONGEST = 500_000

# Heights of a drawing of a signal, and of a difference [px].
TALL, SHORT = 130, 55


@dataclass(frozen=True, eq=False)
class Fine:
    """Torques of one segment of a log, without gaps, at the resolution of the log.

    Attributes:
        signals: the log.
        start: first sample of the segment.
        stop: the sample after its last one.
        t: times of the low-passed torques ``(D,)``.
        measured: torques of every joint ``(D,)`` each, low-passed as for the fit.
        predicted: those of the model, low-passed likewise.
        model: torques of the model, not filtered, ``(N, n)``.
    """

    signals: Signals
    start: int
    stop: int
    t: Array
    measured: tuple[Array, ...]
    predicted: tuple[Array, ...]
    model: Array

    @property
    def times(self) -> Array:
        """Times of all samples ``(N,)``."""
        return self.signals.used.t[self.start : self.stop]

    @property
    def torque(self) -> Array:
        """Torques as recorded, at equal steps, ``(N, n)``."""
        assert self.signals.used.tau is not None
        return self.signals.used.tau[self.start : self.stop]


def fine_torques(result: Result, held_out: bool) -> list[Fine]:
    """Return the torques of the segments of logs in memory; none if the logs are too long."""
    chosen = [s for s in result.signals if s.held_out == held_out]
    if sum(len(s.used) for s in chosen) > LONGEST:
        return []
    return [
        _fine(result, s, a, b)
        for s in chosen
        for a, b in s.used.bounds
        if len(s.band.centres(b - a))
    ]


def _fine(result: Result, signals: Signals, a: int, b: int) -> Fine:
    used, band, n = signals.used, signals.band, result.arm.n
    assert used.tau is not None
    q, qd, qdd, tau = (x[a:b] for x in (used.q, used.qd, used.qdd, used.tau))
    model = result.model.predicted(result.values, q, qd, qdd) + result.model.known(q, qd, qdd)
    both, rows = np.hstack([tau, model]), list[Array]()
    places: list[NDArray[np.int64]] = []
    for shift in {round(k * band.factor / PER_ROW) for k in range(min(PER_ROW, band.factor))}:
        if len(both) - shift > 2 * band.reach:
            rows.append(band.rows(both[shift:]))
            places.append(
                shift + band.reach + band.factor * np.arange(len(rows[-1]), dtype=np.int64)
            )
    at = np.concatenate(places)
    order = np.argsort(at)
    columns = tuple(np.ascontiguousarray(np.concatenate(rows)[order].T))
    return Fine(signals, a, b, used.t[a + at[order]], columns[:n], columns[n:], model)


def _samples_per_point(signals: Signals) -> int:
    """Return the samples of a low-passed signal per point that is drawn."""
    return max(int(signals.used.rate / (PER_ROW * signals.used.cutoff)), 1)


def drawn_share(result: Result) -> float:
    """Return the share of the points of curves that a page carries, at most 1."""
    count = 0.0
    for s in result.signals:
        curves = 3 + (s.recorded.qd is not None)  # recorded; then used signals, and torques
        curves += 3 / _samples_per_point(s) + 3 * PER_ROW / s.band.factor
        count += len(s.recorded) * curves
    return min(MOST_NUMBERS / max(count * result.arm.n, 1.0), 1.0)


def within(t: Array, y: Array, share: float) -> tuple[Array, Array]:
    """Return a curve, or the extremes of its pieces if it has more points than its share.

    The extremes are half a piece apart: equal steps of time stay equal, and are packed as two
    numbers.
    """
    most = max(int(share * len(y)), FEWEST)
    if len(y) <= most:
        return t, y
    half = -(-len(y) // most)
    pieces = np.pad(y, (0, -len(y) % (2 * half)), mode="edge").reshape(-1, 2 * half)
    ends = np.sort(np.stack([pieces.argmin(axis=1), pieces.argmax(axis=1)], axis=1), axis=1)
    at = t[::half]
    return at, np.take_along_axis(pieces, ends, axis=1).ravel()[: len(at)]


class Drawer:
    """Draws curves with as many points as the page can carry."""

    def __init__(self, result: Result) -> None:
        self._share = drawn_share(result)
        many = " The log is long: the curves show extremes in place of all samples."
        self.note = many * (self._share < 1.0)

    def curve(self, name: str, kind: str, pieces: Pieces) -> Curve:
        """Return a curve of pieces (times, values), thinned if it must be."""
        thin = [within(t, np.ascontiguousarray(y), self._share) for t, y in pieces]
        return Curve(name, kind, thin)


def torque_sections(result: Result, packed: Packed) -> Html:
    """Return the torques of the held-out data, and of the data of the fit."""
    title, drawer = "Torques on the data of the fit", Drawer(result)
    explained = hint(_explained(result, drawer))
    fit = _drawings(result, drawer, result.train, result.train_errors, False, packed)
    if not result.held_out:
        return section(title, explained, fit, key="fit")
    test = _drawings(result, drawer, result.test, result.errors, True, packed)
    held_out = section("Torques on data not used for the fit", explained, test, key="held-out")
    return joined([held_out, section(title, _folded(fit), key="fit")])


def _folded(drawn: Html) -> Html:
    return tag("details", tag("summary", "Show the drawings"), drawn)


def _explained(result: Result, drawer: Drawer) -> str:
    words = (
        "Grey: measured. Orange: predicted by the identified model. Both are low-passed as for the "
        "fit; pale, below them: torques as recorded. Underneath: measured minus predicted torque, "
        "with a band of twice the standard deviation of the residuals of the fit. Drag across a "
        "drawing to zoom all of them, double-click to zoom out; point at a line to read numbers."
    )
    if result.delay:
        words += f" A torque delay of {number(1e3 * result.delay, 3)} ms was corrected."
    if not result.signals:
        return f"{words} The log is longer than memory: only the rows of the fit are drawn."
    return words + drawer.note


def _drawings(
    result: Result,
    drawer: Drawer,
    series: Sequence[Series],
    errors: Errors,
    held_out: bool,
    packed: Packed,
) -> Html:
    fine = fine_torques(result, held_out)
    times = placed([one.times for one in fine] if fine else [s.t for s in series])
    figures: list[Html] = []
    for j, joint in enumerate(result.arm.robot.joints):
        unit, sigma = units_of(joint).torque, float(result.sigma[j])
        if fine:
            torques = [one.torque[:, j] for one in fine]
            recorded = [drawer.curve("recorded", "raw", list(zip(times, torques, strict=True)))]
            rows = [
                (one.t + (t[0] - one.times[0]), one.measured[j], one.predicted[j])
                for one, t in zip(fine, times, strict=True)
            ]
        else:
            recorded = []
            both = zip(series, times, strict=True)
            rows = [(t, s.measured[:, j], s.predicted[:, j]) for s, t in both]
        measured = drawer.curve("measured", "is", [(t, y) for t, y, _ in rows])
        predicted = drawer.curve("predicted", "said", [(t, y) for t, _, y in rows])
        residual = drawer.curve("residual", "rest", [(t, y - model) for t, y, model in rows])
        upper = Panel([*recorded, measured, predicted], TALL, unit)
        panels = [upper, Panel([residual], SHORT, unit, 2.0 * sigma)]
        group = "test" if held_out else "train"
        picture = zoomable(panels, group, f"torques of {joint.name}", packed)
        at_rest = f", at rest {percent(float(errors.at_rest[j]))}"
        words = (
            f" [{unit}] · error while moving {percent(float(errors.per_joint[j]))}"
            f"{at_rest * bool(errors.share_at_rest[j] > 0.0)}"
            f" · residuals of the fit {number(sigma, 3)}"
        )
        figures.append(captioned([joint.name, words], picture))
    return joined(figures)


def signal_section(result: Result, packed: Packed) -> Html:
    """Return positions, their noise, velocities and accelerations of every joint over time."""
    title, drawer = "Signals as recorded and as used", Drawer(result)
    if not result.signals or sum(len(s.used) for s in result.signals) > LONGEST:
        words = "The log is too long to draw its signals as recorded."
        return section(title, tag("p", words), key="signals")
    explained = hint(
        "Pale: as recorded. Blue: as used, with a zero-phase low-pass at "
        f"{number(result.about.cutoff)} Hz. From above: position; recorded minus used position, "
        "the noise that the low-pass removes (if it follows the motion, the cut-off is too low); "
        f"velocity; acceleration. The drawings of torques have the recorded torques.{drawer.note}"
    )
    times = placed([s.recorded.t for s in result.signals])
    pairs = list(zip(result.signals, times, strict=True))
    drawn = joined(_signals(result, drawer, j, pairs, packed) for j in range(result.arm.n))
    return section(title, explained, _folded(drawn), key="signals")


def _signals(
    result: Result, drawer: Drawer, j: int, pairs: Sequence[tuple[Signals, Array]], packed: Packed
) -> Html:
    joint = result.arm.robot.joints[j]
    x, v, a, _ = units_of(joint)
    raw_q = [(t, s.recorded.q[:, j]) for s, t in pairs]
    raw_v = [(t, s.recorded.qd[:, j]) for s, t in pairs if s.recorded.qd is not None]
    noise = [_noise(s, t, j) for s, t in pairs]

    def used(column: str) -> Curve:
        return drawer.curve(
            "used", "rest", [one for s, t in pairs for one in _used(s, t, column, j)]
        )

    position = drawer.curve("recorded", "raw", raw_q)
    velocity = [drawer.curve("recorded", "raw", raw_v)] * bool(raw_v)
    panels = [
        Panel([position, used("q")], TALL, x),
        Panel([drawer.curve("recorded minus used", "rest", noise)], SHORT, x),
        Panel([*velocity, used("qd")], TALL, v),
        Panel([used("qdd")], SHORT, a),
    ]
    picture = zoomable(panels, "signals", f"signals of {joint.name}", packed)
    size = float(np.sqrt(np.mean(np.concatenate([y for _, y in noise]) ** 2)))
    words = f" [{x}, {x}, {v}, {a}] · rms of recorded minus used position {number(size, 2)} {x}"
    return captioned([joint.name, words], picture)


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
    used, step = signals.used, _samples_per_point(signals)
    values: Array = getattr(used, column)
    at = used.t + (t[0] - signals.recorded.t[0])
    return [(at[a:b:step], values[a:b:step, j]) for a, b in used.bounds]
