"""Cached results: programs as text, and machine code that serves all programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache
from importlib import import_module
from operator import index
from typing import Any

from armdyn.errors import GraphError
from armdyn.fork_safe import first_use
from armdyn.graph.program import Instruction, Program, Slot, verify
from armdyn.kernel.cache import default_cache, key
from armdyn.kernel.cache_keys import HERE, source_digest
from armdyn.kernel.element import ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.jit import compile_object, load_for_good
from armdyn.kernel.llvm import Engine, llvm_identity
from armdyn.kernel.targets.choice import target
from armdyn.scalar import Op

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
