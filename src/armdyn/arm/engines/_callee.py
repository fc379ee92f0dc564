"""A program that another library calls: its machine code, and its derivatives in both modes."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from armdyn._fork_safe import first_use
from armdyn.arm._evaluate import Evaluator
from armdyn.graph import Program, Slot, jvp_program, vjp_program
from armdyn.kernel import kernel_key


class Callee:
    """A program as an operation on flat arrays ``(..., size)``, one for each input.

    Attributes:
        program: the program; its inputs are vectors.
        name: a name that no other program has, in this or in another process.
        evaluate: its machine code.
        primal: the program whose `jvp` this one is, if it is one.
    """

    def __init__(self, program: Program, name: str, primal: Callee | None = None) -> None:
        self.program = program
        self.name = name
        self.evaluate = Evaluator(program)
        self.primal = primal

    @cached_property
    def vjp(self) -> Callee:
        """The gradient: of the inputs and a flat cotangent for each output."""
        with first_use:
            return callee_of(vjp_program(self.program))

    @cached_property
    def jvp(self) -> Callee:
        """The derivative along a direction: of the inputs and a flat tangent for each."""
        with first_use:
            program = jvp_program(self.program)
            return Callee(program, _name(program), self)


_callees: dict[str, Callee] = {}


def callee_of(program: Program) -> Callee:
    """Return the operation of a program; the same object for equal programs.

    Libraries keep operations for good, so these are kept too.
    """
    flat = replace(program, inputs=tuple(Slot(s.name, (s.size,)) for s in program.inputs))
    name = _name(flat)
    return _callees.setdefault(name, Callee(flat, name))


def _name(program: Program) -> str:
    return f"{program.name}_{kernel_key(program)[:32]}"
