"""Cached results: their keys, programs as text, and machine code that serves all programs."""

from __future__ import annotations

import hashlib
import json
import marshal
import os
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from operator import index
from pathlib import Path
from typing import Any

from armdyn.errors import GraphError
from armdyn.fork_safe import first_use
from armdyn.graph.program import Instruction, Program, Slot, verify
from armdyn.graph.rolled import Rolled
from armdyn.kernel.cache import default_cache, key
from armdyn.kernel.element import ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.jit import compile_object, load_for_good
from armdyn.kernel.llvm import Engine, llvm_identity
from armdyn.kernel.targets.choice import target
from armdyn.scalar import Op

# Everything that determines cached results: programs, processors, and armdyn's own source.

# Digests of armdyn's own modules: cached results are valid while the digests stay the same.

SUFFIXES = (".py", ".pyc")


@lru_cache(maxsize=16)
def source_digest(package: str, modules: tuple[str, ...] | None = None) -> str:
    """Return a digest of the source of modules.

    The source is read without importing the modules.

    Args:
        package: the package that contains them.
        modules: their names, dotted if they are in subpackages; default is all modules of the
            package without its subpackages.
    """
    digest = hashlib.sha256()
    for name in modules or _modules_of(package):
        content = _source(package, name)
        digest.update(f"{package}/{name}/{len(content)}/".encode() + content)
    return digest.hexdigest()


def _folder(package: str) -> Path:
    """Return the folder of a package, if the top package is in a folder."""
    top, *inner = package.split(".")
    return Path(import_module(top).__file__ or "").parent.joinpath(*inner)


def _modules_of(package: str) -> list[str]:
    with suppress(OSError):
        found = {file.stem for file in _folder(package).iterdir() if file.suffix in SUFFIXES}
        return ["__init__", *sorted(found - {"__init__"})]
    from pkgutil import iter_modules

    listed = iter_modules(import_module(package).__path__)
    return ["__init__", *sorted(module.name for module in listed if not module.ispkg)]


def _source(package: str, name: str) -> bytes:
    """Return the source of a module, or its compiled code if the source is not installed."""
    path = _folder(package) / name.replace(".", "/")
    for suffix in SUFFIXES:
        with suppress(OSError):
            return path.with_name(path.name + suffix).read_bytes()
    from importlib.util import find_spec

    full = package if name == "__init__" else f"{package}.{name}"
    spec = find_spec(full)
    get_code = getattr(spec.loader, "get_code", None) if spec else None
    code = get_code(full) if get_code else None
    # Without source and code, versions cannot be distinguished: no cached result is used.
    return marshal.dumps(code) if code is not None else os.urandom(16)


# Everything that determines the object code of a program: a key cheaper than the code itself.

HERE = "armdyn.kernel"
Parts = tuple[Any, ...]

# The modules that compile a program to object code.
COMPILER = (
    "element",
    "jit",
    "streaming",
    "strided_loop",
    "ir.codegen",
    "ir.loops",
    "ir.finite_check",
    "ir.writer",
    "ir.operations",
    "ir.sincos",
    "ir.tiles",
    "rolled.emit",
    "rolled.memory",
    "rolled.step",
    "straight.store",
    "straight.emit",
    "straight.order",
    "straight.spill",
)


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


# Cached results: programs as text, and machine code that serves all programs.

# Machine code that serves all programs: compiled once, and cached on disk.


def common_code(element: ElementType, write: str, modules: tuple[str, ...], *given: int) -> Engine:
    """Return a self-contained module of LLVM IR, loaded for the lifetime of the process.

    Args:
        element: the type of the numbers.
        write: the function that returns the IR, as "module:name" within `armdyn.kernel`; it is
            imported and called if the code is not in the cache.
        modules: the modules whose source determines the IR.
        given: the arguments of `write` besides the target and element type.
    """
    with first_use:  # a name can be loaded only once: no two threads may load the same name
        return _common_code(element, write, modules, *given)


@cache
def _common_code(element: ElementType, write: str, modules: tuple[str, ...], *given: int) -> Engine:
    codegen = Codegen(target(), element)
    text = source_digest(HERE, modules)
    name = key("common", text, write, repr(given), repr(codegen), *llvm_identity())
    folder = default_cache()
    code = folder.get(name) if folder else None
    if code is None:
        module, _, function = write.partition(":")
        ir = getattr(import_module(f"{HERE}.{module}"), function)(codegen, *given)
        code = compile_object(ir, codegen.target)
        if folder:
            folder.put(name, code)
    return load_for_good(code, codegen)


# A program as text, exact to the last bit, and back.


def program_text(program: Program) -> str:
    """Return a program as JSON."""
    return json.dumps(
        {
            "name": program.name,
            "inputs": [[slot.name, list(slot.shape)] for slot in program.inputs],
            "outputs": [[slot.name, list(slot.shape)] for slot in program.outputs],
            "code": [[step.op.value, list(step.args), step.value] for step in program.code],
            "results": list(program.results),
        },
        separators=(",", ":"),
    )


def program_from_text(text: str | bytes) -> Program:
    """Return the program that `program_text` wrote, verified.

    Raises:
        GraphError: the text is not a program, or the program is invalid.
    """
    try:
        data: dict[str, Any] = json.loads(text)
        return verify(
            Program(
                str(data["name"]),
                tuple(_slot(slot) for slot in data["inputs"]),
                tuple(_slot(slot) for slot in data["outputs"]),
                tuple(
                    Instruction(OPERATIONS[op], tuple(map(index, args)), float(value))
                    for op, args, value in data["code"]
                ),
                tuple(map(index, data["results"])),
            )
        )
    except (
        ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError,
    ) as error:  # fmt: skip
        raise GraphError(f"the text is no program: {error}") from error


def _slot(data: Any) -> Slot:
    name, shape = data
    return Slot(str(name), tuple(map(index, shape)))


OPERATIONS = {op.value: op for op in Op}


# Results of tracing, cached on disk beside the object code.
#
# Tracing a method takes a fraction of a second, and choosing the cheapest method traces all of
# them. The results are plain data. The caller supplies the key: everything that the results depend
# on.


def cached_program(decided_by: Collection[str], make: Callable[[], Program]) -> Program:
    """Return a program from the cache, or make it and store it there.

    Args:
        decided_by: everything that the program depends on, as text.
        make: traces the program.
    """
    cache = default_cache()
    name = key("program", *decided_by)
    data = cache.get(name) if cache else None
    if data is not None:
        with suppress(GraphError):  # it is made again
            return program_from_text(data)
    program = make()
    if cache:
        cache.put(name, program_text(program).encode())
    return program


def cached_choice(
    decided_by: Collection[str], choices: Collection[str], make: Callable[[], str]
) -> str:
    """Return the chosen one of some names from the cache, or choose it and store it there."""
    cache = default_cache()
    name = key("choice", *decided_by, *choices)
    data = cache.get(name) if cache else None
    if data is not None and (chosen := data.decode(errors="replace")) in choices:
        return chosen
    chosen = make()
    if cache:
        cache.put(name, chosen.encode())
    return chosen
