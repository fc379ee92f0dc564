"""Identification from files, and from logs that are longer than memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from armdyn import InputError, Log, LogWarning, Result
from armdyn.identification.identify import identify
from support.identification import recorded, small_arm, with_torque

SAMPLES = 400_000, 1_600_000
MOST_SHARE = 0.25

# A process of its own: its peak of memory is that of this work and nothing else.
LONG_RUN = """
import re, sys
from armdyn import Log
from armdyn.identification.identify import identify
from support.identification import small_arm

result = identify(small_arm(), Log.stream(sys.argv[1]), physical=False)
assert result.passed, result.verdict_text
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) // 1024)
"""


@pytest.fixture
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armdyn.log.rows.BLOCK", 640)
    for name in ("arrays", "parquet"):
        monkeypatch.setattr(f"armdyn.log.{name}.ROWS", 700)
    monkeypatch.setattr("armdyn.log.many.LARGE", 1000)


def assert_same(one: Result, other: Result) -> None:
    np.testing.assert_allclose(one.values, other.values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.std, other.std, rtol=1e-9)
    np.testing.assert_allclose(one.parameters, other.parameters, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(one.clipped, other.clipped)
    assert one.torque_error_total == pytest.approx(other.torque_error_total, rel=1e-9)
    assert (one.reasons, one.counts) == (other.reasons, other.counts)
    assert one.about.cutoff == other.about.cutoff
    for a, b in zip((*one.train, *one.test), (*other.train, *other.test), strict=True):
        np.testing.assert_array_equal(a.t, b.t)
        np.testing.assert_allclose(a.predicted, b.predicted, atol=1e-10)


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_a_file_in_blocks_gives_the_result_of_the_log(
    suffix: str, tmp_path: Path, short_blocks: None
) -> None:
    log = recorded(small_arm())
    path = tmp_path / f"run.{suffix}"
    log.save(path)
    assert_same(identify(small_arm(), log), identify(small_arm(), path))


def test_gaps_outliers_rotors_and_velocities_of_long_logs(
    tmp_path: Path, short_blocks: None
) -> None:
    log = recorded(small_arm())
    rng = np.random.default_rng(0)
    assert log.tau is not None
    hit = rng.random(log.tau.shape) < 0.02
    log = with_torque(log, log.tau + 2.0 * hit)
    t = log.t + 0.002 * rng.uniform(-1, 1, len(log)) + 3.0 * (np.arange(len(log)) > 1500)
    qd = np.gradient(log.q, log.t, axis=0)
    log = Log(t, log.q, qd, tau=log.tau, joint_names=log.joint_names)
    path = tmp_path / "run.npz"
    log.save(path)
    options = {"friction": False, "physical": False}
    one, other = (identify(small_arm(), x, **options) for x in (log, path))
    assert one.clipped.max() > 0.01
    assert_same(one, other)
    options = {"rotor": True, "friction": "auto", "physical": False}
    assert_same(*(identify(small_arm(), x, **options) for x in (log, path)))


def test_files_and_logs_together(tmp_path: Path) -> None:
    logs = [recorded(small_arm(), seed=seed) for seed in (1, 2, 3)]
    logs[1].save(tmp_path / "b.csv")
    logs[2].save(tmp_path / "c.npz")
    files = [logs[0], str(tmp_path / "b.csv")]
    one = identify(small_arm(), logs[:2], test=logs[2], physical=False)
    assert_same(one, identify(small_arm(), files, test=tmp_path / "c.npz", physical=False))


def test_a_long_log_of_another_arm_is_refused(tmp_path: Path, short_blocks: None) -> None:
    log = recorded(small_arm())
    assert log.tau is not None
    with_torque(log, 0.0 * log.tau).save(tmp_path / "run.npz")
    with pytest.raises(InputError, match=r"all torques of .* are zero"):
        with pytest.warns(LogWarning, match="efforts never change"):
            identify(small_arm(), Log.stream(tmp_path / "run.npz"))
    with pytest.raises(InputError, match=r"none\.csv: there is no such file"):
        identify(small_arm(), tmp_path / "none.csv")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not tell the peak of memory")
    arm, block = small_arm(), recorded(small_arm(), duration=100.0, rate=1000.0)
    assert block.tau is not None
    peaks: list[int] = []
    for samples in SAMPLES:
        times = samples // len(block)
        path = tmp_path / "run.npz"
        arrays = {"q": np.tile(block.q, (times, 1)), "tau": np.tile(block.tau, (times, 1))}
        np.savez(path, t=np.arange(samples) / 1000.0, **arrays)
        done = subprocess.run(
            [sys.executable, "-c", LONG_RUN, str(path)],
            capture_output=True, text=True, cwd=Path(__file__).parents[1], timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout))
    # a sample as read (t, q, tau) and as prepared (t, q, qd, qdd, tau)
    more_mb = (SAMPLES[1] - SAMPLES[0]) * 8 * (2 + 6 * arm.n) / 2**20
    assert peaks[1] - peaks[0] < MOST_SHARE * more_mb
