"""Rollouts: simulated beside measured positions, window by window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.judge.rollout import BANDWIDTH, SECONDS, SHORTEST, Rollout
from armdyn.numerics import ratio
from armdyn.present.curves import HOLE, Curve, Panel, Pieces, captioned, zoomable
from armdyn.present.html import Html, Packed, joined, listed, section, tag
from armdyn.present.tables import Grid, number, percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result

TITLE = "The identified arm in simulation"
TALL = 110


def rollout_section(result: Result, packed: Packed) -> Html:
    """Return a table of deviations, and drawings; or, in words, why there are none."""
    done = result.rollout
    if done is None:
        words = (
            f"There is no piece of {SHORTEST:g} s without gaps in the data"
            f"{' held out' * result.held_out}, so nothing was simulated."
        )
        return section(TITLE, tag("p", words), key="rollout")
    of = "data not used for the fit" if result.held_out else "the data of the fit"
    span = float(done.windows.t[-1])
    hint = tag(
        "p",
        f"Windows of {number(span, 2)} s from {of}: the identified arm starts in the measured "
        "state and moves under the measured torques. A weak term pulls it towards the measured "
        f"motion, as a spring that lets each joint swing at {BANDWIDTH:g} Hz and holds it against "
        "falling over, because small errors of torques add up. The share of the torques which that "
        "term gives is how much help the model needs. Joints with little inertia and much friction "
        "move far by small errors of friction.",
        class_="hint",
    )
    said = [hint]
    if done.failure:
        said.append(tag("p", f"The simulation ended early: {done.failure}", class_="bad"))
    if not np.isfinite(done.q).any():
        return section(TITLE, *said, key="rollout")
    if done.notes:
        said.append(listed(done.notes))
    drawn = joined(_drawing(result, done, j, packed) for j in range(result.arm.n))
    return section(
        TITLE, *said, _in_words(result, done), _table(result, done), drawn, key="rollout"
    )


def _in_words(result: Result, done: Rollout) -> Html:
    """Return the most help that a joint needs, and the largest deviation."""
    ranges = np.ptp(done.windows.q, axis=(0, 1))
    off = ratio(np.sqrt(np.mean(done.deviation**2, axis=0)), ranges, 1.0)
    most, farthest = int(np.argmax(done.tracking)), int(np.argmax(off))
    names = result.arm.joint_names
    return tag(
        "p",
        f"Most help needs {names[most]}: {percent(float(done.tracking[most]))} of its torque. "
        f"Farthest off is {names[farthest]}: {percent(float(off[farthest]))} of the range of its "
        "positions.",
    )


def _table(result: Result, done: Rollout) -> Html:
    rows: list[tuple[str, ...]] = []
    ranges = np.ptp(done.windows.q, axis=(0, 1))
    for j, joint in enumerate(result.arm.robot.joints):
        all_of_it = float(np.sqrt(np.mean(done.deviation[:, j] ** 2)))
        rows.append(
            (
                joint.name,
                "rad" if joint.is_revolute else "m",
                percent(float(done.tracking[j])),
                number(all_of_it, 2),
                number(float(ranges[j]), 2),
                *(number(float(x), 2) for x in done.deviation[:, j]),
            )
        )
    several = max(done.windows.log) > 0
    starts = [
        f"log {log + 1} from {start:.1f} s" if several else f"from {start:.1f} s"
        for log, start in zip(done.windows.log, done.windows.start, strict=True)
    ]
    heads = ("joint", "", "torque by tracking", "rms deviation", "range", *starts)
    hint = tag(
        "p",
        "Torque by tracking: rms of the tracking term over rms of the measured torque. Deviation: "
        "simulated less measured position, over all windows and in each of them. Range: of the "
        "measured positions.",
        class_="hint",
    )
    return joined([Grid("", heads, 2, tuple(rows)).html(), hint])


def _drawing(result: Result, done: Rollout, j: int, packed: Packed) -> Html:
    joint = result.arm.robot.joints[j]
    unit = "rad" if joint.is_revolute else "m"
    measured: Pieces = _pieces(done, done.windows.q[:, :, j])
    simulated: Pieces = _pieces(done, done.q[:, :, j])
    curves = [Curve("measured", "is", measured), Curve("simulated", "said", simulated)]
    picture = zoomable([Panel(curves, TALL, unit)], "rollout", f"rollout of {joint.name}", packed)
    said = f" [{unit}] · {percent(float(done.tracking[j]))} of the torque by tracking"
    return captioned([joint.name, said], picture)


def _pieces(done: Rollout, values: Array) -> list[tuple[Array, Array]]:
    """Return the windows one after the other, as far as they were simulated."""
    t, found = done.windows.t, list[tuple[Array, Array]]()
    for k, y in enumerate(values):
        there = np.isfinite(y)
        if there.any():
            start = k * (1.0 + HOLE * len(values)) * SECONDS
            found.append((t[there] + start, y[there]))
    return found
