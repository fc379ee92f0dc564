"""Everything that determines the object code of a program: a key cheaper than the code itself."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterable
from typing import Any

from armdyn.graph import Program, Rolled
from armdyn.kernel.cache._source_digest import source_digest
from armdyn.kernel.ir._codegen import Codegen

HERE = "armdyn.kernel"
Parts = tuple[Any, ...]

# The modules that compile a program to object code.
COMPILER = (
    "_element", "_jit", "_symbols", "batch._streaming_loop", "batch._streams",
    "batch._strided_loop", "ir._codegen", "ir._counted", "ir._finite_check",
    "ir._function_writer", "ir._fuse", "ir._heap", "ir._intrinsics", "ir._mirror",
    "ir._operations", "ir._sincos", "ir._square", "ir._tiles", "ir._writer", "rolled._body",
    "rolled._emit", "rolled._memory", "rolled._rows", "rolled._step", "straight._bounds",
    "straight._emit", "straight._one_state", "straight._order", "straight._spill",
    "straight._store",
)  # fmt: skip


def identity(program: Program | Rolled, codegen: Codegen) -> tuple[str | bytes, ...]:
    """Return everything that determines the object code of a program, except LLVM's version.

    This is the program, the type of its numbers, the processor and the source of the compiler
    itself, so that a changed compiler has different keys. Equal identities have equal object code.
    """
    return (*_content(program), repr(codegen), source_digest(HERE, COMPILER))


def program_digest(program: Program | Rolled) -> str:
    """Return a digest of a program alone: equal programs have equal ones on every machine."""
    kind, content = _content(program)
    return hashlib.sha256(kind.encode() + content).hexdigest()


def _content(program: Program | Rolled) -> tuple[str, bytes]:
    """Return the kind of a program, and all that it contains."""
    kind, parts = (
        ("rolled", _rolled(program)) if isinstance(program, Rolled) else ("plain", _plain(program))
    )
    # Bytes, since text would take some milliseconds. They hold numbers exactly. Version 2 of the
    # format writes equal objects identically; later versions may write references instead.
    return kind, marshal.dumps(parts, 2)


def _plain(program: Program) -> Parts:
    steps = program.code
    return (
        program.name,
        _slots(program),
        ";".join([step.op._value_ for step in steps]),
        [step.args for step in steps],
        [float(step.value) for step in steps],
        program.results,
    )


def _rolled(rolled: Rolled) -> Parts:
    sweeps = [
        (
            sweep.outward,
            _plain(sweep.step),
            [(name, _floats(values)) for name, values in sweep.start.items()],
            _plain(sweep.columns) if sweep.columns else None,
        )
        for sweep in rolled.sweeps
    ]
    table = [(name, [_floats(row) for row in rows]) for name, rows in rolled.constants.items()]
    return (rolled.name, _slots(rolled), table, sweeps, rolled.symmetric)


def _slots(program: Program | Rolled) -> Parts:
    return tuple([(s.name, s.shape) for s in part] for part in (program.inputs, program.outputs))


def _floats(values: Iterable[float]) -> list[float]:
    return [float(x) for x in values]  # NumPy scalars are not plain floats
