"""The contents of a log: as plain data, as text, and as notebooks show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.log.rows import blocks, extremes
from armdyn.present.tables import Grid, card, number

if TYPE_CHECKING:
    from armdyn.log.log import Log

# The contents of a log: as plain data, and as text for people.


def data_of(log: Log) -> dict[str, Any]:
    """Return a summary of a log as plain data; reads logs in scratch files block by block."""
    low, high = extremes([log.q])
    shortest, longest = _steps(log)
    joints: list[dict[str, Any]] = [
        {"name": name, "lowest": float(low[j]), "highest": float(high[j])}
        for j, name in enumerate(log.joint_names)
    ]
    if log.tau is not None:
        largest = np.abs(extremes([log.tau])).max(axis=0)
        largest[largest == 0.0] = 1.0
        squares = np.zeros(log.n)
        for a, b in blocks(len(log)):
            squares = squares + ((log.tau[a:b] / largest) ** 2).sum(axis=0)
        for row, rms in zip(joints, (largest * np.sqrt(squares / len(log))).tolist(), strict=True):
            row["effort_rms"] = rms
    return {
        "source": log.source,
        "samples": len(log),
        "duration": log.duration,
        "rate": log.rate,
        "shortest_step": shortest,
        "median_step": log.median_step,
        "longest_step": longest,
        "effort": log.effort,
        "episodes": len(log.episodes),
        "measured": log.measured,
        "joints": joints,
        "extra": list(log.extra),
        "notes": list(log.notes),
    }


def text_of(log: Log) -> str:
    """Return a line on the log, one on each joint, and the notes."""
    data = data_of(log)
    episodes = f"{len(log.episodes)} episodes, " if len(log.episodes) > 1 else ""
    lines = [
        f"{log.source or 'log'}: {len(log)} samples, {log.duration:.4g} s at {log.rate:.4g} Hz, "
        f"{episodes}{', '.join(data['measured'])}"
    ]
    for joint in data["joints"]:
        rms = joint.get("effort_rms")
        effort = "" if rms is None else f", rms {log.effort} {rms:.4g}"
        lines.append(
            f"{joint['name']}: from {joint['lowest']:.4g} to {joint['highest']:.4g}{effort}"
        )
    return "\n".join([*lines, *(f"- {note}" for note in log.notes)])


def _steps(log: Log) -> tuple[float, float]:
    """Return the shortest and the longest time step [s]."""
    if len(log) < 2:
        return 0.0, 0.0
    low, high = np.inf, 0.0
    for a, b in blocks(len(log) - 1):
        steps = np.diff(log.t[a : b + 1])
        low, high = min(low, float(steps.min())), max(high, float(steps.max()))
    return low, high


# Logs as notebooks show them.


def log_card(log: Log) -> str:
    """Return a log: ranges of its joints."""
    data = data_of(log)
    heads = ["joint", "from", "to"]
    if log.tau is not None:
        heads.append(f"rms {log.effort}")
    rows = tuple(
        tuple([joint["name"], *(number(x) for key, x in joint.items() if key != "name")])
        for joint in data["joints"]
    )
    facts = {
        "samples": str(len(log)),
        "s": number(log.duration),
        "Hz": number(log.rate),
        "measured": ", ".join(data["measured"]),
    }
    if len(log.episodes) > 1:
        facts["episodes"] = str(len(log.episodes))
    return card(
        f"Log {log.source or ''}".strip(), facts, Grid("", tuple(heads), 1, rows), log.notes
    )
