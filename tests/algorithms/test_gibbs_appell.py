"""Gibbs-Appell and second-moment forms: counts, parts, and the first example of [Mata2002]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Joint, Robot
from armdyn.algorithms import cholesky, gibbs_appell, second_moment
from armdyn.algorithms.link_moments import moments, regrouped
from armdyn.algorithms.table import QUANTITIES
from armdyn.algorithms.vector import inertia_at_origin, trace_minus
from armdyn.graph.count import Operations, count
from armdyn.graph.interpret import ARRAYS, evaluate
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import chain_of
from armdyn.robot.library import random_joint
from support.robots import random_robots, random_state, relative_error

Polynomial = Callable[[int], float]
Counts = tuple[Polynomial, Polynomial, Polynomial | None, Polynomial | None]


def program(robot: Robot, quantity: str, method: str) -> Program:
    entry, chain = QUANTITIES[quantity], chain_of(robot)
    inputs = [Slot(name, (robot.n,)) for name in entry.inputs]
    outputs = [Slot(name, shape) for name, shape in entry.shapes(robot.n).items()]
    return trace(lambda *a: entry.methods[method].run(chain, *a), inputs, outputs)


def operations(robot: Robot, quantity: str, method: str) -> Operations:
    return count(program(robot, quantity, method))


# For n >= 4 revolute joints in general position: M and A that the code takes, then those printed in
# [Mata2002], Tables 1 to 3, for the algorithm (None: not in the paper).
COUNTS: dict[tuple[str, str], Counts] = {
    ("inverse_dynamics", "newton_euler"): (
        lambda n: 117 * n - 137, lambda n: 90 * n - 113,
        lambda n: 150 * n - 48, lambda n: 131 * n - 48,
    ),
    ("inverse_dynamics", "gibbs_appell"): (
        lambda n: 96 * n - 109, lambda n: 84 * n - 100,
        lambda n: 96 * n - 101, lambda n: 84 * n - 100,
    ),
    ("bias", "gibbs_appell"): (
        lambda n: 96 * n - 121, lambda n: 83 * n - 111,
        lambda n: 96 * n - 108, lambda n: 83 * n - 105,
    ),
    ("mass_matrix", "gibbs_appell"): (
        lambda n: (23 * n**2 + 11 * n) / 2 - 36, lambda n: (17 * n**2 + 41 * n) / 2 - 60,
        lambda n: (23 * n**2 + 39 * n) / 2 - 49, lambda n: (17 * n**2 + 63 * n) / 2 - 69,
    ),
    ("forward_dynamics", "gibbs_appell"): (
        lambda n: (n**3 + 78 * n**2 + 611 * n) / 6 - 157,
        lambda n: (n**3 + 57 * n**2 + 620 * n) / 6 - 171,
        lambda n: (n**3 + 78 * n**2 + 695 * n) / 6 - 157,
        lambda n: (n**3 + 60 * n**2 + 683 * n) / 6 - 174,
    ),
    ("inverse_dynamics", "second_moment"): (
        lambda n: 81 * n - 92, lambda n: 69 * n - 83, None, None,
    ),
    ("bias", "second_moment"): (lambda n: 81 * n - 101, lambda n: 68 * n - 91, None, None),
    ("mass_matrix", "second_moment"): (
        lambda n: 10 * n**2 - 2 * n - 26, lambda n: 6 * n**2 + 16 * n - 45, None, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("n", range(4, 10))
@pytest.mark.parametrize(("quantity", "method"), COUNTS)
def test_counts_do_not_exceed_the_known_and_the_printed(quantity: str, method: str, n: int) -> None:
    got = operations(armdyn.generic(n), quantity, method)
    M, A, printed_M, printed_A = COUNTS[quantity, method]
    assert got.multiplications <= M(n)
    assert got.additions <= A(n)
    if printed_M is not None and printed_A is not None:
        assert got.multiplications <= printed_M(n)
        assert got.additions <= printed_A(n)


def test_common_frame_is_the_cheaper_one_from_five_joints_on() -> None:
    for n, cheaper in ((4, False), (5, True), (12, True)):
        robot = armdyn.generic(n)
        common = operations(robot, "mass_matrix", "common_frame")
        passing = operations(robot, "mass_matrix", "second_moment")
        totals = [x.multiplications + x.additions for x in (common, passing)]
        assert (totals[0] < totals[1]) == cheaper, n
    assert common.multiplications <= 1095
    assert common.additions <= 914


@pytest.mark.parametrize(
    ("joints", "quantity", "M", "A"),
    [
        ("RRPRRR", "inverse_dynamics", 389, 323),
        ("RRPRRR", "mass_matrix", 318, 264),
        ("RPRPRP", "inverse_dynamics", 379, 307),
        ("RPRPRP", "mass_matrix", 296, 255),
    ],
)
def test_second_moment_counts_with_sliding_joints(
    joints: str, quantity: str, M: int, A: int
) -> None:
    """An offset of a slide would add one sum, q + d: without it here."""
    rng = np.random.default_rng(3)
    links = [random_joint(rng, prismatic=quantity == "P") for quantity in joints]
    links = [j if j.is_revolute else replace(j, d=0.0) for j in links]
    got = operations(Robot(links, gravity=(3.0, -4.0, -7.0)), quantity, "second_moment")
    assert got.multiplications <= M
    assert got.additions <= A


def test_moments_of_a_link_give_back_its_inertia() -> None:
    for link in chain_of(armdyn.generic(4)).links:
        K = moments(link).K
        assert relative_error(trace_minus(K), inertia_at_origin(link.m, link.c, link.I)) < 1e-15


def test_regrouping_leaves_no_moment_that_the_link_before_can_carry() -> None:
    for robot in random_robots(seed=3):
        chain = chain_of(robot)
        for link, left in zip(chain.links, regrouped(chain)[1:], strict=True):
            if link.rotational:
                assert (left.m, left.h[2], left.K[5]) == (0.0, 0.0, 0.0)
            else:
                assert left.K == (0.0,) * 6


def test_inertial_parameters_may_stay_symbolic() -> None:
    """The torques of a program whose inputs are the masses, too."""
    robot = armdyn.generic(4, type=2)
    chain = chain_of(robot)

    def torques(q: list[float], qd: list[float], qdd: list[float], m: list[float]) -> list[float]:
        links = tuple(replace(link, m=mi) for link, mi in zip(chain.links, m, strict=True))
        return second_moment.inverse_dynamics(replace(chain, links=links), q, qd, qdd)  # type: ignore[return-value]

    code = trace(torques, [Slot(k, (4,)) for k in ("q", "qd", "qdd", "m")], [Slot("tau", (4,))])
    state = np.random.default_rng(0).uniform(-2, 2, (3, 4)).tolist()
    masses = [2.0, 0.5, 3.0, 1.5]
    given = [x for row in (*state, masses) for x in row]
    assert relative_error(evaluate(code, given), torques(*state, masses)) < 1e-13


@pytest.mark.parametrize("n", [1, 2, 5])
def test_cholesky_solves_with_the_operations_it_says(n: int) -> None:
    rng = np.random.default_rng(n)
    B = rng.normal(size=(n, n))
    X = B @ B.T + np.eye(n)
    L = cholesky.cholesky(X.tolist())
    full = np.array([row + [0.0] * (n - len(row)) for row in L])
    assert relative_error(full @ full.T, X) < 1e-14
    y = rng.normal(size=n)
    assert relative_error(cholesky.solve(X.tolist(), y.tolist()), np.linalg.solve(X, y)) < 1e-12

    code = trace(
        lambda X, y: cholesky.solve([X[n * i : n * i + n] for i in range(n)], y),
        [Slot("X", (n, n)), Slot("y", (n,))],
        [Slot("x", (n,))],
    )
    got = count(code)
    cubic = (n**3 - n) // 6
    assert got.multiplications == cubic + n * (n - 1) // 2 + n * (n - 1) + 2 * n
    assert (got.additions, got.sqrt) == (cubic + n * (n - 1), n)


# The two links of [Mata2002] section 5.1: of one density and width, one a hundred times as long as
# the other. The mass of the second, illegible in print, follows from that.
def two_links() -> Robot:
    width = 0.02

    def link(b: float, length: float, mass: float) -> Joint:
        across, along = mass * 2 * width**2 / 12, mass * (length**2 + width**2) / 12
        inertia = (across, 0.0, 0.0, along, 0.0, along)
        return Joint(b=b, mass=mass, com=(length / 2, 0.0, 0.0), inertia=inertia)

    return Robot([link(0.0, 0.02, 0.1), link(0.02, 2.0, 10.0)], gravity=(0.0, -9.81, 0.0))


def on_a_turn(quantity: str, method: str, dtype: type[np.floating]) -> np.ndarray:
    """The outputs at q = (0, q2), q2 in steps of two degrees, everything else zero."""
    code = program(two_links(), quantity, method)
    q2 = np.deg2rad(np.arange(0.0, 360.0, 2.0)).astype(dtype)
    inputs = [np.zeros_like(q2)] * sum(slot.size for slot in code.inputs)
    inputs[1] = q2
    results = [
        np.broadcast_to(np.asarray(x, dtype), q2.shape) for x in evaluate(code, inputs, ARRAYS)
    ]
    assert all(x.dtype == dtype for x in results)
    return np.array(results)


def single_precision_error(method: str) -> float:
    """The largest error of the acceleration of joint 2 [rad/s^2] in single precision."""
    exact = on_a_turn("forward_dynamics", method, np.float64)[1]
    return float(np.abs(on_a_turn("forward_dynamics", method, np.float32)[1] - exact).max())


def test_two_link_example_is_as_ill_conditioned_as_described() -> None:
    D = on_a_turn("mass_matrix", "gibbs_appell", np.float64).T.reshape(-1, 2, 2)
    condition = np.linalg.cond(D)
    assert condition.min() == pytest.approx(1.33e4, rel=0.01)
    assert condition.max() == pytest.approx(5.41e4, rel=0.01)
    qdd1 = on_a_turn("forward_dynamics", "gibbs_appell", np.float64)[0]
    assert (qdd1.min(), qdd1.max()) == pytest.approx((-492.1, -490.9), abs=0.1)


def test_solving_with_the_mass_matrix_loses_digits_that_the_recursion_keeps() -> None:
    """[Mata2002] Table 5 prints 0.53 for the Gibbs-Appell form: the order is reproduced."""
    assert 0.1 < single_precision_error("gibbs_appell") < 3.0
    assert single_precision_error("denoc") < 1e-2 * single_precision_error("gibbs_appell")


def test_the_digits_are_lost_by_the_mass_matrix_not_by_how_it_is_made() -> None:
    """Exact D and b, only rounded to single precision and solved exactly, err as much."""
    D = on_a_turn("mass_matrix", "gibbs_appell", np.float64).T.reshape(-1, 2, 2)
    b = on_a_turn("bias", "gibbs_appell", np.float64).T[..., None]
    exact = np.linalg.solve(D, -b)
    stored = np.linalg.solve(
        D.astype(np.float32).astype(float), -b.astype(np.float32).astype(float)
    )
    error = np.abs(stored - exact)[:, 1].max()
    assert 0.1 < error < 3.0


def test_gravity_in_forces_gives_the_same_torques() -> None:
    for robot in random_robots(seed=4, sizes=(1, 3, 6)):
        chain, state = chain_of(robot), random_state(robot)
        x = [state[name] for name in ("q", "qd", "qdd")]
        expected = gibbs_appell.inverse_dynamics(chain, *x)
        got = gibbs_appell.inverse_dynamics(chain, *x, in_forces=True)
        assert relative_error(got, expected) < 1e-12
