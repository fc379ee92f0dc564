"""Recordings of ROS 2: what is read from MCAP and rosbag2, which the library rosbags writes."""

from __future__ import annotations

import shutil
import sqlite3
import struct
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import InputError, Log, LogError, LogWarning
from armdyn.cli.app import main
from armdyn.log.ros.rosbag import robot_description
from armdyn.log.ros.storage import MAGIC
from armdyn.robot.formats.urdf.write import urdf_text

rosbag2: Any = pytest.importorskip("rosbags.rosbag2")
typesys: Any = pytest.importorskip("rosbags.typesys")

SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND
STEP = 10_000_000
STORAGE = ("MCAP", "SQLITE3")
CONTROL = {
    "control_msgs/msg/InterfaceValue": "string[] interface_names\nfloat64[] values\n",
    "control_msgs/msg/DynamicJointState": (
        "std_msgs/Header header\nstring[] joint_names\n"
        "control_msgs/InterfaceValue[] interface_values\n"
    ),
    "control_msgs/msg/JointTrajectoryControllerState": (
        "std_msgs/Header header\nstring[] joint_names\n"
        "trajectory_msgs/JointTrajectoryPoint reference\n"
        "trajectory_msgs/JointTrajectoryPoint feedback\n"
        "trajectory_msgs/JointTrajectoryPoint error\n"
        "trajectory_msgs/JointTrajectoryPoint output\n"
    ),
    "vendor_msgs/msg/ArmState": (
        "uint8 OK=0\nuint8 status\nstd_msgs/Header header\nfloat32[3] tip\nstring[] joint_names\n"
        "float32[] positions  # [rad]\nfloat64[<=9] velocities\nfloat64[] efforts\n"
    ),
}

# A topic, the type of its messages, and the messages: time of recording [ns] and message.
Topic = tuple[str, str, Iterable[tuple[int, Any]]]


def _store() -> Any:
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    for kind, text in CONTROL.items():
        store.register(typesys.get_types_from_msg(text, kind))
    return store


STORE = _store()


def made(kind: str, **fields: Any) -> Any:
    return STORE.types[kind](**fields)


