"""Command lines: every verb, with options that are right, wrong, missing, twice or out of order.

Most run in this process, through the same function as the command; a few in one of their own. The
exit status is 0, 1 or 2; 2 comes with an error and without files; `--json` prints strict JSON.
"""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import armdyn
from armdyn.cli.app import _imported, main
from armdyn.cli.usage import VERBS
from fuzz._finding import check
from support.identification import recorded
from support.urdf_texts import ARM

# A command of each verb that takes less than a second or so.
QUICK = {
    "info": "planar2", "convert": "planar2 out.urdf", "ops": "planar2", "minimal": "planar2",
    "verify": "planar2 --states 2", "symbolic": "planar2", "paper": "lin_fang_1999", "cache": "",
    "excite": "planar2 --evaluations 60 --duration 2 --harmonics 2 --rate 20 -o motion.csv",
    "identify": "arm.toml run.csv -o out --no-physical", "payload": "arm.toml held.csv",
    "gains": "arm.toml held.csv --without run.csv --mass 2.5", "observe": "arm.toml run.csv",
    "simulate": "planar2 --until 0.1", "page": "planar2 -o page.html",
    "move": "planar2 --through points.csv --acceleration 5 --velocity 2 --nodes 20",
    "codegen": "planar2 --functions gravity --out c",
}  # fmt: skip
# These take long, or wait: their words are never all right.
LONG = tuple(verb for verb in VERBS if verb not in QUICK)
SURELY_WRONG = ["--frobnicate", "--help", "--json=x=y", "-Z", "--=1"]
# Options that start processes, connect to others, or make the work of a command large.
LEFT_OUT = {"--cluster", "--workers", "--all", "--animate", "--help"}

WORDS = [
    "", "0", "1", "-1", "0.5", "2", "1e-9", "nan", "inf", "-inf", "1e400", "abc", "1,2",
    "0.1,0.2", "1,,2",
    "0.1,0.2,0.3", "planar2", "nobody", "run.csv", "held.csv", "points.csv", "arm.toml",
    "arm.urdf", "empty",
    "folder", "folder/x.csv", "nowhere/x.csv", "out.toml", "out.csv", "out.png", "out.html",
    "out.xyz", "é",
    "/dev/null", "/proc/self/mem", "%s%n", "$(id)", "[red]x[/red]", "-", "--", "=", "a=b", "a:=b",
    "q1", "true",
    "auto", "rad", "deg", "gravity", "mass_matrix,gravity", "tip", "rk4", "torque", "1_0", "٣",
    "x" * 300,
    "\x1b[31m", "1:2", "0x10", ".", "..", "*.csv", "run.csv:", "[1]", "{}", "None",
    "10000000000000000000000",
]  # fmt: skip


@dataclass
class Case:
    """The words of a command, and whether it runs in a process of its own."""

    words: list[str]
    alone: bool


@cache
def _params(verb: str) -> list[tuple[list[str], bool]]:
    """Return the names of every option of a verb, and whether it is a flag."""
    found: list[tuple[list[str], bool]] = []
    for parameter in _imported(verb).params:
        names = [
            name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("-")
        ]
        if names and not LEFT_OUT & set(names):
            found.append((names, bool(getattr(parameter, "is_flag", False))))
    return found


def case(rng: random.Random, target: str) -> Case:
    """Draw a command."""
    verb = rng.choice([*QUICK, *QUICK, *QUICK, *LONG])
    words = QUICK.get(verb, rng.choice(["", "planar2", "all"])).split()
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        names, flag = rng.choice(_params(verb) or [(["--json"], True)])
        name, value = rng.choice(names), rng.choice(WORDS)
        words += (
            [name]
            if flag and rng.random() < 0.9
            else rng.choice([[name, value], [f"{name}={value}"], [name]])
        )
    for _ in range(rng.choice([0, 0, 1, 2])):
        at = rng.randrange(len(words) + 1)
        match rng.randrange(5):
            case 0:
                words = words[:at] + words[at + 1 :]
            case 1:
                words.insert(at, rng.choice(WORDS))
            case 2 if words:
                words[at % len(words)] = rng.choice(WORDS)
            case 3:
                rng.shuffle(words)
            case _:
                words = words[:at] + words[at:][::-1]
    if verb in LONG:
        words.insert(rng.randrange(len(words) + 1), rng.choice(SURELY_WRONG[:1] * 3 + SURELY_WRONG))
        words += ["--frobnicate"]
    words = [verb, *words]
    if rng.random() < 0.03:
        words = rng.choice(
            [[], ["--help"], ["--version"], ["frobnicate"], words[1:], ["", *words], ["-h"]]
        )
        words = words if not words or words[0] not in LONG else ["--help"]
    return Case(words, rng.random() < 0.02)


@cache
def _files() -> dict[str, bytes]:
    """Return the files that commands may read."""
    from armdyn.robot.formats.toml import toml_text

    arm = armdyn.load("planar2")
    heavy = armdyn.Arm(
        replace(arm.robot, joints=tuple(replace(j, mass=j.mass + 1) for j in arm.robot.joints))
    )
    files = {"arm.toml": toml_text(arm.robot).encode(), "arm.urdf": ARM.encode(), "empty": b"",
             "points.csv": b"0.1,0.2\n0.4,0.3\n0.8,0.1\n"}  # fmt: skip
    for name, one in (("run.csv", arm), ("held.csv", heavy)):
        recorded(one, duration=4.0, rate=50.0).save(name)
        files[name] = Path(name).read_bytes()
        Path(name).unlink()
    return files


def run(case: Case) -> None:
    """Run a command."""
    for name, data in _files().items():
        Path(name).write_bytes(data)
    Path("folder").mkdir()
    before = _there()
    words = case.words
    environment = {"ARMDYN_CACHE": "kernels"} if "cache" in words else {}
    with mock.patch.dict(os.environ, environment):
        status, out, err = (_alone if case.alone and "\0" not in "".join(words) else _here)(words)
    told = f"armdyn {words}: status {status}\n{out[-300:]}\n{err[-600:]}"
    check(status in (0, 1, 2), f"exit status: {told}")
    check("Traceback" not in out + err, f"traceback: {told}")
    new = {path for path in _there() - before if not path.startswith("./kernels")}
    left = [
        path for path in new if path.endswith((".tmp", ".new")) or Path(path).name.startswith(".")
    ]
    check(not left, f"files left behind {left}: {told}")
    if status == 2:
        check("rror" in err or not words, f"no error is told: {told}")
        check(not new, f"an error leaves files {sorted(new)}: {told}")
    elif _asks_for_json(words) and words[0] in QUICK and "--help" not in words:
        try:
            json.loads(out, parse_constant=lambda word: check(False, f"JSON has {word}: {told}"))
        except json.JSONDecodeError as error:
            check("--json" != words[-1] and not out, f"not JSON ({error}): {told}")
    else:
        check(out or err, f"nothing is told: {told}")


def _asks_for_json(words: list[str]) -> bool:
    """Whether `--json` is an option here, and not the value of the option before it."""
    return any(word == "--json" and not before.startswith("--") for before, word in pairwise(words))


def _there() -> set[str]:
    return {
        os.path.join(folder, name)
        for folder, folders, names in os.walk(".")
        for name in (*folders, *names)
    }


def _here(words: list[str]) -> tuple[Any, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status: Any = None
    np.random.seed(0)
    with (
        mock.patch.object(sys, "argv", ["armdyn", *words]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            status = stop.code or 0
    return status, out.getvalue(), err.getvalue()


def _alone(words: list[str]) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "armdyn", *words]
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    return done.returncode, done.stdout, done.stderr
