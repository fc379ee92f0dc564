"""A format of logs is one module and one row of a table; bombs are refused."""

from __future__ import annotations

import os
import struct
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armdyn import FileError, Log, LogError, RobotError
from armdyn.log import arrays as _inflation
from armdyn.log import formats as _registry
from armdyn.log.formats import LogFormat, is_log_path, written_in_words
from support.says import facts

TOY = LogFormat(
    name="JSON",
    suffixes=(".json",),
    reader="support.toy_formats:read_json",
    blocks="support.toy_formats:json_blocks",
    writer="support.toy_formats:write_json",
)

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_registry, "FORMATS", [*_registry.FORMATS, TOY])


def small(n: int = 50) -> Log:
    t = np.arange(n) / 100
    return Log(t, np.sin(np.outer(t, [1.0, 2.0])))


@pytest.mark.usefixtures("toy")
def test_new_format_is_read_and_written_by_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    small().save(path)
    log = Log.read(path)
    np.testing.assert_array_equal(log.q, small().q)
    np.testing.assert_array_equal(log.t, small().t)
    assert is_log_path(path)


@pytest.mark.usefixtures("toy")
def test_new_format_is_streamed_block_by_block(tmp_path: Path) -> None:
    small().save(tmp_path / "run.json")
    log = Log.stream(tmp_path / "run.json")
    np.testing.assert_array_equal(log.q[0:50], small().q)


@pytest.mark.usefixtures("toy")
def test_messages_list_the_new_format(tmp_path: Path) -> None:
    (tmp_path / "run.docx").touch()
    with pytest.raises(
        LogError, match=r"Logs are \.csv, .*, \.mat, \.parquet, .*, \.json, LeRobot "
    ):
        Log.read(tmp_path / "run.docx")
    with pytest.raises(FileError, match=facts(".csv", ".npz", ".parquet", ".json")):
        small().save(tmp_path / "run.docx")
    assert written_in_words() == ".csv, .npz, .parquet or .json"


def test_log_written_to_a_bad_path_is_no_error_of_a_robot(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        small().save(tmp_path / "none" / "run.csv")
    assert not isinstance(caught.value, RobotError)


@on_posix
@pytest.mark.parametrize("read", [Log.read, Log.stream])
@pytest.mark.parametrize("suffix", ["csv", "npz", "mat", "parquet"])
def test_pipe_is_refused_and_not_waited_for(read: Any, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.{suffix}"
    os.mkfifo(path)
    with pytest.raises(LogError, match=facts("regular file")):
        read(path)


def zeros_in_npz(path: Path, n: int) -> None:
    np.savez_compressed(path, t=np.arange(10.0), q=np.zeros((n // 8, 1)))


def zeros_in_mat(path: Path, n: int) -> None:
    header = b"MATLAB 5.0".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    body = zlib.compress(bytes(n))
    path.write_bytes(header + struct.pack("<II", 15, len(body)) + body)


def zeros_in_parquet(path: Path, n: int) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    column = np.zeros(n // 16)
    parquet.write_table(arrow.table({"t": column, "q1": column}), path)


@pytest.mark.parametrize("read", [Log.read, Log.stream])
@pytest.mark.parametrize("write", [zeros_in_npz, zeros_in_mat, zeros_in_parquet])
def test_file_that_would_fill_memory_is_refused_before_it_is_read(
    write: Any, read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_inflation, "HARMLESS", 1 << 20)
    path = tmp_path / f"run.{write.__name__.rpartition('_')[2]}"
    write(path, 64 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(LogError, match=facts("GB", "memory", "compress")):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 32 << 20  # the largest so far
    finally:
        tracemalloc.stop()


def test_array_that_says_it_is_larger_than_it_is_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    np.savez(path, t=np.arange(100.0), q=np.zeros((100, 2)))
    data = path.read_bytes()
    path.write_bytes(data.replace(b"(100, 2)", b"(9**9,2)").replace(b"(100,), ", b"(999,), "))
    with pytest.raises(LogError, match=facts(".npz", "numbers")):
        Log.read(path)


def test_compressed_log_of_a_real_motion_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joints that stand still compress a thousand times; the moving ones and the time do not."""
    monkeypatch.setattr(_inflation, "HARMLESS", 1000)
    t = np.arange(100_000) / 1000
    q = np.zeros((len(t), 7))
    q[:, 0] = np.sin(t) + 1e-6 * np.random.default_rng(0).normal(size=len(t))
    np.savez_compressed(tmp_path / "run.npz", t=t, q=q)
    with pytest.warns(UserWarning, match="positions never change"):
        assert len(Log.read(tmp_path / "run.npz")) == len(t)


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
def test_long_log_is_saved_and_told_like_any_other(suffix: str, tmp_path: Path) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    log = Log(small().t, small().q, tau=small().q * 3)
    log.save(tmp_path / "run.csv")
    long = Log.stream(tmp_path / "run.csv")
    long.save(tmp_path / f"again.{suffix}")
    again = Log.read(tmp_path / f"again.{suffix}")
    for name in ("t", "q", "tau"):
        np.testing.assert_array_equal(getattr(again, name), getattr(log, name))
    assert {**long.to_dict(), "source": ""} == log.to_dict()
    assert long.summary().splitlines()[1:] == log.summary().splitlines()[1:]
    np.testing.assert_array_equal(long[0.1:0.2].q[0:10], log[0.1:0.2].q)
