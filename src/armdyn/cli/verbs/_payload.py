"""`armdyn identify --payload`: the load of an arm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from armdyn.arm import Arm
from armdyn.cli._console import complain, print_json, progress_bar, show
from armdyn.identification import PAYLOAD_FILES, identify_payload, load_values
from armdyn.log import Log


def show_payload(
    arm: Arm,
    logs: Sequence[Log],
    without: Log | None,
    out: Path,
    cutoff: float | None,
    as_json: bool,
) -> bool:
    """Identify a load, write and show it; return whether its mass is known."""
    with progress_bar(as_json=as_json) as progress:
        found = identify_payload(arm, logs, without=without, cutoff=cutoff, progress=progress)
    paths = found.save(out)
    if as_json:
        print_json({**found.to_dict(), "files": [str(path) for path in paths]})
        complain(found.verdict)
        return found.passed
    show(load_values(found), "", found.verdict, *(f"  - {note}" for note in found.notes))
    show("", f"{out}: {', '.join(PAYLOAD_FILES)}")
    return found.passed
