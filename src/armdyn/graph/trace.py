"""Run a function on symbolic numbers and record its operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from armdyn.errors import GraphError
from armdyn.graph.interpret import NODES, evaluate
from armdyn.graph.program import Instruction, Program, Slot, verify
from armdyn.graph.simplify import simplify
from armdyn.scalar import Node, Op, Scalar, constant, symbol


def trace(
    function: Callable[..., Any],
    inputs: Sequence[Slot],
    outputs: Sequence[Slot],
    name: str = "program",
    constants: Sequence[Node] = (),
) -> Program:
    """Record a function, simplify the recorded program and verify it.

    Args:
        function: takes one list of scalars for each input, returns nested sequences of scalars: one
            for each output (a tuple of them if there are several outputs).
        inputs: names and shapes of the arguments.
        outputs: names and shapes of the results.
        name: of the program, for printing.
        constants: symbols that the function reads besides its arguments; if there are any, they
            are the first input of the program, named "constants".
    """
    return verify(simplify(record(function, inputs, outputs, name, constants)))


def record(
    function: Callable[..., Any],
    inputs: Sequence[Slot],
    outputs: Sequence[Slot],
    name: str = "program",
    constants: Sequence[Node] = (),
) -> Program:
    """Record a function without simplification; arguments as for `trace`."""
    arguments: list[list[Node]] = []
    position = {node: k for k, node in enumerate(constants)}
    for slot in inputs:
        symbols = [symbol(f"{slot.name}{k + 1}") for k in range(slot.size)]
        for node in symbols:
            position[node] = len(position)
        arguments.append(symbols)
    returned = function(*arguments)
    several = cast("Sequence[Any]", returned if len(outputs) > 1 else (returned,))
    nodes: list[Node] = []
    for slot, value in zip(outputs, several, strict=True):
        flat = list(_flatten(value))
        if len(flat) != slot.size:
            raise GraphError(f"{name}: {slot.name} has {len(flat)} scalars, expected {slot.shape}")
        nodes += flat
    code, results = _linearise(nodes, position)
    first = (Slot("constants", (len(constants),)),) if constants else ()
    return Program(name, (*first, *inputs), tuple(outputs), code, results)


def _flatten(value: Any) -> Iterable[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[Any]", value):
            yield from _flatten(item)
    else:
        yield constant(value)


def _linearise(
    outputs: list[Node], position: dict[Node, int]
) -> tuple[tuple[Instruction, ...], tuple[int, ...]]:
    """Order nodes topologically; without recursion, since graphs are deep."""
    index: dict[Node, int] = {}
    code: list[Instruction] = []
    for root in outputs:
        stack = [root]
        while stack:
            node = stack[-1]
            if node in index:
                stack.pop()
                continue
            waiting = [arg for arg in reversed(node.args) if arg not in index]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            index[node] = len(code)
            code.append(_instruction(node, index, position))
    return tuple(code), tuple(index[node] for node in outputs)


def _instruction(node: Node, index: dict[Node, int], position: dict[Node, int]) -> Instruction:
    if node.op is Op.INPUT:
        if node not in position:
            raise GraphError(f"the function reads {node.value!r}, which is not one of its inputs")
        return Instruction(Op.INPUT, (), float(position[node]))
    if node.op is Op.CONST:
        return Instruction(Op.CONST, (), float(node.value))
    return Instruction(node.op, tuple([index[arg] for arg in node.args]))


def folded(program: Program, known: Mapping[str, Sequence[float]]) -> Program:
    """Return a program with the values of some of its inputs built in."""
    kept = [slot for slot in program.inputs if slot.name not in known]
    built_in = {name: list(numbers) for name, numbers in known.items()}

    def function(*given: list[Scalar]) -> list[Scalar]:
        named = dict(zip([slot.name for slot in kept], given, strict=True))
        return evaluate_nodes(program, {**built_in, **named})

    return trace_like(function, kept, program)


def evaluate_nodes(program: Program, inputs: Mapping[str, Sequence[Scalar]]) -> list[Scalar]:
    """Return the flattened outputs of a program for inputs by slot name: numbers or nodes."""
    return evaluate(program, [x for slot in program.inputs for x in inputs[slot.name]], NODES)


def trace_like(function: Callable[..., Any], inputs: Sequence[Slot], program: Program) -> Program:
    """Trace a function that returns the outputs of a program, flattened."""
    flat = [Slot("all", (len(program.results),))]
    code = trace(function, inputs, flat, name=program.name)
    return verify(replace(code, outputs=program.outputs))
