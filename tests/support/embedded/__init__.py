"""Exported C on emulated microcontrollers: compiled for a Cortex-M, run by qemu-system-arm."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from armdyn.export import budget

HERE = Path(__file__).parent
EMULATOR = "qemu-system-arm"
# Seconds that a self-test may take.
PATIENCE = 120


# The cores of the budget, and the boards that have them.
CORES = {"M7": budget.CORES[0], "M4": budget.CORES[1]}
BOARDS = {"M7": "mps2-an500", "M4": "mps2-an386"}
COMPILER = budget.COMPILER
LINKED = ("-nostartfiles", "-T", str(HERE / "mps2.ld"), "--specs=rdimon.specs")


def missing() -> str | None:
    """Why nothing can be run here; None if all tools are there."""
    for tool, package in ((COMPILER, "gcc-arm-none-eabi"), (EMULATOR, "qemu-system-arm")):
        if shutil.which(tool) is None:
            return f"{tool} is not installed; Debian's package is {package}."
    done = subprocess.run(
        [COMPILER, "--print-file-name=rdimon.specs"], capture_output=True, text=True, check=True
    )
    if not Path(done.stdout.strip()).is_absolute():
        return "newlib is not installed; Debian's package is libnewlib-arm-none-eabi."
    return None


def build(core: str, sources: Sequence[Path], target: Path, *options: str) -> Path:
    """Compile and link sources with the start-up of a core."""
    _run([
        COMPILER, *CORES[core].options, "-Wall", "-Werror", *options, *map(str, sources),
        str(HERE / "start.c"), *LINKED, "-lm", "-o", str(target),
    ])  # fmt: skip
    return target


def run(core: str, program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program on an emulated core; its output and its exit status are those of main()."""
    command = [EMULATOR, "-M", BOARDS[core], "-nographic", "-monitor", "none"]
    command += ["-serial", "none", "-semihosting-config", "enable=on,target=native", *options]
    return subprocess.run(
        [*command, "-kernel", str(program)],
        capture_output=True, text=True, check=False, timeout=PATIENCE, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """Instructions of a call, bytes of code without the C library, bytes of stack with it."""

    instructions: int
    code: int
    stack: int


def costs(core: str, paths: Sequence[Path], folder: Path) -> dict[str, Cost]:
    """Measure all functions of an exported package, and sine and cosine as `sincos`."""
    header, source = paths[0].read_text(encoding="utf-8"), paths[1]
    kind = "float" if "float precision" in header.splitlines()[0] else "double"
    declared = re.findall(r"^void (\w+)\(([^;]*)\);", header, re.MULTILINE)
    lines = ["#include <math.h>", '#include "count.h"', f'#include "{paths[0].name}"', ""]
    calls = ["sincos"]
    suffix = "f" if kind == "float" else ""
    lines.append(f"static volatile {kind} angle = ({kind})0.7, sine, cosine;")
    both = f"const {kind} x = angle; sine = sin{suffix}(x); cosine = cos{suffix}(x);"
    lines.append(f"static void call_sincos(void) {{ {both} }}")
    for name, listed in declared:
        sizes = [int(n) if n else 1 for n in re.findall(r"\w+(?:\[(\d+)\])?(?:,|$)", listed)]
        values = ", ".join(f"({kind}){0.3 + 0.1 * k:.1f}" for k in range(12))
        names = [f"{name}_{k}" for k in range(len(sizes))]
        lines += [
            f"static {kind} {a}[{max(n, 12)}] = {{{values}}};"
            for a, n in zip(names, sizes, strict=True)
        ]
        lines.append(f"static void call_{name}(void) {{ {name}({', '.join(names)}); }}")
        calls.append(name)
    body = " ".join(f'report("{name}", call_{name});' for name in calls)
    lines.append(f"int main(void) {{ {body} return 0; }}")
    main = folder / "count_main.c"
    main.write_text("\n".join(lines) + "\n", encoding="utf-8")
    include = ("-I", str(HERE), "-I", str(source.parent))
    elf = build(core, [source, main], folder / f"count_{core}.elf", *include)
    done = run(core, elf, "-icount", "shift=0")
    assert done.returncode == 0, done.stderr
    sizes_of = _sizes(elf)
    return {
        name: Cost(int(instructions), sizes_of.get(name, 0), int(stack))
        for name, instructions, stack in (line.split() for line in done.stdout.splitlines())
    }


def _sizes(program: Path) -> dict[str, int]:
    listed = _run([budget.LISTER, "--print-size", str(program)])
    rows = [line.split() for line in listed.splitlines()]
    return {row[3]: int(row[1], 16) for row in rows if len(row) == 4}


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
