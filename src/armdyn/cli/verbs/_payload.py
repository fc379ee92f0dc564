"""`armdyn identify --payload`: what an arm holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armdyn.arm import Arm
from armdyn.cli._console import complain, print_json, progress_bar, show
from armdyn.files import write_together
from armdyn.identification import Payload, identify_payload
from armdyn.log import Log
from armdyn.present import Grid
from armdyn.robot import toml_text

JSON, TOML = "payload.json", "loaded.toml"
PAYLOAD_FILES = (JSON, TOML)

# Above this share of the mass, its standard deviation says that the load is not known.
KNOWN = 0.3


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
    passed = found.mass_std <= KNOWN * found.load.mass
    data = _data(found, passed)
    texts = {
        JSON: json.dumps(data, indent=2, allow_nan=False) + "\n",
        TOML: toml_text(found.arm.robot),
    }
    paths = write_together(out, texts, None)
    said = "known" if passed else f"not known: its standard deviation is {found.mass_std:.2g} kg"
    verdict = f"{'passed' if passed else 'not passed'}: the mass of the load is {said}."
    if as_json:
        print_json({**data, "files": [str(path) for path in paths]})
        complain(verdict)
        return passed
    show(_grid(found), "", verdict, *(f"  - {note}" for note in found.notes))
    show("", f"{out}: {', '.join(PAYLOAD_FILES)}")
    return passed


def _grid(found: Payload) -> Grid:
    load = found.load
    rows = [("mass", "kg", f"{load.mass:.5g}", f"{found.mass_std:.2g}")]
    for axis, x, std in zip("xyz", load.com, found.com_std.tolist(), strict=True):
        rows.append((f"centre {axis}", "m", f"{x:.5g}", f"{std:.2g}"))
    for name, x in zip(("xx", "xy", "xz", "yy", "yz", "zz"), load.inertia, strict=True):
        rows.append((f"inertia {name}", "kg m^2", f"{x:.5g}", ""))
    title = f"Load at the tip of {found.arm.name}"
    return Grid(title, ("", "unit", "value", "std"), 2, tuple(rows))


def _data(found: Payload, passed: bool) -> dict[str, Any]:
    load, rows = found.load, zip(found.names, found.parameters, found.std, strict=True)
    return {
        "robot": found.arm.name,
        "passed": passed,
        "mass": load.mass,
        "mass_std": found.mass_std,
        "com": list(load.com),
        "com_std": found.com_std.tolist(),
        "inertia": list(load.inertia),
        "parameters": [
            {"name": name, "value": float(x), "std": float(s), "alone": found.identifiable[name]}
            for name, x, s in rows
        ],
        "notes": list(found.notes),
    }
