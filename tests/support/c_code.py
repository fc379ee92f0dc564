"""Exported C, compiled and called."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.cli.app import main
from support.robots import random_robot

GCC = shutil.which("gcc")


needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is not installed")


STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion"]
STRICT += ["-Wdouble-promotion", "-Wshadow", "-Wmissing-prototypes"]


RANDOM = [("mixed", 3), ("inclined slide", 2), ("right angles", 2), ("rotational", 1)]


def with_friction(robot: armdyn.Robot) -> armdyn.Robot:
    joints = [
        replace(j, viscous=0.1 + 0.02 * i, coulomb=0.3, offset=-0.05 * i, rotor_inertia=0.1)
        for i, j in enumerate(robot.joints)
    ]
    return replace(robot, joints=joints)


def robots() -> dict[str, armdyn.Robot]:
    found = {name: armdyn.load(name).robot for name in ("puma560", "scara")}
    return found | {f"{f}-{n}": with_friction(random_robot(f, n, 0)) for f, n in RANDOM}


ROBOTS = robots()


def with_prototype(source: str) -> str:
    """Return printed C with the prototype of its one function before it: it has no header."""
    return source[source.index("void ") : source.index(")\n{") + 1] + ";\n" + source


def compile_c(paths: tuple[Path, ...], target: Path, *options: str) -> None:
    assert GCC is not None
    sources = [str(p) for p in paths if p.suffix == ".c"]
    command = [GCC, *STRICT, *options, *sources, "-o", str(target), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def selftest(paths: tuple[Path, ...], target: Path) -> subprocess.CompletedProcess[str]:
    compile_c(paths, target, "-O2")
    return subprocess.run([str(target)], capture_output=True, text=True, check=False)


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    """Run the command line; return its status, output and errors."""
    monkeypatch.setattr(sys, "argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


class Library:
    """The functions of an exported package, called from here."""

    def __init__(self, paths: tuple[Path, ...], single: bool = False) -> None:
        target = paths[1].with_suffix(".so")
        compile_c(paths[1:2], target, "-fPIC", "-shared")
        self.dtype = np.float32 if single else np.float64
        self.prefix = paths[1].stem
        self.library = ctypes.CDLL(str(target))

    def __call__(self, quantity: str, inputs: list, shapes: list) -> list[np.ndarray]:
        arrays = [np.ascontiguousarray(x, dtype=self.dtype) for x in inputs]
        outputs = [np.full(shape, np.nan, dtype=self.dtype) for shape in shapes]
        function = getattr(self.library, f"{self.prefix}_{quantity}")
        function.restype = None
        function(*(ctypes.c_void_p(a.ctypes.data) for a in [*arrays, *outputs]))
        return outputs
