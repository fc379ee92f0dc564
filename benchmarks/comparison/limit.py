"""The speed limit of a processor's multipliers, and how close a function comes to it.

Multiplications of a block of states use one or two pipes; additions mostly use others. So the time
of a function is at least the number of its multiplications, fused or not, divided by the rate of
independent multiplications on this machine. A program that only multiplies measures that rate.

The multipliers do not limit a function that writes many numbers for few multiplications. States are
read from rows and results are written to rows by shuffles, loads and stores, and the results of a
regressor leave the first-level cache before a block is done. A program that only reads the inputs
and writes the results measures the cost of this data movement.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from armdyn.graph.count import Operations
from armdyn.graph.program import Instruction, Program, Slot
from armdyn.kernel.kernel import compile_program
from armdyn.scalar import Op
from comparison.results import Work
from timing import Job

# Enough chains to hide the latency of a multiplication, and few enough for 16 registers.
CHAINS = 12
LENGTH = 100
STATES = 1024

MULTIPLYING = re.compile(r"= (?:fmul|fdiv) |@llvm\.(?:fma|sqrt)\.")
LOOPING = re.compile(r"= phi i(?:32|64) ")


def work(ir: str, operations: Operations) -> Work | None:
    """Return the multiplications of a function; None if its code has loops and cannot be counted.

    Args:
        ir: the module as LLVM IR.
        operations: counted on the traced program.
    """
    body = block_function(ir)
    if body is None or LOOPING.search(body):
        return None
    graph = operations.mul + operations.div + operations.sqrt
    return Work(graph, len(MULTIPLYING.findall(body)))


def block_function(ir: str) -> str | None:
    """Return the text of the function that computes a block of states."""
    found = re.search(r"^define [^\n]*@armdyn_block\(.*?^}", ir, re.MULTILINE | re.DOTALL)
    return found.group() if found else None


def multiply_job() -> Job:
    """Return a job whose time for one state is that of one independent multiplication."""
    kernel = compile_program(_multiplications())
    x = np.full((STATES, 2), 1.0 + 2**-30)
    out = np.empty((STATES, 1))
    return Job(kernel, (x,), STATES * CHAINS * LENGTH, {"out": out})


@lru_cache(maxsize=1)
def _multiplications() -> Program:
    """Return a program of independent chains x, x a, x a a, ... and the sum of their ends."""
    code = [Instruction(Op.INPUT, (), 0.0), Instruction(Op.INPUT, (), 1.0)]
    ends = [0] * CHAINS
    for k in range(CHAINS):  # identical chains would be merged
        code += [Instruction(Op.CONST, (), 1.0 + k), Instruction(Op.ADD, (0, len(code)))]
        ends[k] = len(code) - 1
    for _ in range(LENGTH):
        for k in range(CHAINS):
            code.append(Instruction(Op.MUL, (ends[k], 1)))
            ends[k] = len(code) - 1
    total = ends[0]
    for end in ends[1:]:
        code.append(Instruction(Op.ADD, (total, end)))
        total = len(code) - 1
    return Program("multiply", (Slot("x", (2,)),), (Slot("y", (1,)),), tuple(code), (total,))


def moving(program: Program) -> Program:
    """Return a program with the same inputs and results; each result is an input plus a number.

    Constant results stay constant and equal results stay equal, since writing these costs less.
    """
    count = sum(slot.size for slot in program.inputs)
    code = [Instruction(Op.INPUT, (), float(k)) for k in range(count)]
    made: dict[int, int] = {}
    for k, result in enumerate(program.results):
        if result in made:
            continue
        step = program.code[result]
        constant = step.op is Op.CONST
        code.append(Instruction(Op.CONST, (), step.value if constant else 1.0 + k))
        if not constant:
            code.append(Instruction(Op.ADD, (k % count, len(code) - 1)))
        made[result] = len(code) - 1
    results = tuple(made[result] for result in program.results)
    return Program(f"{program.name}_moving", program.inputs, program.outputs, tuple(code), results)
