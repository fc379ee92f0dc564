"""What decides the object code of a program: a key that costs less than the code itself."""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from typing import Any

from armdyn.graph import Program, Rolled
from armdyn.kernel.cache._source_digest import source_digest
from armdyn.kernel.targets import Target

HERE = "armdyn.kernel"
Parts = tuple[Any, ...]

# The modules that make object code of a program.
COMPILER = (
    "_element", "_jit", "_symbols", "batch._streaming_loop", "batch._streams",
    "batch._strided_loop", "ir._codegen", "ir._counted", "ir._finite_check",
    "ir._function_writer", "ir._fuse", "ir._heap", "ir._intrinsics", "ir._mirror",
    "ir._operations", "ir._sincos", "ir._square", "ir._tiles", "ir._writer", "rolled._body",
    "rolled._emit", "rolled._memory", "rolled._rows", "rolled._step", "straight._bounds",
    "straight._emit", "straight._one_state", "straight._order", "straight._spill",
    "straight._store",
)  # fmt: skip


def identity(program: Program | Rolled, target: Target) -> tuple[str | bytes, ...]:
    """Return all that decides the object code of a program, except LLVM's version.

    Equal identities have equal object code: the program, the processor, and the text of the
    compiler itself, so that a changed compiler has other keys.
    """
    kind, parts = (
        ("rolled", _rolled(program)) if isinstance(program, Rolled) else ("plain", _plain(program))
    )
    # Bytes, since text would take some milliseconds. Numbers are exact in them. The second format
    # writes equal things alike; later ones may refer to an object that was met before.
    return (kind, marshal.dumps(parts, 2), repr(target), source_digest(HERE, COMPILER))


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
    return [float(x) for x in values]  # NumPy's are no plain floats
