"""Logs in scratch files: what is read of them is what a log in memory has."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from armdyn import InputError, Log, LogError, LogWarning
from armdyn.log.filters import ZeroPhase
from armdyn.log.rows import FileRows, extremes, picked, runs
from armdyn.log.signals import prepare
from support.says import facts


def recorded(samples: int = 3000, *, jitter: float = 0.0, qd: bool = True) -> Log:
    rng = np.random.default_rng(0)
    t = np.arange(samples) / 250 + jitter / 250 * rng.uniform(-1, 1, samples)
    q = np.sin(np.outer(t, [2.0, 3.0])) + 1e-5 * rng.normal(size=(samples, 2))
    v = np.cos(np.outer(t, [2.0, 3.0])) * [2.0, 3.0]
    return Log(t, q, v if qd else None, tau=3 * q, joint_names=("a", "b"))


@pytest.fixture
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armdyn.log.rows.BLOCK", 640)
    for name in ("arrays", "parquet"):
        monkeypatch.setattr(f"armdyn.log.{name}.ROWS", 700)
    monkeypatch.setattr("armdyn.log.text.csv.BLOCK", 50_000)


def test_stored_rows_are_read_as_they_were_written() -> None:
    rows = np.random.default_rng(1).normal(size=(100, 3))
    column = FileRows(3)
    for a in range(0, 100, 30):
        column.append(rows[a : a + 30])
    assert column.shape == (100, 3)
    np.testing.assert_array_equal(column[7:45], rows[7:45])
    np.testing.assert_array_equal(column[-1], rows[-1])
    np.testing.assert_array_equal(column.part(20, 60)[5:], rows[25:60])
    np.testing.assert_array_equal(np.asarray(column), rows)
    np.testing.assert_array_equal(picked(column, np.array([3, 50, 99])), rows[[3, 50, 99]])
    assert not len(column[5:5])
    with pytest.raises(InputError, match="read as"):
        column[::2]
    with pytest.raises(IndexError):
        column[100]


def test_extremes_are_those_of_all_rows(short_blocks: None) -> None:
    rows = np.random.default_rng(2).normal(size=(1999, 3))
    low, high = extremes([rows[:1000], rows[1000:]])
    np.testing.assert_array_equal(low, rows.min(axis=0))
    np.testing.assert_array_equal(high, rows.max(axis=0))


def test_runs_are_spread_from_end_to_end() -> None:
    assert runs(0, 4, 10) == []
    assert runs(40, 4, 10) == [(0, 40)]
    assert runs(100, 4, 10) == [(0, 10), (30, 40), (60, 70), (90, 100)]


@pytest.mark.parametrize("share", [0.01, 0.1, 0.79])
def test_blocks_are_filtered_as_the_whole_is(share: float) -> None:
    from scipy import signal

    x = np.cumsum(np.random.default_rng(3).normal(size=(20_000, 2)), axis=0)
    cutoff = share * 500.0
    sections = signal.butter(4, cutoff, fs=1000.0, output="sos")
    pad = max(int(np.ceil(3 * 1000.0 / cutoff)), 15)
    expected = signal.sosfiltfilt(sections, x, axis=0, padlen=pad)
    size = np.abs(x).max()
    for step in (len(x), 3001):
        blocks = ZeroPhase(lambda a, b: x[a:b], len(x), 1000.0, cutoff)
        found = [blocks.rows(a, min(a + step, len(x))) for a in range(0, len(x), step)]
        np.testing.assert_allclose(np.concatenate(found), expected, rtol=0, atol=1e-12 * size)


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
def test_a_file_read_in_blocks_is_the_log(suffix: str, tmp_path: Path, short_blocks: None) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    log = recorded()
    log.save(tmp_path / f"run.{suffix}")
    long = Log.stream(tmp_path / f"run.{suffix}")
    assert (len(long), long.n, long.joint_names) == (3000, 2, ("a", "b"))
    assert (long.rate, long.duration) == (log.rate, log.duration)
    for name in ("t", "q", "qd", "tau"):
        assert isinstance(getattr(long, name), FileRows)
        np.testing.assert_array_equal(np.asarray(getattr(long, name)), getattr(log, name))
    part = long.part(100, 900)
    assert part.rate == log.part(100, 900).rate
    np.testing.assert_array_equal(part.q[0:800], log.q[100:900])


def test_an_archive_that_has_to_be_turned_is_read_whole(tmp_path: Path) -> None:
    log = recorded()
    np.savez(tmp_path / "run.npz", t=log.t, q=log.q.T, tau=log.tau)
    np.testing.assert_array_equal(np.asarray(Log.stream(tmp_path / "run.npz").q), log.q)
    np.savez(tmp_path / "run.npz", t=log.t[None], q=log.q, tau=log.tau)
    np.testing.assert_array_equal(np.asarray(Log.stream(tmp_path / "run.npz").t), log.t)


@pytest.mark.parametrize("jitter", [0.0, 0.3])
@pytest.mark.parametrize("velocity", ["differentiated", "measured"])
def test_a_long_log_is_prepared_like_any_other(
    jitter: float, velocity: str, tmp_path: Path, short_blocks: None
) -> None:
    log = recorded(jitter=jitter)
    t = log.t + 2.0 * (np.arange(len(log)) > 1700)
    log = Log(t, log.q, log.qd, tau=log.tau)
    log.save(tmp_path / "run.npz")
    one = prepare(log, velocity=velocity)
    other = prepare(Log.stream(tmp_path / "run.npz"), velocity=velocity)
    assert one.bounds == other.bounds and len(one.bounds) == 2
    assert (one.cutoff, one.rate, one.notes) == (other.cutoff, other.rate, other.notes)
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(np.asarray(getattr(other, name)), getattr(one, name))


def test_a_million_equal_steps_are_taken_as_they_are() -> None:
    t = np.arange(1_000_000) / 1000.0
    q = np.sin(t)[:, None]
    ready = prepare(Log(t, q, tau=q), cutoff=20.0)
    assert ready.rate == pytest.approx(1000.0, rel=1e-12)
    assert ready.tau is not None
    cut = round(ready.t[0] * 1000)
    np.testing.assert_array_equal(ready.tau, q[cut : cut + len(ready)])


def test_units_gears_and_missing_rows_of_blocks(tmp_path: Path, short_blocks: None) -> None:
    log = recorded(qd=False)
    assert log.tau is not None
    rows = np.column_stack([log.t * 1e3 + 5e12, np.rad2deg(log.q), log.tau])
    rows[[5, 2500], 2] = np.nan
    text = "\n".join(",".join(map(repr, row)) for row in rows.tolist())
    path = tmp_path / "run.csv"
    path.write_text(f"time_ms,q1_deg,q2_deg,tau1,tau2\n{text}\n".replace("nan", ""))
    options = {"gear": [0.01, 0.02], "missing": "drop"}
    whole, long = Log.read(path, **options), Log.stream(path, **options)
    for name in ("t", "q", "tau"):
        np.testing.assert_array_equal(np.asarray(getattr(long, name)), getattr(whole, name))
    with pytest.raises(LogError, match=r"run\.csv, line 7: 'q2_deg' is empty"):
        Log.stream(path)


def test_faults_of_long_files_are_told(tmp_path: Path, short_blocks: None) -> None:
    log = recorded(qd=False)
    path = tmp_path / "run.csv"
    log.save(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2000], *lines[1000:1500]]) + "\n")
    with pytest.raises(LogError, match=facts("back in time")):
        Log.stream(path)
    path.write_text("\n".join([*lines[:2000], lines[2000][:20]]))
    with pytest.warns(LogWarning, match="cut off"):
        assert len(Log.stream(path)) == 1999
    path.write_text("\n".join([*lines[:2000], "1,2"]) + "\n" + "\n".join(lines[2000:]) + "\n")
    with pytest.raises(LogError, match=r"line 2001: has 2 columns"):
        Log.stream(path)
    with pytest.raises(LogError, match="no such file"):
        Log.stream(tmp_path / "none.csv")
    with pytest.raises(InputError, match="`missing` is 'keep'"):
        Log.stream(path, missing="keep")
    degrees = Log(log.t, 100 * log.q, tau=log.tau)
    degrees.save(path)
    path.write_text(path.read_text().replace(" [SI]", ""))  # which says that they are radians
    with pytest.raises(LogError, match="are they degrees"):
        Log.stream(path)
    Log(log.t, 0 * log.q + [1.0, 0.0], tau=log.tau).save(path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        Log.stream(path)
    assert any("positions never change" in str(w.message) for w in told)


@pytest.mark.slow
def test_a_parquet_file_in_blocks_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    rows = 1_000_000
    t = 0.001 * np.arange(rows)
    q = np.sin(np.outer(t, np.arange(1.0, 7.0)))
    Log(t, q, tau=np.cos(7.0 * q)).save(tmp_path / "log.parquet")
    usual = arrow.default_memory_pool()
    counted = arrow.proxy_memory_pool(usual)
    arrow.set_memory_pool(counted)
    try:
        log = Log.stream(tmp_path / "log.parquet")
    finally:
        arrow.set_memory_pool(usual)
    assert len(log) == rows
    assert 0 < counted.max_memory() < (tmp_path / "log.parquet").stat().st_size * 0.6
