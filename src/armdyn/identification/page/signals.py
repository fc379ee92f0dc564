"""Positions and velocities as recorded, under those that the fit used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.data.signals import Signals
from armdyn.identification.page.fine import LONGEST, drawn_share, every, thinned_in_words, within
from armdyn.present.curves import Curve, Panel, captioned, placed, zoomable
from armdyn.present.html import Html, Packed, joined, section, tag
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
