"""One joint's frame: rotations and shifts as matrices say, for the operations promised."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armdyn import Joint, Robot
from armdyn.algorithms.frame import Frame, frame
from armdyn.graph.count import count
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import chain_of, exact_cos_sin
from support.robots import relative_error

ANGLES = [0.4, 0.0, math.pi / 2, -math.pi / 2, math.pi]
V = (0.3, -1.2, 0.7)
X = (1.0, 0.2, -0.3, 2.0, 0.4, 3.5)


def placed(beta: float, theta: float, kind: str = "prismatic") -> Frame:
    joint = Joint(kind=kind, beta=beta, theta=theta, b=0.2, d=0.5)  # type: ignore[arg-type]
    return frame(chain_of(Robot([joint])).links[0], 0.0)


def rotation(beta: float, theta: float) -> np.ndarray:
    (Cb, Sb), (C, S) = exact_cos_sin(beta), exact_cos_sin(theta)
    return np.array([[1, 0, 0], [0, Cb, -Sb], [0, Sb, Cb]]) @ [[C, -S, 0], [S, C, 0], [0, 0, 1]]


def square(x: tuple) -> np.ndarray:
    return np.array([[x[0], x[1], x[2]], [x[1], x[3], x[4]], [x[2], x[4], x[5]]])


@pytest.mark.parametrize("beta", ANGLES)
@pytest.mark.parametrize("theta", ANGLES)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_frame_does_what_its_rotation_matrix_does(beta: float, theta: float, kind: str) -> None:
    F, R = placed(beta, theta, kind), rotation(beta, theta)
    assert relative_error(F.to_parent(V), R @ V) < 1e-15
    assert relative_error(F.to_child(V), R.T @ V) < 1e-15
    assert relative_error(square(F.symmetric_to_parent(X)), R @ square(X) @ R.T) < 1e-15
    assert relative_error(F.z, R[:, 2]) < 1e-15
    assert relative_error(F.z_previous, R[2]) < 1e-15
    assert relative_error(F.s, np.array([0.2, 0, 0]) + 0.5 * R[:, 2]) < 1e-15
    assert relative_error(F.s_own, R.T @ F.s) < 1e-15


@pytest.mark.parametrize(("beta", "expected"), [(0.4, (16, 15)), (math.pi / 2, (8, 8))])
def test_similarity_costs_what_it_says(beta: float, expected: tuple[int, int]) -> None:
    link = chain_of(Robot([Joint(beta=beta)])).links[0]
    code = trace(
        lambda q, x: frame(link, q[0]).symmetric_to_parent(tuple(x)),
        [Slot("q", (1,)), Slot("x", (6,))],
        [Slot("y", (6,))],
    )
    got = count(code)
    assert (got.multiplications, got.additions) == expected


@pytest.mark.parametrize("quarter", range(-6, 7))
def test_right_angles_are_exact(quarter: int) -> None:
    C, S = exact_cos_sin(quarter * math.pi / 2)
    assert {abs(C), abs(S)} == {0.0, 1.0}
    assert abs(C - math.cos(quarter * math.pi / 2)) < 1e-15
    assert abs(S - math.sin(quarter * math.pi / 2)) < 1e-15


@pytest.mark.parametrize("angle", [1e-11, math.pi / 2 + 1e-11, 0.5, 100 * math.pi + 1e-10, 1e9])
def test_other_angles_are_left_alone(angle: float) -> None:
    assert exact_cos_sin(angle) == (math.cos(angle), math.sin(angle))
