"""Logs as notebooks show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.log._summary import data_of
from armdyn.present import Grid, card, number

if TYPE_CHECKING:
    from armdyn.log._log import Log


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
    return card(
        f"Log {log.source or ''}".strip(), facts, Grid("", tuple(heads), 1, rows), log.notes
    )
