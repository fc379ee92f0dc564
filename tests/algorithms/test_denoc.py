"""[Saha1999] on random robots: its formulas for any n, and what the methods built on it cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from armdyn import generic
from armdyn.algorithms import denoc_udu, udu
from armdyn.algorithms.denoc_forward import accelerations, eliminated_torques
from armdyn.algorithms.denoc_inverse import unit_upper_inverse
from armdyn.algorithms.frame import frames
from armdyn.algorithms.link_moments import NO_MOMENTS, moments
from armdyn.algorithms.spatial import rigid_inertia, wrench_to_parent
from armdyn.algorithms.table import QUANTITIES
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import Chain, chain_of
from support.robots import oracle, random_robots, random_state, relative_error

ROBOTS = random_robots(seed=3, sizes=(1, 2, 5))
SIZES = range(4, 10)


def solve(chain: Chain, q: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """I^-1 b in O(n): the passes of the factors, with links that ask for nothing."""
    F = frames(chain, q)
    joints = denoc_udu.articulated(chain, F, denoc_udu.regrouped_masses(chain))
    no_wrenches: list[list[Any]] = [[0.0] * 6 for _ in F]
    return accelerations(chain, F, joints, eliminated_torques(chain, F, joints, no_wrenches, b))


def test_recursive_passes_solve_with_the_inertia_matrix() -> None:
    for robot in ROBOTS:
        state = random_state(robot)
        M = oracle(robot, state)["mass_matrix"]
        got = solve(chain_of(robot), state["q"].tolist(), state["tau"].tolist())
        assert relative_error(got, np.linalg.solve(M, state["tau"])) < 1e-10, robot.name


def test_elimination_on_formulas_gives_the_factors_of_elimination_on_numbers() -> None:
    for robot in ROBOTS:
        q = random_state(robot)["q"].tolist()
        M = QUANTITIES["mass_matrix"].methods["denoc"].run(chain_of(robot), q)
        U, D = denoc_udu.udu(chain_of(robot), q)
        U_dense, D_dense = udu.factors(M)
        assert relative_error(U, U_dense) < 1e-11, robot.name
        assert relative_error(D, D_dense) < 1e-11, robot.name


def test_primed_alphas_by_recursion_39_are_those_of_the_closed_form_41() -> None:
    for robot in ROBOTS:
        chain, q = chain_of(robot), random_state(robot)["q"].tolist()
        F = frames(chain, q)
        joints = denoc_udu.articulated(chain, F, denoc_udu.regrouped_masses(chain))
        closed = np.eye(chain.n)
        for j in range(2, chain.n + 1):
            wrench = joints[j].psi
            for i in range(j - 1, 0, -1):
                wrench = wrench_to_parent(F[i + 1], wrench)
                along = wrench[joints[i].k]
                closed[i - 1, j - 1] = -along  # U^-1 = 1 - alpha'
                # Psi_i w = w - Mh_i p_i (p_i^T w) / mh_i
                wrench = [w - psi * along for w, psi in zip(wrench, joints[i].psi, strict=True)]
        recursive = unit_upper_inverse(denoc_udu.udu(chain, q)[0])
        assert relative_error(recursive, closed) < 1e-11, robot.name


def test_regrouping_leaves_the_pivots_alone() -> None:
    for robot in ROBOTS:
        chain, q = chain_of(robot), random_state(robot)["q"].tolist()
        plain = [rigid_inertia(body) for body in (NO_MOMENTS, *map(moments, chain.links))]
        joints = denoc_udu.articulated(chain, frames(chain, q), plain)
        expected = [joints[i].mh for i in range(1, chain.n + 1)]
        assert relative_error(denoc_udu.udu(chain, q)[1], expected) < 1e-11, robot.name


def test_dense_factors_solve_and_invert() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 7):
        half = rng.normal(size=(n, n))
        X = half @ half.T + np.eye(n)
        y = rng.normal(size=n)
        U, D = (np.array(part) for part in udu.factors(X.tolist()))
        assert np.array_equal(np.tril(U), np.eye(n))
        assert relative_error(U @ np.diag(D) @ U.T, X) < 1e-13
        assert relative_error(udu.solve(X.tolist(), y.tolist()), np.linalg.solve(X, y)) < 1e-11
        assert relative_error(udu.inverse(X.tolist()), np.linalg.inv(X)) < 1e-11


def operations(
    run: Callable[..., Any], n: int, inputs: Sequence[str], *outputs: Slot
) -> Operations:
    chain = chain_of(generic(n))
    return count(trace(lambda *a: run(chain, *a), [Slot(name, (n,)) for name in inputs], outputs))


def cost(quantity: str, method: str, n: int) -> Operations:
    row = QUANTITIES[quantity]
    outputs = [Slot(name, shape) for name, shape in row.shapes(n).items()]
    return operations(row.methods[method].run, n, row.inputs, *outputs)


Polynomial = Callable[[int], float]

# Multiplications with divisions, and additions, of an arm of n revolute joints in general position.
BOUNDS: list[tuple[str, str, Polynomial, Polynomial]] = [
    ("mass_matrix", "denoc", lambda n: 10 * n**2 - 2 * n - 26, lambda n: 6 * n**2 + 22 * n - 57),
    ("udu", "denoc", lambda n: 10 * n**2 + 59 * n - 139, lambda n: 6 * n**2 + 75 * n - 162),
    (
        "inverse_mass_matrix",
        "denoc",
        lambda n: 24.5 * n**2 + 35.5 * n - 132,  # column by column in O(n) each
        lambda n: 16.5 * n**2 + 52.5 * n - 152,
    ),
    (
        "inverse_mass_matrix",
        "mass_matrix_udu",
        lambda n: n**3 / 2 + 10.5 * n**2 - n - 28,
        lambda n: n**3 / 2 + 5.5 * n**2 + 16 * n - 44,
    ),
    (
        "forward_dynamics",
        "mass_matrix_udu",
        lambda n: n**3 / 6 + 11.5 * n**2 + 238 * n / 3 - 128,
        lambda n: n**3 / 6 + 7 * n**2 + 503 * n / 6 - 135,
    ),
    ("forward_dynamics", "denoc", lambda n: 193 * n - 290, lambda n: 178 * n - 289),
    ("forward_dynamics", "articulated_body", lambda n: 218 * n - 292, lambda n: 200 * n - 295),
]


@pytest.mark.parametrize(("quantity", "method", "M", "A"), BOUNDS)
def test_operations_stay_within_bounds(
    quantity: str, method: str, M: Polynomial, A: Polynomial
) -> None:
    for n in SIZES:
        spent = cost(quantity, method, n)
        assert spent.multiplications <= M(n), (n, str(spent))
        assert spent.additions <= A(n), (n, str(spent))


def test_recursion_needs_fewer_operations_than_published() -> None:
    """[Saha1999] section 7 gives 201n - 335 M, 193n - 361 A for the recursion of 1997."""
    for n in range(5, 10):
        spent = cost("forward_dynamics", "denoc", n)
        assert spent.multiplications < 201 * n - 335, (n, str(spent))
        assert spent.additions < 193 * n - 361, (n, str(spent))


def test_each_joint_more_costs_the_recursion_the_same() -> None:
    for method in ("denoc", "articulated_body"):
        spent = [cost("forward_dynamics", method, n) for n in SIZES]
        for part in ("mul", "add", "div"):
            steps = np.diff([getattr(s, part) for s in spent])
            assert len(set(steps.tolist())) == 1, (method, part, steps)


def test_dense_methods_divide_once_a_joint() -> None:
    for quantity in ("forward_dynamics", "inverse_mass_matrix", "udu"):
        for n in SIZES:
            assert cost(quantity, "mass_matrix_udu", n).div <= n, (quantity, n)


def test_solving_with_the_inertia_matrix_takes_132n_220_products() -> None:
    for n in SIZES:
        spent = operations(solve, n, ("q", "b"), Slot("x", (n,)))
        assert spent.multiplications <= 132 * n - 220, (n, str(spent))
        assert spent.additions <= 122 * n - 222, (n, str(spent))
