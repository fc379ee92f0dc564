"""Simplify a program by exact rewrites; a comment at each line states its rule.

Every value is a signed reference (sign, index) to an instruction whose own sign is canonical. So
signs move outwards, additions absorb them, and they cost nothing: -a * b, a * -b and -(a * b) share
one multiplication, and b - a reuses a - b. Equal instructions are merged; instructions that no
result needs are dropped.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from armdyn.errors import GraphError
from armdyn.graph.interpret import ARRAYS, FLOATS, evaluate
from armdyn.graph.program import Instruction, Program
from armdyn.scalar import Op

# (+1.0 or -1.0, index): a value and the sign it is read with.
Ref: TypeAlias = tuple[float, int]


def simplify(program: Program) -> Program:
    """Return a program with the same results, without the operations that a rule removes."""
    build = _Builder()
    refs: list[Ref] = []
    for step in program.code:
        refs.append(build.apply(step.op, [refs[k] for k in step.args], step.value))
    results = [build.plain(refs[k]) for k in program.results]
    code, results = _live(build.code, results)
    return Program(program.name, program.inputs, program.outputs, code, results)


class _Builder:
    """Makes canonical instructions, one for each distinct value."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self._known: dict[tuple[Op, tuple[int, ...], float], int] = {}

    def apply(self, op: Op, a: list[Ref], value: float) -> Ref:
        match op:
            case Op.INPUT:
                return self._make(op, (), value)
            case Op.CONST:
                return self.const(value)
            case Op.ADD:
                return self.add(a[0], a[1])
            case Op.SUB:
                return self.add(a[0], _negative(a[1]))
            case Op.MUL:
                return self.mul(a[0], a[1])
            case Op.DIV:
                return self.div(a[0], a[1])
            case Op.NEG:
                return _negative(a[0])
            case Op.SIN | Op.COS | Op.SQRT | Op.SIGN | Op.ABS:
                return self.unary(op, a[0])
            case Op.MAX:
                return self.max(a[0], a[1])
            case Op.SELECT:
                return self.select(a[0], a[1], a[2])
            case Op.COPYSIGN:
                return self.copysign(a[0], a[1])

    def const(self, value: float) -> Ref:
        if not math.isfinite(value):
            raise GraphError(f"the program computes the constant {value}")
        sign, k = self._make(Op.CONST, (), abs(value))
        return (sign if value >= 0 else -sign, k)  # -c -> -(c)

    def add(self, a: Ref, b: Ref) -> Ref:
        ca, cb = self._constant(a), self._constant(b)
        if ca is not None and cb is not None:  # c1 + c2 -> c
            return self.const(ca + cb)
        if ca is not None:
            a, b, ca, cb = b, a, cb, ca  # a constant is the second operand
        if cb == 0.0:  # x + 0 -> x
            return a
        if cb is not None:
            inner = self._sum_with_constant(a)
            if inner is not None and math.isfinite(inner[1] + cb):
                # (x + c1) + c2 -> x + (c1 + c2)
                return self.add(inner[0], self.const(inner[1] + cb))
        if a[1] == b[1]:
            # x - x -> 0; x + x stays: it is one addition
            return self.const(0.0) if a[0] != b[0] else self._make(Op.ADD, (a[1], a[1]), 0.0, a[0])
        lo, hi = (a, b) if a[1] < b[1] else (b, a)
        if lo[0] == hi[0]:  # b + a -> a + b; (-a) + (-b) -> -(a + b)
            return self._make(Op.ADD, (lo[1], hi[1]), 0.0, lo[0])
        return self._make(Op.SUB, (lo[1], hi[1]), 0.0, lo[0])  # b - a -> -(a - b)

    def mul(self, a: Ref, b: Ref) -> Ref:
        ca, cb = self._constant(a), self._constant(b)
        if ca is not None and cb is not None:  # c1 * c2 -> c
            return self.const(ca * cb)
        if cb is not None:
            a, b, ca, cb = b, a, cb, ca  # a constant is the first operand
        if ca is not None:
            if ca == 0.0:  # 0 * x -> 0
                return a
            if abs(ca) == 1.0:  # 1 * x -> x; -1 * x -> -x
                return (ca * b[0], b[1])
            inner = self.code[b[1]]
            if inner.op is Op.MUL and self.code[inner.args[0]].op is Op.CONST:
                c = ca * b[0] * self.code[inner.args[0]].value
                if _keeps_all_digits(c):  # c1 * (c2 * x) -> (c1 * c2) * x
                    return self.mul(self.const(c), (1.0, inner.args[1]))
            return self._make(Op.MUL, (a[1], b[1]), 0.0, a[0] * b[0])
        lo, hi = sorted((a[1], b[1]))  # b * a -> a * b; signs multiply
        return self._make(Op.MUL, (lo, hi), 0.0, a[0] * b[0])

    def div(self, a: Ref, b: Ref) -> Ref:
        ca, cb = self._constant(a), self._constant(b)
        if cb == 0.0:
            raise GraphError("the program divides by a constant zero")
        if ca is not None and cb is not None:  # c1 / c2 -> c
            return self.const(ca / cb)
        if cb is not None and _keeps_all_digits(1.0 / cb):
            # x / c -> (1/c) * x: one more rounding, but a multiplication instead of a division
            return self.mul(self.const(1.0 / cb), a)
        if ca == 0.0:  # 0 / x -> 0
            return a
        if a[1] == b[1]:  # x / x -> 1
            return self.const(a[0] * b[0])
        return self._make(Op.DIV, (a[1], b[1]), 0.0, a[0] * b[0])

    def unary(self, op: Op, a: Ref) -> Ref:
        c = self._constant(a)
        if c is not None:  # f(c) -> c'
            if op is Op.SQRT and c < 0.0:
                raise GraphError(f"the program takes the square root of the constant {c}")
            return self.const(FLOATS[op](c))
        if op is Op.ABS and self.code[a[1]].op in (Op.ABS, Op.SQRT):  # abs(abs(x)) -> abs(x)
            return (1.0, a[1])
        if op in (Op.COS, Op.ABS):  # cos(-x) -> cos(x), abs(-x) -> abs(x)
            return self._make(op, (a[1],))
        if op is Op.SQRT:
            return self._make(op, (self.plain(a),))
        return self._make(op, (a[1],), 0.0, a[0])  # sin(-x) -> -sin(x), sign(-x) -> -sign(x)

    def max(self, a: Ref, b: Ref) -> Ref:
        ca, cb = self._constant(a), self._constant(b)
        if ca is not None and cb is not None:  # max(c1, c2) -> c
            return self.const(FLOATS[Op.MAX](ca, cb))
        if a == b:  # max(x, x) -> x
            return a
        if a[1] == b[1]:  # max(x, -x) -> abs(x)
            return self.unary(Op.ABS, a)
        return self._make(Op.MAX, (self.plain(a), self.plain(b)))

    def select(self, x: Ref, a: Ref, b: Ref) -> Ref:
        c = self._constant(x)
        if c is not None:  # select(c, a, b) -> a or b
            return a if c > 0.0 else b
        if a == b:  # select(x, a, a) -> a
            return a
        if a[0] < 0.0 and b[0] < 0.0:  # select(x, -a, -b) -> -select(x, a, b)
            return self._make(Op.SELECT, (self.plain(x), a[1], b[1]), 0.0, -1.0)
        return self._make(Op.SELECT, (self.plain(x), self.plain(a), self.plain(b)))

    def copysign(self, a: Ref, x: Ref) -> Ref:
        c = self._constant(x)
        if c is not None:  # copysign(a, c) -> abs(a) or -abs(a)
            size = self.unary(Op.ABS, a)
            return _negative(size) if c < 0.0 else size
        if self._constant(a) == 0.0:  # copysign(0, x) -> 0
            return a
        inner = self.code[a[1]]
        size = inner.args[0] if inner.op is Op.ABS else a[1]  # copysign(abs(a), x) is the same
        return self._make(Op.COPYSIGN, (size, x[1]), 0.0, x[0])  # copysign(a, -x) -> -copysign

    def plain(self, a: Ref) -> int:
        """Return an instruction that holds the value with its sign."""
        if a[0] > 0 or self._constant(a) == 0.0:
            return a[1]
        c = self._constant(a)
        if c is not None:
            return self._index(Instruction(Op.CONST, (), c))
        return self._index(Instruction(Op.NEG, (a[1],)))

    def _make(self, op: Op, args: tuple[int, ...], value: float = 0.0, sign: float = 1.0) -> Ref:
        return (sign, self._index(Instruction(op, args, value)))

    def _index(self, step: Instruction) -> int:
        key = (step.op, step.args, step.value)
        k = self._known.get(key)
        if k is None:
            k = self._known[key] = len(self.code)
            self.code.append(step)
        return k

    def _constant(self, a: Ref) -> float | None:
        step = self.code[a[1]]
        return a[0] * step.value if step.op is Op.CONST else None

    def _sum_with_constant(self, a: Ref) -> tuple[Ref, float] | None:
        """Split a sum or difference that has a constant into (the other part, the constant)."""
        step = self.code[a[1]]
        if step.op not in (Op.ADD, Op.SUB):
            return None
        first, second = step.args
        sign = a[0] if step.op is Op.ADD else -a[0]  # sign of the second part
        if self.code[second].op is Op.CONST:
            return (a[0], first), sign * self.code[second].value
        if self.code[first].op is Op.CONST:
            return (sign, second), a[0] * self.code[first].value
        return None


