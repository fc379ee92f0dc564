"""Programs that take the inertial parameters, rotor inertias and friction of an arm as inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from armdyn.algorithms.link_parameters import PARAMETER_NAMES, parameters
from armdyn.algorithms.vector import add_symmetric, point_inertia, scale_symmetric
from armdyn.export.offline import linear_constants
from armdyn.graph.count import count
from armdyn.graph.program import Instruction, Program, Slot, verify
from armdyn.graph.trace import folded, trace
from armdyn.programs.arguments import AUTO
from armdyn.programs.key import ProgramKey
from armdyn.programs.methods import check_method, raced_methods
from armdyn.programs.programs import cost
from armdyn.programs.tracing import algorithm, input_slots, output_slots, refuse_singular
from armdyn.robot.chain import Chain, Link
from armdyn.robot.friction import in_table, out_of_table, parameter_terms
from armdyn.scalar import Op, Scalar

# The inputs that hold the constants of the links.
INERTIAL, ROTOR, FRICTION = INPUTS = ("p", "rotor", "friction")


def values(chain: Chain) -> dict[str, list[float]]:
    """Return the values of the inputs for the arm as described."""
    listed = {
        INERTIAL: parameters(chain),
        ROTOR: [link.Jm for link in links_of(chain)],
        FRICTION: [
            x for link in links_of(chain) for x in out_of_table(terms_of(chain), link.friction)
        ],
    }
    return {name: cast("list[float]", numbers) for name, numbers in listed.items()}


def links_of(chain: Chain) -> list[Link]:
    """Return the robot's own links, in its order."""
    return [chain[i] for i in chain.link_numbers]


def terms_of(chain: Chain) -> tuple[str, ...]:
    """Return the terms of friction whose coefficients the input lists, joint after joint."""
    return parameter_terms(link.friction for link in chain.links)


@dataclass(frozen=True)
class Parametric:
    """A program with the constants of the links among its inputs."""

    program: Program
    method: str

    @property
    def divides_by_masses(self) -> bool:
        """Whether a parameter is a divisor; then no link may have zero mass."""
        code = self.program.code
        return any(step.op is Op.DIV and code[step.args[1]].op is Op.INPUT for step in code)


def parametric(key: ProgramKey) -> Parametric:
    """Trace a method with the constants of the links as inputs.

    "auto" takes the cheapest method that does not divide by masses, if there is one: in identified
    parameters, a link may have zero mass.
    """
    mechanism = key.chain.mechanism
    check_method(key.quantity, key.method, straight=True, base=key.base, mechanism=mechanism)
    refuse_singular(key.chain, key.quantity)
    names: tuple[str, ...] = (key.method,)
    if key.method == AUTO:
        names = raced_methods(key.quantity, key.base, mechanism)
    found = [Parametric(_traced(replace(key, method=name)), name) for name in names]
    return min(found, key=lambda f: (f.divides_by_masses, cost(count(f.program))))


def of_link_parameters(key: ProgramKey, used: str) -> Program:
    """Return a program whose last input is the 10n link parameters; rotors and friction built in.

    Args:
        key: of the program without parameters.
        used: the method that "auto" stands for in that program; it is taken again, unless it would
            divide by masses.
    """
    found = parametric(replace(key, method=used))
    if key.method == AUTO and found.divides_by_masses:
        found = parametric(key)
    chain = key.chain
    code = with_known(found.program, {k: x for k, x in values(chain).items() if k != INERTIAL})
    return with_input(code, Slot(INERTIAL, (len(chain.link_numbers), len(PARAMETER_NAMES))))


def with_known(code: Program, known: Mapping[str, Sequence[float]]) -> Program:
    """Return a program with known inputs built in, where it reads them."""
    read = {slot.name for slot in code.inputs}
    return folded(code, {name: x for name, x in known.items() if name in read})


def with_input(code: Program, slot: Slot) -> Program:
    """Return a program that has an input in any case, its last if it does not read it."""
    if any(own.name == slot.name for own in code.inputs):
        return code
    return replace(code, inputs=(*code.inputs, slot))


def _traced(key: ProgramKey) -> Program:
    chain = key.chain
    n, names = len(chain.link_numbers), terms_of(chain)
    terms = len(names)
    constants = [
        Slot(INERTIAL, (n, len(PARAMETER_NAMES))),
        Slot(ROTOR, (n,)),
        Slot(FRICTION, (n, terms)),
    ]
    inputs = [*input_slots(key.quantity, chain.dof, key.base), *constants]
    outputs = output_slots(key.quantity, chain)

    def function(*given: list[Scalar]) -> object:
        states, (p, rotor, coefficients) = given[:-3], given[-3:]
        links = list(chain.links)
        for k, i in enumerate(chain.link_numbers):
            links[i - 1] = link_of(
                chain[i],
                p[10 * k : 10 * k + 10],
                rotor[k],
                in_table(names, coefficients[terms * k : terms * (k + 1)])[0],
            )
        symbolic = replace(chain, links=tuple(links))
        return algorithm(replace(key, chain=symbolic))(*states)

    code = linear_constants(
        trace(function, inputs, outputs, name=key.quantity), [slot.name for slot in constants]
    )
    return _without_unread(code, {slot.name for slot in constants})


def link_of(link: Link, p: Sequence[Scalar], rotor: Scalar, friction: Sequence[Scalar]) -> Link:
    """Return a link with given parameters; `linear_constants` removes the division by the mass."""
    m, x, y, z, xx, xy, yy, xz, yz, zz = p
    c = (x / m, y / m, z / m)
    about_com = scale_symmetric(-1.0, point_inertia(m, c))
    return replace(
        link, m=m, c=c, I=add_symmetric((xx, xy, xz, yy, yz, zz), about_com),
        Jm=rotor, friction=tuple(friction),
    )  # fmt: skip


def _without_unread(program: Program, names: set[str]) -> Program:
    """Return the program without the named inputs that it does not read."""
    read = {int(step.value) for step in program.code if step.op is Op.INPUT}
    kept: list[Slot] = []
    moved: dict[int, int] = {}
    at = 0
    for slot in program.inputs:
        places = range(at, at + slot.size)
        if slot.name not in names or read & set(places):
            moved |= {place: len(moved) + k for k, place in enumerate(places)}
            kept.append(slot)
        at += slot.size
    code = [
        Instruction(Op.INPUT, (), float(moved[int(step.value)])) if step.op is Op.INPUT else step
        for step in program.code
    ]
    outputs, results = program.outputs, program.results
    return verify(Program(program.name, tuple(kept), outputs, tuple(code), results))
