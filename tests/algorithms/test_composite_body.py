"""Composite bodies and the mass-matrix formulations on them: values, edge cases and counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from armdyn import Joint, Robot, generic
from armdyn.algorithms.composite import Composite, composites
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.lin_fang_1 import formulation_1
from armdyn.algorithms.lin_fang_2 import formulation_2
from armdyn.algorithms.lin_fang_3 import formulation_3
from armdyn.algorithms.lin_fang_4 import formulation_4
from armdyn.algorithms.lin_fang_5 import CompositeBefore, composites_before, formulation_5
from armdyn.algorithms.renaud import augmented_composites
from armdyn.algorithms.table import QUANTITIES
from armdyn.algorithms.walker_orin import central_composites
from armdyn.graph.count import count
from armdyn.graph.interpret import evaluate
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import Chain, chain_of
from support.robots import oracle, random_robots, random_state, relative_error

FORMULATIONS = (formulation_1, formulation_2, formulation_3, formulation_4, formulation_5)
METHODS = (*(f"lin_fang_{k}" for k in range(1, 6)), "renaud", "walker_orin")
TOLERANCE = 1e-12

SIZES = {1: range(4, 9), 2: range(6, 9)}  # for which the polynomials in n hold, by type of arm
Polynomial = tuple[float, float, float]

# [LinFang1999] Table VI: (formulation, type) -> multiplications, additions
PRINTED: dict[tuple[int, int], tuple[Polynomial, Polynomial]] = {
    (1, 1): ((10, -18, 10), (6, -10, 4)),
    (2, 1): ((11.5, -27.5, 16), (8, -18, 10)),
    (3, 1): ((12.5, -28.5, 16), (8, -18, 10)),
    (4, 1): ((4.5, 48.5, -108), (4, 24, -56)),
    (5, 1): ((10, -18, 14), (6, -6, 2)),
    (1, 2): ((10, -18, 0), (6, -10, 0)),
    (2, 2): ((11.5, -40.5, 60), (8, -29, 46)),
    (3, 2): ((12.5, -43.5, 65), (8, -29, 45)),
    (4, 2): ((4.5, 48.5, -114), (4, 24, -62)),
    (5, 2): ((10, -18, 4), (6, -6, -7)),
}

# What the traced formulations take, every element of R_i that they read charged.
TRACED: dict[tuple[int, int], tuple[Polynomial, Polynomial]] = {
    (1, 1): ((10, -23, 17), (6, -12, 6)),
    (2, 1): ((11.5, -27.5, 20), (8, -19, 12)),
    (3, 1): ((12.5, -31.5, 24), (8, -19, 12)),
    (4, 1): ((4.5, 38.5, -96), (4, 18, -53)),
    (5, 1): ((10, -23, 17), (6, -8, 0)),
    (1, 2): ((10, -23, 3), (6, -12, -2)),
    (2, 2): ((11.5, -40.5, 49), (8, -30, 43)),
    (3, 2): ((12.5, -46.5, 61), (8, -30, 43)),
    (4, 2): ((4.5, 38.5, -103), (4, 18, -60)),
    (5, 2): ((10, -23, 1), (6, -8, -15)),
}


def at(polynomial: Polynomial, n: int) -> float:
    a, b, c = polynomial
    return a * n * n + b * n + c


def generic_chain(n: int, type: int) -> Chain:
    return chain_of(generic(n, type))


def operations(function: Callable[..., Any], inputs: list[Slot], n: int) -> tuple[int, int]:
    ops = count(trace(function, inputs, [Slot("M", (n, n))]))
    return ops.multiplications, ops.additions


def given_composites(k: int, n: int, type: int, on_hand: bool) -> tuple[int, int]:
    """Count Formulation k with unknown composite bodies and, if `on_hand`, unknown R_i."""
    chain = generic_chain(n, type)
    m = [sum(link.m for link in chain.links[i:]) for i in range(n)]

    def run(q: list[Any], c: list[Any], J: list[Any], R: list[Any]) -> Any:
        F = frames(chain, q)
        if on_hand:
            F[1:] = [
                replace(Fi, SbS=R[2 * i], SbC=R[2 * i + 1]) if Fi.rotational else Fi
                for i, Fi in enumerate(F[1:])
            ]
        c3 = [tuple(c[3 * i : 3 * i + 3]) for i in range(n)]
        J3 = [tuple(J[3 * i : 3 * i + 3]) for i in range(n)]
        bodies: list[Any] = [None]
        if k == 5:
            bodies += [CompositeBefore(m[i], c3[i], J3[i]) for i in range(n)]
        else:
            bodies += [composite(m[i], c3[i], J3[i]) for i in range(n)]
        return FORMULATIONS[k - 1](F, bodies)

    inputs = [Slot("q", (n,)), Slot("c", (n, 3)), Slot("J", (n, 3)), Slot("R", (n, 2))]
    return operations(run, inputs, n)


def composite(m: Any, c: Any, J3: Any) -> Composite:
    """A composite body of whose inertia only the third column is known."""
    unknown = math.nan
    return Composite(m, c, (unknown, unknown, J3[0], unknown, J3[1], J3[2]))


@pytest.mark.parametrize(("k", "type"), TRACED)
def test_formulations_take_no_more_than_their_polynomials(k: int, type: int) -> None:
    for n in SIZES[type]:
        mul, add = given_composites(k, n, type, on_hand=False)
        assert mul <= at(TRACED[k, type][0], n), n
        assert add <= at(TRACED[k, type][1], n), n


@pytest.mark.parametrize(("k", "type"), PRINTED)
def test_formulations_reach_table_vi_with_the_rotations_on_hand(k: int, type: int) -> None:
    for n in SIZES[type]:
        mul, add = given_composites(k, n, type, on_hand=True)
        assert mul <= at(PRINTED[k, type][0], n), n
        assert add <= at(PRINTED[k, type][1], n), n


@pytest.mark.parametrize(
    ("method", "mul", "add", "printed_mul", "printed_add"),
    [
        # printed: [Lin1991] Table I and [Mata2002] Table 2
        ("renaud", (12.5, -1.5, -30), (8, 17, -52), (13.5, 22.5, -68), (9, 26, -64)),
        ("walker_orin", (11, 21, -57), (7, 31, -68), (12, 56, -27), (7, 67, -56)),
    ],
)
def test_whole_methods_take_no_more_than_their_polynomials(
    method: str,
    mul: Polynomial,
    add: Polynomial,
    printed_mul: Polynomial,
    printed_add: Polynomial,
) -> None:
    run = QUANTITIES["mass_matrix"].methods[method].run
    for n in SIZES[1]:
        chain = generic_chain(n, 1)
        got = operations(lambda q, c=chain: run(c, q), [Slot("q", (n,))], n)
        assert got[0] <= min(at(mul, n), at(printed_mul, n)), n
        assert got[1] <= min(at(add, n), at(printed_add, n)), n


def placements(F: Sequence[Frame]) -> list[np.ndarray]:
    """E_i in E_0 as 4x4 matrices, formed without the rotation primitives under test."""
    T = [np.eye(4)]
    for f in F[1:]:
        step = np.array(
            [
                [f.C, -f.S, 0, f.b],
                [f.Cb * f.S, f.Cb * f.C, -f.Sb, -f.d * f.Sb],
                [f.Sb * f.S, f.Sb * f.C, f.Cb, f.d * f.Cb],
                [0, 0, 0, 1],
            ]
        )
        T.append(T[-1] @ step)
    return T


def full(J: Sequence[Any]) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = J
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def summed(chain: Chain, T: Sequence[np.ndarray], i: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moment and inertia of links i..n about O_i in E_i, link by link."""
    m, c, J = 0.0, np.zeros(3), np.zeros((3, 3))
    for j in range(i, chain.n + 1):
        link, X = chain[j], np.linalg.inv(T[i]) @ T[j]
        r = X[:3, :3] @ np.array(link.c) + X[:3, 3]
        m += link.m
        c += link.m * r
        J += X[:3, :3] @ full(link.I) @ X[:3, :3].T + link.m * (r @ r * np.eye(3) - np.outer(r, r))
    return m, c, J


