"""Rewrite values that depend only on some inputs in their shortest form: sums of these inputs.

A program whose inertial parameters are inputs first computes constants from them (moments of joined
links), without reading the state. As recorded, from centres of mass, they divide by masses and
subtract terms that are added elsewhere. Expanded, each is a sum of parameters with coefficients
that depend on the geometry. The coefficients are found in exact arithmetic: they are the gradient,
and a function whose gradient is the same at two random points is linear.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction

from armdyn.graph.program import Instruction, Program, verify
from armdyn.graph.simplify import simplify
from armdyn.scalar import Op


def linear_constants(program: Program, names: Collection[str], residue: float = 0.0) -> Program:
    """Return the program with values that depend only on the named inputs written as sums of them.

    Values that are not linear in these inputs are computed as before, from parts that are linear.

    Args:
        program: the traced program.
        names: names of the inputs.
        residue: smaller coefficients are rounding errors of the geometry and are dropped.
    """
    linear = _linear(program, names)
    build = _Rebuilt(program)
    for k, step in enumerate(program.code):
        if k in linear:
            build.add_sum(k, linear[k], residue)
        elif step.op is not Op.INPUT:
            build.copy(k, step)
    results = tuple(build.index[k] for k in program.results)
    made = Program(program.name, program.inputs, program.outputs, tuple(build.code), results)
    return verify(simplify(made))


@dataclass(frozen=True)
class _Dual:
    """A number and its derivatives by the inputs it depends on."""

    value: Fraction
    slope: dict[int, Fraction] = field(default_factory=dict[int, Fraction])

    def plus(self, other: _Dual, a: Fraction, b: Fraction, value: Fraction) -> _Dual:
        """Return a dual of `value`; its slope is a times this slope plus b times the other's."""
        slope = {k: a * x for k, x in self.slope.items()}
        for k, x in other.slope.items():
            slope[k] = slope.get(k, Fraction(0)) + b * x
        return _Dual(value, {k: x for k, x in slope.items() if x})

    def rise(self, point: dict[int, Fraction]) -> Fraction:
        """Return the linear part of the value: the slopes times the inputs at a point."""
        return sum((x * point[k] for k, x in self.slope.items()), Fraction(0))


def _linear(program: Program, names: Collection[str]) -> dict[int, _Dual]:
    """Return the instructions that are linear in the named inputs: value at zero, and slopes."""
    wanted: set[int] = set()
    at = 0
    for slot in program.inputs:
        if slot.name in names:
            wanted |= set(range(at, at + slot.size))
        at += slot.size
    source = random.Random(program.name)
    points = [{k: Fraction(source.randint(1, 10**6), 999_983) for k in wanted} for _ in range(2)]
    one, two = (_duals(program, point) for point in points)
    found: dict[int, _Dual] = {}
    for k in one.keys() & two.keys():
        a, b = one[k], two[k]
        rest = a.value - a.rise(points[0])
        if a.slope == b.slope and rest == b.value - b.rise(points[1]):
            found[k] = _Dual(rest, a.slope)
    return found


def _duals(program: Program, point: dict[int, Fraction]) -> dict[int, _Dual]:
    """Evaluate the instructions that depend only on the inputs in `point` and have exact rules."""
    found: dict[int, _Dual] = {}
    for k, step in enumerate(program.code):
        if step.op is Op.CONST:
            found[k] = _Dual(Fraction(step.value))
        elif step.op is Op.INPUT:
            i = int(step.value)
            if i in point:
                found[k] = _Dual(point[i], {i: Fraction(1)})
        elif all(arg in found for arg in step.args):
            value = _apply(step.op, found[step.args[0]], found[step.args[-1]])
            if value is not None:
                found[k] = value
    return found


def _apply(op: Op, a: _Dual, b: _Dual) -> _Dual | None:
    one = Fraction(1)
    match op:
        case Op.ADD:
            return a.plus(b, one, one, a.value + b.value)
        case Op.SUB:
            return a.plus(b, one, -one, a.value - b.value)
        case Op.MUL:
            return a.plus(b, b.value, a.value, a.value * b.value)
        case Op.DIV if b.value:
            ratio = a.value / b.value
            return a.plus(b, 1 / b.value, -ratio / b.value, ratio)
        case Op.NEG:
            return _Dual(-a.value, {k: -x for k, x in a.slope.items()})
        case _:
            return None


class _Rebuilt:
    """The new code: inputs first, then sums and copied instructions."""

    def __init__(self, program: Program) -> None:
        self.index: dict[int, int] = {}
        self.code: list[Instruction] = []
        self._inputs: dict[int, int] = {}
        for k, step in enumerate(program.code):
            if step.op is Op.INPUT:
                self.index[k] = self._inputs[int(step.value)] = self._append(step)

    def copy(self, k: int, step: Instruction) -> None:
        args = tuple(self.index[arg] for arg in step.args)
        self.index[k] = self._append(Instruction(step.op, args, step.value))

    def add_sum(self, k: int, form: _Dual, residue: float) -> None:
        total = self._constant(form.value)
        # The last link first: then sums over the links behind a joint start alike and are shared.
        for i in sorted(form.slope, reverse=True):
            if abs(form.slope[i]) < residue:
                continue
            factor = self._constant(form.slope[i])
            term = self._append(Instruction(Op.MUL, (factor, self._inputs[i])))
            total = self._append(Instruction(Op.ADD, (total, term)))
        self.index[k] = total

    def _constant(self, value: Fraction) -> int:
        return self._append(Instruction(Op.CONST, (), float(value)))

    def _append(self, step: Instruction) -> int:
        self.code.append(step)
        return len(self.code) - 1
