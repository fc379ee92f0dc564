"""Dynamics from minimal parameters, read at run time or built in as constants; any method.

The link parameters of a program are replaced by a sparse set with the same minimal parameters. Most
masses and many moments are then zero, and constants are single minimal parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.algorithms.table import QUANTITIES
from armdyn.arrays import Array
from armdyn.errors import InputError, MethodError
from armdyn.graph.count import count
from armdyn.graph.program import Program, Slot
from armdyn.minimal.closed_form import closed_form
from armdyn.minimal.other_sets import moved_last_link
from armdyn.minimal.programs import VALUES, from_minimal
from armdyn.programs.key import ProgramKey
from armdyn.programs.methods import AUTO, check_method, raced_methods, row_of
from armdyn.programs.parametric import (
    FRICTION,
    INERTIAL,
    ROTOR,
    link_of,
    parametric,
    terms_of,
    values,
    with_input,
    with_known,
)
from armdyn.programs.programs import cost, program
from armdyn.robot.chain import Chain, Link
from armdyn.robot.friction import in_table

if TYPE_CHECKING:
    from armdyn.minimal.parameters import MinimalParameters

# Differences of link parameters from the description below this, relative to the largest parameter,
# are rounding in the conversion to minimal parameters and back.
ROUNDING = 1e-14


@dataclass(frozen=True)
class MinimalProgram:
    """A program and the method it follows."""

    program: Program
    method: str


def at_run_time(
    chain: Chain, base: MinimalParameters, quantity: str, method: str
) -> MinimalProgram:
    """Return the program of a quantity that reads the states and the minimal values."""
    found = minimal_program(chain, base, quantity, method)
    known = {name: x for name, x in values(chain).items() if name != INERTIAL}
    code = with_input(with_known(found.program, known), Slot(VALUES, (len(base),)))
    return replace(found, program=code)


def built_in(
    chain: Chain, base: MinimalParameters, quantity: str, method: str, w: Array
) -> MinimalProgram:
    """Return the program of a quantity that reads the states, for given minimal values."""
    return _cheapest(_candidates(chain, base, quantity, method, w), quantity, method)


def minimal_program(
    chain: Chain, base: MinimalParameters, quantity: str, method: str = AUTO
) -> MinimalProgram:
    """Return the cheapest program of minimal parameters, or that of a method.

    Rotor inertias and friction that are not part of the set stay separate inputs.
    """
    more, x0 = None, base.described_rotors
    if x0 is not None:
        more = x0 - base.right_inverse @ (base.matrix @ x0)
    found = (
        MinimalProgram(from_minimal(code, base.right_inverse, parts(base), more), name)
        for name, code in _natural(chain, quantity, method)
    )
    return _cheapest(found, quantity, method)


def _cheapest(found: Iterator[MinimalProgram], quantity: str, method: str) -> MinimalProgram:
    best = min(found, key=lambda f: cost(count(f.program)), default=None)
    if best is None:
        raise InputError(
            f"{quantity} by {method!r} divides by the masses of links, which minimal parameters do "
            "not give; choose another method, or 'auto'."
        )
    return best


def parts(base: MinimalParameters) -> dict[str, slice]:
    """Return the inputs of parametric programs that a set replaces, with their slices."""
    n = sum(name.startswith("m_") for name in base.parameter_names)
    at = len(PARAMETER_NAMES) * n
    found = {INERTIAL: slice(0, at)}
    if base.rotor:
        found[ROTOR] = slice(at, at + n)
        at += n
    if base.friction:
        found[FRICTION] = slice(at, len(base.parameter_names))
    return found


def _natural(chain: Chain, quantity: str, method: str) -> Iterator[tuple[str, Program]]:
    """Yield programs that take link parameters and do not divide by any of them."""
    if not row_of(quantity).minimal:
        names = [name for name, row in QUANTITIES.items() if row.minimal]
        raise MethodError("quantity of minimal parameters", quantity, names)
    mechanism = chain.mechanism
    check_method(quantity, method, straight=True, mechanism=mechanism)
    names = raced_methods(quantity, mechanism=mechanism) if method == AUTO else (method,)
    for name in names:
        found = parametric(ProgramKey(chain, quantity, name))
        if not found.divides_by_masses:
            yield name, found.program


def _candidates(
    chain: Chain, base: MinimalParameters, quantity: str, method: str, w: Array
) -> Iterator[MinimalProgram]:
    """Yield programs with the values built in.

    Some use as few parameters as possible, with the last frame moved to save more. Others use link
    parameters, if every link has a positive mass or is as described.
    """
    sparse = base.to_parameters(w, near=base.described_rotors)
    known = {**values(chain), **{name: sparse[at].tolist() for name, at in parts(base).items()}}
    moved, p, theorem = chain, known[INERTIAL], base.links
    if chain.is_serial:
        moved, p = moved_last_link(chain, known[INERTIAL])
        theorem = closed_form(moved)
    short = {**known, VALUES: (theorem.matrix @ np.array(p)).tolist()}
    for name, code in _natural(moved, quantity, method):
        inner = from_minimal(code, theorem.right_inverse, {INERTIAL: slice(0, len(p))})
        yield MinimalProgram(with_known(inner, short), name)
    full = base.to_parameters(w, near=base.parameters)
    known |= {name: full[at].tolist() for name, at in parts(base).items()}
    links = [_link(chain, known, k) for k in range(len(chain.link_numbers))]
    bodies = list(chain.links)
    for i, link in zip(chain.link_numbers, links, strict=True):
        if link is None:
            return
        bodies[i - 1] = link
    same = replace(chain, links=tuple(bodies))
    names = raced_methods(quantity, mechanism=chain.mechanism) if method == AUTO else (method,)
    for name in names:
        yield MinimalProgram(program(ProgramKey(same, quantity, name)), name)


def _link(chain: Chain, known: dict[str, list[float]], i: int) -> Link | None:
    """Return a link with given parameters; None if it is new and has no positive mass."""
    link, own = chain[chain.link_numbers[i]], slice(10 * i, 10 * i + 10)
    p, described = known[INERTIAL][own], values(chain)[INERTIAL][own]
    names = terms_of(chain)
    own_friction = known[FRICTION][len(names) * i : len(names) * (i + 1)]
    rotor, friction = known[ROTOR][i], in_table(names, own_friction)[0]
    size = max(map(abs, described))
    if all(abs(x - y) <= ROUNDING * size for x, y in zip(p, described, strict=True)):
        # only rounding has changed: zeros of the description must stay zeros
        return replace(link, Jm=rotor, friction=friction)
    return link_of(link, p, rotor, friction) if p[0] > 0.0 else None