@pytest.mark.parametrize("robot", random_robots(seed=3, sizes=(1, 3, 5)), ids=lambda r: r.name)
def test_composite_bodies_are_the_sums_over_their_links(robot: Robot) -> None:
    chain = chain_of(robot)
    F = frames(chain, random_state(robot)["q"].tolist())
    T = placements(F)
    bodies, augmented = composites(chain, F), augmented_composites(chain, F)
    central, before = central_composites(chain, F), composites_before(F, bodies)
    for i in range(1, chain.n + 1):
        m, c, J = summed(chain, T, i)
        for body in (bodies[i], augmented[i]):
            assert relative_error([body.m], [m]) < TOLERANCE
            assert relative_error(body.c, c) < TOLERANCE
            assert relative_error(full(body.J), J) < TOLERANCE
        com = c / m
        about_com = J - m * (com @ com * np.eye(3) - np.outer(com, com))
        assert relative_error([central[i].M], [m]) < TOLERANCE
        assert relative_error(central[i].c, com) < TOLERANCE
        assert relative_error(full(central[i].E), about_com) < TOLERANCE
        X = np.linalg.inv(T[i - 1]) @ T[i]
        assert relative_error(before[i].h, X[:3, :3] @ c + m * X[:3, 3]) < TOLERANCE


