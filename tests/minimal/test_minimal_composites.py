"""The minimal set, the mass matrix made from it alone, and the cheapest mass matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from armdyn import Joint, Robot, generic, methods, operation_counts
from armdyn.algorithms import lin_fang_1_minimal, lin_fang_2_minimal, split
from armdyn.algorithms.inertia_constants import Body
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.structure import structure
from armdyn.arm.pinocchio import pinocchio_model
from armdyn.graph.count import count
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import chain_of
from armdyn.robot.library import random_joint
from support.robots import oracle, random_robots, random_state, relative_error

H = math.pi / 2
MASS_MATRICES = {
    "lin_fang_1_minimal": lin_fang_1_minimal.mass_matrix,
    "lin_fang_2_minimal": lin_fang_2_minimal.mass_matrix,
    "split": split.mass_matrix,
}


def arm(
    name: str, rows: list[tuple[float, ...]], kinds: str, gravity: tuple[float, float, float]
) -> Robot:
    """An arm with the geometry (beta, b, d) given and links that have no symmetry."""
    rng = np.random.default_rng(11)
    joints: list[Joint] = []
    for kind, (beta, b, d) in zip(kinds, rows, strict=True):
        joints.append(replace(random_joint(rng, kind == "P"), beta=beta, b=b, theta=0.0, d=d))
    return Robot(joints, gravity=gravity, name=name)


DOWN = (0.0, 0.0, -9.81)
SIDE = (0.0, -9.81, 0.0)
NOWHERE = (0.0, 0.0, 0.0)
PUMA = [(0, 0, 0), (-H, 0, 0.24), (0, 0.43, -0.09), (H, 0.02, 0.43), (-H, 0, 0), (H, 0, 0)]
PUMA_CRAIG = [(0, 0, 0), (-H, 0, 0), (0, 0.43, 0.15), (-H, 0.02, 0.43), (H, 0, 0), (-H, 0, 0)]
STANFORD = [(0, 0, 0), (-H, 0, 0.15), (H, 0, 0), (0, 0, 0), (-H, 0, 0), (H, 0, 0)]
IIWA = [(0, 0, 0), (-H, 0, 0), (H, 0, 0.4), (H, 0, 0), (-H, 0, 0.4), (-H, 0, 0), (H, 0, 0.1)]
SCARA = [(0, 0, 0), (0, 0.3, 0), (0, 0.25, 0), (0, 0, 0)]
PLANAR = [(0, 0, 0), (0, 0.3, 0), (0, 0.25, 0)]

# The number of minimal parameters of arms whose number is known.
KNOWN_NUMBERS = [
    (arm("puma", PUMA, "RRRRRR", DOWN), 36),
    (arm("puma on a wall", PUMA, "RRRRRR", SIDE), 38),
    (arm("iiwa", IIWA, "RRRRRRR", DOWN), 43),
    (arm("iiwa tilted", IIWA, "RRRRRRR", (1.0, 2.0, -9.0)), 45),
    (arm("stanford", STANFORD, "RRPRRR", DOWN), 33),
    (arm("scara rrpr", SCARA, "RRPR", DOWN), 8),
    (arm("scara rrrp", SCARA, "RRRP", DOWN), 8),
    (arm("scara prrr", SCARA, "PRRR", DOWN), 8),
    (arm("cylindrical", [(0, 0, 0), (0, 0, 0), (H, 0, 0)], "RPP", DOWN), 5),
    (arm("polar", [(0, 0, 0), (H, 0, 0), (H, 0, 0)], "RRP", DOWN), 12),
    (arm("gantry", [(0, 0, 0), (H, 0, 0), (H, 0, 0)], "PPP", DOWN), 3),
    (arm("horizontal slide, upright axis", [(H, 0, 0), (-H, 0, 0)], "PR", DOWN), 4),
    (arm("upright axes, horizontal slide", [(0, 0, 0), (H, 0, 0), (-H, 0, 0)], "RPR", DOWN), 7),
    (arm("planar in the vertical", PLANAR, "RRR", SIDE), 9),
    (arm("planar in the horizontal", PLANAR, "RRR", DOWN), 7),
    (arm("coaxial", [(0, 0, 0), (0, 0, 0.2)], "RR", DOWN), 2),
    (arm("pendulum", [(0, 0, 0)], "R", SIDE), 3),
    (arm("turntable", [(0, 0, 0)], "R", DOWN), 1),
]
SPECIAL = [robot for robot, _ in KNOWN_NUMBERS]


def regressors(robot: Robot) -> np.ndarray:
    """Pinocchio's torque regressors at random states, stacked, in columns of equal size."""
    rng = np.random.default_rng(5)
    model = pinocchio_model(robot)
    data = model.createData()
    rows = [
        pin.computeJointTorqueRegressor(model, data, *rng.uniform(-2, 2, (3, robot.n)))
        for _ in range(12 * robot.n + 6)
    ]
    return np.vstack([np.reshape(row, (robot.n, 10 * robot.n)) for row in rows])


