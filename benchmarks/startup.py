"""How long programs take to start, in times that Python takes to import NumPy.

    python benchmarks/startup.py [ROBOT.urdf [ROUNDS]]

Four programs: `armdyn --version`, `armdyn --help`, one that loads an arm from its URDF and prints
one `inverse_dynamics`, with programs and code in the cache, and one that prints one `mass_matrix`
without any cache: methods are traced, the cheapest is chosen and compiled. Processor seconds of the
processes, which alternate; the median of all rounds counts.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import armdyn
from armdyn.errors import MissingExtraError
from arms import PUBLISHED, published

ROUNDS = 9
FIRST = """\
import sys
import armdyn
import numpy as np
arm = armdyn.load(sys.argv[1])
print(arm.inverse_dynamics(*np.zeros((3, arm.n))))
"""
COLD = """\
import os
import sys
os.environ["ARMDYN_CACHE"] = "off"
import armdyn
import numpy as np
arm = armdyn.load(sys.argv[1])
print(arm.mass_matrix(np.zeros(arm.n)))
"""


def robot(folder: Path) -> Path:
    """A UR5 if example-robot-data is installed, else a PUMA 560 written as URDF."""
    try:
        return published(PUBLISHED["ur5"][0])
    except MissingExtraError:
        path = folder / "puma560.urdf"
    armdyn.save(armdyn.load("puma560"), path)
    return path


def seconds(command: list[str], settings: dict[str, str]) -> float:
    """Processor seconds of a process."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    begin = spent()
    subprocess.run(command, env=settings, check=True, stdout=subprocess.DEVNULL)
    return spent() - begin


def main() -> None:
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else robot(folder)
        settings = {**os.environ, "ARMDYN_CACHE": str(folder / "cache")}
        python = [sys.executable]
        commands = {
            "import numpy": [*python, "-c", "import numpy"],
            "armdyn --version": [*python, "-m", "armdyn", "--version"],
            "armdyn --help": [*python, "-m", "armdyn", "--help"],
            f"first number of {path.stem}": [*python, "-c", FIRST, str(path)],
            "first mass matrix, no cache": [*python, "-c", COLD, str(path)],
        }
        for command in commands.values():  # fills the cache
            seconds(command, settings)
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                times[name].append(seconds(command, settings))
    numpy = statistics.median(times["import numpy"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:32s} {1e3 * median:6.0f} ms {median / numpy:6.2f}")


if __name__ == "__main__":
    main()
