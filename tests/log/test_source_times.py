"""Times of samples that stamps do not tell: repeated rows, and stamps of arrival."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Log
from armdyn.cli.options.log import read_logs
from armdyn.log import rows as _slices
from armdyn.log.clock import at_source_times
from armdyn.log.signals import prepare
from support.says import says

PERIOD = 1 / 29.37  # of the source [s]


def motion(t: np.ndarray) -> tuple[np.ndarray, ...]:
    """Positions and their derivatives."""
    w = np.array([1.1, 2.3])
    return np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w)), -(w**2) * np.sin(np.outer(t, w))


def messages(t: np.ndarray) -> dict[str, np.ndarray]:
    q, qd, qdd = motion(t)
    return {"q": q, "qd": qd, "tau": 3.0 * qdd + q}


def recorded(rate: float = 30.0, duration: float = 24.0) -> tuple[Log, np.ndarray]:
    """A log of the newest messages at a clock of its own, and the times of the messages."""
    t = np.arange(0.02, duration, 1 / rate)
    sent = np.floor(t / PERIOD + 1e-9) * PERIOD
    return Log(t, **messages(sent)), sent


def test_repeats_are_left_out_and_the_times_of_the_source_are_found() -> None:
    log, sent = recorded()
    repeats = int((np.diff(sent) == 0.0).sum())
    assert repeats > 10
    left = at_source_times(log)
    assert len(left) == len(log) - repeats
    true = np.unique(sent)
    assert np.ptp(left.t - true) < 1e-3  # a constant lag aside; stamps were off by a period
    assert np.ptp(log.t - sent) > 0.9 * PERIOD
    assert f"{repeats} of {len(log)} rows repeat" in left.notes[-2]
    assert f"equal steps of {PERIOD * 1e3:.3g}" in left.notes[-1]


def test_accelerations_are_right_at_source_times() -> None:
    log, _ = recorded()

    def error(one: Log) -> float:
        found = prepare(one, cutoff=8.0)
        # the source's clock lags behind the recorder's by a part of a period
        lags = np.linspace(0.0, PERIOD, 69)
        true = [motion(found.t - lag)[2] for lag in lags]
        return min(float(np.linalg.norm(found.qdd - x) / np.linalg.norm(x)) for x in true)

    assert error(at_source_times(log)) < 0.01
    assert error(log) > 0.1


def test_a_stall_leaves_the_stamps_as_they_are() -> None:
    t = np.arange(0.0, 10.0, 0.01)
    columns = messages(t)
    for k in (200, 201, 202, 611):
        for column in columns.values():
            column[k] = column[k - 1]
    left = at_source_times(Log(t, **columns))
    kept = np.delete(t, [200, 201, 202, 611])
    assert (left.t == kept).all()
    assert (left.q == motion(kept)[0]).all()
    assert "4 of 1000 rows repeat" in left.notes[-1]
    assert "equal steps" not in left.notes[-1]


@pytest.mark.parametrize("right", ["equal steps", "stamps"])
def test_stamps_are_believed_unless_equal_steps_are_smoother(right: str) -> None:
    even = np.arange(4000) * 0.005
    late = np.random.default_rng(0).normal(size=4000) * 2e-4
    log = Log(even + late, **messages(even if right == "equal steps" else even + late))
    found = at_source_times(log)
    if right == "stamps":
        assert found is log
        return
    assert np.abs(found.t - even).max() < 1e-4
    assert "up to 0.7" in found.notes[-1] or "up to 0.8" in found.notes[-1]
    assert says(found.notes[-1], "stamps")


def test_noise_of_positions_tells_nothing_of_stamps() -> None:
    even = np.arange(4000) * 0.005
    rng = np.random.default_rng(0)
    columns = messages(even)
    columns["q"] = columns["q"] + 1e-2 * rng.normal(size=columns["q"].shape)
    log = Log(even + rng.normal(size=4000) * 2e-4, **columns)
    assert at_source_times(log) is log


def test_all_columns_lose_the_same_rows() -> None:
    log, sent = recorded()
    rows = np.arange(len(log), dtype=np.float64)
    rows[1:][np.diff(sent) == 0.0] -= 1.0
    log = Log(log.t, log.q, log.qd, None, log.tau, extra={"number": rows})
    left = at_source_times(log)
    true = motion(sent[left.extra["number"].astype(int)])
    assert (left.q == true[0]).all()
    assert left.qd is not None
    assert (left.qd == true[1]).all()


@pytest.mark.parametrize("what", ["slow", "rest", "stop", "one column differs", "short"])
def test_what_is_no_repeat_stays(what: str) -> None:
    t = np.arange(0.0, 10.0, 0.001)
    q = np.round(motion(t)[0] / 2e-3) * 2e-3  # stands on one step of the encoder for long
    log = Log(t, q, tau=np.zeros_like(q))
    if what == "rest":
        q = motion(np.clip(t, 0.0, 5.0))[0]
        log = Log(t, q, tau=q)
    elif what == "stop":  # half-way, and on in the same direction
        s = np.where(t < 5.0, np.minimum(t, 4.0) / 4.0, np.minimum(t - 5.0, 4.0) / 4.0)
        q = np.outer(np.where(t < 5.0, 0.0, 1.0) + s * s * (3.0 - 2.0 * s), [1.0, -0.4])
        log = Log(t, q, tau=q)
        assert (np.diff(q[4500:4600], axis=0) == 0.0).all()
    elif what == "one column differs":
        log = recorded()[0]
        assert log.tau is not None
        log = Log(log.t, log.q, tau=log.tau + np.arange(len(log))[:, None])
    elif what == "short":
        log = log.part(0, 1)
    assert at_source_times(log) is log


def test_logs_in_files_and_in_blocks_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, _ = recorded()
    log.save(tmp_path / "run.npz")
    whole = at_source_times(log)
    long = at_source_times(Log.stream(tmp_path / "run.npz"))
    assert (np.asarray(long.t) == whole.t).all()
    monkeypatch.setattr(_slices, "BLOCK", 37)
    parts = at_source_times(Log.stream(tmp_path / "run.npz"))
    for name in ("q", "qd", "tau"):
        assert (np.asarray(getattr(parts, name)) == getattr(whole, name)).all()
    assert np.abs(np.asarray(parts.t) - whole.t).max() < 1e-12


def test_the_command_line_tells_what_was_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arm = armdyn.load("planar2")
    log, _ = recorded()
    log.save(tmp_path / "run.csv")
    (mended,) = read_logs(arm, [tmp_path / "run.csv"], {})
    assert len(mended) < len(log)
    told = capsys.readouterr().err
    assert says(told, f"run.csv: {len(log) - len(mended)} of {len(log)} rows")
    assert says(told, "equal steps")
    assert at_source_times(mended) is mended


@pytest.mark.parametrize("rest", ["none", "at an angle", "half the log", "all but one", "all"])
@pytest.mark.parametrize("noise", [0.0, 1e-5])
@pytest.mark.parametrize("measured", [False, True])
def test_true_stamps_are_kept_where_joints_rest(rest: str, noise: float, measured: bool) -> None:
    rng = np.random.default_rng(1)
    t = np.cumsum(0.01 + 0.004 * rng.uniform(-1.0, 1.0, 3000))
    q, qd, qdd = motion(t)
    still = {"none": [], "all but one": [0], "all": [0, 1]}.get(rest, [1])
    rows = slice(1500, None) if rest == "half the log" else slice(None)
    for x, value in ((q, 0.7), (qd, 0.0), (qdd, 0.0)):
        x[rows, still] = value if rest != "half the log" or x is not q else q[1500, 1]
    log = Log(t, q + noise * rng.normal(size=q.shape), qd if measured else None, tau=3.0 * qdd + q)
    assert at_source_times(log) is log


def sampled(t: np.ndarray, seed: int, resting: str, velocities: bool) -> dict[str, np.ndarray]:
    """Positions of sines with an encoder's noise, some joint at rest; perhaps their velocities."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    size, speed, phase = rng.uniform([[[0.1]], [[0.5]], [[0.0]]], [[[0.4]], [[4.0]], [[6.0]]],
                                     (3, 3, n))  # fmt: skip
    angle = speed * t[:, None, None] + phase
    q = (size * np.sin(angle)).sum(axis=1)
    qd = (size * speed * np.cos(angle)).sum(axis=1)
    still = rng.permutation(n)[: n - 1 if resting == "all but one" else 1]
    q[:, still], qd[:, still] = rng.uniform(-2.0, 2.0), 0.0
    if resting == "drifting":
        q[:, still] += 1e-5 * t[:, None]
    if resting == "wandering":
        q[:, still] += 1e-5 * rng.normal(size=(len(t), 1)).cumsum(axis=0)
    q += 10.0 ** rng.uniform(-5.5, -4.5) * rng.normal(size=q.shape)
    if resting == "quantised":
        step = 2.0 * np.pi / 2.0 ** rng.integers(16, 21)
        q = step * np.round(q / step)
    columns = {"q": q, "tau": rng.normal(size=q.shape)}
    return columns | ({"qd": qd + 1e-3 * rng.normal(size=q.shape)} if velocities else {})


