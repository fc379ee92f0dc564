"""The first number of an arm whose programs and code are cached imports nothing that makes them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import armdyn
from armdyn.robot.formats.urdf.write import urdf_text

FIRST = """\
import sys
import armdyn
import numpy as np
arm = armdyn.load(sys.argv[1])
print(arm.inverse_dynamics(*np.ones((3, arm.n))).tolist())
print(*sys.modules)
"""

# How many files the cache has after a state, after the same state once more, and after a batch.
GROWTH = """\
import os, sys
import armdyn
import numpy as np
arm = armdyn.load(sys.argv[1])
for shape in (arm.n,), (arm.n,), (3, arm.n), (3, arm.n):
    arm.gravity(np.ones(shape))
    print(len(os.listdir(os.environ["ARMDYN_CACHE"])))
"""

# What makes programs and code, or writes files.
UNWANTED = (
    "armdyn.programs.tracing",
    "armdyn.graph.simplify", "armdyn.graph.trace",
    "armdyn.graph.derive", "armdyn.programs.roll", "armdyn.kernel.straight",
    "armdyn.kernel.rolled", "armdyn.kernel.call.fastcall_ir", "armdyn.kernel.ir.sincos",
    "armdyn.export", "armdyn.minimal", "armdyn.log", "armdyn.robot.formats.urdf.write",
    "armdyn.robot.formats.toml", "scipy", "numpy.ma", "tomllib", "concurrent.futures",
    "sysconfig",
)  # fmt: skip
# Of the algorithms, only the table that names them.
TABLE = {
    "armdyn.algorithms", "armdyn.algorithms.quantity", "armdyn.algorithms.rolled",
    "armdyn.algorithms.table",
}  # fmt: skip
MOST_MODULES = 107


def _printed(code: str, robot: Path, cache: Path) -> list[str]:
    settings = {**os.environ, "ARMDYN_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(robot)],
        env=settings, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def _first_number(robot: Path, cache: Path) -> tuple[str, set[str]]:
    numbers, modules = _printed(FIRST, robot, cache)
    return numbers, set(modules.split())


def test_a_cached_first_number_imports_no_algorithm_and_no_compiler(tmp_path: Path) -> None:
    arm = armdyn.load("puma560")
    robot, cache = tmp_path / "puma.urdf", tmp_path / "cache"
    robot.write_text(urdf_text(arm.robot), encoding="utf-8")
    made, all_modules = _first_number(robot, cache)
    assert "armdyn.kernel.straight.emit" in all_modules and "armdyn.programs.tracing" in all_modules
    loaded, modules = _first_number(robot, cache)
    assert loaded == made
    assert sorted(name for name in modules if name in UNWANTED) == []
    algorithms = {name for name in modules if name.startswith("armdyn.algorithms")}
    assert sorted(algorithms - TABLE) == []
    assert len([name for name in modules if name.startswith("armdyn")]) <= MOST_MODULES


def test_code_for_batches_is_compiled_at_the_first_batch(tmp_path: Path) -> None:
    robot, cache = tmp_path / "planar.urdf", tmp_path / "cache"
    robot.write_text(urdf_text(armdyn.load("planar2").robot), encoding="utf-8")
    counts = [int(line) for line in _printed(GROWTH, robot, cache)]
    one = counts[0]
    # the loop over a batch, and the function that Python's arrays are passed to
    assert counts == [one, one, one + 2, one + 2]
