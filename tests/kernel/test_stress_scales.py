"""Links of very different sizes in one arm: rounding is dropped, physics is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armdyn import Joint, Robot
from armdyn.algorithms.last_frame import with_last_frame_chosen
from armdyn.algorithms.table import QUANTITIES
from armdyn.algorithms.vector import clean_sum, clean_symmetric
from armdyn.robot.chain import chain_of
from support.robots import oracle, random_state

H = math.pi / 2
ON_AXIS = Joint(mass=1e3, com=(0.0, 0.0, 10.0))  # 1e5 kg m^2 across the axis, nothing about it
LIGHT = dict(mass=1e-3, com=(1e-3, 2e-4, 0.0), inertia=(1e-9, 0, 0, 1e-9, 0, 1e-9))
SLIDE = Joint(kind="prismatic", mass=1e3, com=(0.0, 0.0, 10.0))
ROBOTS = [
    Robot([ON_AXIS, Joint(beta=H, **LIGHT)], name="light tool across"),
    Robot([ON_AXIS, Joint(beta=0.7, d=0.1, **LIGHT)], name="light tool inclined"),
    Robot([ON_AXIS, Joint(b=0.01, **LIGHT), Joint(beta=-H, **LIGHT)], name="two light links"),
    Robot([Joint(**LIGHT), SLIDE], name="heavy slide on the axis"),
    Robot([Joint(**LIGHT), SLIDE, Joint(beta=H, **LIGHT)], name="light tool on a heavy slide"),
]


@pytest.mark.parametrize("method", QUANTITIES["mass_matrix"].methods)
def test_light_link_is_not_lost_beside_a_heavy_one(method: str) -> None:
    run = QUANTITIES["mass_matrix"].methods[method].run
    for robot in ROBOTS:
        state, chain = random_state(robot), chain_of(robot)
        expected = np.array(oracle(robot, state)["mass_matrix"])
        size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
        for same in (chain, with_last_frame_chosen(chain)):
            got = np.array(run(same, state["q"].tolist()))
            assert np.abs((got - expected) / size).max() < 1e-9, robot.name


def test_what_cancels_is_dropped_and_what_is_small_is_kept() -> None:
    assert clean_sum((0.1 + 0.2, 1e-12, 1e9), (-0.3, 0.0, 1.0)) == (0.0, 1e-12, 1e9 + 1.0)
    tensor = (1.0, 1e-17, 0.0, 1.0, 1e-17, 1e-20)
    assert clean_symmetric(tensor, tensor) == (1.0, 0.0, 0.0, 1.0, 1e-17, 1e-20)
