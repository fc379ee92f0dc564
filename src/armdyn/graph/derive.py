"""Exact derivatives of a program, at numeric or symbolic inputs, and as a program.

A program is replayed together with its derivatives. On symbolic inputs the replay is traced like
any other function, so that derivatives share common subexpressions with each other and with the
values. In forward mode, every value carries its derivatives by the inputs it depends on; in reverse
mode, the derivatives of every output are propagated back to the inputs. Both modes are exact; which
one is cheaper depends on the program and on the numbers of inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from armdyn.errors import GraphError, MethodError
from armdyn.graph.program import JVP, VJP, Instruction, Program, Slot
from armdyn.graph.trace import trace
from armdyn.scalar import Op, Scalar, copysign, cos, max, select, sign, sin, sqrt

Mode: TypeAlias = Literal["forward", "reverse"]
MODES: tuple[Mode, Mode] = ("forward", "reverse")


@dataclass(frozen=True)
class Chosen:
    """The slope of a side of a choice: 1 where it is chosen, else 0.

    A product with 0 would be NaN where the derivative of the other side is infinite.
    """

    x: Scalar
    where_positive: bool

    def times(self, other: Scalar) -> Scalar:
        """Return the product with another slope."""
        sides = (other, 0.0) if self.where_positive else (0.0, other)
        return select(self.x, *sides)


Slope: TypeAlias = Scalar | Chosen

# For each instruction (argument, derivative by that argument), where the derivative is not 0.
Partials: TypeAlias = Sequence[Sequence[tuple[int, Slope]]]

# Numbers by the position of their input or direction; missing entries are 0.
Sparse: TypeAlias = dict[int, Scalar]


def jacobian_at(
    program: Program, of: str, by: Sequence[str], inputs: Sequence[Scalar], mode: Mode
) -> list[list[list[Scalar]]]:
    """Return the derivatives of an output by inputs.

    Args:
        program: the program.
        of: the name of the output.
        by: the names of the inputs.
        inputs: the point of evaluation, flattened.
        mode: "forward" or "reverse".

    Returns:
        For each name in `by` a matrix: a row per scalar of the output, a column per scalar
        of the input. The derivative of a sign is 0, that of a choice the derivative of the side
        that is chosen.
    """
    if mode not in MODES:
        raise MethodError("mode of derivatives", mode, MODES)
    results = _positions(program, program.outputs, of, "output")
    wanted = [_positions(program, program.inputs, name, "input") for name in by]
    partials = _partials(program, inputs)
    if mode == "forward":
        seeds: dict[int, Sparse] = {k: {k: 1.0} for positions in wanted for k in positions}
        carried = _forward(program, partials, seeds)
        rows = [carried[program.results[k]] for k in results]
    else:
        rows = [_reverse(program, partials, {program.results[k]: 1.0}) for k in results]
    return [[[row.get(k, 0.0) for k in positions] for row in rows] for positions in wanted]


def directional_at(
    program: Program, of: str, by: str, inputs: Sequence[Scalar], direction: Sequence[Scalar]
) -> list[Scalar]:
    """Return the derivative of an output, flattened, along a direction in which an input changes.

    Args:
        program: the program.
        of: the name of the output.
        by: the name of the input that changes.
        inputs: the point of evaluation, flattened.
        direction: how that input changes, flattened.
    """
    results = _positions(program, program.outputs, of, "output")
    positions = _positions(program, program.inputs, by, "input")
    seeds = {k: {0: x} for k, x in zip(positions, direction, strict=True)}
    carried = _forward(program, _partials(program, inputs), seeds)
    return [carried[program.results[k]].get(0, 0.0) for k in results]


def vjp_program(program: Program) -> Program:
    """Return the gradient of a program: a vector-Jacobian product, by one sweep in reverse mode.

    Its inputs are those of the program and, for each output y, the vector `y_cotangent`: the
    derivatives of some number by y, flattened. Its outputs are the derivatives of that number by
    each input x, named `x_gradient`. It is a program like any other, and has a gradient itself.
    """
    cotangents = [Slot(f"{slot.name}_cotangent", (slot.size,)) for slot in program.outputs]
    gradients = [Slot(f"{slot.name}_gradient", slot.shape) for slot in program.inputs]

    def run(*arguments: Sequence[Scalar]) -> list[list[Scalar]] | list[Scalar]:
        inputs, weights = _parted(program, arguments)
        seeds: Sparse = {}
        for k, weight in zip(program.results, weights, strict=True):
            _accumulate(seeds, k, weight)  # one value may be several outputs
        found = _reverse(program, _partials(program, inputs), seeds)
        slots = [_positions(program, program.inputs, x.name, "input") for x in program.inputs]
        by_slot = [[found.get(k, 0.0) for k in positions] for positions in slots]
        return by_slot if len(by_slot) > 1 else by_slot[0]

    return trace(run, (*program.inputs, *cotangents), gradients, program.name + VJP)


def jvp_program(program: Program) -> Program:
    """Return the derivative of a program along a direction: a Jacobian-vector product.

    Its inputs are those of the program and, for each input x, the vector `x_tangent`: how x
    changes, flattened. Its outputs are how each output y changes, `y_tangent`. It transposes
    `vjp_program`, and has derivatives itself.
    """
    taken = {slot.name for slot in program.inputs}
    tangents: list[Slot] = []
    for slot in program.inputs:
        name = f"{slot.name}_tangent"
        while name in taken:  # in the derivative of such a derivative
            name += "_tangent"
        taken.add(name)
        tangents.append(Slot(name, (slot.size,)))
    changes = [Slot(f"{slot.name}_tangent", slot.shape) for slot in program.outputs]

    def run(*arguments: Sequence[Scalar]) -> list[list[Scalar]] | list[Scalar]:
        inputs, directions = _parted(program, arguments)
        seeds = {k: {0: x} for k, x in enumerate(directions)}
        carried = _forward(program, _partials(program, inputs), seeds)
        found = [carried[k].get(0, 0.0) for k in program.results]
        by_slot = [
            [found[k] for k in _positions(program, program.outputs, y.name, "output")]
            for y in program.outputs
        ]
        return by_slot if len(by_slot) > 1 else by_slot[0]

    return trace(run, (*program.inputs, *tangents), changes, program.name + JVP)


def _parted(
    program: Program, arguments: Sequence[Sequence[Scalar]]
) -> tuple[list[Scalar], list[Scalar]]:
    """Return the inputs of a program and the arguments beyond them, both flattened."""
    count = len(program.inputs)
    flat = [[x for part in parts for x in part] for parts in (arguments[:count], arguments[count:])]
    return flat[0], flat[1]


def _positions(program: Program, slots: Sequence[Slot], name: str, role: str) -> Sequence[int]:
    """Return the positions of a slot's scalars among the scalars of all slots."""
    at = 0
    for slot in slots:
        if slot.name == name:
            return range(at, at + slot.size)
        at += slot.size
    known = ", ".join(slot.name for slot in slots)
    raise GraphError(f"{program.name} has no {role} {name!r}; it has {known}")


