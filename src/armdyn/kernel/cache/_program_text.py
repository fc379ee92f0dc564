"""A program as text, exact to the last bit, and back."""

from __future__ import annotations

import json
from operator import index
from typing import Any

from armdyn.errors import GraphError
from armdyn.graph import Instruction, Program, Slot, verify
from armdyn.scalar import Op


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
