"""Signals over time: measured and predicted torques, positions, simulated motions, and a player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.page import player
from armdyn.arm.recording import Recording
from armdyn.arrays import Array
from armdyn.identification.judge.rollout import ROLLOUT, Rollout
from armdyn.identification.signals.prepared import Signals
from armdyn.identification.tables import tested_on, units_of
from armdyn.log.signals import Prepared
from armdyn.numerics import ratio
from armdyn.present.curves import Curve, Panel, Pieces, captioned, placed, zoomable
from armdyn.present.html import Html, Packed, hint, joined, listed, section, tag
from armdyn.present.svg import POINTS, outline
from armdyn.present.tables import Grid, number, percent
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Heights of a drawing of a signal, and of a difference [px].
TALL, SHORT = 130, 55


@dataclass(frozen=True)
class PageSize:
    """How much of a log a page carries.

    Attributes:
        per_row: points of a low-passed curve for each row of the fit, and for each period of the
            cut-off: lines between them look smooth.
        numbers: most numbers, at three bytes each: 5 MB. Curves of longer logs are thinned.
        samples: longer logs are drawn at the rows of the fit only, which takes a second.
    """

    per_row: int = 8
    numbers: int = 1_600_000
    samples: int = 500_000


PAGE = PageSize()


@dataclass(frozen=True, eq=False)
class FineTorques:
    """Torques of one segment of a log, without gaps, at the resolution of the log.

    Attributes:
        used: the log.
        segment: its samples.
        at: samples of the segment at which torques are low-passed ``(D,)``.
        measured: torques there ``(D, n)``, low-passed as for the fit.
        predicted: those of the model, low-passed likewise.
        model: torques of the model at all samples, not filtered, ``(N, n)``.
    """

    used: Prepared
    segment: slice
    at: NDArray[np.int64]
    measured: Array
    predicted: Array
    model: Array

    @property
    def t(self) -> Array:
        """Times of all samples ``(N,)``."""
        return self.used.t[self.segment]

    @property
    def torque(self) -> Array:
        """Torques as recorded, at equal steps, ``(N, n)``."""
        assert self.used.tau is not None
        return self.used.tau[self.segment]


def drawn_signals(result: Result) -> tuple[Signals, ...]:
    """Return the logs in memory; none if they are too long to be drawn at their resolution."""
    short = sum(len(s.used) for s in result.signals) <= PAGE.samples
    return result.signals if short else ()


def fine_torques(result: Result, held_out: bool) -> list[FineTorques]:
    """Return the torques of the segments of logs in memory; none if the logs are too long."""
    return [
        _fine(result, s, slice(a, b))
        for s in drawn_signals(result)
        for a, b in s.used.bounds
        if s.held_out == held_out and len(s.band.centres(b - a))
    ]


def _fine(result: Result, signals: Signals, segment: slice) -> FineTorques:
    used, band, n = signals.used, signals.band, result.arm.n
    assert used.tau is not None
    q, qd, qdd, tau = (x[segment] for x in (used.q, used.qd, used.qdd, used.tau))
    model = result.model.predicted(result.values, q, qd, qdd) + result.model.known(q, qd, qdd)
    both = np.hstack([tau, model])
    count = min(PAGE.per_row, band.factor)
    rows = {
        shift: band.rows(both[shift:])
        for shift in (k * band.factor // count for k in range(count))
        if len(both) - shift > 2 * band.reach
    }
    at = np.concatenate(
        [i + band.reach + band.factor * np.arange(len(x), dtype=np.int64) for i, x in rows.items()]
    )
    order = np.argsort(at)
    low = np.concatenate([*rows.values()])[order]
    return FineTorques(used, segment, at[order], low[:, :n], low[:, n:], model)


def _samples_per_point(signals: Signals) -> int:
    """Return the samples of a low-passed signal per point that is drawn."""
    return max(int(signals.used.rate / (PAGE.per_row * signals.used.cutoff)), 1)


def drawn_share(result: Result) -> float:
    """Return the share of the points of curves that a page carries, at most 1."""
    count = 0.0
    for s in result.signals:
        curves = 3 + (s.recorded.qd is not None)  # recorded; then used signals, and torques
        curves += 3 / _samples_per_point(s) + 3 * PAGE.per_row / s.band.factor
        count += len(s.recorded) * curves
    share = PAGE.numbers / max(count * result.arm.n, 1.0)
    return 1.0 if share >= 1.0 else 0.5 * share  # a thinned curve carries its times, too


class Drawer:
    """Draws curves with as many points as the page can carry."""

    def __init__(self, result: Result) -> None:
        self.packed = Packed()
        self._share = drawn_share(result)
        many = " The log is long: the curves show extremes in place of all samples."
        self.note = many * (self._share < 1.0)

    def curve(self, name: str, kind: str, pieces: Pieces) -> Curve:
        """Return a curve of pieces (times, values), or their extremes if it must be thinned."""
        thin: list[tuple[Array, Array]] = []
        for t, y in pieces:
            most = len(y) if self._share == 1.0 else max(int(self._share * len(y)), POINTS)
            at = outline(y, most)
            thin.append((t[at], y[at]))
        return Curve(name, kind, thin)

    def figure(self, joint: Joint, what: str, panels: list[Panel], words: str) -> Html:
        """Return panels about a joint with a caption; those of the same kind zoom together."""
        picture = zoomable(panels, what, f"{what} of {joint.name}", self.packed)
        return captioned([joint.name, words], picture)


def torque_sections(result: Result, drawer: Drawer) -> Html:
    """Return the torques of the held-out data, and of the data of the fit."""
    words = (
        "Grey: measured. Orange: predicted. Both are low-passed as for the fit; pale: as recorded. "
        "Below: measured minus predicted torque, with a band of two standard deviations of the "
        "residuals of the fit. Drag across a drawing to zoom all of them, double-click to zoom "
        "out; point at a line to read numbers."
    )
    if result.delay:
        words += f" A torque delay of {number(1e3 * result.delay, 3)} ms was corrected."
    if not drawn_signals(result):
        words += " The log is long: only the rows of the fit are drawn."
    explained = hint(words + drawer.note)
    fit, title = _torques(result, drawer, held_out=False), "Torques of the fit"
    if not result.held_out:
        return section(title, explained, fit, key="fit")
    test = _torques(result, drawer, held_out=True)
    held_out = section("Held-out torques", explained, test, key="held-out")
    return joined([held_out, section(title, _folded(fit), key="fit")])


def _folded(drawn: Html) -> Html:
    return tag("details", tag("summary", "Show the drawings"), drawn)


def _torques(result: Result, drawer: Drawer, *, held_out: bool) -> Html:
    series = result.test if held_out else result.train
    errors = result.errors if held_out else result.train_errors
    fine = fine_torques(result, held_out)
    parts = fine or series
    times = placed([x.t for x in parts])
    recorded = [(t, x.torque) for t, x in zip(times, fine, strict=False)]  # none of a long log
    places = [x.at for x in fine] or [slice(None)] * len(series)
    pairs = zip(times, places, parts, strict=True)
    rows = [(t[at], x.measured, x.predicted) for t, at, x in pairs]
    figures: list[Html] = []
    for j, joint in enumerate(result.arm.robot.joints):
        unit, sigma = units_of(joint).torque, float(result.sigma[j])
        torques = [
            drawer.curve("recorded", "raw", [(t, y[:, j]) for t, y in recorded]),
            drawer.curve("measured", "is", [(t, y[:, j]) for t, y, _ in rows]),
            drawer.curve("predicted", "said", [(t, y[:, j]) for t, _, y in rows]),
        ]
        residual = drawer.curve("residual", "rest", [(t, (y - m)[:, j]) for t, y, m in rows])
        panels = [Panel(torques, TALL, unit), Panel([residual], SHORT, unit, 2.0 * sigma)]
        at_rest = f", at rest {percent(errors.at_rest[j])}" * bool(errors.share_at_rest[j] > 0.0)
        words = (
            f" [{unit}] · error while moving {percent(errors.per_joint[j])}{at_rest}"
            f" · rms residual of the fit {number(sigma, 3)}"
        )
        what = "held-out torques" if held_out else "torques"
        figures.append(drawer.figure(joint, what, panels, words))
    return joined(figures)


def signal_section(result: Result, drawer: Drawer) -> Html:
    """Return positions, their noise, velocities and accelerations of every joint over time."""
    title = "Signals"
    if not drawn_signals(result):
        words = "The log is too long to draw its signals as recorded."
        return section(title, tag("p", words), key="signals")
    explained = hint(
        "Pale: as recorded. Blue: as used, after a zero-phase low-pass at "
        f"{number(result.about.cutoff)} Hz. From above: position; recorded minus used position, "
        "the noise that the low-pass removes (if it follows the motion, the cut-off is too low); "
        f"velocity; acceleration.{drawer.note}"
    )
    drawn = joined(_signals(result, drawer, j) for j in range(result.arm.n))
    return section(title, explained, _folded(drawn), key="signals")


def _signals(result: Result, drawer: Drawer, j: int) -> Html:
    joint = result.arm.robot.joints[j]
    x, v, a, _ = units_of(joint)
    times = placed([s.recorded.t for s in result.signals])
    pairs = list(zip(result.signals, times, strict=True))
    raw_q = [(t, s.recorded.q[:, j]) for s, t in pairs]
    raw_v = [(t, s.recorded.qd[:, j]) for s, t in pairs if s.recorded.qd is not None]
    noise = [_noise(s, t, j) for s, t in pairs]

    def used(column: str) -> Curve:
        pieces = [one for s, t in pairs for one in _used(s, t, column, j)]
        return drawer.curve("used", "rest", pieces)

    panels = [
        Panel([drawer.curve("recorded", "raw", raw_q), used("q")], TALL, x),
        Panel([drawer.curve("recorded minus used", "rest", noise)], SHORT, x),
        Panel([drawer.curve("recorded", "raw", raw_v), used("qd")], TALL, v),
        Panel([used("qdd")], SHORT, a),
    ]
    size = float(np.sqrt(np.mean(np.concatenate([y for _, y in noise]) ** 2)))
    words = f" [{x}, {x}, {v}, {a}] · rms of recorded minus used position {number(size, 2)} {x}"
    return drawer.figure(joint, "signals", panels, words)


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


def player_section(result: Result) -> Html:
    """Return the section with the player; empty if the logs are too long to be drawn finely."""
    shown = played(result)
    words = (
        "Press Play, scrub, or click on a curve. A joint is grey where the model explains its "
        "torque, and turns orange (measured torque is larger) or blue (smaller) up to a fifth of "
        "the joint's largest torque. Torques are low-passed as for the fit."
    )
    return section("Motion", hint(words), shown, key="player") if shown else shown


def played(result: Result) -> Html:
    """Return the player of the held-out data, or of all if there are none; empty without data."""
    fine = fine_torques(result, result.held_out)
    if not fine:
        return Html("")
    parts = [
        (t[x.at], x.used.q[x.segment][x.at], x.used.qd[x.segment][x.at], x.measured, x.predicted)
        for t, x in zip(placed([x.t for x in fine]), fine, strict=True)
    ]
    t, q, qd, tau, predicted = (np.concatenate(column) for column in zip(*parts, strict=True))
    spans = tuple((float(part[0][0]), float(part[0][-1])) for part in parts)
    about = tested_on(result).removeprefix("the ")
    recording = Recording(t, q, qd, tau, predicted, spans, about, marks=True)
    return Html(player(result.arm, recording, height=760))


def rollout_section(result: Result, drawer: Drawer) -> Html:
    """Return a table of deviations, and drawings; or the reason why there are none."""
    title, done = "Simulation", result.rollout
    if done is None:
        words = f"No simulation: no piece of {tested_on(result)} has {ROLLOUT.shortest:g} s."
        return section(title, tag("p", words), key="rollout")
    parts = [
        hint(
            f"Windows of {number(done.windows.t[-1], 2)} s from {tested_on(result)}. Grey: "
            "measured. Orange: simulated, from the measured state under the measured torques. "
            "Small torque errors add up, so a tracking term pulls each joint towards the measured "
            f"motion, a spring with a natural frequency of {ROLLOUT.bandwidth:g} Hz. Its share of "
            "the torque measures how much help the model needs."
        )
    ]
    if done.failure:
        parts.append(tag("p", f"The simulation ended early: {done.failure}", class_="bad"))
    if np.isfinite(done.q).any():
        parts += [listed(done.notes)] * bool(done.notes)
        parts.append(_deviations(result, done))
        parts += [_rollout(result, done, j, drawer) for j in range(result.arm.n)]
    return section(title, *parts, key="rollout")


def _deviations(result: Result, done: Rollout) -> Html:
    """Return a row for each joint, and the worst ones in a sentence."""
    rms = np.sqrt(np.mean(done.deviation**2, axis=0))
    ranges = np.ptp(done.windows.q, axis=(0, 1))
    (most, tracking), (farthest, share) = (
        (result.arm.joint_names[int(np.argmax(x))], percent(float(np.max(x))))
        for x in (done.tracking, ratio(rms, ranges, 1.0))
    )
    rows = tuple(
        (
            joint.name,
            units_of(joint).position,
            percent(done.tracking[j]),
            *(number(x, 2) for x in (rms[j], ranges[j], *done.deviation[:, j])),
        )
        for j, joint in enumerate(result.arm.robot.joints)
    )
    windows = zip(done.windows.log, done.windows.start, strict=True)
    starts = [f"log {log + 1} from {start:.1f} s" for log, start in windows]
    heads = ("joint", "unit", "torque by tracking", "rms deviation", "range", *starts)
    worst = (
        f"{most} needs most tracking: {tracking} of its torque. {farthest} deviates most: {share} "
        "of its range of positions."
    )
    explained = hint(
        "Torque by tracking: rms of the tracking term over rms of the measured torque. Deviation: "
        "simulated minus measured position, over all windows and in each of them."
    )
    return joined([tag("p", worst), Grid("", heads, 2, rows).html(), explained])


def _rollout(result: Result, done: Rollout, j: int, drawer: Drawer) -> Html:
    joint = result.arm.robot.joints[j]
    times = placed([done.windows.t] * len(done.q))
    curves: list[Curve] = []
    for name, kind, values in (("measured", "is", done.windows.q), ("simulated", "said", done.q)):
        finite = [(t, y, np.isfinite(y)) for t, y in zip(times, values[:, :, j], strict=True)]
        pieces = [(t[at], y[at]) for t, y, at in finite if at.any()]
        curves.append(drawer.curve(name, kind, pieces))
    unit = units_of(joint).position
    words = f" [{unit}] · {percent(done.tracking[j])} of the torque by tracking"
    return drawer.figure(joint, "rollout", [Panel(curves, TALL, unit)], words)
