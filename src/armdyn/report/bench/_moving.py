"""The cost of data movement alone: a program that only reads the inputs and writes the results.

The multipliers do not limit a function that writes many numbers for few multiplications. States are
read from rows and results are written to rows by shuffles, loads and stores, and the results of a
regressor leave the first-level cache before a block is done.
"""

from __future__ import annotations

from armdyn.graph import Instruction, Program
from armdyn.scalar import Op


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
