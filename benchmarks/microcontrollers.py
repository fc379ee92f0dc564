"""What exported C costs microcontrollers: instructions of a call, bytes of code, bytes of stack.

    python benchmarks/microcontrollers.py

prints the table of docs/controller.md. It needs Debian's gcc-arm-none-eabi,
libnewlib-arm-none-eabi and qemu-system-arm. The emulator counts instructions, not cycles.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import armdyn
from armdyn.present.tables import Grid
from support import embedded

ARMS = {"puma560": "PUMA 560", "ur5": "UR5", "panda": "Panda"}
QUANTITIES = ["gravity", "mass_matrix", "inverse_dynamics", "forward_dynamics"]
COLUMNS = [(core, single) for core in embedded.CORES for single in (True, False)]


def main() -> int:
    """Measure and print."""
    if why := embedded.missing():
        print(f"nothing is measured: {why}")
        return 1
    cells: dict[tuple[str, str], list[str]] = {}
    both: list[str] = []
    for name in ARMS:
        for core, single in COLUMNS:
            with tempfile.TemporaryDirectory() as folder:
                paths = armdyn.load(name).export_c(folder, QUANTITIES, single=single)
                costs = embedded.costs(core, paths, Path(folder))
            for quantity in QUANTITIES:
                cost = costs[f"{name}_{quantity}"]
                text = f"{cost.instructions} / {cost.code} / {cost.stack}"
                cells.setdefault((name, quantity), []).append(text)
            if name == "ur5":
                both.append(str(costs["sincos"].instructions))
    heads = [f"{core} {'float' if single else 'double'}" for core, single in COLUMNS]
    rows = [
        (f"{ARMS[name]} {quantity.replace('_', ' ')}", *found)
        for (name, quantity), found in cells.items()
    ]
    rows.append(("sine and cosine of an angle", *both))
    print(Grid("", ("instructions / code / stack", *heads), 1, tuple(rows)).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
