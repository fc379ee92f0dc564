"""How long files of arms take to read, as ratios: a URDF by Pinocchio's, an MJCF by MuJoCo's time.

    python benchmarks/reading.py FILE [FILE ...] [--before SRC] [--runs 60]

For a URDF the ratio is to `pinocchio.buildModelFromUrdf`; for an MJCF to MuJoCo's own parse,
`MjSpec.from_file`, which reads no mesh, and to what MuJoCo needs for the same numbers: parse,
delete what has no say in dynamics, compile. With `--before`, a source tree of another version, the
ratio to that version is told too. All are medians of runs in turn.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco
import pinocchio as pin

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from armdyn.robot.files import read_robot
from armdyn.robot.formats.registry import root_element
from support.mjcf_texts import without_assets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--before", type=Path, help="source tree of another version")
    parser.add_argument("--runs", type=int, default=60)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for path in given.files:
        times = medians({"armdyn": lambda path=path: read_robot(path), **others(path)}, given.runs)
        print(f"{path.name}: {1e3 * times['armdyn']:.2f} ms; ratio to " + ", ".join(
            f"{name} {times['armdyn'] / t:.2f}" for name, t in times.items() if name != "armdyn"
        ))  # fmt: skip
        if given.before is not None:
            here, there = (own(path, source, given.runs) for source in (None, given.before))
            print(f"    ratio to {given.before}: {here / there:.2f}")


def others(path: Path) -> dict[str, Callable[[], object]]:
    if root_element(path) == "mujoco":
        return {
            "MuJoCo's parse": lambda: mujoco.MjSpec.from_file(str(path)),
            "parse, strip and compile": lambda: without_assets(path),
        }
    return {"Pinocchio": lambda: pin.buildModelFromUrdf(str(path))}


def medians(calls: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Return the median time of each call; they run in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(runs):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: sorted(found)[len(found) // 2] for name, found in times.items()}


def own(path: Path, source: Path | None, runs: int) -> float:
    """Return the time of armdyn in a process of its own, of another source tree if given."""
    here = Path(__file__).resolve().parents[1] / "src"
    environment = {**os.environ, "PYTHONPATH": str((source or here).resolve())}
    command = [sys.executable, "-c", _TIMER, str(path), str(runs)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


_TIMER = """
import sys, time, warnings
from armdyn.robot.files import read_robot
warnings.simplefilter("ignore")
path, runs = sys.argv[1], int(sys.argv[2])
read_robot(path)
times = []
for _ in range(runs):
    start = time.perf_counter()
    read_robot(path)
    times.append(time.perf_counter() - start)
print(sorted(times)[runs // 2])
"""


if __name__ == "__main__":
    main()
