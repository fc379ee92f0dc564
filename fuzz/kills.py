"""Writers killed at any moment: each file is the old one or the new one, and no other stays.

A process writes two versions of a file in turn, until it is killed. Then what is there is compared
by digest with both. Another process writes once more: what the killed one left is gone.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import armdyn
from armdyn import Log
from fuzz._finding import check, must

KINDS = (
    "arm.toml", "arm.urdf", "arm.xml", "run.csv", "run.npz", "run.parquet", "page.html", "c",
    "cache",
)  # fmt: skip
# Seconds that a writer works before it is killed, at most.
LONGEST = 0.08


@dataclass
class Case:
    """What is written, and after what time the writer is killed."""

    kind: str
    seconds: float


def case(rng: random.Random, target: str) -> Case:
    """Draw a writer."""
    return Case(rng.choice(KINDS), rng.random() * LONGEST)


@cache
def _versions() -> list[tuple[armdyn.Arm, Log]]:
    arm = armdyn.load("planar2")
    heavy = armdyn.Arm(
        replace(arm.robot, joints=tuple(replace(j, mass=9.0) for j in arm.robot.joints))
    )
    t = np.arange(3000) / 100
    q = np.sin(np.outer(t, [1.0, 2.0]))
    return [(arm, Log(t, q, tau=3 * q)), (heavy, Log(t, q / 2, tau=q))]


def write(kind: str, version: int) -> None:
    """Write a version of a kind of file."""
    arm, log = _versions()[version]
    if kind == "c":
        arm.export_c("c", ["gravity", "mass_matrix"])
    elif kind == "cache":
        quantity = ("gravity", "mass_matrix", "bias", "pose")[version]
        armdyn.Arm(arm.robot).function(quantity)([0.1, 0.2])
    elif kind == "page.html":
        arm.page(kind)
    elif kind.startswith("run"):
        log.save(kind)
    else:
        armdyn.save(arm, kind)


def digests(kind: str) -> dict[str, str]:
    """Return a digest of each file; of logs, of their numbers, since archives have a time."""
    found: dict[str, str] = {}
    for folder, _, names in os.walk("."):
        for name in names:
            path = Path(folder, name)
            if name.endswith(".tmp") or name == "ready":
                continue
            if kind.startswith("run"):
                log = Log.read(path)
                data = b"".join(np.asarray(x).tobytes() for x in (log.t, log.q, log.tau))
            else:
                data = path.read_bytes()
            found[str(path)] = hashlib.sha256(data).hexdigest()
    return found


@cache
def _expected(kind: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for version in (0, 1):
        write(kind, version)
        found.append(digests(kind))
    for path in found[0]:
        os.unlink(path)
    return found


def run(case: Case) -> None:
    """Kill a writer, and look at what it left."""
    if case.kind == "cache":
        return _killed_cache(case)
    expected = _expected(case.kind)
    _kill(case)
    with must("a file that a killed writer left"):
        for path, digest in digests(case.kind).items():
            check(digest in [one.get(path) for one in expected], f"{path} is neither old nor new")
    write(case.kind, 0)
    check(digests(case.kind) == expected[0], "written once more, it is something else")
    left = [n for _, _, names in os.walk(".") for n in names if n.endswith(".tmp")]
    check(not left, f"files left behind: {left}")


def _kill(case: Case) -> None:
    code = (
        "import sys; from pathlib import Path; from fuzz import kills; kills._versions(); "
        f"[kills.write({case.kind!r}, k) for k in (0, 1) if {case.kind != 'cache'}]; "
        "Path('ready').touch()\n"
        f"while True:\n for k in (0, 1): kills.write({case.kind!r}, k)"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": ":".join(sys.path)}
    )
    try:
        while not Path("ready").exists():
            check(writer.poll() is None, "the writer ended")
            time.sleep(0.001)
        time.sleep(case.seconds)
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    Path("ready").unlink()


def _killed_cache(case: Case) -> None:
    """Kill a process that compiles for the first time; the next one computes the same."""
    from unittest import mock

    with mock.patch.dict(os.environ, {"ARMDYN_CACHE": str(Path("kernels").absolute())}):
        _kill(replace(case, seconds=case.seconds * 3))
        code = (
            "import armdyn; arm = armdyn.load('planar2'); print(arm.gravity([0.1, 0.2]).tolist(), "
            "arm.mass_matrix([0.1, 0.2]).tolist())"
        )
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
        )
    arm = _versions()[0][0]
    right = f"{arm.gravity([0.1, 0.2]).tolist()} {arm.mass_matrix([0.1, 0.2]).tolist()}"
    check(done.stdout.strip() == right, f"after a kill: {done.stdout} {done.stderr}")
