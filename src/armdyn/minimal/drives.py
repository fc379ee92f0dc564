"""Rotor inertias and friction in addition to the parameters of the links.

A rotor adds Jm qdd to its joint's torque. For some joints a minimal parameter has the same effect;
the rotor inertia is then part of that parameter's value. For all others it is a parameter of its
own, as friction coefficients always are. Rotors and friction together hide one more parameter: the
mass of a sliding joint whose weight is a constant force appears as inertia and as that force, and a
rotor with constant friction looks the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from armdyn.algorithms.structure import Structure, is_along_z
from armdyn.arrays import Array
from armdyn.minimal.closed_form import TILT, LinearSet, axes_at_zero
from armdyn.minimal.terms import Term, friction_terms, rotor_term
from armdyn.robot.chain import Chain
from armdyn.robot.friction import FRICTION_TERMS, out_of_table, parameter_terms


def with_drives(
    inertial: LinearSet, chain: Chain, found: Structure, rotor: bool, friction: bool
) -> LinearSet:
    """Return the set of links and drives: rotors, then friction, follow the 10n link parameters.

    Args:
        inertial: the set of the links.
        chain: the arm.
        found: its structure.
        rotor: include rotors.
        friction: include friction.
    """
    chosen, merged = inertial, dict[int, str]()
    if rotor:
        names = {term.name for term in inertial.terms}
        merged = merged_rotors(chain, found, heavy=friction)
        merged = {i: name for i, name in merged.items() if name in names}
        chosen = _with_rotors(chosen, chain, merged)
    if friction:
        chosen = _with_friction(chosen, chain)
    if rotor and friction:
        matrix, names = chosen.matrix.copy(), [term.name for term in chosen.terms]
        weights = axes_at_zero(chain).directions @ np.array(chain.g)
        constant = FRICTION_TERMS["offset"].symbol
        for i in merged:
            if not chain[i].rotational:
                # the rotor counts as mass: constant friction cancels its weight
                matrix[names.index(f"{constant}{i}"), 10 * chain.n + i - 1] = weights[i - 1]
        chosen = replace(chosen, matrix=matrix)
    return chosen


def merged_rotors(chain: Chain, found: Structure, heavy: bool = False) -> dict[int, str]:
    """Return the joints whose rotors are part of another parameter, and the parameter's name.

    Args:
        chain: the arm.
        found: its structure.
        heavy: whether constant friction is unknown too, so that weight does not reveal a mass.
    """
    u, g = axes_at_zero(chain).directions, np.array(chain.g)
    weight = float(np.linalg.norm(g))
    merged: dict[int, str] = {}
    for i in range(1, chain.n + 1):
        if chain[i].rotational:
            across = i == found.s and abs(u[i - 1] @ u[found.r - 1]) <= TILT
            if i == found.r or across:
                merged[i] = f"U{i}_33"
            continue
        slides = [j for j in range(1, i) if not chain[j].rotational]
        free = all(abs(u[i - 1] @ u[j - 1]) <= TILT for j in slides)
        before = i < found.r
        along = found.r < i < found.s and is_along_z(found.w[i])
        level = abs(u[i - 1] @ g) <= TILT * weight
        if free and (level or heavy) and (before or along):
            merged[i] = f"m{i}"
    return merged


def _with_rotors(inertial: LinearSet, chain: Chain, merged: dict[int, str]) -> LinearSet:
    names = [term.name for term in inertial.terms]
    own = [i for i in range(1, chain.n + 1) if i not in merged]
    joined = np.zeros((len(names), chain.n))
    for i, name in merged.items():
        joined[names.index(name), i - 1] = 1.0
    unit = np.eye(chain.n)[:, [i - 1 for i in own]]
    terms = [rotor_term(i, chain[i].rotational) for i in own]
    return _extended(inertial, terms, joined, unit)


def _with_friction(inertial: LinearSet, chain: Chain) -> LinearSet:
    """Return a set with friction; a joint has no parameter for a term that only others have."""
    listed, terms, own = _terms(chain), list[Term](), list[bool]()
    for i, link in enumerate(chain.links, 1):
        names = parameter_terms([link.friction])
        terms += friction_terms(i, link.rotational, names)
        own += [name in names for name in listed]
    joined = np.zeros((len(inertial.terms), len(own)))
    return _extended(inertial, terms, joined, np.eye(len(own))[:, own])


def _terms(chain: Chain) -> tuple[str, ...]:
    return parameter_terms(link.friction for link in chain.links)


def _extended(inner: LinearSet, terms: list[Term], joined: Array, unit: Array) -> LinearSet:
    """Return a set with more parameters: `joined` in old terms, `unit` (N, k) carrying new ones."""
    N, k = inner.carriers.shape
    more, new = unit.shape
    matrix = np.block([[inner.matrix, joined], [np.zeros((new, N)), unit.T]])
    carriers = np.block([[inner.carriers, np.zeros((N, new))], [np.zeros((more, k)), unit]])
    return LinearSet((*inner.terms, *terms), matrix, carriers)


def drive_parameters(chain: Chain, rotor: bool, friction: bool) -> list[float]:
    """Return the drive parameters, which follow those of the links."""
    listed: list[float] = []
    if rotor:
        listed += [cast(float, chain[i].Jm) for i in chain.link_numbers]
    if friction:
        names = _terms(chain)
        rows = [out_of_table(names, chain[i].friction) for i in chain.link_numbers]
        listed += [cast(float, F) for row in rows for F in row]
    return listed


def drive_names(chain: Chain, rotor: bool, friction: bool) -> list[str]:
    """Return their names."""
    joints = range(1, len(chain.link_numbers) + 1)
    names = [f"Jm_{i}" for i in joints] if rotor else []
    of_friction = [f"{FRICTION_TERMS[x].symbol}_{i}" for i in joints for x in _terms(chain)]
    return names + of_friction if friction else names
