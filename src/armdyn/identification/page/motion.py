"""The motion: a player of the measured one, and rollouts of the identified arm beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.arm.page import player
from armdyn.arm.recording import Recording
from armdyn.arrays import Array
from armdyn.identification.judge.rollout import BANDWIDTH, SECONDS, SHORTEST, Rollout
from armdyn.identification.page.rows import data_in_words, hint, units_of
from armdyn.identification.page.torques import TALL, Fine, fine_torques
from armdyn.numerics import ratio
from armdyn.present.curves import HOLE, Curve, Panel, captioned, placed, zoomable
from armdyn.present.html import Html, Packed, joined, listed, section, tag
from armdyn.present.tables import Grid, number, percent

if TYPE_CHECKING:
    from armdyn.identification.result import Result


def player_section(result: Result) -> Html:
    """Return the section with the player; empty if the logs are too long to be drawn finely."""
    shown = played(result)
    if not shown:
        return Html("")
    words = (
        "The measured motion; press Play, scrub, or click on a curve. A joint is grey where the "
        "identified model explains its torque, and turns orange (measured torque is larger) or "
        "blue (smaller) up to a fifth of the joint's largest torque. Torques are low-passed as for "
        "the fit."
    )
    return section("The motion, played", hint(words), shown, key="player")


def played(result: Result) -> Html:
    """Return the player of the held-out data, or of all if there are none; empty without data."""
    fine = fine_torques(result, result.held_out)
    if not fine:
        return Html("")
    starts = placed([one.times for one in fine])
    parts = [_part(one, float(t[0] - one.times[0])) for one, t in zip(fine, starts, strict=True)]
    t, q, qd, tau, predicted = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    spans = tuple((float(part[0][0]), float(part[0][-1])) for part in parts)
    about = data_in_words(result).removeprefix("the ")
    recording = Recording(t, q, qd, tau, predicted, spans, about, marks=True)
    return Html(player(result.arm, recording, height=660))


def _part(one: Fine, shift: float) -> tuple[Array, Array, Array, Array, Array]:
    """Return times, positions, velocities and both torques of a segment at its dense times."""
    at, used = slice(one.start, one.stop), one.signals.used
    q, qd = (
        np.stack([np.interp(one.t, one.times, x[at, j]) for j in range(x.shape[1])], 1)
        for x in (used.q, used.qd)
    )
    return one.t + shift, q, qd, np.stack(one.measured, 1), np.stack(one.predicted, 1)


def rollout_section(result: Result, packed: Packed) -> Html:
    """Return a table of deviations, and drawings; or the reason why there are none."""
    title, done = "The identified arm in simulation", result.rollout
    if done is None:
        words = (
            f"No simulation: the data{' held out' * result.held_out} have no piece of "
            f"{SHORTEST:g} s without gaps."
        )
        return section(title, tag("p", words), key="rollout")
    parts = [
        hint(
            f"Windows of {number(float(done.windows.t[-1]), 2)} s from {data_in_words(result)}: "
            "the identified arm starts in the measured state and moves under the measured torques. "
            "Small torque errors add up, so a weak tracking term pulls it towards the measured "
            f"motion, a spring with a natural frequency of {BANDWIDTH:g} Hz for each joint. The "
            "share of the torque from tracking measures how much help the model needs. Joints with "
            "little inertia and much friction move far by small errors of friction."
        )
    ]
    if done.failure:
        parts.append(tag("p", f"The simulation ended early: {done.failure}", class_="bad"))
    if np.isfinite(done.q).any():
        parts += [listed(done.notes)] * bool(done.notes)
        parts.append(_worst(result, done))
        parts.append(_table(result, done))
        parts += [_drawing(result, done, j, packed) for j in range(result.arm.n)]
    return section(title, *parts, key="rollout")


def _worst(result: Result, done: Rollout) -> Html:
    """Return the largest torque from tracking, and the largest deviation."""
    ranges = np.ptp(done.windows.q, axis=(0, 1))
    off = ratio(np.sqrt(np.mean(done.deviation**2, axis=0)), ranges, 1.0)
    (most, tracking), (farthest, share) = (
        (result.arm.joint_names[int(np.argmax(x))], percent(float(np.max(x))))
        for x in (done.tracking, off)
    )
    words = f"{most} needs most tracking: {tracking} of its torque. {farthest} deviates most: "
    return tag("p", f"{words}{share} of the range of its positions.")


def _table(result: Result, done: Rollout) -> Html:
    ranges = np.ptp(done.windows.q, axis=(0, 1))
    rows = tuple(
        (
            joint.name,
            units_of(joint).position,
            percent(float(done.tracking[j])),
            number(float(np.sqrt(np.mean(done.deviation[:, j] ** 2))), 2),
            number(float(ranges[j]), 2),
            *(number(float(x), 2) for x in done.deviation[:, j]),
        )
        for j, joint in enumerate(result.arm.robot.joints)
    )
    several = max(done.windows.log) > 0
    starts = [
        f"log {log + 1} from {start:.1f} s" if several else f"from {start:.1f} s"
        for log, start in zip(done.windows.log, done.windows.start, strict=True)
    ]
    heads = ("joint", "", "torque by tracking", "rms deviation", "range", *starts)
    explained = hint(
        "Torque by tracking: rms of the tracking term over rms of the measured torque. Deviation: "
        "simulated minus measured position, over all windows and in each of them. Range: of the "
        "measured positions."
    )
    return joined([Grid("", heads, 2, rows).html(), explained])


def _drawing(result: Result, done: Rollout, j: int, packed: Packed) -> Html:
    joint = result.arm.robot.joints[j]
    unit = units_of(joint).position
    curves = [
        Curve("measured", "is", _pieces(done, done.windows.q[:, :, j])),
        Curve("simulated", "said", _pieces(done, done.q[:, :, j])),
    ]
    panels = [Panel(curves, TALL, unit)]
    picture = zoomable(panels, "rollout", f"rollout of {joint.name}", packed)
    words = f" [{unit}] · {percent(float(done.tracking[j]))} of the torque by tracking"
    return captioned([joint.name, words], picture)


def _pieces(done: Rollout, values: Array) -> list[tuple[Array, Array]]:
    """Return the windows one after the other, as far as they were simulated."""
    length = (1.0 + HOLE * len(values)) * SECONDS
    finite = [(k, y, np.isfinite(y)) for k, y in enumerate(values)]
    return [(done.windows.t[at] + k * length, y[at]) for k, y, at in finite if at.any()]
