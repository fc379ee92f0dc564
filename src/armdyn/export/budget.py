"""What a package of C costs a microcontroller: bytes of code and of stack.

They are those of GCC for ARM, if it is installed. Else they are estimated from the programs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from armdyn.export.c import DOUBLE, FLOAT, number
from armdyn.export.c_package import CFunction
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Program
from armdyn.scalar import Op
from armdyn.writing import scratch_folder

COMPILER, LISTER = "arm-none-eabi-gcc", "arm-none-eabi-nm"
OPTIONS = ("-mthumb", "-mfloat-abi=hard", "-std=gnu99", "-O2", "-fno-math-errno")
# Seconds that compiling may take.
PATIENCE = 300


class Size(NamedTuple):
    """Bytes of a function.

    Attributes:
        code: instructions and constants, without the C library.
        stack: its own frame, without those of sine, cosine and emulated operations.
    """

    code: int
    stack: int


class Rule(NamedTuple):
    """An estimate of sizes: bytes for each item.

    Attributes:
        operation: code of an operation.
        other: code of a constant, of a number that is read or written, of a sine or cosine.
        value: stack of a value that is live where most values are.
        frame: stack of any function.
    """

    operation: float
    other: float
    value: float
    frame: float


@dataclass(frozen=True)
class Core:
    """A processor core.

    Attributes:
        name: as compilers call it.
        fpu: its floating-point unit, as compilers call it.
        rules: estimates by the type of the numbers.
    """

    name: str
    fpu: str
    rules: Mapping[str, Rule]

    @property
    def options(self) -> tuple[str, ...]:
        """The options of GCC."""
        return (f"-mcpu={self.name}", f"-mfpu={self.fpu}", *OPTIONS)


# The rules are fitted to what GCC 12 makes of gravity, mass matrix, inverse and forward dynamics of
# PUMA 560, UR5 and Panda: code within 11 %, stack within 36 %. The M4 has no doubles, so
# operations on them are calls.
CORES = (
    Core("cortex-m7", "fpv5-d16",
         {FLOAT.name: Rule(4.8, 5.7, 4.0, -7), DOUBLE.name: Rule(6.4, 5.9, 8.4, -23)}),
    Core("cortex-m4", "fpv4-sp-d16",
         {FLOAT.name: Rule(4.8, 5.7, 4.1, -8), DOUBLE.name: Rule(14.9, 10.8, 9.8, 7)}),
)  # fmt: skip
# Registers that any function saves.
LEAST_STACK = 8


@dataclass(frozen=True)
class Budget:
    """The cost of the functions of a package.

    Attributes:
        operations: by the name of the function.
        sizes: by the name of the function, then of the core.
        source: where the sizes are from, in words.
        compiled: whether a compiler gave them; else they are estimates.
    """

    operations: dict[str, Operations]
    sizes: dict[str, dict[str, Size]]
    source: str
    compiled: bool


def c_budget(functions: Sequence[CFunction], files: Mapping[str, str], single: bool) -> Budget:
    """Return what functions cost on each core.

    Args:
        functions: those of the package.
        files: contents of the package by name, as `c_package` returns them.
        single: whether they compute in float.
    """
    operations = {f.name: count(f.program) for f in functions}
    missing = [tool for tool in (COMPILER, LISTER) if shutil.which(tool) is None]
    if missing:
        why = f"{missing[0]} is not installed"
    else:
        try:
            by_core = {core.name: _compiled(core, files) for core in CORES}
            sizes = {
                f.name: {core: found[f.name] for core, found in by_core.items()} for f in functions
            }
            return Budget(operations, sizes, f"compiled by {COMPILER} -O2", True)
        except (OSError, subprocess.SubprocessError, KeyError, ValueError):
            why = f"{COMPILER} could not compile the code"
    kind = number(single).name
    sizes = {f.name: {core.name: _estimated(f.program, core.rules[kind]) for core in CORES}
             for f in functions}  # fmt: skip
    return Budget(operations, sizes, f"estimated from the program: {why}", False)


def _compiled(core: Core, files: Mapping[str, str]) -> dict[str, Size]:
    """Compile a package without its self-test; return the sizes by function."""
    with scratch_folder() as folder:
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        source = next(file for file in files if f"{Path(file).stem}.h" in files and file[-1] == "c")
        made = folder / "made.o"
        _run([COMPILER, *core.options, "-fstack-usage", "-c", source, "-o", made.name], folder)
        listed = _run([LISTER, "--print-size", made.name], folder).splitlines()
        code = {row[3]: int(row[1], 16) for row in map(str.split, listed) if len(row) == 4}
        usage = made.with_suffix(".su").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in usage]
    stack = {place.rpartition(":")[2]: int(size) for place, size, _ in rows}
    return {name: Size(code[name], size) for name, size in stack.items()}


def _run(command: Sequence[str], folder: Path) -> str:
    return subprocess.run(
        command, cwd=folder, env={**os.environ, "LC_ALL": "C"}, capture_output=True,
        encoding="utf-8", errors="replace", check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
    ).stdout  # fmt: skip


def _estimated(program: Program, rule: Rule) -> Size:
    moved = (Op.CONST, Op.INPUT, Op.SIN, Op.COS)
    others = sum(step.op in moved for step in program.code)
    code = rule.operation * (len(program.code) - others)
    code += rule.other * (others + len(program.results))
    stack = max(rule.frame + rule.value * _most_live(program), LEAST_STACK)
    return Size(round(code), 8 * round(stack / 8))


def _most_live(program: Program) -> int:
    """Return how many computed values are live at once, in the order of the program."""
    held = [step.op not in (Op.CONST, Op.INPUT) for step in program.code]
    last = {arg: k for k, step in enumerate(program.code) for arg in step.args}
    last |= dict.fromkeys(program.results, len(program.code))
    live = most = 0
    for k, step in enumerate(program.code):
        live += held[k]
        most = max(most, live)
        live -= sum(last[arg] == k and held[arg] for arg in set(step.args))
    return most
