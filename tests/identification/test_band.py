"""The cut-off by prediction, and the delay of torques behind positions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import armdyn
from armdyn import Arm, InputError, Log
from armdyn.identification.identify import identify
from armdyn.identification.result import Result
from armdyn.identification.signals.band import Band, find_band
from armdyn.identification.signals.delay import Delays
from armdyn.log.filters import choose_cutoff
from support.identification import motion, recorded, small_arm


def quiet(done: int, total: int, what: str) -> None:
    pass


def band(arm: Arm, log: Log, cutoff: float | None = None, delay: float | None = None) -> Band:
    return find_band(
        arm, [log], [], cutoff=cutoff, delay=delay, coupling=None, extra=(), progress=quiet
    )


def late(log: Log, delay: float) -> Log:
    """The log with torques that come later."""
    assert log.tau is not None
    columns = [np.interp(log.t - delay, log.t, column) for column in log.tau.T]
    return replace(log, tau=np.column_stack(columns))


@cache
def noisy_wrists(seed: int = 0) -> Log:
    """20 s at 1 kHz of an arm of seven axes; the encoders of its wrist have coloured noise."""
    arm = Arm(armdyn.generic(7, seed=3))
    rng = np.random.default_rng(seed)
    t = np.arange(20_000) / 1000.0
    q, qd, qdd = motion(7, t, seed)
    tau = arm.inverse_dynamics(q, qd, qdd) + qd + np.sign(qd) * [3.0, 3.0, 3.0, 2.0, 1.0, 1.0, 1.0]
    tau += 0.3 * rng.normal(size=q.shape)
    noise = rng.normal(size=q.shape)
    for k in range(1, len(noise)):
        noise[k] += 0.9 * noise[k - 1]
    q = q + noise * np.array([1, 1, 1, 1, 10, 10, 10]) * 5e-5
    return Log(t=t, q=q, tau=tau, joint_names=arm.joint_names)


def test_noise_of_a_wrist_is_no_motion() -> None:
    arm, log = Arm(armdyn.generic(7, seed=3)), noisy_wrists()
    assert choose_cutoff(log)[0] > 100.0  # by the spectrum of positions alone
    found = [band(arm, part, delay=0.0) for part in (log, log[0:10.0], log[10.0:20.0])]
    cutoffs = [one.cutoff for one in found]
    assert max(cutoffs) < 25.0
    assert min(cutoffs) > 3.0
    assert max(cutoffs) < 2.0 * min(cutoffs)
    assert "explains less than half" in found[0].why


def test_parts_of_a_log_have_similar_cutoffs() -> None:
    arm, log = small_arm(), recorded(small_arm(), duration=30.0)
    rng = np.random.default_rng(4)
    starts = [0.0, *rng.uniform(0.0, 20.0, 8)]
    cutoffs = [band(arm, log[a : a + 10.0], delay=0.0).cutoff for a in starts]
    whole = band(arm, log, delay=0.0).cutoff
    assert max(*cutoffs, whole) < 2.0 * min(*cutoffs, whole)


def test_more_noise_gives_a_lower_cutoff() -> None:
    arm = small_arm()
    # With little noise the band of the motion is the bound.
    cutoffs = [
        band(arm, recorded(arm, noise=noise, encoder=encoder), delay=0.0).cutoff
        for noise, encoder in ((0.05, 1e-5), (1.0, 2e-3), (3.0, 1e-2))
    ]
    assert cutoffs[0] > cutoffs[1] > cutoffs[2]


def error_elsewhere(arm: Arm, result: Result) -> float:
    """Relative error of the torques of a model on another motion, beside the true arm."""
    states = motion(arm.n, np.arange(0.0, 20.0, 0.05), 100)
    true = arm.inverse_dynamics(*states)
    return float(np.linalg.norm(result.arm.inverse_dynamics(*states) - true) / np.linalg.norm(true))


def noisy_or_quantised(arm: Arm, encoder: float, step: float) -> Log:
    log = recorded(arm, duration=30.0, seed=3, encoder=encoder)
    return replace(log, q=step * np.round(log.q / step)) if step else log


@pytest.mark.parametrize(("encoder", "step"), [(1e-3, 0.0), (3e-3, 0.0), (0.0, 2e-3)])
@pytest.mark.parametrize("joints", [3, 4])
def test_noise_that_biases_the_model_lowers_the_cutoff(
    joints: int, encoder: float, step: float
) -> None:
    arm = small_arm() if joints == 3 else Arm(armdyn.generic(joints, seed=1))
    log = noisy_or_quantised(arm, encoder, step)
    predicted = band(arm, log).cutoff
    found = identify(arm, log)
    assert found.about.cutoff <= 0.5 * predicted
    assert any("parts left out" in note for note in found.notes)
    before = error_elsewhere(arm, identify(arm, log, cutoff=predicted))
    assert error_elsewhere(arm, found) < 0.5 * before


@pytest.mark.parametrize("encoder", [1e-6, 1e-5, 1e-4])
def test_a_cutoff_without_bias_stays(encoder: float) -> None:
    arm = small_arm()
    log = noisy_or_quantised(arm, encoder, 0.0)
    training = log.part(0, int(0.7 * len(log)))  # what `identify` does not hold out
    cutoff = identify(arm, training, test=log).about.cutoff
    assert cutoff == band(arm, training).cutoff


def test_a_cutoff_that_is_given_is_not_lowered() -> None:
    arm = small_arm()
    log = noisy_or_quantised(arm, 1e-3, 0.0)
    assert identify(arm, log, cutoff=17.0).about.cutoff == 17.0


def test_a_fast_motion_has_a_cutoff_above_it() -> None:
    arm, log = small_arm(), recorded(small_arm(), duration=40.0)
    fast = Log(t=log.t / 10, q=log.q, tau=_torques(arm, log, 10.0), joint_names=log.joint_names)
    assert band(arm, fast, delay=0.0).cutoff > 3 * 5.0  # the motion ends at 5 Hz


def _torques(arm: Arm, log: Log, faster: float) -> np.ndarray:
    q, qd, qdd = motion(arm.n, log.t, 0)
    return arm.inverse_dynamics(q, faster * qd, faster**2 * qdd)


@pytest.mark.parametrize("delay", [0.004, 0.010, -0.006])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_delay_is_found(delay: float, seed: int) -> None:
    arm = small_arm()
    found = band(arm, late(recorded(arm, seed=seed, duration=30.0), delay))
    assert found.delay == pytest.approx(delay, rel=0.2)
    assert "ms in the halves" in found.notes[0]
    assert ("lag behind" if delay > 0 else "lead") in found.notes[0]


@pytest.mark.parametrize("seed", range(6))
def test_no_delay_is_corrected_where_there_is_none(seed: int) -> None:
    arm = small_arm()
    found = band(arm, recorded(arm, seed=seed))
    assert (found.delay, found.notes) == (0.0, ())


def test_a_delay_of_one_half_only_is_not_corrected() -> None:
    arm = small_arm()
    log = recorded(arm, duration=30.0)
    assert log.tau is not None
    tau = np.where((log.t < 15.0)[:, None], late(log, 0.02).tau, log.tau)
    found = band(arm, replace(log, tau=tau))
    assert found.delay == 0.0
    assert "not repeatable" in found.notes[0]


def test_a_corrected_delay_gives_the_model_without_one() -> None:
    arm = small_arm()
    log = recorded(arm, duration=30.0)
    options = {"physical": False, "cutoff": 8.0}
    plain = identify(arm, log, delay=0.0, **options)
    mended = identify(arm, late(log, 0.01), **options)
    wrong = identify(arm, late(log, 0.01), delay=0.0, **options)
    given = identify(arm, late(log, 0.01), delay=0.01, **options)
    assert mended.delay == pytest.approx(0.01, rel=0.1)
    assert (plain.delay, wrong.delay, given.delay) == (0.0, 0.0, 0.01)
    assert any("as requested" in note for note in given.notes if "shifted" in note)
    off = [np.abs(one.values - plain.values) / plain.std for one in (mended, given, wrong)]
    assert np.median(off[0]) < 0.5
    assert np.median(off[1]) < 0.5
    assert np.median(off[2]) > 1.0
    assert mended.total_error < 1.05 * plain.total_error


def test_what_is_given_is_taken() -> None:
    arm = small_arm()
    found = band(arm, recorded(arm), cutoff=7.0, delay=0.003)
    assert (found.cutoff, found.why, found.delay) == (7.0, "", 0.003)


def test_a_long_log_has_the_band_of_the_same_log_in_memory(tmp_path) -> None:
    arm = small_arm()
    log = late(recorded(arm, duration=30.0), 0.006)
    log.save(tmp_path / "run.npz")
    found = band(arm, Log.stream(tmp_path / "run.npz"))
    assert found == band(arm, log)


def test_windows_of_a_long_log_represent_it() -> None:
    arm = small_arm()
    log = late(recorded(arm, duration=1000.0, rate=400.0), 0.006)
    found, whole = band(arm, log), band(arm, log[0:60.0])
    assert found.cutoff == pytest.approx(whole.cutoff, rel=0.5)
    assert found.delay == pytest.approx(0.006, rel=0.2)


def test_a_log_too_short_for_a_prediction_has_a_cutoff_all_the_same() -> None:
    arm = small_arm()
    found = band(arm, recorded(arm, duration=0.3))
    assert 0.0 < found.cutoff <= 80.0
    assert found.delay == 0.0


@pytest.mark.parametrize("delay", ["late", 2.0, float("nan"), None, (0.1, 0.2)])
def test_a_wrong_delay_is_refused(delay) -> None:
    with pytest.raises(InputError) as caught:
        identify(small_arm(), recorded(small_arm(), duration=1.0), delay=delay)
    assert caught.value.argument == "delay"


@pytest.mark.parametrize("noisy", ["velocities", "positions", "late velocities"])
def test_velocities_are_those_that_explain_the_torques_better(noisy: str) -> None:
    arm, rng = small_arm(), np.random.default_rng(5)
    t = np.arange(2000) / 100.0
    q, qd, qdd = motion(arm.n, t, 0)
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.02 * rng.normal(size=q.shape)
    if noisy == "velocities":
        qd = qd + 0.03 * rng.normal(size=q.shape)
    elif noisy == "late velocities":
        qd = motion(arm.n, t - 0.02, 0)[1]
    else:
        q = q + 1e-3 * rng.normal(size=q.shape)
    found = band(arm, Log(t, q, qd, tau=tau, joint_names=arm.joint_names), cutoff=10.0, delay=0.0)
    assert found.measured == (noisy == "positions")
    assert any("differentiated positions" in note for note in found.notes) == (not found.measured)


@pytest.mark.parametrize(
    ("halves", "same"),
    [
        ((7e-3, 9e-3), True),
        ((-6.6e-3, -4e-3), False),
        ((2e-3, -1e-3), False),
        ((4e-3, 9e-3), False),
    ],
)
def test_halves_agree_on_the_delay_itself(halves: tuple[float, float], same: bool) -> None:
    assert Delays(8e-3, halves, 1e-3, 0.1, 1.0).repeatable is same
    assert not Delays(8e-3, halves, 1e-3, 0.1, 0.5).repeatable  # half of the joints contradict
