"""Digests of the LLVM IR that is emitted: a change that claims to change no code leaves them equal.

    python benchmarks/digests.py before.json
    python benchmarks/digests.py after.json --compare before.json

Every quantity of some arms is emitted for every vector width of x86-64 and for ARM, straight-line
and rolled, with its operation counts. So is the code that all programs share.
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
from armdyn.kernel.batch_ir import batch_code
from armdyn.kernel.call.fastcall_ir import fastcall_ir
from armdyn.kernel.element import DOUBLE
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.kernel import program_ir
from armdyn.kernel.targets import arm, x86
from armdyn.kernel.targets.target import Host
from arms import arm_named

ARMS = ("puma560", "ur5", "panda", "generic6", "generic7", "generic30")
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


def rows(arms: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what was emitted, and its digest or its operation counts."""
    # code is written here and not run, so the machine need not have these instructions
    needs = [name for cpu in CPUS for name in x86.LEVELS[cpu].needs]
    levels = x86.levels(Host("x86_64", "", dict.fromkeys(needs, True)))
    widths = {cpu: str(Codegen(levels[cpu], DOUBLE).width) for cpu in CPUS}
    codegens = {widths[cpu]: Codegen(levels[cpu], DOUBLE) for cpu in CPUS}
    codegens["arm"] = Codegen(arm.native(Host("arm64", "", {})), DOUBLE)
    for name in arms:
        chosen = arm_named(name)
        for quantity in chosen.quantities:
            rolled = ["rolled"] if "rolled" in armdyn.methods(quantity) else []
            for method in ("auto", *rolled):
                f = chosen.function(quantity, method)
                yield f"{name} {quantity} {method} ops", f"{f.operations} {f.method}"
                for label, codegen in codegens.items():
                    key = f"{name} {quantity} {method} {label}"
                    yield key, digest(program_ir(f.program, codegen))
    for label, codegen in codegens.items():
        yield f"batch {label}", digest(batch_code(codegen))
        for shape in FASTCALLS:
            key = f"fastcall {shape[0]} {shape[1]} {label}"
            yield key, digest(fastcall_ir(codegen, *shape))


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
