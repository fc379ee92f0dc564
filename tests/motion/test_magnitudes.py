"""Numbers that are very large or very small: right motions, or clear errors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn import InputError
from armdyn.motion.fourier import Fourier
from armdyn.motion.joint_space import JointSpace
from armdyn.motion.minimum_jerk import MinimumJerk
from armdyn.motion.optimal import time_optimal
from armdyn.motion.trajectory import Trajectory
from support.says import Said, facts

SIZES = (1e-300, 1e-29, 1.0, 1e29, 1e300)
SHAPES = ("trapezoid", "quintic")
PATH = [[0.0, 0.0], [1.0, 0.5], [0.2, 1.0]]

MOTIONS: dict[str, Callable[[float, float], Trajectory]] = {
    "waypoints, times": lambda x, y: MinimumJerk([[0, 0], [x, 1], [0, 0]], [0, y, 3 * y]),
    "unequal times": lambda x, y: MinimumJerk(PATH, [0, x, x + y]),
    "waypoints, velocity": lambda x, y: MinimumJerk([[0, 0], [x, 0]], velocity=y),
    "waypoints, acceleration": lambda x, y: MinimumJerk([[0, 0], [x, 1]], acceleration=y),
    "velocity, acceleration": lambda x, y: MinimumJerk(PATH, velocity=x, acceleration=y),
    **{
        f"{what}, {shape}": make
        for shape in SHAPES
        for what, make in {
            "way, velocity": lambda x, y, s=shape: JointSpace([0, 0], [x, 1], y, 1.0, shape=s),
            "way, acceleration": lambda x, y, s=shape: JointSpace([0, 0], [x, 1], 1.0, y, shape=s),
            "velocity, acceleration": lambda x, y, s=shape: JointSpace([0], [1], x, y, shape=s),
            "way, duration": lambda x, y, s=shape: JointSpace([-x], [x], shape=s, duration=y),
        }.items()
    },
    "series": lambda x, y: Fourier([0.0], [[x], [1.0]], [[x], [1.0]], y, at_rest=True),
    "time-optimal": lambda x, y: time_optimal(
        armdyn.load("planar2"), PATH, velocity=x, acceleration=y
    ),
    "time-optimal, path": lambda x, y: time_optimal(
        armdyn.load("planar2"), [[0, 0], [x, 0.5], [0.2, 1]], velocity=1.0, effort=y
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MOTIONS)
def test_motions_are_finite_or_refused(name: str) -> None:
    made = 0
    for x, y in product(SIZES, SIZES):
        try:
            motion = MOTIONS[name](x, y)
        except armdyn.ArmdynError:
            continue
        made += 1
        states = motion.states(np.linspace(0.0, motion.duration, 9))
        assert all(np.isfinite(state).all() for state in states), (x, y)
    assert made


def test_a_joint_that_hardly_moves_does_not_slow_the_others() -> None:
    tiny, still = ([[0.0, 0.0], [1.0, x]] for x in (1e-300, 0.0))
    assert JointSpace(*tiny, 1.0, 2.0).duration == JointSpace(*still, 1.0, 2.0).duration == 1.5
    motions = [MinimumJerk(points, velocity=1.0, acceleration=2.0) for points in (tiny, still)]
    assert motions[0].duration == pytest.approx(motions[1].duration, rel=1e-12)
    assert motions[0].q(motions[0].duration) == pytest.approx([1.0, 1e-300])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: JointSpace([0.0], [1e200], 1.0, 1.0), ("`goal`", "1e+200")),
        (lambda: JointSpace([0.0], [1.0], 1e-200, 1.0), ("`velocity`", "1e-200")),
        (lambda: JointSpace([0.0], [1e-300], 1.0, 1.0), ("limits", "motion")),
        (lambda: JointSpace([0.0], [1.0], duration=1e200), ("`duration`", "1e+200 s")),
        (
            lambda: MinimumJerk([*PATH, *PATH], [0, 1, 1 + 1e-15, 2, 3, 4]),
            "steps",
        ),
        (lambda: MinimumJerk(PATH, [0.0, 1.0, 1e200]), ("`times`", "1e+200 s")),
        (lambda: armdyn.excite(armdyn.load("planar2"), velocity=1e-200), "`velocity` has 1e-200"),
        (lambda: armdyn.excite(armdyn.load("planar2"), noise=1e-200), "`noise` has 1e-200"),
        (lambda: armdyn.excite(armdyn.load("planar2"), position=[0, 1e-200]), "by 1e-30 or more"),
    ],
)
def test_errors_name_the_number(make: Callable[[], object], words: Said) -> None:
    with pytest.raises(InputError, match=facts(words)):
        make()
