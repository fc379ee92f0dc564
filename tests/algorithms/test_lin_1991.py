"""[Lin1991] and [Lin1994]: what the methods cost, and the identities of the Coriolis matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import generic
from armdyn.algorithms import lin_1991
from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.pinocchio import pinocchio_model
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import Chain, chain_of
from support.robots import random_robots, random_state, relative_error

H = QUANTITIES["mass_matrix"].methods["lin_1991"].run
BIAS = QUANTITIES["bias"].methods["lin_1991"].run
CORIOLIS = QUANTITIES["coriolis_matrix"].methods["lin_1991"].run

ROBOTS = random_robots(seed=3, sizes=(1, 3, 6))


def cost(quantity: str, method: str, n: int) -> Operations:
    entry, chain = QUANTITIES[quantity], chain_of(generic(n))
    run = entry.methods[method].run
    return cost_of(lambda *a: run(chain, *a), entry.inputs, entry.shapes(n))


def cost_of(
    run: Callable[..., Any], inputs: tuple[str, ...], shapes: dict[str, tuple[int, ...]]
) -> Operations:
    n = max(next(iter(shapes.values())))
    outputs = [Slot(name, shape) for name, shape in shapes.items()]
    return count(trace(run, [Slot(name, (n,)) for name in inputs], outputs))


def both(chain: Chain, q: list[float], qd: list[float]) -> tuple[object, object]:
    return H(chain, q), BIAS(chain, q, qd)


@pytest.mark.parametrize("n", range(3, 11))
def test_inertia_matrix_needs_less_than_the_paper(n: int) -> None:
    got = cost("mass_matrix", "lin_1991", n)
    assert got.mul <= 10.5 * n**2 + 15.5 * n - 43 < 10.5 * n**2 + 38.5 * n - 85
    assert got.add <= 6 * n**2 + 33 * n - 61 < 6 * n**2 + 39 * n - 70


@pytest.mark.parametrize("n", range(3, 11))
def test_inertia_matrix_with_bias_needs_less_than_the_paper(n: int) -> None:
    chain = chain_of(generic(n))
    shapes = {"H": (n, n), "b": (n,)}
    got = cost_of(lambda q, qd: both(chain, q, qd), ("q", "qd"), shapes)
    assert got.mul <= 21 * n**2 + 19 * n - 54 < 23 * n**2 + 44 * n - 82
    assert got.add <= 16 * n**2 + 26 * n - 59 < 15 * n**2 + 40 * n - 70


@pytest.mark.parametrize("n", range(3, 11))
def test_gravity_from_constant_moments_costs_16_per_joint(n: int) -> None:
    got = cost("gravity", "lin_1994", n)
    assert (got.mul, got.add) == (16 * n - 20, 11 * n - 14)


@pytest.mark.parametrize("method", [m for m in QUANTITIES["gravity"].methods if m != "lin_1994"])
def test_no_gravity_is_cheaper_than_lin_1994(method: str) -> None:
    assert cost("gravity", "lin_1994", 6) <= cost("gravity", method, 6)


def test_coriolis_matrix_costs_of_order_n_squared() -> None:
    costs = [cost("coriolis_matrix", "lin_1991", n) for n in range(4, 10)]
    for counted in ([c.mul for c in costs], [c.add for c in costs]):
        assert not np.diff(counted, 3).any()
    assert costs[2].mul <= 985 and costs[2].add <= 816  # n = 6


def test_leading_slides_need_no_moments() -> None:
    """O stands on the first rotational joint: joints that slide before it only move masses."""
    chain = chain_of(generic(6))
    slid = Chain((chain_of(generic(3, type=2))[3], *chain.links), chain.g, chain.base, chain.tool)
    extra = cost_of(lambda q: H(slid, q), ("q",), {"H": (7, 7)}).mul
    extra -= cost("mass_matrix", "lin_1991", 6).mul
    first_moment_of_body_2, axis_down_the_arm, products = 6, 2 + 8 * 5 - 4, 2 * 6
    assert extra <= first_moment_of_body_2 + axis_down_the_arm + products


def test_velocities_times_coriolis_matrix_are_bias_without_gravity() -> None:
    for robot in ROBOTS:
        state, model = random_state(robot), pinocchio_model(robot)
        data, q, qd = model.createData(), state["q"], state["qd"]
        C = np.array(CORIOLIS(chain_of(robot), q.tolist(), qd.tolist()))
        gravity = pin.computeGeneralizedGravity(model, data, q).copy()
        expected = pin.nonLinearEffects(model, data, q, qd) - gravity
        assert relative_error(C @ qd, expected) < 1e-11, robot.name


def test_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew() -> None:
    step = 1e-5
    for robot in ROBOTS:
        state, model = random_state(robot), pinocchio_model(robot)
        data, q, qd = model.createData(), state["q"], state["qd"]
        C = np.array(CORIOLIS(chain_of(robot), q.tolist(), qd.tolist()))
        ahead, behind = (pin.crba(model, data, q + h * qd).copy() for h in (step, -step))
        rate = np.triu(ahead - behind) / (2 * step)
        rate = rate + np.triu(rate, 1).T
        size = max(np.abs(rate).max(), 1e-3)
        assert np.abs(rate - C - C.T).max() / size < 1e-7, robot.name


def test_coriolis_matrix_is_of_christoffel_symbols() -> None:
    """C_mj = sum_k (dM_mj/dq_k + dM_mk/dq_j - dM_kj/dq_m) qd_k / 2, by differences of M."""
    step = 1e-5
    for robot in ROBOTS:
        state, model = random_state(robot), pinocchio_model(robot)
        data, q, qd = model.createData(), state["q"], state["qd"]
        dM = np.empty((robot.n, robot.n, robot.n))  # dM[k] is dM/dq_k
        for k, e in enumerate(np.eye(robot.n)):
            ahead, behind = (pin.crba(model, data, q + h * e).copy() for h in (step, -step))
            upper = np.triu(ahead - behind) / (2 * step)
            dM[k] = upper + np.triu(upper, 1).T
        symbols = (dM.transpose(1, 2, 0) + dM.transpose(1, 0, 2) - dM) / 2  # [m, j, k]
        expected = np.einsum("mjk,k->mj", symbols, qd)
        C = CORIOLIS(chain_of(robot), q.tolist(), qd.tolist())
        assert relative_error(C, expected) < 1e-7, robot.name


def test_any_origin_gives_the_same_matrix() -> None:
    for robot in ROBOTS:
        chain, q = chain_of(robot), random_state(robot)["q"]
        for k in range(1, robot.n + 1):
            assert relative_error(lin_1991.mass_matrix(chain, q, origin=k), H(chain, q)) < 1e-12


def test_the_earlier_method_takes_about_what_table_i_prints() -> None:
    for n in range(3, 9):
        found = armdyn.operation_counts("mass_matrix", "lin_1990", n)
        assert abs(found.mul / ((7 * n**3 + 99 * n**2 - 214 * n) / 6 + 19) - 1) < 0.01
        assert found.add < n**3 + 13.5 * n**2 - 28.5 * n + 14
