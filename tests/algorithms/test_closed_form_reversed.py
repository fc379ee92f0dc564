"""Closed forms seen from the tip: an arm turned round has the same solutions, in reverse order."""

from __future__ import annotations

import math

import numpy as np
import pytest

import armdyn
from armdyn.kinematics.families import closed_form
from armdyn.kinematics.geometry import reverse, rows_of
from armdyn.robot.chain import chain_of
from support.arms import SKEW_WRISTS, wrist_arm

ARMS = {
    "ur5": lambda: armdyn.load("ur5"),
    "puma560": lambda: armdyn.load("puma560"),
    "so101": lambda: armdyn.load("so101"),
    **{words: (lambda rows=rows: wrist_arm(rows)) for words, rows in SKEW_WRISTS.items()},
}


def turned_round(arm: armdyn.Arm) -> tuple[armdyn.Arm, np.ndarray, np.ndarray]:
    """The arm from last link to first, and what stands before joint 1 and behind the tip."""
    rows = rows_of(chain_of(arm.robot))
    joints: list[armdyn.Joint] = []
    for row in reverse(rows):
        beta, theta = math.atan2(row.S, row.C), math.atan2(row.zero[1], row.zero[0])
        joints.append(armdyn.Joint(beta=beta, b=row.b, d=row.d, theta=theta))
    first = np.eye(4)
    C, S = rows[0].twist
    first[1:3, 1:3] = [[C, -S], [S, C]]
    first[0, 3] = rows[0].b
    chain = chain_of(arm.robot)
    return armdyn.Arm(armdyn.Robot(joints)), np.array(chain.base) @ first, np.array(chain.tool)


def angles(arm: armdyn.Arm, T: np.ndarray) -> np.ndarray:
    form = closed_form(chain_of(arm.robot))
    assert form is not None
    found = form.solutions(T.ravel().tolist())
    return np.array([q for q, margin in found if margin > -1e-6])


@pytest.mark.parametrize("name", ARMS)
def test_both_orders_give_the_same_set(name: str) -> None:
    arm = ARMS[name]()
    other, base, tool = turned_round(arm)
    forwards, backwards = arm.closed_form, other.closed_form
    assert forwards is not None and backwards is not None and forwards != backwards
    assert backwards.removesuffix(" (seen from the tip)") == forwards.removesuffix(
        " (seen from the tip)"
    )
    for q in np.random.default_rng(3).uniform(-3.0, 3.0, (8, 6)):
        T = arm.pose(q)
        round_trip = np.linalg.inv(np.linalg.inv(base) @ T @ np.linalg.inv(tool))
        one, two = angles(arm, T), -angles(other, round_trip)[:, ::-1]
        off = np.abs((one[:, None] - two + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)
        loose = 1e-2 if "offset" in forwards or "skew" in forwards else 1e-6  # before polishing
        assert off.min(axis=0).max() < loose and off.min(axis=1).max() < loose
