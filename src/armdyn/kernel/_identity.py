"""What decides the object code of a program, in words that are had faster than the code itself."""

from __future__ import annotations

import hashlib
import marshal
from functools import lru_cache
from importlib.resources import files

from armdyn.graph import Program, Rolled
from armdyn.kernel._host import Host

# The modules that make object code of a program.
COMPILER = (
    "_counted", "_emit", "_fma", "_heap", "_jit", "_loop", "_mirror", "_one", "_order",
    "_registers", "_rolled_body",
    "_rolled_emit", "_rolled_memory", "_rolled_rows", "_rolled_step", "_rows", "_sincos",
    "_steps", "_stores", "_text",
)  # fmt: skip


def identity(program: Program | Rolled, host: Host) -> tuple[str | bytes, ...]:
    """Return all that decides the object code of a program, except LLVM's version.

    Equal identities have equal object code: the program, the processor, and the text of the
    compiler itself, so that a changed compiler is another one without anybody having to say so.
    """
    if isinstance(program, Rolled):
        return ("rolled", repr(program), repr(host), _compiler())
    slots = ";".join(f"{s.name}{s.shape}" for s in (*program.inputs, *program.outputs))
    shape = f"{program.name}|{len(program.inputs)}|{slots}|{program.results}"
    return (shape, _code(program), repr(host), _compiler())


def _code(program: Program) -> bytes:
    """Return the code of a program as bytes, which to write as text would take some milliseconds.

    Numbers are written exactly. The second format of `marshal` writes equal things alike; later
    ones may write an object that was met before as a reference to it.
    """
    steps = program.code
    operations = ";".join([step.op._value_ for step in steps])
    return marshal.dumps(
        (operations, [step.args for step in steps], [float(step.value) for step in steps]), 2
    )


@lru_cache(maxsize=1)
def _compiler() -> str:
    digest = hashlib.sha256()
    for name in COMPILER:
        text = files("armdyn.kernel").joinpath(f"{name}.py").read_bytes()
        digest.update(len(text).to_bytes(8, "big") + text)
    return digest.hexdigest()
