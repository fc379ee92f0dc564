"""What the rows of a function take by themselves: a program that moves its numbers, no more.

A function that writes many numbers for few multiplications is not limited by multipliers: states
are read from rows and results written to rows, by shuffles, loads and stores, and the results of a
regressor leave the nearest cache before a block is done.
"""

from __future__ import annotations

from armdyn.graph import Instruction, Program
from armdyn.scalar import Op


def moving(program: Program) -> Program:
    """Return a program of the same inputs and results that adds a number to an input for each.

    Constant results stay constant and equal results stay equal, since
    such are written at less cost.
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
