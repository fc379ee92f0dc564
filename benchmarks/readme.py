"""Write the README's table of times from docs/benchmarks.json, between its markers.

armdyn bench --json docs/benchmarks.json && python benchmarks/readme.py
"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
JSON = ROOT / "docs" / "benchmarks.json"
BEGIN, END = "<!-- times: python benchmarks/readme.py -->", "<!-- end of times -->"

ROBOTS = ("ur5", "panda")
KINDS = ("mass_matrix", "inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives")
OURS = "armdyn"


def rows(found: dict | None) -> list[str]:
    """The lines between the markers: none if nothing was measured."""
    if found is None:
        return []
    cells = [c for c in found["cells"] if c["robot"] in ROBOTS and c["kind"] in KINDS]
    peers = list(
        dict.fromkeys(p for c in cells for p in c["batch"]["seconds"] if p in found["peers"])
    )
    heads = ["ns a state, one core", OURS, *peers]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for cell in cells:
        times = cell["batch"]["seconds"]
        numbers = [_time(times, OURS, peer) for peer in peers]
        first = f"{cell['kind']}, {cell['robot']}"
        lines.append(f"| {first} | {_nanoseconds(times[OURS])} | {' | '.join(numbers)} |")
    where = f"{found['machine']['processor']}, {found['machine']['date']}"
    return [
        *lines,
        "",
        f"Batches of {found['batch']:,} states on one core ({where}); in brackets how many times",
        "as long as armdyn. [All times](docs/benchmarks.md).",
    ]


def _time(times: dict, ours: str, peer: str) -> str:
    if peer not in times:
        return "–"
    return f"{_nanoseconds(times[peer])} ({times[peer] / times[ours]:.1f})"


def _nanoseconds(seconds: float) -> str:
    return f"{1e9 * seconds:.3g}" if seconds < 1e-7 else f"{1e9 * seconds:.0f}"


def written(readme: str, found: dict | None) -> str:
    """The README with the table of these numbers."""
    head, _, rest = readme.partition(BEGIN)
    _, marked, tail = rest.partition(END)
    if not marked:
        raise SystemExit(f"README.md has no lines {BEGIN!r} and {END!r}")
    return "\n".join([f"{head}{BEGIN}", *rows(found), f"{END}{tail}"])


def measured() -> dict | None:
    """What the last benchmark found, if there was one."""
    return json.loads(JSON.read_text(encoding="utf-8")) if JSON.exists() else None


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(written(path.read_text(encoding="utf-8"), measured()), encoding="utf-8")
