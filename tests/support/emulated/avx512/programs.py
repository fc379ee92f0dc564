"""Write the programs of the recorded digests for AVX-512: object files, and a header for init.c.

    python programs.py FOLDER

LLVM compiles for processors that are not there, so this runs on any x86-64.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.batch_ir import CheckedBatchLoop, batch_code
from armdyn.kernel.element import DOUBLE, FLOAT
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.finite_check import finite_magnitude
from armdyn.kernel.jit import compile_object
from armdyn.kernel.kernel import object_code
from armdyn.kernel.streaming import streams
from armdyn.kernel.targets import x86
from armdyn.kernel.targets.target import Host
from support.equal_bits import COUNT, cases, program_of, states

LEVEL = "x86-64-v4"
FEATURES = {name for level in x86.LEVELS.values() for name in level.needs}
TARGET = x86.levels(Host("x86_64", "", dict.fromkeys(FEATURES, True)))[LEVEL]


def write_object(code: bytes, path: Path) -> None:
    """Write object code whose public names begin with the name of the file."""
    path.write_bytes(code)
    listed = subprocess.run(
        ["nm", "--defined-only", "--extern-only", path], check=True, capture_output=True, text=True
    )
    names = [line.split()[-1] for line in listed.stdout.splitlines()]
    renamed = [f"--redefine-sym={name}={path.stem}_{name}" for name in names]
    subprocess.run(["objcopy", *renamed, path], check=True)


def listed(numbers: Iterable[object]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def declared(k: int, program: Program | Rolled, codegen: Codegen) -> tuple[list[str], list[str]]:
    """Return the declarations that a program needs, and the fields of its entry but the name."""
    own = f"program{k}"
    loop = CheckedBatchLoop(program, codegen, 0, 0)
    given = [np.asarray(x, codegen.element.code) for x in states(program)]
    streamed = streams(program, codegen)
    lines = [
        f"extern loop_function {own}_armdyn_loop;",
        f"extern void {own}_armdyn_link(void *, void *, void *, void *);",
        f"extern number {own}_armdyn_ordinary(void);",
        f"static const number {own}_sizes[] = {listed(loop.sizes)};",
        f"static const number {own}_steps[] = {listed(loop.steps)};",
    ]
    if streamed:
        lines.append(f"extern void {own}_armdyn_streaming(void);")
    for j, x in enumerate(given):
        lines.append(
            f"static const unsigned char {own}_input{j}[] __attribute__((aligned(64))) = "
            f"{listed(x.tobytes())};"
        )
    inputs = listed(f"{own}_input{j}" for j in range(len(given)))
    lines.append(f"static const unsigned char *const {own}_inputs[] = {inputs};")
    fields = [
        codegen.element.bytes, len(given), len(loop.sizes), f"{own}_sizes", f"{own}_steps",
        f"{own}_inputs", f"{own}_armdyn_loop",
        f"(void *){own}_armdyn_streaming" if streamed else "0",
        f"{own}_armdyn_link", f"{own}_armdyn_ordinary", loop._streamed_near, loop._streamed_room,
        f"{finite_magnitude(codegen.element)}LL",
    ]  # fmt: skip
    return lines, list(map(str, fields))


def main(folder: Path) -> None:
    lines, entries = [f"enum {{ COUNT = {COUNT} }};"], list[str]()
    for element, name, kind in (
        (DOUBLE, "doubles", "double_batch"),
        (FLOAT, "floats", "float_batch"),
    ):
        code = compile_object(batch_code(Codegen(TARGET, element)), TARGET)
        write_object(code, folder / f"{name}.o")
        lines.append(f"extern {kind} {name}_armdyn_streamed_batch;")
        lines.append(f"#define batch_of_{name} {name}_armdyn_streamed_batch")
    for k, (arm, case) in enumerate(cases()):
        codegen = Codegen(TARGET, FLOAT if "float" in case.split() else DOUBLE)
        program = program_of(arm, case)
        write_object(object_code(program, codegen), folder / f"program{k}.o")
        own, fields = declared(k, program, codegen)
        lines += own
        entries.append("{" + ", ".join([f'"{arm} {case}"', *fields]) + "},")
    lines += ["static const struct program programs[] = {", *entries, "};", ""]
    (folder / "programs.h").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