def _partials(program: Program, inputs: Sequence[Scalar]) -> Partials:
    """Replay the program; return the derivatives of each instruction by its arguments."""
    values: list[Scalar] = []
    partials: list[list[tuple[int, Slope]]] = []
    for step in program.code:
        value, slopes = _rule(step, [values[arg] for arg in step.args], inputs)
        values.append(value)
        found = zip(step.args, slopes, strict=bool(slopes))
        partials.append([(arg, slope) for arg, slope in found if not _is_zero(slope)])
    return partials


def _rule(
    step: Instruction, args: Sequence[Scalar], inputs: Sequence[Scalar]
) -> tuple[Scalar, tuple[Slope, ...]]:
    """Return the value of an instruction and its derivatives by its arguments; () if all are 0."""
    match step.op:
        case Op.INPUT:
            return inputs[int(step.value)], ()
        case Op.CONST:
            return step.value, ()
        case Op.ADD:
            return args[0] + args[1], (1.0, 1.0)
        case Op.SUB:
            return args[0] - args[1], (1.0, -1.0)
        case Op.MUL:
            return args[0] * args[1], (args[1], args[0])
        case Op.DIV:  # one division for the inverse, then multiplications
            value, inverse = args[0] / args[1], 1.0 / args[1]
            return value, (inverse, -(value * inverse))
        case Op.NEG:
            return -args[0], (-1.0,)
        case Op.SIN:
            return sin(args[0]), (cos(args[0]),)
        case Op.COS:
            return cos(args[0]), (-sin(args[0]),)
        case Op.SQRT:
            value = sqrt(args[0])
            return value, (0.5 / value,)
        case Op.SIGN:
            return sign(args[0]), ()
        case Op.ABS:
            return abs(args[0]), (sign(args[0]),)
        case Op.MAX:
            ahead = args[0] - args[1]
            return max(args[0], args[1]), (Chosen(ahead, True), Chosen(ahead, False))
        case Op.SELECT:
            x, a, b = args
            return select(x, a, b), (0.0, Chosen(x, True), Chosen(x, False))
        case Op.COPYSIGN:
            a, x = args
            return copysign(a, x), (copysign(1.0, a) * copysign(1.0, x), 0.0)


def _forward(
    program: Program, partials: Partials, seeds: Mapping[int, Mapping[int, Scalar]]
) -> list[Sparse]:
    """Return the derivatives of every instruction by directions, given those of the inputs."""
    carried: list[Sparse] = []
    for step, slopes in zip(program.code, partials, strict=True):
        total: Sparse = {}
        if step.op is Op.INPUT:
            total.update(seeds.get(int(step.value), {}))
        for arg, slope in slopes:
            for direction, x in carried[arg].items():
                _accumulate(total, direction, _product(slope, x))
        carried.append(total)
    return carried


def _reverse(program: Program, partials: Partials, seeds: Mapping[int, Scalar]) -> Sparse:
    """Return the derivatives of a sum of weighted instructions, `seeds`, by the inputs."""
    by_step: Sparse = dict(seeds)
    by_input: Sparse = {}
    for k in range(len(program.code) - 1, -1, -1):
        if k not in by_step:
            continue
        if program.code[k].op is Op.INPUT:
            _accumulate(by_input, int(program.code[k].value), by_step[k])
        for arg, slope in partials[k]:
            _accumulate(by_step, arg, _product(slope, by_step[k]))
    return by_input


def _accumulate(total: Sparse, key: int, x: Scalar) -> None:
    total[key] = total[key] + x if key in total else x


def _is_zero(slope: Slope) -> bool:
    return isinstance(slope, float) and slope == 0.0


def _product(slope: Slope, x: Scalar) -> Scalar:
    """Return slope * x; sums, most of a program, have slopes of +-1 and need no product."""
    if isinstance(slope, Chosen):
        return slope.times(x)
    if isinstance(slope, float) and abs(slope) == 1.0:
        return x if slope > 0.0 else -x
    return slope * x
