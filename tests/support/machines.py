"""Run tests as on other processors: BLAS, NumPy and our kernels are held to what those have.

    python tests/support/machines.py [arguments of pytest]

Each row of `MACHINES` gets a line that says what was set and whether the tests passed, or why this
machine cannot stand for it. The exit status is 1 if tests failed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from numpy._core._multiarray_umath import __cpu_dispatch__ as DISPATCHED

AVX512 = [name for name in DISPATCHED if name == "X86_V4" or name.startswith("AVX512")]
# The core of OpenBLAS, what NumPy must not use of the instructions it looks for, our level.
MACHINES = (
    ("Nehalem", DISPATCHED, "x86-64"),
    ("Sandybridge", DISPATCHED, "x86-64-v2"),
    ("Haswell", AVX512, "x86-64-v3"),
    ("SkylakeX", [], "x86-64-v4"),
)
# Both libraries of LAPACK, NumPy's and SciPy's, and a kernel; OpenBLAS tells its core when loaded.
PROBE = """
import numpy, scipy.linalg, armdyn
A = numpy.random.default_rng(0).random((50, 50))
for svd in (numpy.linalg.svd, scipy.linalg.svd):
    svd(A @ A)
armdyn.load("puma560").mass_matrix(numpy.zeros(6))
"""


def obstacle(core: str, environment: dict[str, str]) -> str:
    """Why this machine cannot stand for another; empty if it can."""
    told = {**environment, "OPENBLAS_VERBOSE": "2"}
    probe = subprocess.run([sys.executable, "-c", PROBE], env=told, capture_output=True, text=True)
    cores = re.findall(r"^Core: (\w+)", probe.stderr, re.M)
    if probe.returncode < 0:
        return f"its instructions end a process here with signal {-probe.returncode}"
    if probe.returncode:
        return probe.stderr.strip().splitlines()[-1]
    return "" if cores == [core] * 2 else f"OpenBLAS took {' and '.join(cores) or 'no core'}"


def main(arguments: list[str]) -> int:
    told, failed = [], False
    for core, without, level in MACHINES:
        settings = {
            "OPENBLAS_CORETYPE": core,
            "NPY_DISABLE_CPU_FEATURES": " ".join(without),
            "ARMDYN_CPU": level,
        }
        environment = {**os.environ, **settings}
        if reason := obstacle(core, environment):
            outcome = f"cannot be run on this machine: {reason}"
        else:
            command = [sys.executable, "-m", "pytest", *arguments]
            wrong = subprocess.run(command, env=environment).returncode != 0
            outcome, failed = ("failed" if wrong else "passed"), failed or wrong
        words = " ".join(f'{name}="{value}"' for name, value in settings.items())
        told.append(f"{words}: {outcome}")
        print(told[-1], flush=True)
    print("\n".join(["", *told]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
