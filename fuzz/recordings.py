"""Recordings of robots: HDF5 files, ROS 2 recordings and LeRobot datasets, valid, odd and broken.

What is read is read the same twice, and block by block. A recording that is valid has the numbers
that were written to it.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import armdyn
from armdyn import Log
from armdyn.errors import LogError
from fuzz._finding import check, must
from fuzz.log_files import ODD_NUMBERS, _check_same, _damaged

START, STEP = 1_700_000_000_000_000_000, 20_000_000  # [ns]
NAMES = [
    "shoulder_pan", "elbow", "left_waist", "joint_1", "a", "gripper", "<b>x</b>", "[red]y", "é",
    "q.pos", "", "x", "../up", "n" * 300, "a\nb", "observation.state", "${1/0}",
]  # fmt: skip
ODD_JSON = [
    None, True, -1, 0, 1e400, 10**30, "", "v3.0", "v9", "../../etc", "/etc/passwd", [], {}, [[]],
    [["a"], ["b"]], {"motors": ["a"]}, {"a": 0, "b": 1}, "**", "{x}", "a" * 5000, [None], "\0", 30,
    ["a", "a"], {"axes": [["a"]]},
]  # fmt: skip


@dataclass
class Case:
    """A recording: its files, what to read, and the positions in it if it is valid."""

    path: str
    files: dict[str, bytes]
    valid: np.ndarray | None
    options: dict[str, Any]


def case(rng: random.Random, target: str) -> Case:
    """Draw a recording."""
    odd = rng.random()
    numbers = np.random.default_rng(rng.getrandbits(32))
    rows, n = rng.choice([30, 60, 200]), rng.randint(2, 4)
    t = np.arange(rows)[:, None] * 0.02
    q = np.sin(t * numbers.uniform(0.5, 3.0, n) + numbers.uniform(0.0, 6.0, n))
    names = [f"joint_{k}" for k in range(1, n + 1)]
    if is_odd := odd < 0.5:
        names = [rng.choice([name, *NAMES]) for name in names]
        if rng.random() < 0.3:
            q = q.copy()
            q[rng.randrange(rows), rng.randrange(n)] = rng.choice(ODD_NUMBERS)
        if rng.random() < 0.1:
            q = q[: rng.choice([0, 1, 2])]
    path, files = globals()[f"_{target}"](q, names, rng, is_odd)
    if odd < 0.25 or 0.5 <= odd < 0.75:
        name = rng.choice(sorted(files))
        files[name] = _damaged(files[name], rng) if files[name] else b""
        if rng.random() < 0.1:
            del files[name]
    options = {} if odd >= 0.75 or rng.random() < 0.7 else rng.choice([
        {"sort": True}, {"missing": "drop"}, {"units": "deg"}, {"units": "m100_100"},
        {"joints": ["joint_1", "joint_2"]}, {"columns": {"q": "*"}}, {"torque": "none"},
        {"columns": {"topic": "/joint_states"}}, {"torque_unit": "mN m"}, {"time_unit": "ms"},
    ])  # fmt: skip
    return Case(path, files, q if odd >= 0.75 else None, options)


def _hdf5(
    q: np.ndarray, names: list[str], rng: random.Random, odd: bool
) -> tuple[str, dict[str, bytes]]:
    import h5py

    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        group = file.create_group(rng.choice(["observations", "data", "a/b"]))
        options = rng.choice([{}, {"compression": "gzip", "chunks": True} if q.size else {}])
        group.create_dataset("qpos", data=q, **options)
        if rng.random() < 0.5:
            group.create_dataset("qvel", data=np.gradient(q, axis=0) if len(q) > 1 else q)
        file.create_dataset("timestamps", data=0.02 * np.arange(len(q)))
        if odd:
            match rng.randrange(7):
                case 0:
                    file["action"] = h5py.SoftLink("/action")
                case 1:
                    file["action"] = h5py.ExternalLink("/etc/passwd", "/x")
                case 2:
                    file.create_dataset("action", shape=(1 << 40, 7), dtype="f4", chunks=(1, 7))
                case 3:
                    file.create_dataset("action", data=np.array(["a", "b"], dtype="S"))
                case 4:
                    file.create_dataset("effort", data=q[:, :1])
                case 5:
                    file.attrs["fps"] = rng.choice([0, -1, np.nan, "x", 50])
                    del file["timestamps"]
                case _:
                    file["again"] = group
    return "log.hdf5", {"log.hdf5": memory.getvalue()}


def _mcap(
    q: np.ndarray, names: list[str], rng: random.Random, odd: bool, storage: str = "MCAP"
) -> tuple[str, dict[str, bytes]]:
    from rosbags import rosbag2
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    types: dict[str, Any] = dict(store.types)
    kind = "sensor_msgs/msg/JointState"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "bag"
        plugin = getattr(rosbag2.StoragePlugin, storage)
        with rosbag2.Writer(folder, version=9, storage_plugin=plugin) as writer:
            topic = writer.add_connection("/joint_states", kind, typestore=store)
            if odd and rng.random() < 0.3:
                words = types["std_msgs/msg/String"](data=rng.choice(["", "<robot/>", "a" * 9000]))
                robot = writer.add_connection(
                    "/robot_description", "std_msgs/msg/String", typestore=store
                )
                writer.write(robot, START, store.serialize_cdr(words, "std_msgs/msg/String"))
            for k, row in enumerate(q):
                at = START + k * STEP
                if odd and rng.random() < 0.02:
                    at += rng.choice([-5, -1, 1, 10**6]) * STEP
                cut = rng.randrange(len(row) + 1) if odd and rng.random() < 0.02 else len(row)
                stamp = types["builtin_interfaces/msg/Time"](sec=at // 10**9, nanosec=at % 10**9)
                message = types[kind](
                    header=types["std_msgs/msg/Header"](stamp=stamp, frame_id=""),
                    name=names, position=row[:cut], velocity=np.zeros(0), effort=3.0 * row,
                )  # fmt: skip
                writer.write(topic, START + k * STEP, store.serialize_cdr(message, kind))
        files = {f"bag/{one.name}": one.read_bytes() for one in sorted(folder.iterdir())}
    return "bag", files


def _db3(
    q: np.ndarray, names: list[str], rng: random.Random, odd: bool
) -> tuple[str, dict[str, bytes]]:
    return _mcap(q, names, rng, odd, "SQLITE3")


def _lerobot(
    q: np.ndarray, names: list[str], rng: random.Random, odd: bool
) -> tuple[str, dict[str, bytes]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    version = rng.choice(["v2.1", "v3.0"])
    vectors = {"observation.state": q, "action": np.roll(q, -1, axis=0)}
    if rng.random() < 0.5:
        vectors[f"observation.{rng.choice(['velocity', 'effort', 'current'])}"] = 2.0 * q
    info: dict[str, Any] = {
        "codebase_version": version, "fps": 50, "total_frames": len(q),
        "data_path": "data/chunk-000/file-{file_index:03d}.parquet",
        "features": {name: {"dtype": "float32", "names": names} for name in vectors},
    }  # fmt: skip
    if odd:
        part = rng.choice([info, info["features"], *info["features"].values()])
        part[rng.choice([*part, "names"])] = rng.choice(ODD_JSON)
    ends = sorted({0, len(q), *(rng.randrange(len(q) + 1) for _ in range(2))})
    files = {"set/meta/info.json": json.dumps(info).encode()}
    for k, (a, b) in enumerate(zip(ends[:-1] or [0], ends[1:] or [0], strict=True)):
        columns: dict[str, Any] = {
            "timestamp": pa.array((0.02 * np.arange(b - a)).astype(np.float32)),
            "frame_index": pa.array(np.arange(b - a)),
            "episode_index": pa.array(np.full(b - a, k)),
        }
        for name, x in vectors.items():
            values = pa.array(x[a:b].astype(np.float32).reshape(-1))
            columns[name] = pa.FixedSizeListArray.from_arrays(values, x.shape[1])
        if odd and rng.random() < 0.3:
            odd_columns = [
                pa.nulls(b - a), pa.array(["x"] * (b - a)), pa.array([[[1.0]]] * (b - a)),
                pa.array([[1.0] * j for j in range(b - a)]),
                pa.array([[]] * (b - a), pa.list_(pa.float32())),
            ]  # fmt: skip
            columns[rng.choice(list(columns))] = rng.choice(odd_columns)
        if odd and rng.random() < 0.1:
            del columns[rng.choice(list(columns))]
        memory = io.BytesIO()
        pq.write_table(pa.table(columns), memory, row_group_size=rng.choice([None, 7]))
        files[f"set/data/chunk-000/file-{k:03d}.parquet"] = memory.getvalue()
    return "set", files


def run(case: Case) -> None:
    """Read a recording, and check what was read."""
    top = Path("recording")
    shutil.rmtree(top, ignore_errors=True)
    for name, data in case.files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)
    try:
        _tried(top / case.path, case)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _tried(path: Path, case: Case) -> None:
    if case.valid is not None:
        with must("a valid recording"):
            log = Log.read(path)
        check(np.allclose(log.q, case.valid, atol=1e-6), "q is not what was written")
    else:
        log = Log.read(path, **case.options)
    with must("read once more"):
        _check_same(Log.read(path, **case.options), log, "read twice")
    for name in ("t", "q", "qd", "tau", "q_cmd", "current", "load"):
        column = getattr(log, name)
        check(column is None or np.isfinite(column).all(), f"{name} is not finite")
    check((np.diff(log.t) > 0).all(), "time does not increase")
    json.dumps(log.to_dict(), allow_nan=False)
    json.dumps(armdyn.check_log(log, None).to_dict(), allow_nan=False)
    if "sort" not in case.options:
        try:
            long = Log.stream(path, **case.options)
        except LogError as error:
            check(False, f"block by block, it is refused: {error}")
        else:
            _check_same(long, replace(log, qdd=None), "block by block")