def _keeps_all_digits(c: float) -> bool:
    """Return whether a product of two constants neither overflowed nor lost digits to underflow."""
    return math.isfinite(c) and abs(c) >= sys.float_info.min


def _negative(a: Ref) -> Ref:
    return (-a[0], a[1])


def _live(
    code: list[Instruction], results: list[int]
) -> tuple[tuple[Instruction, ...], tuple[int, ...]]:
    """Keep the instructions that a result needs, in order."""
    needed = [False] * len(code)
    for k in results:
        needed[k] = True
    for k in range(len(code) - 1, -1, -1):
        if needed[k]:
            for arg in code[k].args:
                needed[arg] = True
    new: dict[int, int] = {}
    kept: list[Instruction] = []
    for k, step in enumerate(code):
        if needed[k]:
            new[k] = len(kept)
            kept.append(Instruction(step.op, tuple(new[arg] for arg in step.args), step.value))
    return tuple(kept), tuple(new[k] for k in results)


# Hoist the part of a program that depends only on constants, to compute it once, offline.


def hoist(
    program: Program, rows: Sequence[Sequence[float]], column: Callable[[tuple[float, ...]], int]
) -> Program:
    """Return the program with every value that depends only on its first inputs made an input.

    Args:
        program: its first inputs are constants that differ from row to row.
        rows: values of those inputs; all rows have the same length.
        column: takes the values, one per row, of a hoisted number that the rest of the program
            reads, and returns the index of the input that replaces it. A number that is equal in
            all rows becomes a constant of the program instead.
    """
    offline = _offline(program, len(rows[0]))
    read = {arg for k, step in enumerate(program.code) if not offline[k] for arg in step.args}
    taken = [k for k in sorted(read | set(program.results)) if offline[k]]
    values = _values(program, taken, rows)
    code = list(program.code)
    for k, numbers in zip(taken, values, strict=True):
        same = all(x == numbers[0] for x in numbers)
        op, value = (Op.CONST, numbers[0]) if same else (Op.INPUT, float(column(numbers)))
        code[k] = Instruction(op, (), value)
    return simplify(replace(program, code=tuple(code)))


def _offline(program: Program, n_constants: int) -> list[bool]:
    """Return for every instruction whether it depends only on the first inputs."""
    known: list[bool] = []  # numbers written in the program are known too
    for step in program.code:
        if step.op is Op.INPUT:
            known.append(step.value < n_constants)
        else:
            known.append(all(known[arg] for arg in step.args))
    return [
        is_known and step.op is not Op.CONST
        for is_known, step in zip(known, program.code, strict=True)
    ]


def _values(
    program: Program, taken: Sequence[int], rows: Sequence[Sequence[float]]
) -> list[tuple[float, ...]]:
    """Return the values of some instructions in all rows."""
    if not taken:
        return []
    part = simplify(replace(program, results=tuple(taken)))  # drops unused instructions
    with np.errstate(all="ignore"):  # non-finite values appear in the result and are checked there
        found = evaluate(part, list(np.array(rows).T), ARRAYS)
    return [tuple(numbers.tolist()) for numbers in found]