@pytest.mark.parametrize("velocities", [False, True])
@pytest.mark.parametrize("resting", ["noisy", "quantised", "drifting", "wandering", "all but one"])
def test_a_joint_at_rest_neither_hides_wrong_stamps_nor_makes_true_ones_wrong(
    resting: str, velocities: bool
) -> None:
    wrong = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 1])
        period = float(rng.choice([0.004, 0.01, 0.02]))
        even = period * np.arange(1000)
        t = even + period * rng.uniform(0.2, 0.6) * rng.random(1000)
        true = Log(t, **sampled(t, seed, resting, velocities))
        assert at_source_times(true) is true
        mended = at_source_times(Log(t, **sampled(even, seed, resting, velocities)))
        wrong += np.ptp(mended.t - even) < 0.1 * period
    assert wrong >= 38


@pytest.mark.parametrize("speed", [2.0, 6.0, 20.0])
def test_noise_at_stamps_close_together_does_not_make_them_wrong(speed: float) -> None:
    rng = np.random.default_rng(0)
    t = np.arange(2000) + 0.999 * (rng.random(2000) < 0.02)
    log = Log(t, speed * t[:, None] + rng.normal(size=(2000, 3)))
    assert at_source_times(log) is log


def test_stamps_that_are_almost_equal_give_numbers() -> None:
    t = np.arange(100.0)
    t[1] = 1e-200  # squares of what this divides overflow: warnings are errors
    log = Log(t, np.sin(0.1 * t)[:, None])
    assert at_source_times(log) is log


def test_short_pieces_keep_their_stamps() -> None:
    t = 0.01 * (np.arange(30) + 0.3 * np.random.default_rng(0).random(30))
    log = Log(t, np.outer(np.arange(30), [2.0**-10, -(2.0**-9)]))  # a step of the encoder a sample
    assert at_source_times(log) is log


def test_velocities_that_agree_with_the_stamps_keep_them() -> None:
    even = np.arange(4000) * 0.005
    t = even + 1e-3 * np.sin(0.4 * np.arange(4000))
    columns = messages(even)
    assert np.abs(at_source_times(Log(t, **columns)).t - even).max() < 1e-4
    columns["qd"] = -57.3 * np.gradient(columns["q"], t, axis=0)  # another unit, other sign
    log = Log(t, **columns)
    assert at_source_times(log) is log


@pytest.mark.parametrize(("name", "words"), [("q", "`q` of joint"), ("t", "median time step")])
def test_numbers_that_no_arm_has_are_refused(name: str, words: str) -> None:
    log, _ = recorded()
    wrong = Log(log.t * 1e-15, log.q) if name == "t" else Log(log.t, 1e200 * log.q)
    for use in (at_source_times, prepare):
        with pytest.raises(armdyn.InputError, match=words):
            use(wrong)