def rank(matrix: np.ndarray) -> int:
    size = np.linalg.norm(matrix, axis=0)
    values = np.linalg.svd(matrix / np.where(size > 1e-12, size, 1.0), compute_uv=False)
    return int(np.sum(values > 1e-9 * values[0]))


def set_matrix(robot: Robot) -> np.ndarray:
    """The matrix that makes the set from all link parameters, these in Pinocchio's order."""
    chain = chain_of(robot)
    found = structure(chain)
    columns: list[list[float]] = []
    for k in range(10 * robot.n):
        x = np.zeros((robot.n, 10))
        x.flat[k] = 1.0
        links = {
            i: Body(m, (hx, hy, hz), (xx, xy, xz, yy, yz, zz))
            for i, (m, hx, hy, hz, xx, xy, yy, xz, yz, zz) in enumerate(x.tolist(), 1)
        }
        columns.append([float(value) for _, _, value in minimal_set(chain, found, links)])
    return np.array(columns).T


@pytest.mark.parametrize("robot", random_robots() + random_robots(1), ids=lambda r: r.name)
def test_set_spans_what_torques_can_tell_and_no_more(robot: Robot) -> None:
    Y, P = regressors(robot), set_matrix(robot)
    assert len(P) == np.linalg.matrix_rank(P) == rank(Y)
    assert rank(np.vstack([Y, P])) == rank(Y)


@pytest.mark.parametrize(("robot", "number"), KNOWN_NUMBERS, ids=lambda x: getattr(x, "name", None))
def test_set_has_the_known_number_of_values(robot: Robot, number: int) -> None:
    chain = chain_of(robot)
    assert len(minimal_set(chain, structure(chain))) == number == rank(regressors(robot))


def test_set_matrix_applied_to_link_parameters_gives_the_values() -> None:
    for robot in [*random_robots()[3::6], *SPECIAL]:
        chain = chain_of(robot)
        x = np.concatenate([i.toDynamicParameters() for i in pinocchio_model(robot).inertias[1:]])
        values = [value for _, _, value in minimal_set(chain, structure(chain))]
        assert relative_error(set_matrix(robot) @ x, values) < 1e-12, robot.name


@pytest.mark.parametrize("method", MASS_MATRICES)
def test_special_arms_match_pinocchio_with_and_without_gravity(method: str) -> None:
    weightless = [
        replace_gravity(robot, NOWHERE) for robot in [*SPECIAL, *random_robots(2, (3, 5))]
    ]
    for robot in [*SPECIAL, *weightless]:
        state = random_state(robot)
        got = MASS_MATRICES[method](chain_of(robot), state["q"].tolist())
        assert relative_error(got, oracle(robot, state)["mass_matrix"]) < 1e-12, robot.name


def replace_gravity(robot: Robot, gravity: tuple[float, float, float]) -> Robot:
    return Robot(robot.joints, gravity=gravity, base=robot.base, name=robot.name)


@pytest.mark.parametrize("twist", [1e-4, 1e-6, 1e-8, 1e-9, 1e-11, 2e-12])
def test_axes_almost_parallel_cost_no_accuracy(twist: float) -> None:
    """Dividing by a small sine of a twist must not magnify rounding."""
    joints = [replace(j, beta=twist) for j in generic(5).joints]
    robot = Robot(joints)
    state = random_state(robot)
    for name, run in MASS_MATRICES.items():
        got = run(chain_of(robot), state["q"].tolist())
        assert relative_error(got, oracle(robot, state)["mass_matrix"]) < 1e-13, name


def test_joints_r_and_s_are_found() -> None:
    def r_s(rows: list[tuple[float, ...]], kinds: str) -> tuple[int, int]:
        found = structure(chain_of(arm("", rows, kinds, DOWN)))
        return found.r, found.s

    assert r_s(PUMA, "RRRRRR") == (1, 2)
    assert r_s(SCARA, "PRRR") == (2, 5)
    assert r_s(PLANAR, "PPP") == (4, 4)
    assert r_s([(0, 0, 0), (0.7, 0, 0), (-0.7, 0.1, 0), (0.4, 0, 0)], "RPRR") == (1, 4)
    assert r_s([(0, 0, 0), (math.pi, 0.2, 0), (0.4, 0, 0)], "RRR") == (1, 3)


def test_every_pivot_gives_the_same_matrix() -> None:
    for robot in [*random_robots(3)[5::6], SPECIAL[0], SPECIAL[5]]:
        chain, q = chain_of(robot), random_state(robot)["q"].tolist()
        expected = split.mass_matrix(chain, q)
        for pivot in range(1, robot.n + 1):
            assert relative_error(split.mass_matrix(chain, q, pivot), expected) < 1e-12, robot.name


