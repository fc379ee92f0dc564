"""Programs that read minimal parameters: the regressor of the set, and dynamics from its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from armdyn.algorithms.coordinates import of_parameters, positions, projected, rates
from armdyn.algorithms.friction import columns
from armdyn.algorithms.link_parameters import parameters
from armdyn.algorithms.regressor import regressor
from armdyn.algorithms.tracking_regressor import tracking_regressor
from armdyn.arrays import Array
from armdyn.export.offline import linear_constants
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import evaluate_nodes, trace, trace_like
from armdyn.robot.chain import Chain
from armdyn.robot.friction import out_of_table, parameter_terms
from armdyn.scalar import Scalar

# Coefficients of minimal parameters in constants of a program are ones and products of lengths;
# smaller ones are rounding of cosines and sines.
RESIDUE = 1e-14

# The input that holds the values of the minimal parameters.
VALUES = "w"

# Inputs other than states that may remain in addition to the minimal parameters.
CONSTANTS = ("rotor", "friction")


def regressor_program(
    chain: Chain, Z: Array, rotor: bool, friction: bool, tracking: bool = False
) -> Program:
    """Trace the regressor times Z; unit columns of Z merely select columns of the regressor.

    The column of a term of the load is that of the torques that the described arm transmits.

    Args:
        chain: the arm.
        Z: (N, k), parameters of links, rotors and friction that the k columns stand for.
        rotor: whether rotors are among the parameters.
        friction: whether friction is.
        tracking: the regressor of adaptive control, of (q, qd, qdr, qddr). Friction is that of the
            reference velocity.
    """
    n, k = chain.dof, Z.shape[1]
    names = parameter_terms(link.friction for link in chain.links)
    described = cast("list[float]", parameters(chain))
    entries = [[(int(c), float(Z[c, j])) for c in np.flatnonzero(Z[:, j])] for j in range(k)]

    def function(*states: list[Scalar]) -> list[list[Scalar]]:
        q, *rest = states
        joints = positions(chain, q), *(rates(chain, x) for x in rest)
        rows = (tracking_regressor if tracking else regressor)(chain, *joints)
        rows = of_parameters(chain, rows)
        if not chain.is_serial:
            rows = _with_drives(chain, rows, joints, described, rotor, friction)
            return [[_sum(row, column) for column in entries] for row in rows]
        qd, qdd = states[-2:]
        for i, row in enumerate(rows):
            if rotor:
                row += [qdd[j] if j == i else 0.0 for j in range(n)]
            if friction:
                load = _sum(row, [(k, p) for k, p in enumerate(described) if p])
                own = out_of_table(names, columns(chain.links[i].shapes, qd[i], load))
                row += [x if j == i else 0.0 for j in range(n) for x in own]
        return [[_sum(row, column) for column in entries] for row in rows]

    states = ("q", "qd", "qdr", "qddr") if tracking else ("q", "qd", "qdd")
    name = "tracking_regressor" if tracking else "minimal_regressor"
    return trace(function, [Slot(x, (n,)) for x in states], [Slot("Y", (n, k))], name=name)


def _with_drives(
    chain: Chain,
    rows: list[list[Scalar]],
    joints: Sequence[Sequence[Scalar]],
    described: Sequence[float],
    rotor: bool,
    friction: bool,
) -> list[list[Scalar]]:
    """Return rows of a tree with the columns of rotors and of friction behind those of links."""
    names = parameter_terms(link.friction for link in chain.links)
    rates_, pushes = joints[-2:]
    more: list[list[Scalar]] = []
    numbers = chain.link_numbers
    if rotor:
        more += [_on_joint(chain, i, pushes[i - 1]) for i in numbers]
    for k, i in enumerate(numbers if friction else ()):
        load: Scalar = 0.0
        if k < chain.dof:
            load = _sum(rows[k], [(at, p) for at, p in enumerate(described) if p])
        found = out_of_table(names, columns(chain[i].shapes, rates_[i - 1], load))
        more += [_on_joint(chain, i, x) for x in found]
    return [[*row, *(column[j] for column in more)] for j, row in enumerate(rows)]


def _on_joint(chain: Chain, i: int, x: Scalar) -> list[Scalar]:
    """Return what a torque of joint i is for the coordinates."""
    return projected(chain, [x if j == i else 0.0 for j in range(1, chain.n + 1)])


def _sum(values: Sequence[Scalar], terms: Sequence[tuple[int, float]]) -> Scalar:
    total: Scalar = 0.0
    for at, factor in terms:
        total = total + factor * values[at]
    return total


def from_minimal(
    program: Program, Z: Array, parts: Mapping[str, slice], more: Array | None = None
) -> Program:
    """Convert a program of link parameters to one of minimal parameters, the input "w".

    Args:
        program: with link parameters among its inputs.
        Z: (N, k), the parameters for a unit of each minimal parameter; its zeros drop out of the
            program.
        parts: the inputs that the minimal parameters replace, and their slices of the N
            parameters.
        more: parameters that are added to these, (N,).
    """
    kept = [slot for slot in program.inputs if slot.name not in parts]
    if len(kept) == len(program.inputs):
        return program
    rows = [[(int(j), float(row[j])) for j in np.flatnonzero(row)] for row in Z]
    inputs = [
        *(slot for slot in kept if slot.name not in CONSTANTS),
        Slot(VALUES, (Z.shape[1],)),
        *(slot for slot in kept if slot.name in CONSTANTS),
    ]

    def function(*given: list[Scalar]) -> list[Scalar]:
        named = dict(zip([slot.name for slot in inputs], given, strict=True))
        made = {
            name: [_sum(named[VALUES], row) for row in rows[part]] for name, part in parts.items()
        }
        if more is not None:
            made = {
                name: [x + float(y) if y else x for x, y in zip(made[name], more[at], strict=True)]
                for name, at in parts.items()
            }
        return evaluate_nodes(program, {**named, **made})

    constants = [VALUES, *(slot.name for slot in kept if slot.name in CONSTANTS)]
    return linear_constants(trace_like(function, inputs, program), constants, RESIDUE)
