"""Claims that need a computation of their own: a closed loop, smooth accelerations."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.algorithms.table import QUANTITIES
from armdyn.robot.chain import chain_of
from armdyn.robot.library import generic
from armdyn_papers.as_printed import walker_orin
from armdyn_papers.as_printed.lines import Lines
from armdyn_papers.studies import four_bar, smoothness
from armdyn_papers.studies.four_bar import (
    COUPLER,
    CRANK,
    FRAME,
    GRAVITY,
    MASSES,
    ROCKER,
    TwoChains,
    angles,
    closed_loop,
    crank_acceleration,
    simulated,
    slopes,
)
from armdyn_papers.verdict import of_differences


def test_angles_close_the_loop_and_slopes_are_their_derivatives() -> None:
    step = 1e-5
    for theta in np.linspace(-3.0, 3.0, 7):
        phi, psi = angles(theta)
        ends = (
            CRANK * np.exp(1j * theta) + COUPLER * np.exp(1j * phi),
            FRAME + ROCKER * np.exp(1j * psi),
        )
        assert abs(ends[0] - ends[1]) < 1e-14
        after, before = np.array(angles(theta + step)), np.array(angles(theta - step))
        first, second = np.split(np.array(slopes(theta)), 2)
        assert np.allclose((after - before) / (2 * step), first, atol=1e-8)
        now = np.array(angles(theta))
        assert np.allclose((after - 2 * now + before) / step**2, second, atol=1e-4)


def test_two_chains_make_the_four_bar_of_the_closed_form() -> None:
    found = closed_loop()
    assert 0.0 <= found.printed < 1e-12
    assert of_differences(found.printed, found.corrected) == "holds"


def test_a_wrong_loop_is_seen(monkeypatch) -> None:
    monkeypatch.setattr(four_bar, "ROCKER", 0.9)  # of the closed form alone, not of the arms
    arms = TwoChains()
    monkeypatch.setattr(four_bar, "ROCKER", 0.8)
    monkeypatch.setattr(four_bar, "TwoChains", lambda: arms)
    assert closed_loop().printed > 1e-3


def test_simulations_of_both_agree_and_keep_their_energy() -> None:
    chains = TwoChains()
    q, qd = chains.closed(0.4, 0.5)
    rest = np.zeros(3)
    end = simulated(lambda x, v: chains.accelerations(x, v, rest), q, qd, 2000, 1.2)
    theta, rate = simulated(
        lambda x, v: np.array([crank_acceleration(float(x[0]), float(v[0]), 0.0)]),
        np.array([0.4]), np.array([0.5]), 2000, 1.2,
    )  # fmt: skip
    assert abs(theta[0] - 0.4) > 0.5  # it has moved
    wanted = chains.closed(float(theta[0]), float(rate[0]))
    assert np.abs(end[0] - wanted[0]).max() < 1e-8
    assert np.abs(end[1] - wanted[1]).max() < 1e-7
    energies = [energy(chains, *state) for state in ((q, qd), end)]
    assert abs(energies[1] - energies[0]) < 1e-8 * MASSES[1] * GRAVITY


def energy(chains: TwoChains, q: np.ndarray, qd: np.ndarray) -> float:
    arms = ((chains.crank, slice(0, 2)), (chains.rocker, slice(2, 3)))
    return sum(
        float(arm.kinetic_energy(q[part], qd[part])) + float(arm.potential_energy(q[part]))
        for arm, part in arms
    )


def test_recursions_take_fewer_evaluations_of_a_badly_conditioned_arm_in_single_precision() -> None:
    found = smoothness.smoother_recursions()
    assert (found.printed, found.corrected) == (3, 0)
    assert of_differences(found.printed, found.corrected) == "holds with a correction"


@pytest.mark.parametrize("name", smoothness.ARMS)
def test_evaluations_in_double_precision_do_not_depend_on_the_method(name: str) -> None:
    methods = (*smoothness.RECURSIONS, *smoothness.BY_MATRIX)
    counts = [smoothness.evaluations(name, method, np.float64) for method in methods]
    assert max(counts) < 1.02 * min(counts)


def test_driving_axes_save_the_same_for_every_n() -> None:
    for n in (2, 3, 6, 9):
        more, less = walker_orin.operations(n)
        assert (more[0] - less[0], more[1] - less[1]) == (45, 29)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_both_systems_of_frames_give_the_inertia_matrix(n: int) -> None:
    chain, q = chain_of(generic(n)), np.linspace(0.3, 1.2, n).tolist()
    wanted = QUANTITIES["mass_matrix"].methods["denoc"].run(chain, q)
    for run in (walker_orin.denavit_hartenberg, walker_orin.driving_axes):
        assert np.allclose(run(chain, q, Lines()), wanted, rtol=1e-12, atol=1e-13)