def operations(run: Callable[..., object], robot: Robot) -> tuple[int, int]:
    n, chain = robot.n, chain_of(robot)
    inputs, outputs = [Slot("q", (n,))], [Slot("M", (n, n))]
    total = count(trace(lambda q: run(chain, q), inputs, outputs))
    return total.multiplications, total.additions


# What Formulations 1 and 2 with Table VII take: coefficients of n^2, n and 1 of M and of A, traced
# and as [LinFang1999] Table VIII prints them.
TRACED_AND_PRINTED = {
    ("lin_fang_1_minimal", 1): ((10, -4, -17), (6, 16, -51), (10, 14, -37), (6, 23, -53)),
    ("lin_fang_2_minimal", 1): ((11.5, -0.5, -30), (8, 13, -52), (11.5, 4.5, -31), (8, 15, -47)),
    ("lin_fang_1_minimal", 2): ((10, -4, -18), (6, 16, -56), (10, 14, -45), (6, 23, -59)),
    ("lin_fang_2_minimal", 2): ((11.5, -13.5, 6), (8, 2, -20), (11.5, -8.5, 15), (8, 4, -13)),
}


def polynomial(coefficients: tuple[float, float, float], n: int) -> float:
    a, b, c = coefficients
    return a * n * n + b * n + c


@pytest.mark.parametrize(("method", "kind"), TRACED_AND_PRINTED)
def test_formulations_take_less_than_printed(method: str, kind: int) -> None:
    M, A, printed_M, printed_A = TRACED_AND_PRINTED[method, kind]
    for n in range(4 if kind == 1 else 6, 12, 2):
        mul, add = operations(MASS_MATRICES[method], generic(n, kind))
        assert mul <= polynomial(M, n) < polynomial(printed_M, n), n
        assert add <= polynomial(A, n) < polynomial(printed_A, n), n


# Multiplications and additions of `split` by type and number of joints. They may fall, not rise.
SPLIT = {
    1: {2: (12, 8), 3: (58, 49), 4: (119, 103), 5: (190, 166), 6: (276, 237), 7: (381, 320),
        8: (490, 409), 9: (620, 509), 10: (759, 619), 11: (914, 736)},
    2: {3: (36, 32), 4: (118, 99), 5: (186, 161), 6: (265, 226), 7: (354, 299),
        8: (462, 384), 9: (579, 478), 10: (712, 580), 11: (859, 695)},
}  # fmt: skip


@pytest.mark.parametrize("kind", SPLIT)
def test_split_takes_no_more_operations_than_it_did(kind: int) -> None:
    for n, (mul, add) in SPLIT[kind].items():
        done = operations(split.mass_matrix, generic(n, kind))
        assert done[0] <= mul and done[1] <= add, (n, done)


@pytest.mark.parametrize("kind", SPLIT)
def test_split_is_the_cheapest_mass_matrix(kind: int) -> None:
    for n in SPLIT[kind].keys() - {7, 9, 10}:  # tracing every method takes its time
        # `met` is for trees, and may take a product less on an arm of four joints
        names = [m for m in methods("mass_matrix") if m != "met"]
        counts = {m: operation_counts("mass_matrix", m, n, kind) for m in names}
        by_cost = sorted(counts, key=lambda m: (counts[m].multiplications, counts[m].additions))
        assert by_cost[0] == "split", (n, {m: str(counts[m]) for m in by_cost[:2]})


def test_split_is_cheap_on_arms_of_right_angles() -> None:
    known = {
        arm("puma", PUMA_CRAIG, "RRRRRR", DOWN): (127, 118),
        arm("stanford", STANFORD, "RRPRRR", DOWN): (88, 84),
        arm("iiwa", IIWA, "RRRRRRR", DOWN): (141, 126),
        arm("scara", SCARA, "RRPR", DOWN): (12, 12),
        arm("planar", PLANAR, "RRR", SIDE): (11, 13),
    }
    for robot, (mul, add) in known.items():
        done = operations(split.mass_matrix, robot)
        assert done[0] <= mul and done[1] <= add, (robot.name, done)


def test_estimate_finds_a_pivot_close_to_the_cheapest() -> None:
    robots = [*SPECIAL[:6], generic(5), generic(7), generic(6, 2), *random_robots(1, (6,))]
    for robot in robots:
        chosen = sum(operations(split.mass_matrix, robot))
        best = min(
            sum(operations(lambda c, q, p=pivot: split.mass_matrix(c, q, p), robot))
            for pivot in range(1, robot.n + 1)
        )
        assert chosen <= 1.05 * best, (robot.name, chosen, best)
