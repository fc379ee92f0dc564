"""The measured motion, played: the identified arm, with the torques that it does not explain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.arm.page import player
from armdyn.arm.recording import Recording
from armdyn.arrays import Array
from armdyn.identification.page.fine import Fine, fine_torques
from armdyn.present.curves import placed
from armdyn.present.html import Html, section, tag

if TYPE_CHECKING:
    from armdyn.identification.result import Result

HEIGHT = 660


def player_section(result: Result) -> Html:
    """Return the section with the player; empty if the logs are too long to be drawn finely."""
    shown = played(result)
    if not shown:
        return Html("")
    words = (
        "The measured motion; press Play, scrub, or click on a curve. A joint is grey where the "
        "identified model explains its torque, and turns orange (more was measured) or blue (less) "
        "up to a fifth of the joint's largest torque. Torques are low-passed as for the fit."
    )
    return section("The motion, played", tag("p", words, class_="hint"), shown, key="player")


def played(result: Result) -> Html:
    """Return the player of the data held out, or of all if none were; empty if there is none."""
    fine = fine_torques(result, result.held_out)
    if not fine:
        return Html("")
    starts = placed([one.times for one in fine])
    parts = [_part(one, float(t[0] - one.times[0])) for one, t in zip(fine, starts, strict=True)]
    t, q, qd, tau, predicted = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    spans = tuple((float(part[0][0]), float(part[0][-1])) for part in parts)
    about = "data not used for the fit" if result.held_out else "data of the fit"
    recording = Recording(t, q, qd, tau, predicted, spans, about, marks=True)
    return Html(player(result.arm, recording, height=HEIGHT))


def _part(one: Fine, shift: float) -> tuple[Array, Array, Array, Array, Array]:
    """Return times, positions, velocities and both torques of a segment at its dense times."""
    used = one.signals.used
    q, qd = (
        np.stack(
            [np.interp(one.t, one.times, x[one.start : one.stop, j]) for j in range(x.shape[1])], 1
        )
        for x in (used.q, used.qd)
    )
    return one.t + shift, q, qd, np.stack(one.measured, 1), np.stack(one.predicted, 1)
