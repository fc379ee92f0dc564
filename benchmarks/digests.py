"""Digests of the LLVM IR that is emitted: a change that claims to change no code leaves them equal.

    python benchmarks/digests.py before.json
    python benchmarks/digests.py after.json --compare before.json

Every quantity of some arms is emitted for every vector width of x86-64 and for ARM, straight-line
and rolled, with its operation counts; so is the code that all programs share. Of two arms, also
every method of every quantity, and programs with link parameters, of minimal parameters, of
derivatives for JAX and PyTorch and of closed-form inverse kinematics, in double and in single
precision, and the function that XLA calls.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import armdyn
from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.arm import Arm
from armdyn.graph.count import count
from armdyn.graph.derive import jvp_program, vjp_program
from armdyn.graph.program import Program
from armdyn.kernel.batch_ir import batch_code
from armdyn.kernel.call.fastcall_ir import fastcall_batch_ir, fastcall_ir
from armdyn.kernel.call.xla import handler_ir
from armdyn.kernel.element import DOUBLE, FLOAT
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.kernel import program_ir
from armdyn.kernel.targets import arm, x86
from armdyn.kernel.targets.target import Host
from armdyn.kinematics.inverse_kinematics import solver_of
from armdyn.minimal.programs import regressor_program
from armdyn.programs.key import ProgramKey
from armdyn.programs.parametric import parametric
from armdyn.robot.chain import chain_of
from arms import arm_named

ARMS = ("puma560", "ur5", "panda", "generic6", "generic7", "generic30")
# Arms whose other programs are emitted, too, for the processor of the middle and for ARM.
CLOSELY = ("puma560", "ur5")
MIDDLE = "x86-64-v3"
CPUS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
# Numbers of inputs and outputs of the functions that Python calls.
FASTCALLS = ((1, 1), (2, 1), (3, 1), (1, 2), (3, 3))
# Names in the IR that have been renamed: old and new.
RENAMED = {"walk": "sweep"}


def digest(text: str) -> str:
    """Return the digest of some IR, with the names of today."""
    for old, new in RENAMED.items():
        text = text.replace(old, new)
    return sha256(text.encode()).hexdigest()[:16]


def codegens() -> dict[str, Codegen]:
    """Return what code is emitted for, by label: a vector width or ARM, single precision if so."""
    # code is written here and not run, so the machine need not have these instructions
    needs = [name for cpu in CPUS for name in x86.LEVELS[cpu].needs]
    levels = x86.levels(Host("x86_64", "", dict.fromkeys(needs, True)))
    targets = [*(levels[cpu] for cpu in CPUS), arm.native(Host("arm64", "", {}))]
    found = {}
    for prefix, element in (("", DOUBLE), ("float ", FLOAT)):
        for target in targets:
            codegen = Codegen(target, element)
            width = "arm" if target is targets[-1] else str(codegen.width)
            found[f"{prefix}{width}"] = codegen
    return found


def rows(arms: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what was emitted, and its digest or its operation counts."""
    every = codegens()
    few = {label: x for label, x in every.items() if "arm" in label or x.target.cpu == MIDDLE}
    for name in arms:
        chosen = arm_named(name)
        for quantity in chosen.quantities:
            rolled = ["rolled"] if "rolled" in armdyn.methods(quantity) else []
            for method in ("auto", *rolled):
                f = chosen.function(quantity, method)
                yield f"{name} {quantity} {method} ops", f"{f.operations} {f.method}"
                for label, codegen in every.items():
                    key = f"{name} {quantity} {method} {label}"
                    yield key, digest(program_ir(f.program, codegen))
        for what, program in other_programs(chosen) if name in CLOSELY else ():
            yield f"{name} {what} ops", str(count(program))
            for label, codegen in few.items():
                yield f"{name} {what} {label}", digest(program_ir(program, codegen))
                if what.startswith("minimal"):
                    yield f"{name} {what} xla {label}", digest(handler_ir(program, 4096, codegen))
    for label, codegen in every.items():
        yield f"batch {label}", digest(batch_code(codegen))
        for shape in FASTCALLS:
            key = f"fastcall {shape[0]} {shape[1]} {label}"
            yield key, digest(fastcall_ir(codegen, *shape))
            yield f"{key} batch", digest(fastcall_batch_ir(codegen, *shape))


def other_programs(chosen: Arm) -> Iterator[tuple[str, Program]]:
    """Yield the other straight-line programs of an arm, and what they are."""
    chain = chain_of(chosen.robot)
    for quantity in chosen.quantities:
        auto = chosen.function(quantity).program
        yield f"vjp of {quantity}", vjp_program(auto)
        yield f"jvp of {quantity}", jvp_program(auto)
        found = parametric(ProgramKey(chain, quantity))
        yield f"parametric {quantity} {found.method}", found.program
        for method in armdyn.methods(quantity):
            if method != "rolled":
                yield f"{quantity} {method}", chosen.function(quantity, method).program
    for drives in (False, True):
        base = chosen.minimal_with(rotor=drives, friction=drives)
        label = "minimal with drives" if drives else "minimal"
        for tracking in (False, True):
            program = regressor_program(chain, base.spread, drives, drives, tracking)
            yield f"{label} {program.name}", program
        for quantity, row in QUANTITIES.items():
            if row.minimal and quantity in chosen.quantities:
                for values, when in ((None, "at run time"), (base.values, "built in")):
                    f = base.function(quantity, values)
                    yield f"{label} {quantity} {f.method} {when}", f.program
    solver = solver_of(chosen.robot, chosen.n + 1)
    assert solver is not None, chosen
    yield "inverse kinematics", solver.program
    yield "inverse kinematics without limits", solver.free_program
    yield "inverse kinematics, one step", solver.newton_program


def main() -> int:
    """Write the digests; say which differ from earlier ones."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="where the digests are written, as JSON")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="digests to compare with")
    parser.add_argument("--arms", nargs="+", default=list(ARMS), metavar="ARM")
    options = parser.parse_args()
    os.environ["ARMDYN_CACHE"] = "off"
    found = dict(rows(options.arms))
    options.file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} digests")
    if options.compare is None:
        return 0
    before = json.loads(options.compare.read_text(encoding="utf-8"))
    common = [key for key in found if key in before]
    differing = [key for key in common if found[key] != before[key]]
    print(f"{len(common)} compared, {len(differing)} differ", *differing, sep="\n  ")
    return 1 if differing or not common else 0


if __name__ == "__main__":
    sys.exit(main())