def header(time: int) -> Any:
    stamp = made("builtin_interfaces/msg/Time", sec=time // SECOND, nanosec=time % SECOND)
    return made("std_msgs/msg/Header", stamp=stamp, frame_id="base")


def state(
    time: int,
    names: Sequence[str],
    q: Iterable[float],
    qd: Iterable[float] = (),
    tau: Iterable[float] = (),
) -> Any:
    return made(
        "sensor_msgs/msg/JointState",
        header=header(time),
        name=list(names),
        position=np.array([*q], float),
        velocity=np.array([*qd], float),
        effort=np.array([*tau], float),
    )


def point(q: Iterable[float], after: int = 0, effort: Iterable[float] = ()) -> Any:
    return made(
        "trajectory_msgs/msg/JointTrajectoryPoint",
        positions=np.array([*q], float),
        velocities=np.zeros(0),
        accelerations=np.zeros(0),
        effort=np.array([*effort], float),
        time_from_start=made(
            "builtin_interfaces/msg/Duration", sec=after // SECOND, nanosec=after % SECOND
        ),
    )


def bag(
    folder: Path, topics: Sequence[Topic], storage: str = "MCAP", compression: str = ""
) -> Path:
    """Write a recording; return its folder."""
    writer = rosbag2.Writer(
        folder, version=9, storage_plugin=getattr(rosbag2.StoragePlugin, storage)
    )
    if compression:
        writer.set_compression(
            rosbag2.CompressionMode.STORAGE, rosbag2.CompressionFormat[compression]
        )
    with writer:
        rows: list[tuple[int, int, Any, bytes]] = []
        for k, (topic, kind, messages) in enumerate(topics):
            connection = writer.add_connection(topic, kind, typestore=STORE)
            rows += [(t, k, connection, STORE.serialize_cdr(m, kind)) for t, m in messages]
        for time, _, connection, data in sorted(rows, key=lambda row: row[:2]):
            writer.write(connection, time, data)
    return folder


def file_of(folder: Path) -> Path:
    (found,) = [one for one in folder.iterdir() if one.suffix in (".mcap", ".db3")]
    return found


def motion(n: int, joints: int = 3) -> np.ndarray:
    return np.sin(np.outer(np.arange(n) * 0.05, np.arange(1, joints + 1)))


JOINT_STATE = "sensor_msgs/msg/JointState"
NAMES = ("shoulder", "elbow", "wrist")


def states(
    topic: str = "/joint_states",
    n: int = 40,
    names: Sequence[str] = NAMES,
    begin: int = START,
    step: int = STEP,
    scale: float = 1.0,
) -> Topic:
    q = scale * motion(n, len(names))
    times = [begin + k * step for k in range(n)]
    rows = [(t + 250_000, state(t, names, x, 2 * x, 3 * x)) for t, x in zip(times, q, strict=True)]
    return topic, JOINT_STATE, rows


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("whole", ["file", "folder"])
def test_joint_states_are_read_with_the_stamps_of_their_headers(
    tmp_path: Path, storage: str, whole: str
) -> None:
    folder = bag(tmp_path / "bag", [states()], storage)
    log = Log.read(folder if whole == "folder" else file_of(folder))
    assert log.joint_names == NAMES
    assert log.effort == "torque"
    assert log.qd is not None and log.tau is not None and log.q_cmd is None
    q = motion(40)
    assert (log.q == q).all() and (log.qd == 2 * q).all() and (log.tau == 3 * q).all()
    assert np.allclose(np.diff(log.t), 0.01, atol=1e-12, rtol=0)
    assert log.origin == START / SECOND


def test_chunks_compressed_by_zstd_are_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    folder = bag(tmp_path / "bag", [states(n=400)], "MCAP", "ZSTD")
    assert b"zstd" in file_of(folder).read_bytes()
    assert (Log.read(folder).q == motion(400)).all()


def lz4_chunk(data: bytes, checksum: int | None = None) -> bytes:
    """Return a file of one compressed chunk with the records of the first chunk of another."""
    frame: Any = pytest.importorskip("lz4.frame")
    at = len(MAGIC)
    while data[at] != 6:
        at += 9 + struct.unpack_from("<Q", data, at + 1)[0]
    size, _ = struct.unpack_from("<QI", data, at + 9 + 16)
    records = data[at + 9 + 40 : at + 9 + 40 + size]
    crc = zlib.crc32(records) if checksum is None else checksum
    packed = frame.compress(records)
    body = struct.pack("<QQQII3sQ", 0, 1, size, crc, 3, b"lz4", len(packed)) + packed
    return data[:at] + struct.pack("<BQ", 6, len(body)) + body + struct.pack("<BQI", 15, 4, 0)


def test_chunks_compressed_by_lz4_are_read_and_their_checksums_checked(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    data = file_of(bag(tmp_path / "bag", [states()])).read_bytes()
    file = tmp_path / "lz4.mcap"
    file.write_bytes(lz4_chunk(data))
    assert (Log.read(file).q == motion(40)).all()
    file.write_bytes(lz4_chunk(data, checksum=7))
    with pytest.raises(LogError, match="checksum"):
        Log.read(file)


@pytest.mark.parametrize("storage", STORAGE)
def test_stream_gives_the_numbers_of_read(
    tmp_path: Path, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from armdyn.log.ros import recording
    from armdyn.log.ros import storage as files

    n = 200
    goals = [
        (START + k * 7 * STEP, controller(START + k * 7 * STEP, NAMES, [k, -k, 0.5 * k], [0, 0, 0]))
        for k in range(n // 7)
    ]
    folder = bag(
        tmp_path / "bag",
        [states(n=n), ("/arm/state", "control_msgs/msg/JointTrajectoryControllerState", goals)],
        storage,
    )
    whole = Log.read(folder, joints=NAMES)
    monkeypatch.setattr(files, "BATCH", 16)
    monkeypatch.setattr(recording, "ROWS", 37)
    long = Log.stream(folder, joints=NAMES)
    assert len(long) == len(whole) == n
    for name in ("t", "q", "qd", "tau", "q_cmd"):
        assert (getattr(long, name)[:] == getattr(whole, name)).all(), name
    assert long.notes == whole.notes


def test_joints_are_keyed_by_name_whatever_their_order(tmp_path: Path) -> None:
    q = motion(30)
    rows: list[tuple[int, Any]] = []
    for k, x in enumerate(q):
        order = np.roll([0, 1, 2], k)
        names: list[str] = [NAMES[int(j)] for j in order] + (["gripper"] if k % 4 == 1 else [])
        more = [9.0] if k % 4 == 1 else []
        y = [*x[order], *more]
        t = START + k * STEP
        rows.append((t, state(t, names, y, y, y)))
    folder = bag(tmp_path / "bag", [("/joint_states", JOINT_STATE, rows)])
    assert (Log.read(folder, joints=NAMES).q == q).all()
    assert (Log.read(folder, joints=["wrist", "shoulder"]).q == q[:, [2, 0]]).all()
    log = Log.read(folder)
    assert log.joint_names == NAMES
    assert (log.q == q).all()


def test_messages_that_lack_a_joint_are_not_samples_of_it(tmp_path: Path) -> None:
    """Two programs publish on one topic: the arm, and more often the gripper."""
    topic, kind, arm = states(n=20)
    fingers = [
        (START + k * STEP // 2, state(START + k * STEP // 2, ["finger"], [0.01 * k]))
        for k in range(40)
    ]
    folder = bag(tmp_path / "bag", [(topic, kind, [*arm, *fingers])])
    log = Log.read(folder, joints=NAMES)
    assert (log.q == motion(20)).all() and log.tau is not None
    most = Log.read(folder)
    assert most.joint_names == ("finger",)
    assert any("shoulder" in note for note in most.notes)


def test_of_several_topics_joints_or_a_topic_choose(tmp_path: Path) -> None:
    left = [f"left_{name}" for name in NAMES]
    right = [f"right_{name}" for name in NAMES]
    folder = bag(
        tmp_path / "bag",
        [
            states("/left/joint_states", 40, left),
            states("/right/joint_states", 50, right, scale=0.5),
        ],
    )
    most = Log.read(folder)
    assert most.joint_names == tuple(right)
    assert any("/left/joint_states" in note and "topic" in note for note in most.notes)
    by_topic = Log.read(folder, columns={"topic": "/left/joint_states"})
    by_joints = Log.read(folder, joints=left)
    for log in (by_topic, by_joints):
        assert log.joint_names == tuple(left)
        assert (log.q == motion(40)).all()
    with pytest.raises(LogError, match="/left/joint_states"):
        Log.read(folder, columns={"topic": "/middle"})
    with pytest.raises(LogError, match="left_elbow"):
        Log.read(folder, joints=["a", "b", "c"])


def test_joints_of_two_topics_are_interpolated_to_one_clock(tmp_path: Path) -> None:
    late = START + STEP // 2
    ramp = [
        (late + k * 3 * STEP, state(late + k * 3 * STEP, ["finger"], [0.3 * k], [3.0], [0.1 * k]))
        for k in range(10)
    ]
    folder = bag(tmp_path / "bag", [states(), ("/gripper/joint_states", JOINT_STATE, ramp)])
    for log in (
        Log.read(folder, joints=[*NAMES, "finger"]),
        Log.stream(folder, joints=[*NAMES, "finger"]),
    ):
        # The fingers are known from 0.005 s to 0.275 s.
        assert (log.q[:][:, :3] == motion(40)[1:28]).all()
        assert np.allclose(log.q[:][:, 3], 0.1 * (np.arange(1, 28) - 0.5), atol=1e-12)
        assert any("interpolated" in note and "/gripper/joint_states" in note for note in log.notes)


def test_missing_velocities_and_efforts_that_are_nan_are_left_out(tmp_path: Path) -> None:
    rows = [
        (START + k * STEP, state(START + k * STEP, NAMES, x, [], [np.nan] * 3))
        for k, x in enumerate(motion(20))
    ]
    log = Log.read(bag(tmp_path / "bag", [("/joint_states", JOINT_STATE, rows)]))
    assert log.qd is None and log.tau is None and log.effort == "none"
    some = [
        (START + k * STEP, state(START + k * STEP, NAMES, x, x, [1.0 + k, 2.0 - k, np.nan]))
        for k, x in enumerate(motion(20))
    ]
    folder = bag(tmp_path / "some", [("/joint_states", JOINT_STATE, some)])
    log = Log.read(folder)
    assert log.tau is None
    assert any("wrist" in note for note in log.notes)
    arm = Log.read(folder, joints=NAMES[:2])
    assert arm.tau is not None and arm.tau[3].tolist() == [4.0, -1.0]


def test_single_missing_numbers_are_told_like_those_of_other_files(tmp_path: Path) -> None:
    rows = [
        (START + k * STEP, state(START + k * STEP, NAMES, x, x, [] if k == 7 else x))
        for k, x in enumerate(motion(20))
    ]
    folder = bag(tmp_path / "bag", [("/joint_states", JOINT_STATE, rows)])
    with pytest.raises(LogError, match="sample 7"):
        Log.read(folder)
    assert len(Log.read(folder, missing="drop")) == 19


@pytest.mark.parametrize("storage", STORAGE)
def test_without_stamps_times_of_recording_are_used_and_told(tmp_path: Path, storage: str) -> None:
    rows = [(START + k * STEP, state(0, NAMES, x)) for k, x in enumerate(motion(20))]
    folder = bag(tmp_path / "bag", [("/joint_states", JOINT_STATE, rows)], storage)
    for log in (Log.read(folder), Log.stream(folder)):
        assert np.allclose(np.diff(log.t), 0.01, atol=1e-12, rtol=0)
        assert any("recording" in note for note in log.notes)


@pytest.mark.parametrize(("shift", "words"), [(0, "repeats"), (-3 * STEP, "back in time")])
def test_stamps_that_do_not_increase_are_an_error_unless_sorted(
    tmp_path: Path, shift: int, words: str
) -> None:
    rows: list[tuple[int, Any]] = []
    for k, x in enumerate(motion(20)):
        stamp = START + (9 * STEP + shift if k == 10 else k * STEP)
        rows.append((START + k * STEP, state(stamp, NAMES, x)))
    folder = bag(tmp_path / "bag", [("/joint_states", JOINT_STATE, rows)])
    with pytest.raises(LogError, match=words):
        Log.read(folder)
    assert len(Log.read(folder, sort=True)) == 19


# Commands.


def controller(time: int, names: Sequence[str], goal: Iterable[float], q: Iterable[float]) -> Any:
    return made(
        "control_msgs/msg/JointTrajectoryControllerState",
        header=header(time),
        joint_names=list(names),
        reference=point(goal),
        feedback=point(q, effort=[5.0] * len(names)),
        error=point([]),
        output=point([]),
    )


def test_commands_hold_until_the_next_one(tmp_path: Path) -> None:
    goals = [
        (time, controller(time, NAMES[::-1], [3.0 * k, 2.0 * k, 1.0 * k], [0, 0, 0]))
        for k in range(5)
        for time in [START + (8 * k - 1) * STEP - STEP // 2]
    ]
    folder = bag(
        tmp_path / "bag",
        [states(), ("/arm/state", "control_msgs/msg/JointTrajectoryControllerState", goals)],
    )
    log = Log.read(folder)
    held = np.searchsorted([8 * k - 1.5 for k in range(5)], np.arange(40), side="right") - 1
    assert log.q_cmd is not None
    assert (log.q_cmd == np.outer(held, [1.0, 2.0, 3.0])).all()
    assert (log.q == motion(40)).all()
    assert any("/arm/state" in note for note in log.notes)


def test_joint_states_are_preferred_to_what_a_controller_repeats(tmp_path: Path) -> None:
    rows = [
        (START + k * STEP // 2, controller(START + k * STEP // 2, NAMES, [1, 2, 3], [4, 5, 6]))
        for k in range(80)
    ]
    kind = "control_msgs/msg/JointTrajectoryControllerState"
    log = Log.read(bag(tmp_path / "bag", [states(), ("/a_controller/state", kind, rows)]))
    assert log.q_cmd is not None
    assert (log.q == motion(40)).all() and (log.q_cmd == [1, 2, 3]).all()


def test_a_controller_alone_has_positions_and_commands(tmp_path: Path) -> None:
    q = motion(30)
    rows = [
        (START + k * STEP, controller(START + k * STEP, NAMES, 1.1 * x, x)) for k, x in enumerate(q)
    ]
    folder = bag(
        tmp_path / "bag",
        [("/arm/state", "control_msgs/msg/JointTrajectoryControllerState", rows)],
    )
    with pytest.warns(LogWarning, match="efforts never change"):
        log = Log.read(folder)
    assert log.q_cmd is not None and log.tau is not None
    assert (log.q == q).all() and (log.q_cmd == 1.1 * q).all() and (log.tau == 5.0).all()


def trajectory(time: int, names: Sequence[str], points: Sequence[Any]) -> Any:
    return made(
        "trajectory_msgs/msg/JointTrajectory",
        header=header(time),
        joint_names=list(names),
        points=list(points),
    )


def test_points_of_trajectories_hold_and_a_new_trajectory_replaces_the_rest(
    tmp_path: Path,
) -> None:
    first = [point([float(k)] * 3, 10 * k * STEP) for k in range(4)]
    second = [point([-1.0, -2.0, -3.0], 5 * STEP)]
    kind = "trajectory_msgs/msg/JointTrajectory"
    rows = [
        (START, trajectory(START, NAMES, first)),
        # A stamp of zero means now: the states are recorded 0.25 ms after their stamps.
        (START + 15 * STEP + 250_000, trajectory(0, NAMES, second)),
    ]
    folder = bag(tmp_path / "bag", [states(), ("/arm/joint_trajectory", kind, rows)])
    log = Log.read(folder)
    assert log.q_cmd is not None
    expected = [0.0] * 10 + [1.0] * 10 + [-1.0] * 20
    assert log.q_cmd[:, 0].tolist() == expected
    assert log.q_cmd[-1].tolist() == [-1.0, -2.0, -3.0]


def test_commands_that_begin_late_are_left_out_and_told(tmp_path: Path) -> None:
    late = START + 30 * STEP
    rows = [(late, controller(late, NAMES, [1, 2, 3], [0, 0, 0]))]
    folder = bag(
        tmp_path / "bag",
        [states(), ("/arm/state", "control_msgs/msg/JointTrajectoryControllerState", rows)],
    )
    log = Log.read(folder)
    assert log.q_cmd is None and len(log) == 40
    assert any("/arm/state" in note for note in log.notes)


def test_joint_states_on_a_topic_of_commands_are_commands(tmp_path: Path) -> None:
    folder = bag(tmp_path / "bag", [states(), states("/joint_command", 41, scale=0.9)])
    log = Log.read(folder)
    assert log.q_cmd is not None
    assert (log.q == motion(40)).all() and (log.q_cmd == 0.9 * motion(40)).all()


# Other types of messages.


def test_dynamic_joint_states_are_keyed_by_interface(tmp_path: Path) -> None:
    def values(words: Sequence[str], numbers: Sequence[float]) -> Any:
        return made(
            "control_msgs/msg/InterfaceValue",
            interface_names=list(words),
            values=np.array(numbers, float),
        )

    rows = [
        (
            START + k * STEP,
            made(
                "control_msgs/msg/DynamicJointState",
                header=header(START + k * STEP),
                joint_names=["shoulder", "gpio", "elbow"],
                interface_values=[
                    values(["effort", "position", "velocity"], [3 * x[0], x[0], 2 * x[0]]),
                    values(["led"], [1.0]),
                    values(["position", "velocity", "effort"], [x[1], 2 * x[1], 3 * x[1]]),
                ],
            ),
        )
        for k, x in enumerate(motion(25))
    ]
    kind = "control_msgs/msg/DynamicJointState"
    log = Log.read(bag(tmp_path / "bag", [("/dynamic_joint_states", kind, rows)]))
    q = motion(25)[:, :2]
    assert log.joint_names == ("shoulder", "elbow")
    assert log.qd is not None and log.tau is not None
    assert (log.q == q).all() and (log.qd == 2 * q).all() and (log.tau == 3 * q).all()


@pytest.mark.parametrize("storage", STORAGE)
def test_unknown_states_are_read_by_the_definition_in_the_file(
    tmp_path: Path, storage: str
) -> None:
    kind = "vendor_msgs/msg/ArmState"
    rows = [
        (
            START + k * STEP,
            made(
                kind,
                status=k % 3,
                header=header(START + k * STEP),
                tip=np.zeros(3, np.float32),
                joint_names=list(NAMES),
                positions=x.astype(np.float32),
                velocities=2 * x,
                efforts=3 * x,
            ),
        )
        for k, x in enumerate(motion(25))
    ]
    log = Log.read(bag(tmp_path / "bag", [("/arm", kind, rows)], storage))
    assert log.tau is not None
    assert (log.q == motion(25).astype(np.float32)).all() and (log.tau == 3 * motion(25)).all()


def test_the_description_of_the_robot_is_found(tmp_path: Path) -> None:
    text = "<robot name='é'/>"
    rows = [(START, made("std_msgs/msg/String", data=text))]
    topic: Topic = ("/robot_description", "std_msgs/msg/String", rows)
    folder = bag(tmp_path / "bag", [states(), topic])
    assert robot_description(folder) == text
    assert any("robot_description" in note for note in Log.read(folder).notes)
    assert robot_description(bag(tmp_path / "other", [states()])) is None


def test_a_recording_stands_for_the_robot_that_it_describes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = urdf_text(armdyn.load("planar2").robot)
    topic: Topic = (
        "/robot_description",
        "std_msgs/msg/String",
        [(START, made("std_msgs/msg/String", data=urdf))],
    )
    folder = bag(tmp_path / "bag", [states(names=["joint1", "joint2"]), topic])
    assert command("check", folder) in (0, 1)
    assert "joint2" in capsys.readouterr().out
    status, words = command("observe", folder), capsys.readouterr().err
    assert status == 2 and f"observe {folder} {folder}" in words
    assert command("info", folder) == 0
    assert "planar2" in capsys.readouterr().out
    broken: Topic = (
        "/robot_description",
        "std_msgs/msg/String",
        [(START, made("std_msgs/msg/String", data="<robot"))],
    )
    other = bag(tmp_path / "broken", [states(), broken])
    assert command("info", other) == 2
    assert "its robot description cannot be used" in capsys.readouterr().err


def command(*words: object) -> int:
    """Run a command; return its exit status."""
    with pytest.raises(SystemExit) as ended, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["armdyn", *map(str, words)])
        main()
    return int(ended.value.code or 0)


def test_a_recording_without_joints_names_its_topics(tmp_path: Path) -> None:
    rows = [(START, made("std_msgs/msg/String", data="hello"))]
    folder = bag(tmp_path / "bag", [("/chatter", "std_msgs/msg/String", rows)])
    for read in (Log.read, Log.stream):
        with pytest.raises(LogError, match="/chatter"):
            read(folder)


def test_topics_are_of_recordings_only(tmp_path: Path) -> None:
    t = np.arange(20) / 100
    Log(t, np.sin(np.outer(t, [1.0, 2.0]))).save(tmp_path / "run.csv")
    with pytest.raises(LogError, match="topic"):
        Log.read(tmp_path / "run.csv", columns={"topic": "/joint_states"})
    with pytest.raises(InputError):
        Log.read(tmp_path / "run.csv", columns={"topics": "/joint_states"})


# Damaged and hostile files.


def read_or_error(read: Callable[[Path], Log], path: Path) -> Log | None:
    """Return the log, or None for an error of armdyn; warnings of others are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LogWarning)
        try:
            return read(path)
        except LogError as error:
            assert "\n" not in str(error)
            return None


@pytest.mark.parametrize(
    ("storage", "compression"), [("MCAP", ""), ("MCAP", "ZSTD"), ("SQLITE3", "")]
)
def test_a_file_that_is_cut_off_is_an_error_or_a_shorter_log(
    tmp_path: Path, storage: str, compression: str
) -> None:
    if compression:
        pytest.importorskip("pyarrow")
    file = file_of(bag(tmp_path / "bag", [states(n=30)], storage, compression))
    data = file.read_bytes()
    cut = tmp_path / f"cut{file.suffix}"
    lengths: set[int] = set()
    for length in [*range(0, len(data), max(1, len(data) // 150)), len(data) - 1]:
        cut.write_bytes(data[:length])
        log = read_or_error(Log.read, cut)
        if log is not None:
            assert (log.q == motion(30)[: len(log)]).all()
            lengths.add(len(log))
    if storage == "MCAP" and not compression:
        assert len(lengths) > 10


def test_a_recording_that_was_not_closed_is_told(tmp_path: Path) -> None:
    file = file_of(bag(tmp_path / "bag", [states(n=30)]))
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 3])
    with pytest.warns(LogWarning, match="cut off"):
        log = Log.read(file)
    assert 2 < len(log) < 30
    assert any("cut off" in note for note in log.notes)


@pytest.mark.parametrize("storage", STORAGE)
def test_random_damage_never_raises_a_foreign_error(tmp_path: Path, storage: str) -> None:
    file = file_of(bag(tmp_path / "bag", [states(n=12)], storage))
    data = bytearray(file.read_bytes())
    rng = np.random.default_rng(1)
    bad = tmp_path / f"bad{file.suffix}"
    for _ in range(150):
        changed = bytearray(data)
        for at in rng.integers(0, len(data), 4):
            changed[at] = rng.integers(0, 256)
        bad.write_bytes(changed)
        read_or_error(Log.read, bad)
        read_or_error(Log.stream, bad)


def test_files_of_other_kinds_are_refused(tmp_path: Path) -> None:
    for name in ("a.mcap", "a.db3"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(LogError):
            Log.read(tmp_path / name)
        (tmp_path / name).write_bytes(b"t,q1\n0,1\n")
        with pytest.raises(LogError):
            Log.read(tmp_path / name)
    with sqlite3.connect(tmp_path / "b.db3") as base:
        base.execute("CREATE VIEW messages AS SELECT 1 AS topic_id, 2 AS timestamp, 3 AS data")
        base.execute("CREATE TABLE topics (id, name, type, serialization_format)")
    with pytest.raises(LogError, match="rosbag2"):
        Log.read(tmp_path / "b.db3")


def test_a_chunk_that_declares_far_too_many_bytes_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    chunk = struct.pack("<QQQI", 0, 1, 1 << 40, 0) + struct.pack("<I", 4) + b"zstd"
    chunk += struct.pack("<Q", 4) + b"abcd"
    (tmp_path / "bomb.mcap").write_bytes(MAGIC + struct.pack("<BQ", 6, len(chunk)) + chunk)
    with pytest.raises(LogError, match="GB"):
        Log.read(tmp_path / "bomb.mcap")


def test_messages_with_wrong_counts_are_left_out_and_told(tmp_path: Path) -> None:
    topic, kind, rows = states(n=20)
    bad = [
        (START + 5 * STEP + 1, state(START + 5 * STEP + 1, NAMES, [1.0, 2.0])),
        (START + 6 * STEP + 1, state(START + 6 * STEP + 1, ["a", "a"], [1.0, 2.0])),
    ]
    folder = bag(tmp_path / "bag", [(topic, kind, [*rows, *bad])])
    with pytest.warns(LogWarning, match="2 messages"):
        log = Log.read(folder)
    assert (log.q == motion(20)).all()


def test_a_folder_with_a_missing_file_is_told(tmp_path: Path) -> None:
    folder = bag(tmp_path / "bag", [states()])
    metadata = folder / "metadata.yaml"
    text = metadata.read_text()
    metadata.write_text(text.replace("- bag.mcap", "- bag.mcap\n  - bag_1.mcap"))
    with pytest.warns(LogWarning, match=r"bag_1\.mcap"):
        Log.read(folder)
    file_of(folder).rename(folder / "bag.mcap.zstd")
    with pytest.raises(LogError, match="zstd -d"):
        Log.read(folder)


def test_files_of_a_folder_follow_each_other(tmp_path: Path) -> None:
    first = bag(tmp_path / "one", [states(n=20)])
    second = bag(tmp_path / "two", [states(n=20, begin=START + 20 * STEP)])
    shutil.copy(file_of(second), first / "two.mcap")
    metadata = first / "metadata.yaml"
    metadata.write_text(metadata.read_text().replace("- one.mcap", "- one.mcap\n  - two.mcap"))
    log = Log.read(first)
    assert len(log) == 40
    assert (log.q == np.concatenate([motion(20), motion(20)])).all()


def test_names_are_taken_as_they_are_and_told_on_one_line(tmp_path: Path) -> None:
    names = ["dot", "<b>x</b>", "tool [deg]", "a\nb"]
    folder = bag(tmp_path / "bag", [states(names=names), states("/o\n\x1b[31m", 9, ["c\nd"])])
    log = Log.read(folder)
    assert all(note.isprintable() for note in log.notes) and len(log.notes) == 1
    with pytest.raises(LogError) as error:
        Log.read(folder, joints=["e", "f"])
    assert str(error.value).isprintable()
    assert log.joint_names == tuple(names)
    assert (log.q == motion(40, 4)).all()


def test_joints_of_other_names_are_chosen_by_the_option_of_the_message(tmp_path: Path) -> None:
    names = [f"{side}_{k}" for side in ("left", "right") for k in ("waist", "elbow")]
    rows = [
        (START + k * STEP, state(START + k * STEP, names, [0.01 * k, 0.02 * k, 0.02 * k, 0.01 * k]))
        for k in range(50)
    ]
    path = bag(tmp_path / "two", [("/joint_states", "sensor_msgs/msg/JointState", rows)])
    with pytest.raises(LogError, match="may be right") as caught:
        Log.read(path, joints=("j1", "j2"))
    log = Log.read(path, joints=("j1", "j2"), columns=caught.value.columns)
    np.testing.assert_allclose(log.q, 0.01 * np.arange(50)[:, None] * [1.0, 2.0])
    turned = Log.read(path, joints=("j1", "j2"), columns={"q": ["left_elbow", "left_waist"]})
    np.testing.assert_array_equal(turned.q, log.q[:, ::-1])
    assert Log.read(path, columns={"q": "*_waist"}).joint_names == ("left_waist", "right_waist")
    for said in ("leg_*", ["left_waist", "left_*"], "left_waist"):
        with pytest.raises(LogError, match=r"no joint|twice|expected 2"):
            Log.read(path, joints=("j1", "j2"), columns={"q": said})
