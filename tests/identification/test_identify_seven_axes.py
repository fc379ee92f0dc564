"""A synthetic arm of the Panda's geometry: 20 s at 1 kHz, noise as of a good torque sensor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Log, Robot
from armdyn.identification.identify import identify
from support.identification import example_robot, true_values

SIGMA = np.array([0.6, 0.8, 0.4, 0.5, 0.12, 0.10, 0.05])
ENCODER = 1e-5
ACCELERATION = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])
SHARE = 0.95
HARMONICS = np.arange(1, 6)[:, None]


def motion(arm: Arm, seed: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Five harmonics of 0.1 Hz that reach 95 % of the tightest limit of every joint."""
    rng = np.random.default_rng([seed, 5])
    w = 2 * np.pi * 0.1 * HARMONICS
    a, b = rng.normal(size=(2, 5, arm.n))

    def at(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s, c = np.sin(w * t).T, np.cos(w * t).T
        return s @ (a / w) - c @ (b / w), c @ a + s @ b, c @ (b * w) - s @ (a * w)

    joints = arm.robot.joints
    low, high = np.array([j.lower for j in joints]), np.array([j.upper for j in joints])
    q, qd, qdd = at(np.linspace(0, 10, 400))
    middle, half = (q.max(0) + q.min(0)) / 2, (q.max(0) - q.min(0)) / 2
    tightest = [
        (high - low) / 2 / half,
        np.array([j.velocity for j in joints]) / np.abs(qd).max(0),
        ACCELERATION / np.abs(qdd).max(0),
    ]
    scale = SHARE * np.min(tightest, axis=0)
    q, qd, qdd = at(t)
    return (low + high) / 2 + scale * (q - middle), scale * qd, scale * qdd


def exciting(arm: Arm, seed: int) -> int:
    """The best of some motions, by the determinant of the information."""
    found = []
    for k in range(20 * seed, 20 * seed + 20):
        Y = arm.minimal.regressor(*motion(arm, k, np.arange(0, 10, 0.2))) / SIGMA[:, None]
        Y = Y.reshape(-1, Y.shape[-1])
        found.append((np.linalg.slogdet(Y.T @ Y)[1], k))
    return max(found)[1]


def with_other_links(arm: Arm, rng: np.random.Generator) -> Arm:
    """The geometry with links of a few point masses each, and friction."""
    joints = []
    for joint in arm.robot.joints:
        m, p = rng.uniform(0.2, 0.8, 6), rng.uniform(-0.12, 0.12, (6, 3))
        c = m @ p / m.sum()
        d = p - c
        I = np.einsum("k,kij->ij", m, np.einsum("ki,ki->k", d, d)[:, None, None] * np.eye(3))
        I = I - np.einsum("k,ki,kj->ij", m, d, d)
        joints.append(
            replace(
                joint, mass=m.sum(), com=tuple(c),
                inertia=(I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]),
                viscous=rng.uniform(0.2, 1), coulomb=rng.uniform(0.2, 0.8),
                offset=rng.uniform(-0.2, 0.2),
            )
        )  # fmt: skip
    return Arm(Robot(joints, name="synthetic"))


def without_links(arm: Arm) -> Arm:
    blank = {"mass": 0.0, "com": (0.0, 0.0, 0.0), "inertia": (0.0,) * 6}
    return Arm(Robot([replace(j, **blank) for j in arm.robot.joints], name="blank"))


@pytest.mark.slow
def test_torques_to_a_thirtieth_of_the_noise_and_honest_error_bars() -> None:
    path = example_robot("panda_description/urdf/panda.urdf")
    panda = armdyn.load(path, tip="panda_link8")
    geometry = without_links(panda)
    scores, errors = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        truth = with_other_links(panda, rng)
        t = np.arange(20_000) / 1000.0
        q, qd, qdd = motion(panda, exciting(panda, seed), t)
        tau = truth.inverse_dynamics(q, qd, qdd) + SIGMA * rng.normal(size=q.shape)
        log = Log(t=t, q=q + ENCODER * rng.normal(size=q.shape), tau=tau)
        result = identify(geometry, log, holdout=0.0)
        assert result.passed

        scores.append((result.values - true_values(truth)) / result.std)
        other = motion(panda, 1000 + seed, np.arange(0, 10, 0.01))
        off = result.model.predicted(result.values, *other) - truth.inverse_dynamics(*other)
        errors.append(np.mean(np.sqrt(np.mean(off**2, axis=0)) / SIGMA))
    # Error bars allow for terms of friction that this arm does not have.
    assert 0.3 < np.sqrt(np.mean(np.square(scores))) < 1.1
    assert np.mean(errors) < 0.03
