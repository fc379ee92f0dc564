"""Minimal parameters of trees: the theorem for each path from the base, ranks where joints follow.

The torque of joint i depends on the links behind it only, so that the columns of link i are
independent already in the row of their own joint, and rows from the tips to the base are block
triangular. Theorem 5 of [Lin1994] therefore holds word for word if r and s are those of the joints
on the way from the base to joint i. With followers its combinations still determine all torques,
but more of them are redundant than joints show: columns of the regressor are chosen by rank, those
of the theorem first. So are rotors and friction, which any joint may share with a link.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, cast

import numpy as np

from armdyn.algorithms.friction import columns
from armdyn.algorithms.inertia_constants import Body, inertia_constants
from armdyn.algorithms.link_parameters import parameters
from armdyn.algorithms.minimal_set import Symbol, of_joint
from armdyn.algorithms.structure import structure
from armdyn.arrays import Array
from armdyn.errors import RobotWarning
from armdyn.minimal.check import (
    COEFFICIENT_TOLERANCE,
    COLUMN_TOLERANCE,
    coupling_matrix,
    judge,
    numerical_set,
    random_states,
    stacked_regressor,
)
from armdyn.minimal.closed_form import (
    LinearSet,
    across_k,
    axes_at_zero,
    common_point,
    without_residue,
)
from armdyn.minimal.terms import (
    Term,
    across_term,
    body_term,
    column,
    friction_terms,
    rotor_term,
)
from armdyn.robot.chain import COUPLED, Chain
from armdyn.robot.friction import out_of_table, parameter_terms


def tree_sets(
    chain: Chain, rotor: bool, friction: bool
) -> tuple[LinearSet, LinearSet, tuple[str, ...]]:
    """Return the set of the links, that of links and drives, and notes.

    Args:
        chain: the constants of a tree.
        rotor: include rotors.
        friction: include friction.
    """
    q, qd, qdd = _states(chain)
    W = stacked_regressor(chain, q, qd, qdd)
    links, notes = _checked(chain, W.reshape(-1, W.shape[-1]))
    if not rotor and not friction:
        return links, links, notes
    return links, _with_drives(links, chain, W, (q, qd, qdd), rotor, friction), notes


def _states(chain: Chain) -> tuple[Array, Array, Array]:
    """Return random states: regressors of more rows than there are parameters."""
    most = 14 * len(chain.link_numbers)
    return random_states(chain.dof, max(12 * chain.dof + 6, most // chain.dof + 12))


def _checked(chain: Chain, W: Array) -> tuple[LinearSet, tuple[str, ...]]:
    theorem = closed_form(chain)
    verdict = judge(theorem, W)
    remarks = (verdict.remark,) if verdict.remark else ()
    if verdict.agrees:
        return theorem, remarks
    found = numerical_set(chain, W, theorem)
    remark = judge(found, W).remark
    remarks = (remark,) if remark else ()
    if chain.mechanism == COUPLED:
        return found, remarks
    words = (
        f"the closed form of the minimal parameters has {len(theorem.terms)}, but the regressor of "
        f"this tree shows {len(found.terms)} or others; the ones of the regressor are used. The "
        "geometry is very close to a special one: give axes and offsets their nominal values."
    )
    warnings.warn(words, RobotWarning, stacklevel=5)
    return found, (words, *remarks)


def closed_form(chain: Chain) -> LinearSet:
    """Return the set that determines all torques of a tree; with followers some are redundant."""
    links = _unit_links(chain)
    constants = inertia_constants(chain, links)
    rows: dict[Term, Array] = {}
    for k, i in enumerate(chain.link_numbers, 1):
        rows |= _rows_of_link(chain, k, i, constants[i])
    terms = tuple(rows)
    N = 10 * len(chain.link_numbers)
    matrix = np.array([rows[term] for term in terms]).reshape(len(terms), N)
    carriers = np.zeros((N, len(terms)))
    for k, term in enumerate(terms):
        carriers[column(term.joint, term.carrier), k] = 1.0
    return LinearSet(terms, without_residue(chain, terms, matrix), carriers)


def _unit_links(chain: Chain) -> dict[int, Body]:
    """Return bodies whose parameters are rows of a unit matrix; fixed links have none."""
    count = len(chain.link_numbers)
    nothing = cast(Any, np.zeros(10 * count))
    zero = (nothing,) * 3
    bodies = {i: Body(nothing, zero, zero * 2) for i in range(1, chain.n + 1)}
    unit = cast(Any, np.eye(10 * count).reshape(count, 10, 10 * count))
    for i, (m, hx, hy, hz, xx, xy, yy, xz, yz, zz) in zip(chain.link_numbers, unit, strict=True):
        bodies[i] = Body(m, (hx, hy, hz), (xx, xy, xz, yy, yz, zz))
    return bodies


def _rows_of_link(chain: Chain, k: int, i: int, body: Body) -> dict[Term, Array]:
    """Return the combinations of joint i, which is the k-th of the robot."""
    path = path_to(chain, i)
    at, found = path.n, structure(path)
    ends = not chain.children(i)
    rows: dict[Term, Array] = {}
    for symbol, value in of_joint(found, at, body, path[at].rotational).items():
        if symbol in ("kappa1", "kappa2"):
            axis, value = across_k(found.w[at], symbol, body)
            term = across_term(k, symbol, axis, _robot_number(chain, i, found.r), k, tree=not ends)
        else:
            term = body_term(k, symbol, k, tree=not ends)
        rows[term] = np.asarray(value, dtype=np.float64)
    turning = [link.rotational for link in path.links if not link.fixed]
    if any(chain.g) or not all(turning) or at < found.s:
        return rows
    return _about_a_point(path, rows)


def _about_a_point(path: Chain, rows: dict[Term, Array]) -> dict[Term, Array]:
    """Return what is seen without gravity of a body that turns about a fixed point, if it does."""
    axes = axes_at_zero(path)
    moving = [not link.fixed for link in path.links]
    own = replace(axes, origins=axes.origins[moving], directions=axes.directions[moving])
    C = common_point(own, sum(moving))
    if C is None:
        return rows
    D = float((axes.origins[-1] - C) @ axes.directions[-1])
    by_symbol = {term.symbol: term for term in rows}
    for inertia, moment in (("U13", "kx"), ("U23", "ky")):
        gone = rows.pop(by_symbol[cast(Symbol, moment)])
        term = by_symbol[cast(Symbol, inertia)]
        rows[term] = rows[term] - D * gone
    return rows


def path_to(chain: Chain, i: int) -> Chain:
    """Return the joints from the base to joint i as a serial chain, fixed links included."""
    numbers = [*reversed(chain.before(i)), i]
    return replace(
        chain, links=tuple(chain[k] for k in numbers), parents=(), couplings=(), numbered=(),
        carrier=None,
    )  # fmt: skip


def _robot_number(chain: Chain, i: int, r: int) -> int:
    """Return the number in the robot of the r-th link on the way to link i."""
    return list(chain.link_numbers).index([*reversed(chain.before(i)), i][r - 1]) + 1


# Rotors and friction: columns of a regressor, chosen by rank.


def _with_drives(
    links: LinearSet,
    chain: Chain,
    W: Array,
    states: tuple[Array, Array, Array],
    rotor: bool,
    friction: bool,
) -> LinearSet:
    """Return the set of links and drives: rotors, then friction, follow the link parameters.

    A rotor whose column the links and friction explain is part of their parameters.
    """
    rotors, frictions = drive_columns(chain, W, states)
    found = Choice(W.reshape(-1, W.shape[-1]) @ links.right_inverse)
    of_friction = found.add(frictions) if friction else None
    of_rotors = found.add(rotors) if rotor else None
    numbers = range(1, len(chain.link_numbers) + 1)
    terms, blocks = [*links.terms], [links.matrix]
    parts: list[tuple[list[Term], tuple[list[int], Array]]] = []
    own = [chain[i] for i in chain.link_numbers]
    if of_rotors is not None:
        named = [rotor_term(k, link.rotational) for k, link in zip(numbers, own, strict=True)]
        parts.append((named, of_rotors))
    if of_friction is not None:
        names = parameter_terms(link.friction for link in chain.links)
        listed = [friction_terms(k, x.rotational, names) for k, x in zip(numbers, own, strict=True)]
        parts.append(([term for one in listed for term in one], of_friction))
    total = len(links.terms) + sum(len(chosen) for _, (chosen, _) in parts)
    # where the chosen columns of the choice, in its order, are among the terms
    place = list(range(len(links.terms)))
    first = {id(part[1]): 0 for part in parts}
    at = len(links.terms)
    for part in parts:
        first[id(part[1])] = at
        at += len(part[1][0])
    for group in (of_friction, of_rotors):
        if group is not None:
            place += [first[id(group)] + k for k in range(len(group[0]))]
    blocks = [np.vstack([links.matrix, np.zeros((total - len(links.terms), W.shape[-1]))])]
    carriers = [np.hstack([links.carriers, np.zeros((W.shape[-1], total - len(links.terms)))])]
    for named, (chosen, coefficients) in parts:
        block = np.zeros((total, len(named)))
        block[place[: len(coefficients)]] = coefficients
        blocks.append(block)
        unit = np.zeros((len(named), total))
        start = len(terms)
        for k, c in enumerate(chosen):
            unit[c, start + k] = 1.0
            terms.append(named[c])
        carriers.append(unit)
    return LinearSet(tuple(terms), np.hstack(blocks), np.vstack(carriers))


class Choice:
    """Columns that are independent, one group after another."""

    def __init__(self, columns_: Array) -> None:
        """Begin with independent columns."""
        self._chosen = columns_

    def add(self, more: Array) -> tuple[list[int], Array]:
        """Choose from further columns those that the chosen ones do not explain.

        Returns:
            Their indices, and coefficients of all further columns by all chosen ones.
        """
        own: list[int] = []
        for c in range(more.shape[1]):
            size = np.linalg.norm(more[:, c])
            if size == 0.0:
                continue
            if np.linalg.norm(self._residual(more[:, c])) > COLUMN_TOLERANCE * size:
                self._chosen = np.column_stack([self._chosen, more[:, c]])
                own.append(c)
        size = np.linalg.norm(self._chosen, axis=0)
        solved = cast(Array, np.linalg.lstsq(self._chosen / size, more)[0])
        found = solved / size[:, None]
        found = np.where(np.abs(found) <= COEFFICIENT_TOLERANCE, 0.0, found)
        found[:, own] = 0.0
        for k, c in enumerate(own):
            found[found.shape[0] - len(own) + k, c] = 1.0
        return own, found

    def _residual(self, x: Array) -> Array:
        size = np.linalg.norm(self._chosen, axis=0)
        basis, _ = np.linalg.qr(self._chosen / size)
        for _ in range(2):  # the second pass removes rounding
            x = x - basis @ (basis.T @ x)
        return x


def drive_columns(
    chain: Chain, W: Array, states: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """Return the columns of rotors and of friction at the states of regressors W (count, n, N)."""
    _, qd, qdd = states
    G = coupling_matrix(chain)[[i - 1 for i in chain.link_numbers]]
    rotors = np.stack([np.outer(qdd @ row, row).reshape(-1) for row in G], axis=1)
    own = [chain[i] for i in chain.link_numbers]
    names = parameter_terms(link.friction for link in chain.links)
    load = W @ np.array(parameters(chain), dtype=np.float64)
    found: list[Array] = []
    for row, link in zip(G, own, strict=True):
        loads = load @ row
        each = [
            out_of_table(names, columns(link.shapes, float(v), float(L)))
            for v, L in zip(qd @ row, loads, strict=True)
        ]
        rows = np.array(each, dtype=np.float64)
        found += [np.outer(x, row).reshape(-1) for x in rows.T]
    return rotors, np.stack(found, axis=1) if found else np.zeros((len(rotors), 0))
