"""Times in a fresh process: to import packages, and to compile and load functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.errors import ArmdynError
from armdyn.writing import scratch_folder
from arms import arm_named
from comparison.results import Imports, Start

IMPORT = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
# Names of armdyn are imported on first use, so one of them is used here to trigger the import.
IMPORTED = {"armdyn": "from armdyn import load", "numpy": "import numpy"}
FIRST_CALLS = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from comparison.startup import first_calls; first_calls(sys.argv[2:])"
)
HERE = str(Path(__file__).parents[1])


def measure_imports(rounds: int) -> Imports:
    """Return the shortest times of the imports of armdyn and NumPy, taken in turn."""
    taken = dict.fromkeys(IMPORTED, float("inf"))
    for _ in range(rounds):
        for name, statement in IMPORTED.items():
            taken[name] = min(taken[name], float(_output(IMPORT.format(statement), (), {})))
    return Imports(taken["armdyn"], taken["numpy"])


def measure_starts(robot: str, quantities: Sequence[str], rounds: int) -> tuple[Start, ...]:
    """Return the times until functions of an arm can be called, the best of several processes.

    Args:
        robot: a name that `arm_named` knows.
        quantities: the quantities.
        rounds: number of processes that compile, and of processes that load.
    """
    arm = arm_named(robot)
    # the choice of the cheapest method traces all of them; it is not measured
    words = [
        robot,
        *(f"{quantity}={arm.function(quantity, friction=False).method}" for quantity in quantities),
    ]
    compiled = [_first_calls(words, {"ARMDYN_CACHE": "off"}) for _ in range(rounds)]
    with scratch_folder() as folder:
        _first_calls(words, {"ARMDYN_CACHE": str(folder)})
        loaded = [_first_calls(words, {"ARMDYN_CACHE": str(folder)}) for _ in range(rounds)]
    return tuple(
        Start(
            robot,
            quantity,
            trace=min(run[quantity]["trace"] for run in compiled),
            compile=min(run[quantity]["cpu"] for run in compiled),
            load=min(run[quantity]["wall"] for run in loaded),
        )
        for quantity in quantities
    )


def first_calls(words: Sequence[str]) -> None:
    """Print how long the first call of functions takes; run in a fresh process.

    Args:
        words: the arm, then "quantity=method" for each function.
    """
    robot, *wanted = words
    Arm(arm_named("planar2").robot).gravity(np.zeros(2))  # loads LLVM before the timing
    arm = arm_named(robot)
    taken: dict[str, dict[str, float]] = {}
    for quantity, method in (word.split("=") for word in wanted):
        traced = process_time()
        f = arm.function(quantity, method, friction=False)
        states = [np.zeros(slot.shape) for slot in f.program.inputs]
        cpu, wall = process_time(), perf_counter()
        f(*states)
        taken[quantity] = {
            "trace": cpu - traced,
            "cpu": process_time() - cpu,
            "wall": perf_counter() - wall,
        }
    print(json.dumps(taken))


def _first_calls(words: Sequence[str], settings: Mapping[str, str]) -> dict[str, dict[str, float]]:
    return json.loads(_output(FIRST_CALLS, (HERE, *words), settings))


def _output(code: str, words: Sequence[str], settings: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**os.environ, **settings}, capture_output=True, encoding="utf-8",
        errors="replace",
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ArmdynError(f"a fresh process of Python failed: {last}")
    return done.stdout
