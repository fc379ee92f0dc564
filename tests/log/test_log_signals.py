"""Samples prepared for a fit: measured against motions whose derivatives are known."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn import InputError, Log
from armdyn.log.filters import ZeroPhase, choose_cutoff
from armdyn.log.segments import segments
from armdyn.log.signals import prepare
from support.says import facts, says


def motion(t: np.ndarray, n: int = 3, base: float = 0.1) -> tuple[np.ndarray, ...]:
    """Five harmonics and their derivatives."""
    rng = np.random.default_rng(7)
    q, qd, qdd = (np.zeros((len(t), n)) for _ in range(3))
    for j in range(n):
        for k in range(1, 6):
            w, (a, b) = 2 * np.pi * base * k, rng.normal(size=2) * 0.4 / k
            s, c = np.sin(w * t), np.cos(w * t)
            q[:, j] += a * s + b * c
            qd[:, j] += w * (a * c - b * s)
            qdd[:, j] -= w * w * (a * s + b * c)
    return q, qd, qdd


def jittered(rate: float, duration: float) -> np.ndarray:
    """Stamps as of a busy recorder: most steps within a third, some several times as long."""
    rng = np.random.default_rng(1)
    count = int(duration * rate)
    late = rng.random(count) < 0.02
    return (
        np.cumsum(np.where(late, rng.uniform(2, 4.9, count), rng.uniform(0.7, 1.3, count))) / rate
    )


def noisy(t: np.ndarray, noise: float, **more: np.ndarray) -> Log:
    q = motion(t)[0]
    return Log(t, q + noise * np.random.default_rng(2).normal(size=q.shape), tau=q, **more)


def relative(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


@pytest.mark.parametrize(
    ("t", "noise", "limits"),
    [
        (np.arange(20_000) / 1000, 1e-5, (1e-5, 1e-3, 0.03)),
        (jittered(1000, 20), 1e-5, (1e-5, 1e-3, 0.03)),
        (jittered(1000, 20), 0.0, (1e-9, 1e-6, 1e-4)),
        (jittered(30, 40), 1e-4, (3e-4, 4e-3, 0.04)),
        (np.arange(3000) / 125, 1e-6, (1e-5, 1e-3, 0.03)),
        (np.arange(3000) / 125 + 1.46e9 - 1.46e9, 0.0, (1e-6, 1e-6, 1e-4)),
    ],
)
def test_derivatives_are_true_through_noise_and_jitter(
    t: np.ndarray, noise: float, limits: tuple[float, float, float]
) -> None:
    p = prepare(noisy(t, noise))
    q, qd, qdd = motion(p.t)
    errors = relative(p.q, q), relative(p.qd, qd), relative(p.qdd, qdd)
    assert all(e < limit for e, limit in zip(errors, limits, strict=True)), errors
    assert p.tau is not None
    assert relative(p.tau, q) < 2e-5
    assert len(p) > 0.9 * (t[-1] - t[0]) * p.rate - 10


def test_jittered_stamps_are_not_read_as_equal() -> None:
    t = jittered(1000, 20)
    log = noisy(t, 0.0)
    as_equal = Log(np.arange(len(t)) / 1000, log.q)
    wrong = prepare(as_equal, cutoff=20)
    right = prepare(log, cutoff=20)
    assert relative(right.qdd, motion(right.t)[2]) < 1e-3
    assert relative(wrong.qdd, motion(wrong.t)[2]) > 0.5
    assert any("steps of time differ, 0.7" in note for note in right.notes)


def test_gaps_cut_the_log_and_are_told() -> None:
    t = np.arange(4000) / 500
    t[1500:] += 0.5
    t[3980:] += 1.0
    log = noisy(t, 1e-6)
    assert [(s.start, s.stop) for s in segments(log)] == [(0, 1500), (1500, 3980), (3980, 4000)]
    assert len(segments(log, max_gap=2.0)) == 1
    p = prepare(log, cutoff=20)
    assert len(p.bounds) == 2
    assert p.t[p.bounds[0][1] - 1] < t[1499] < t[1500] < p.t[p.bounds[1][0]]
    assert relative(p.qdd, motion(p.t)[2]) < 0.02
    assert any("2 gaps into 3 segments" in note for note in p.notes)
    assert any(says(note, "20 samples", "short") for note in p.notes)


def test_joined_logs_are_not_filtered_across() -> None:
    t = np.arange(2000) / 200
    p = prepare(Log.concat([noisy(t, 0.0), noisy(t, 0.0)]), cutoff=10)
    (a, b), (c, d) = p.bounds
    assert relative(p.qdd[a:b], motion(p.t[a:b])[2]) < 1e-3
    np.testing.assert_allclose(p.qdd[a:b], p.qdd[c:d], atol=1e-6)


def test_long_logs_are_resampled_in_blocks_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    log = noisy(jittered(500, 10), 1e-5)
    whole = prepare(log, cutoff=20)
    monkeypatch.setattr("armdyn.log.rows.BLOCK", 500)
    blocks = prepare(log, cutoff=20)
    np.testing.assert_allclose(blocks.q, whole.q, atol=1e-13)


def test_two_preparations_give_the_same_bits() -> None:
    log = noisy(jittered(200, 10), 1e-4)
    assert prepare(log).qdd.tobytes() == prepare(log).qdd.tobytes()


def test_the_cut_off_falls_with_noise_and_keeps_the_motion() -> None:
    t = np.arange(20_000) / 1000
    chosen = [choose_cutoff(noisy(t, noise))[0] for noise in (1e-7, 1e-5, 1e-4, 1e-2)]
    assert chosen == sorted(chosen, reverse=True)
    assert chosen[0] > 1.5 * chosen[1] > 2 * chosen[2]
    assert chosen[-1] >= 2.0  # the motion ends at 0.5 Hz
    assert all(cutoff <= 0.4 * 1000 for cutoff in chosen)


def test_the_noise_that_the_cut_off_promises_is_the_noise_there_is() -> None:
    t = np.arange(40_000) / 1000
    cutoff, why = choose_cutoff(noisy(t, 1e-5))
    assert says(why, "2%", "noise", "accelerations")
    p = prepare(noisy(t, 1e-5))
    assert p.cutoff == cutoff
    assert 0.01 < relative(p.qdd, motion(p.t)[2]) < 0.03
    assert any(why in note for note in p.notes)


@pytest.mark.parametrize("rows", [2, 40, 100])
def test_short_and_still_logs_have_a_cut_off(rows: int) -> None:
    log = Log(np.arange(rows) / 100, np.ones((rows, 2)))
    cutoff, why = choose_cutoff(log)
    assert cutoff == pytest.approx(40)
    assert "short" in why or "no joint moves" in why


def test_the_low_pass_has_the_gain_it_says_and_no_delay() -> None:
    t = np.arange(4000) / 1000
    for f in (2.0, 10.0, 20.0):
        wave = np.sin(2 * np.pi * f * t)[:, None]
        inner = slice(1000, 3000)
        expected = wave / (1 + (f / 10) ** 8)
        found = ZeroPhase(lambda a, b, x=wave: x[a:b], len(wave), 1000, 10).rows(0, len(wave))
        np.testing.assert_allclose(found[inner], expected[inner], atol=3e-4, rtol=0)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1.0, "agree"),
        (-1.0, "sign"),
        (57.29577951, "degrees"),
        (9.549, "turns per minute"),
        (30.0, "30 times"),
    ],
)
def test_measured_velocities_are_compared_with_slopes(factor: float, words: str) -> None:
    t = np.arange(2000) / 200
    qd = motion(t)[1].copy()
    qd[:, 1] *= factor
    p = prepare(Log(t, motion(t)[0], qd))
    told = [note for note in p.notes if "measured velocit" in note]
    assert len(told) == 1
    assert words in told[0]
    assert ("joint2" in told[0]) == (factor != 1.0)


def test_measured_velocities_are_used_if_asked() -> None:
    t = np.arange(2000) / 200
    q, qd, _ = motion(t)
    p = prepare(Log(t, q, qd + 0.01), velocity="measured", cutoff=10)
    np.testing.assert_allclose(p.qd, motion(p.t)[1] + 0.01, atol=1e-4)
    np.testing.assert_allclose(p.qdd, motion(p.t)[2], atol=1e-3)
    with pytest.raises(InputError, match="no velocities"):
        prepare(Log(t, q), velocity="measured")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cutoff": 0}, "`cutoff` is 0"),
        ({"cutoff": 90}, "at most 80 Hz"),
        ({"cutoff": "x"}, "`cutoff`"),
        ({"trim": -1}, "`trim`"),
        ({"max_gap": float("nan")}, "`max_gap`"),
        ({"velocity": "guess"}, "`velocity`"),
        ({"cutoff": 0.01}, "too short"),
    ],
)
def test_wrong_options_are_told(options: dict[str, object], words: str) -> None:
    log = noisy(np.arange(1000) / 200, 0.0)
    with pytest.raises(InputError, match=words):
        prepare(log, **options)  # type: ignore[arg-type]


def test_numbers_without_measure_are_refused() -> None:
    log = Log(
        np.arange(400) / 200 + 1e-4 * np.sin(np.arange(400)), np.tile([[1e308], [-1e308]], (200, 1))
    )
    with pytest.raises(InputError, match=facts("1e+308")):
        prepare(log, cutoff=20)


def test_a_single_sample_is_too_short() -> None:
    with pytest.raises(InputError, match="too short"):
        prepare(Log([0.0], [[1.0]]))  # type: ignore[arg-type]