@pytest.mark.parametrize("k", range(1, 5))
def test_formulations_never_read_the_axial_first_moment(k: int) -> None:
    for robot in random_robots(seed=4, sizes=(1, 4)):
        chain = chain_of(robot)
        F = frames(chain, random_state(robot)["q"].tolist())
        known = composites(chain, F)
        partly: list[Any] = [None]
        partly += [composite(b.m, (b.c[0], b.c[1], math.nan), b.J3) for b in known[1:]]
        assert FORMULATIONS[k - 1](F, partly) == FORMULATIONS[k - 1](F, known)  # type: ignore[arg-type]


def link(kind: Any, **geometry: float) -> Joint:
    return Joint(
        kind=kind, mass=2.0, com=(0.1, -0.2, 0.3), inertia=(0.3, 0.01, 0.02, 0.4, -0.03, 0.5),
        rotor_inertia=0.2, **geometry,
    )  # fmt: skip


def massless(kind: Any, **geometry: float) -> Joint:
    return Joint(kind=kind, rotor_inertia=0.1, **geometry)


R, P = "revolute", "prismatic"
EDGE_CASES = {
    "one revolute": [link(R, beta=0.4, b=0.2, d=0.1)],
    "one prismatic": [link(P, beta=0.4, b=0.2, theta=0.3)],
    "all prismatic": [link(P, beta=0.5 * i, b=0.1 * i, theta=0.3 * i) for i in range(4)],
    "all axes parallel": [link(R, b=0.3, d=0.1), link(R, b=0.4), link(R, beta=math.pi, b=0.2)],
    "coaxial": [link(R), link(R), link(P), link(R)],
    "only the last turns": [link(P), link(P, beta=math.pi / 2, theta=0.4), link(R, beta=0.3)],
    "planar with a slide": [link(R, b=0.1), link(P, beta=math.pi / 2), link(R, beta=-math.pi / 2)],
    "last links massless": [link(R, beta=0.3, b=0.2), massless(R, b=0.2), massless(P, beta=0.4)],
    "first link massless": [massless(R, b=0.1, beta=0.2), link(R, b=0.2, beta=0.7)],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", EDGE_CASES)
def test_edge_cases_match_pinocchio(case: str, method: str) -> None:
    robot = Robot(EDGE_CASES[case], name=case)
    state = random_state(robot, seed=1)
    got = QUANTITIES["mass_matrix"].methods[method].run(chain_of(robot), state["q"].tolist())
    assert relative_error(got, oracle(robot, state)["mass_matrix"]) < TOLERANCE


@pytest.mark.parametrize("method", METHODS)
def test_masses_and_moments_may_be_unknown(method: str) -> None:
    """One program for every payload: parameters traced as inputs, then given their values."""
    robot = random_robots(seed=6, sizes=(4,))[0]
    chain, n = chain_of(robot), robot.n
    run = QUANTITIES["mass_matrix"].methods[method].run

    def symbolic(q: list[Any], m: list[Any], c: list[Any], I: list[Any]) -> Any:
        links = tuple(
            replace(
                chain[i + 1],
                m=m[i],
                c=tuple(c[3 * i : 3 * i + 3]),
                I=tuple(I[6 * i : 6 * i + 6]),
            )
            for i in range(n)
        )
        return run(replace(chain, links=links), q)

    slots = [Slot("q", (n,)), Slot("m", (n,)), Slot("c", (n, 3)), Slot("I", (n, 6))]
    program = trace(symbolic, slots, [Slot("M", (n, n))])
    state = random_state(robot, seed=2)
    values = [*state["q"].tolist(), *(x.m for x in chain.links)]
    values += [v for x in chain.links for v in x.c] + [v for x in chain.links for v in x.I]
    got = np.reshape(evaluate(program, values), (n, n))
    assert relative_error(got, oracle(robot, state)["mass_matrix"]) < TOLERANCE


def test_inertia_given_about_the_origin_keeps_its_zeros() -> None:
    """Moved to the centre of mass and back, an inertia has rounding residues: they must go."""
    m, c = 1.7, (0.13, 0.21, 0.37)
    moved = (0.9 - m * (c[1] ** 2 + c[2] ** 2), m * c[0] * c[1], m * c[0] * c[2])
    moved += (0.8 - m * (c[0] ** 2 + c[2] ** 2), m * c[1] * c[2], 0.7 - m * (c[0] ** 2 + c[1] ** 2))
    robot = Robot([link(R), Joint(beta=0.3, b=0.2, mass=m, com=c, inertia=moved)])
    chain = chain_of(robot)
    J = composites(chain, frames(chain, [0.1, 0.2]))[2].J
    assert (J[1], J[2], J[4]) == (0.0, 0.0, 0.0)
    assert relative_error((J[0], J[3], J[5]), (0.9, 0.8, 0.7)) < TOLERANCE
