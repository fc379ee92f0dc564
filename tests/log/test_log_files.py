"""`Log` itself, and its way through files of every kind and back."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from armdyn import FileError, InputError, Log, LogError, MissingExtraError
from support.says import facts, says


def small(n: int = 2, rows: int = 50, **more: Any) -> Log:
    rng = np.random.default_rng(0)
    t = np.cumsum(rng.uniform(0.5e-3, 2e-3, rows))
    block = rng.normal(size=(4, rows, n))
    return Log(t, *block, **more)


def same(a: Log, b: Log) -> None:
    for name in ("t", "q", "qd", "qdd", "tau"):
        one, other = getattr(a, name), getattr(b, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.tobytes() == other.tobytes(), name
    assert a.joint_names == b.joint_names
    assert a.effort == b.effort
    assert set(a.extra) == set(b.extra)
    for name, column in a.extra.items():
        assert column.tobytes() == b.extra[name].tobytes(), name


NUMBERS = st.floats(-6, 6, allow_subnormal=True)
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12
)


@st.composite
def logs(draw: st.DrawFn) -> Log:
    n, rows = draw(st.integers(1, 4)), draw(st.integers(2, 6))
    shape = (rows, n)
    steps = draw(arrays.arrays(np.float64, rows, elements=st.floats(6e-4, 0.19)))
    blocks = [draw(arrays.arrays(np.float64, shape, elements=NUMBERS)) for _ in range(4)]
    for block in (blocks[0], blocks[3]):  # nothing is stuck, which would be warned of
        block[0], block[1] = 1.0, 2.0
    there = draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    names = draw(st.lists(WORDS, min_size=n, max_size=n, unique_by=str.casefold))
    extra = draw(
        st.dictionaries(st.sampled_from(["load", "current_x", "extra.y", "q_ref"]), NUMBERS)
    )
    return Log(
        np.cumsum(steps),
        blocks[0],
        *(b if k else None for b, k in zip(blocks[1:], there, strict=True)),
        joint_names=tuple(names),
        effort=draw(st.sampled_from(["torque", "current"])),
        extra={k: np.full(rows, v) for k, v in extra.items()},
    )


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
@settings(max_examples=60, deadline=None)
@given(log=logs())
def test_what_is_written_reads_back_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, log: Log
) -> None:
    path = tmp_path_factory.mktemp("log") / f"run{suffix}"
    try:
        log.save(path)
    except InputError as error:
        assert suffix != ".npz"
        assert says(error, "name", "column")
        assert not path.exists()
        return
    same(Log.read(path, joints=log.joint_names), log)


def test_arrays_are_checked_and_cannot_be_written_to() -> None:
    t, q = [0.0, 1.0], [[1.0], [2.0]]
    assert Log(t, q).joint_names == ("joint1",)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read-only"):
        small().q[0, 0] = 1.0
    for wrong, words in (
        (dict(t=[0.0, 0.0], q=q), "does not increase"),
        (dict(t=[0.0], q=q), "1 samples"),
        (dict(t=[], q=np.zeros((0, 2))), "has samples"),
        (dict(t=t, q=[1.0, 2.0]), r"expected real numbers of shape \(N, n\)"),
        (dict(t=t, q=[[1.0], [np.nan]]), r"`q` has nan at index \(1, 0\)"),
        (dict(t=t, q=q, tau=[[1.0, 2.0]] * 2), "`tau` has the shape"),
        (dict(t=t, q=q, joint_names=("a", "b")), "expected 1 different names"),
        (dict(t=t, q=q, joint_names="a"), "expected 1 different names"),
        (dict(t=t, q="x"), "`q` is .x., expected real numbers"),
        (dict(t=t, q=q, tau=q, effort="none"), "`effort` is 'none'"),
        (
            dict(t=t, q=q, extra={"x": [1.0]}),
            r"`extra\['x'\]` has shape \(1,\), expected real numbers of shape \(2,\)",
        ),
    ):
        with pytest.raises(InputError, match=words):
            Log(**wrong)  # type: ignore[arg-type]


def test_parts_by_time_and_by_number() -> None:
    log = Log(np.arange(10) / 10, np.arange(20.0).reshape(10, 2), extra={"x": np.arange(10.0)})
    np.testing.assert_array_equal(log[0.2:0.5].t, [0.2, 0.3, 0.4])
    np.testing.assert_array_equal(log[0.75:].extra["x"], [8, 9])
    np.testing.assert_array_equal(log.part(1, 3).q, [[2, 3], [4, 5]])
    assert len(log.part(-3, 100)) == 3
    for cut in (lambda: log[3], lambda: log[0:1:2], lambda: log["a":], lambda: log[5.0:]):
        with pytest.raises(InputError):
            cut()  # type: ignore[no-untyped-call]


def test_logs_are_joined_with_a_hole_between() -> None:
    a, b = small(), small()
    both = Log.concat([a, b])
    assert len(both) == 2 * len(a)
    steps = np.diff(both.t)
    assert steps[len(a) - 1] > 20 * np.median(steps)
    np.testing.assert_allclose(np.diff(both.t[len(a) :]), np.diff(b.t), atol=1e-12)
    without = Log(b.t, b.q, tau=b.tau)
    assert Log.concat([a, without]).qd is None
    for wrong in ([], [a, small(3)], [a, small(joint_names=("x", "y"))]):
        with pytest.raises(InputError):
            Log.concat(wrong)


def test_several_files_are_read_as_one(tmp_path: Path) -> None:
    small().save(tmp_path / "a.csv")
    small().save(tmp_path / "b.npz")
    log = Log.read([tmp_path / "a.csv", str(tmp_path / "b.npz")])
    assert len(log) == 100
    assert "a.csv + " in log.source


def test_a_log_says_what_it_is() -> None:
    log = small(source="run.csv", notes=("a note.",))
    assert "50 samples of 2 joints" in repr(log)
    told = log.to_dict()
    assert told["samples"] == 50
    assert told["shortest_step"] < told["median_step"] < told["longest_step"]
    assert [joint["name"] for joint in told["joints"]] == ["joint1", "joint2"]
    assert told["notes"] == ["a note."]
    lines = log.summary().splitlines()
    assert lines[0].startswith("run.csv: 50 samples") and lines[-1] == "- a note."
    assert [line.split(":")[0] for line in lines[1:3]] == ["joint1", "joint2"]


def test_nothing_is_left_behind_where_a_log_cannot_be_written(tmp_path: Path) -> None:
    for name in ("run.xls", "none/run.csv", "run"):
        with pytest.raises(FileError):
            small().save(tmp_path / name)
    with pytest.raises(InputError, match="rename it"):
        small(extra={"a\nb": np.zeros(50)}).save(tmp_path / "run.csv")
    assert list(tmp_path.iterdir()) == []


def test_npz_of_other_programs(tmp_path: Path) -> None:
    log = small()
    path = tmp_path / "run.npz"
    np.savez(path, times=log.t, positions=log.q, velocities=log.qd, torques=log.tau)
    read = Log.read(path, joints=["a", "b"])
    assert read.tau is not None
    assert read.tau.tobytes() == log.tau.tobytes()
    assert read.joint_names == ("a", "b")
    with pytest.raises(LogError, match=facts("2 joints", "3")):
        Log.read(path, joints=["a", "b", "c"])
    np.savez(path, t=log.t[:, None], q1=log.q[:, 0], q2=log.q[:, 1])
    assert Log.read(path).n == 2
    np.savez(path, t=log.t, q=log.q.T, tau=np.zeros((50, 3)))
    with pytest.raises(LogError, match=facts("'tau'", "3 joints", "2")):
        Log.read(path)
    bad = log.q.copy()
    bad[7, 1] = np.nan
    np.savez(path, t=log.t, q=bad)
    with pytest.raises(LogError, match=facts("sample 7", "'q'")):
        Log.read(path)


def test_mat_files_are_read_by_their_fields(tmp_path: Path) -> None:
    log = small()
    path = tmp_path / "run.mat"
    rec = {"time": log.t, "pos_deg": np.degrees(log.q).T, "act_torque_nm": log.tau.T, "name": "x"}
    scipy.io.savemat(path, {"rec": rec, "size": 3})
    read = Log.read(path)
    np.testing.assert_allclose(read.q, log.q, rtol=1e-12)
    scipy.io.savemat(path, {"rec": {**rec, "pos_se_deg": log.q.T}})
    with pytest.raises(LogError, match=facts("'q'", "'rec.pos_deg'", "'rec.pos_se_deg'")):
        Log.read(path)
    said = Log.read(path, columns={"q": "rec.pos_deg"})
    np.testing.assert_allclose(said.q, log.q, rtol=1e-12)


@pytest.mark.parametrize("packed", [False, True])
def test_a_damaged_mat_file_is_refused_and_does_no_harm(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "run.mat"
    scipy.io.savemat(path, {"time": np.arange(7.0), "q": np.eye(7)}, do_compression=packed)
    assert Log.read(path).n == 7
    data = path.read_bytes()
    if packed:
        path.write_bytes(data[:200] + bytes([data[200] ^ 255]) + data[201:])
    else:  # a type of data that there is not, of which SciPy's reader dies
        path.write_bytes(data.replace(b"\x09\x00\x00\x00", b"\x09\xb8\x00\x00", 1))
    with pytest.raises(LogError, match=r"damaged \.mat file"):
        Log.read(path)
    path.write_bytes(data[:-40])
    with pytest.raises(LogError, match=r"damaged \.mat file"):
        Log.read(path)


def test_parquet_of_lists_and_dates(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    stamps = arrow.array(
        np.arange(3) * 8_000_000 + 1_700_000_000_000_000_000, arrow.timestamp("ns")
    )
    table = arrow.table(
        {"stamp": stamps, "position": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "x": list("abc")}
    )
    parquet.write_table(table, path)
    log = Log.read(path)
    np.testing.assert_allclose(log.t, [0, 0.008, 0.016], atol=3e-7)
    np.testing.assert_array_equal(log.q, [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize("suffix", [".npz", ".mat", ".parquet"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"t,q1\n0,1\n", b"PAR1" * 9])
def test_broken_files_of_arrays_are_refused(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"run{suffix}"
    path.write_bytes(content)
    with pytest.raises(LogError, match=r"is not an? |has no|cannot be read"):
        Log.read(path)


def test_an_array_of_objects_is_not_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    np.savez(path, t=np.array([{"a": 1}], dtype=object))
    with pytest.raises(LogError, match=facts(".npz", "numbers")):
        Log.read(path)


def test_parquet_without_its_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtraError, match=r"armdyn\[parquet\]"):
        Log.read(tmp_path / "run.parquet")
    with pytest.raises(MissingExtraError, match=r"armdyn\[parquet\]"):
        small().save(tmp_path / "new.parquet")
    assert not (tmp_path / "new.parquet").exists()


def test_a_log_can_be_sent_to_another_process(tmp_path: Path) -> None:
    t = np.arange(5) / 5
    log = Log(t, np.outer(t, [1.0, 2.0]), tau=np.ones((5, 2)), extra={"load": t}, notes=("seen",))
    bare = Log(t, log.q)
    made = pickle.loads(pickle.dumps(log))
    for name in ("t", "q", "tau"):
        assert (getattr(made, name) == getattr(log, name)).all()
        assert not getattr(made, name).flags.writeable
    assert (made.extra["load"] == t).all()
    assert (made.notes, made.joint_names, made.effort) == (("seen",), log.joint_names, "torque")
    bare.save(tmp_path / "run.csv")
    with pytest.raises(InputError, match="send its path"):
        pickle.dumps(Log.stream(tmp_path / "run.csv"))
