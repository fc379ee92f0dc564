"""LeRobot datasets of versions 2.1 and 3.0, whole and damaged; all data are simulated."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.errors import LogWarning
from armdyn.log import many
from armdyn.log.hdf5 import ALOHA_JOINTS
from armdyn.log.log import LongLog
from armdyn.log.many import log_paths
from armdyn.log.recognition.encoders import encoder_step

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FILE = Path(__file__).parents[2] / "benchmarks" / "lerobot_dataset.py"
STATE = "observation.state"
VERSIONS = ("v2.1", "v3.0")
LENGTHS = (300, 200, 250, 300)


def _made() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lerobot_dataset", FILE)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules["lerobot_dataset"] = made
    spec.loader.exec_module(made)
    return made


simulated = _made()


def counts() -> tuple[np.ndarray, np.ndarray]:
    """Return all positions and goals in steps of the encoder."""
    parts = [simulated.frames_of(k, count) for k, count in enumerate(LENGTHS)]
    return np.vstack([q for q, _ in parts]), np.vstack([a for _, a in parts])


def both_ways(path: Path, **options: Any) -> list[armdyn.Log]:
    """Return a log read as a whole and block by block, after checking that they agree."""
    whole, long = armdyn.Log.read(path, **options), armdyn.Log.stream(path, **options)
    assert whole.episodes == long.episodes
    assert whole.notes == long.notes
    assert whole.command == long.command
    for name in ("t", *whole.measured):
        np.testing.assert_array_equal(np.asarray(getattr(long, name)), getattr(whole, name))
    return [whole, long]


def small(
    folder: Path,
    columns: dict[str, np.ndarray],
    names: dict[str, Any],
    version: str = "v3.0",
    **info: Any,
) -> Path:
    """Write a dataset of one episode with any vectors."""
    features = {name: {"dtype": "float32", "names": names.get(name)} for name in columns}
    simulated.write_info(folder, version, features, **info)
    simulated.write_episodes(folder, version, [columns])
    return folder


def waves(count: int = 200, width: int = 3) -> np.ndarray:
    """Return smooth motion within a turn, as float32."""
    t = np.arange(count)[:, None] / 30
    return np.sin(t * (1.0 + 0.3 * np.arange(width))).astype(np.float32)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("units", ["deg", "rad", "m100_100"])
def test_datasets_are_read_in_si_units_with_commands_and_episodes(
    tmp_path: Path, version: str, units: str
) -> None:
    simulated.write_dataset(tmp_path, version, units, LENGTHS)
    q, goal = (x * 2.0 * np.pi / 4096 for x in counts())
    for log in both_ways(tmp_path):
        assert log.joint_names == simulated.NAMES
        np.testing.assert_allclose(np.asarray(log.q), q, atol=3e-4)
        np.testing.assert_allclose(np.asarray(log.q_cmd), goal, atol=3e-4)
        ends = np.cumsum([0, *LENGTHS]).tolist()
        assert log.episodes == [slice(a, b) for a, b in pairwise(ends)]
        steps = np.diff(np.asarray(log.t))
        assert (np.flatnonzero(steps > 5.0 / 30.0) + 1).tolist() == ends[1:-1]
        inside = np.delete(steps, np.array(ends[1:-1]) - 1)
        np.testing.assert_allclose(inside, 1.0 / 30.0, rtol=1e-9)
        assert any("nominal" in note for note in log.notes)
        assert any(f'units="{units}"' in note for note in log.notes)
        assert log.command.endswith(f"--units {units}")


@pytest.mark.parametrize("units", ["deg", "rad", "m100_100"])
def test_a_unit_that_is_said_is_the_one_that_would_be_found(tmp_path: Path, units: str) -> None:
    simulated.write_dataset(tmp_path, "v3.0", units)
    said, found = armdyn.Log.read(tmp_path, units=units), armdyn.Log.read(tmp_path)
    np.testing.assert_allclose(said.q, found.q, rtol=1e-12)
    np.testing.assert_allclose(said.q_cmd, found.q_cmd, rtol=1e-12)


@pytest.mark.parametrize(
    "wrap",
    [list, lambda k: [k], lambda k: {"motors": k}, lambda k: {n: j for j, n in enumerate(k)}],
)
def test_names_may_be_nested(tmp_path: Path, wrap: Callable[[list[str]], Any]) -> None:
    names = [f"main_{name}" for name in simulated.NAMES]
    simulated.write_dataset(tmp_path, "v2.1", names=wrap(names))
    log = armdyn.Log.read(tmp_path)
    assert log.joint_names == tuple(names)
    assert log.q_cmd is not None


@pytest.mark.parametrize("names", [None, ["dim"], [3, 4], "abc", {}, [["a"], ["b"]]])
def test_joints_without_names_are_numbered(tmp_path: Path, names: Any) -> None:
    small(tmp_path, {STATE: waves(), "action": waves()}, {STATE: names, "action": names})
    log = armdyn.Log.read(tmp_path)
    assert log.joint_names == ("joint1", "joint2", "joint3")
    assert any("joint1" in note for note in log.notes)
    assert log.q_cmd is not None


def test_an_arm_selects_its_joints_by_name(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path)
    wanted = ["wrist_flex", "shoulder_pan"]
    whole = armdyn.Log.read(tmp_path)
    for log in both_ways(tmp_path, joints=wanted):
        assert log.joint_names == tuple(wanted)
        np.testing.assert_array_equal(np.asarray(log.q_cmd), whole.q_cmd[:, [3, 0]])
    arm = armdyn.load("so101")
    assert armdyn.Log.read(tmp_path, joints=arm).joint_names == arm.joint_names


def test_two_arms_are_kept_and_told(tmp_path: Path) -> None:
    names = ["left_lift.pos", "left_elbow.pos", "right_lift.pos", "right_elbow.pos"]
    x = waves(width=4)
    small(tmp_path, {STATE: x, "action": x}, {STATE: names, "action": names})
    log = armdyn.Log.read(tmp_path)
    assert log.n == 4
    assert any("joints=['left_lift', 'left_elbow']" in note for note in log.notes)
    right = armdyn.Log.read(tmp_path, joints=["right_lift", "right_elbow"])
    np.testing.assert_array_equal(right.q, log.q[:, 2:])
    with pytest.raises(armdyn.LogError, match="left_lift"):
        armdyn.Log.read(tmp_path, joints=["lift", "elbow"])


def test_suffixes_and_vectors_tell_the_quantity(tmp_path: Path) -> None:
    words = ("pos", "vel", "torque")
    names = [f"{joint}.{word}" for joint in ("a", "b") for word in words]
    x, other = waves(width=6), waves(width=2)
    small(
        tmp_path,
        {STATE: x, "observation.current": other, "observation.load": other + 1},
        {STATE: names, "observation.current": ["a", "b"], "observation.load": ["a.load", "b.load"]},
    )
    for log in both_ways(tmp_path):
        np.testing.assert_array_equal(np.asarray(log.q), x[:, [0, 3]])
        np.testing.assert_array_equal(np.asarray(log.qd), x[:, [1, 4]])
        np.testing.assert_array_equal(np.asarray(log.tau), x[:, [2, 5]])
        np.testing.assert_array_equal(np.asarray(log.current), other)
        np.testing.assert_array_equal(np.asarray(log.load), other + 1)
        assert log.effort == "torque"


@pytest.mark.parametrize("name", ["observation.velocity", "observation.effort"])
def test_vectors_of_single_quantities(tmp_path: Path, name: str) -> None:
    x = waves()
    small(tmp_path, {STATE: x, name: 2 * x}, {STATE: ["a", "b", "c"], name: ["a", "b", "c"]})
    log = armdyn.Log.read(tmp_path)
    np.testing.assert_array_equal(log.qd if name.endswith("velocity") else log.tau, 2 * x)


@pytest.mark.parametrize(
    ("action", "names"),
    [
        (waves(width=3), ["x", "y", "z"]),
        (waves(width=2), ["a", "b"]),
        (np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32), ["a", "b", "c"]),
    ],
)
def test_actions_that_are_no_goals_are_left_out_and_told(
    tmp_path: Path, action: np.ndarray, names: list[str]
) -> None:
    small(tmp_path, {STATE: waves(), "action": action}, {STATE: ["a", "b", "c"], "action": names})
    log = armdyn.Log.read(tmp_path)
    assert log.q_cmd is None
    assert any("not the goal" in note for note in log.notes)


def test_stamps_that_are_not_nominal_are_used(tmp_path: Path) -> None:
    small(tmp_path, {STATE: waves()}, {})
    path = tmp_path / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    t = np.cumsum(np.random.default_rng(1).uniform(0.03, 0.04, 200))
    at = table.column_names.index("timestamp")
    pq.write_table(table.set_column(at, "timestamp", pa.array(t)), path)
    log = armdyn.Log.read(tmp_path)
    np.testing.assert_array_equal(log.t, t)
    assert not any("nominal" in note for note in log.notes)


@pytest.mark.parametrize("fps", [0, -30, "30", None, float("inf")])
def test_a_wrong_rate_leaves_the_stamps(tmp_path: Path, fps: Any) -> None:
    small(tmp_path, {STATE: waves()}, {}, fps=fps)
    np.testing.assert_allclose(armdyn.Log.read(tmp_path).t, np.arange(200) / 30, atol=1e-5)


def test_positions_of_an_unclear_unit_are_refused_with_the_option(tmp_path: Path) -> None:
    x = (50.0 * waves()).astype(np.float32)
    small(tmp_path, {STATE: x}, {})
    for read in (armdyn.Log.read, armdyn.Log.stream):
        with pytest.raises(armdyn.LogError, match='units="deg"'):
            read(tmp_path)
    np.testing.assert_allclose(armdyn.Log.read(tmp_path, units="deg").q, np.radians(x))
    with pytest.raises(armdyn.LogError, match="steps of an encoder"):
        armdyn.Log.read(tmp_path, units="m100_100")


def test_normalised_units_need_steps_of_encoders_in_every_format(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q1\n0,0\n1,1\n")
    with pytest.raises(armdyn.LogError, match="no steps of an encoder"):
        armdyn.Log.read(path, units="m100_100", time_unit="s")
    counts = 37 * np.arange(300) % 900
    rows = "".join(f"{k / 100},{100 * (c / 450 - 1)!r}\n" for k, c in enumerate(counts.tolist()))
    path.write_text(f"t,q1\n{rows}")
    log = armdyn.Log.read(path, units="m100_100")
    np.testing.assert_allclose(log.q[:, 0], (counts - 450) * np.pi / 2048, atol=1e-9)


@pytest.mark.parametrize("robot", ["so100", "so101"])
def test_zero_of_normalised_positions_is_the_middle_of_the_limits(
    tmp_path: Path, robot: str
) -> None:
    """LeRobot calibrates from stop to stop, whatever the zero of the description is."""
    arm = armdyn.load(robot)
    simulated.write_dataset(tmp_path, "v3.0", "m100_100", LENGTHS)
    q, goal = (x * 2.0 * np.pi / 4096 for x in counts())
    middle = [(joint.lower + joint.upper) / 2.0 for joint in arm.robot.joints]
    for log in both_ways(tmp_path, joints=arm):
        np.testing.assert_allclose(np.asarray(log.q), q + middle, atol=3e-4)
        np.testing.assert_allclose(np.asarray(log.q_cmd), goal + middle, atol=3e-4)
        assert any("middle of the described limits" in note for note in log.notes)
        assert armdyn.check_log(log, arm).ok


def test_a_joint_at_rest_among_normalised_ones_is_told(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path)
    path = tmp_path / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    x = np.array(table.column(STATE).to_pylist(), dtype=np.float32)
    x[:, 1] = 12.5
    made = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 6)
    pq.write_table(table.set_column(table.column_names.index(STATE), STATE, made), path)
    with pytest.warns(LogWarning, match="shoulder_lift"):
        log = armdyn.Log.read(tmp_path)
    assert np.radians(12.5) == pytest.approx(log.q[0, 1])


@pytest.mark.parametrize(
    ("step", "unit"), [(360 / 4096, "deg"), (2 * np.pi / 4096, "rad"), (200 / 2303, "m100_100")]
)
def test_steps_of_encoders_are_found(step: float, unit: str) -> None:
    steps = np.round(700 * np.sin(np.arange(900) / 40))
    found = encoder_step((steps * step).astype(np.float32))
    assert found == pytest.approx(step, rel=3e-4), unit


def test_continuous_positions_have_no_step() -> None:
    rng = np.random.default_rng(2)
    assert encoder_step(rng.normal(size=5000)) is None
    assert encoder_step(np.sin(np.arange(5000) / 70).astype(np.float32)) is None
    assert encoder_step(np.zeros(100)) is None
    assert encoder_step(np.full(10, np.nan)) is None


def test_a_normalised_gripper_beside_joints_in_degrees(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path, units="deg")
    path = tmp_path / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    x = np.array(table.column(STATE).to_pylist(), dtype=np.float32)
    x[:, 5] = 50.0 + x[:, 5] * (4096 / 360.0) * 100.0 / 1481.0
    made = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 6)
    pq.write_table(table.set_column(table.column_names.index(STATE), STATE, made), path)
    log = armdyn.Log.read(tmp_path)
    np.testing.assert_allclose(log.q[:, :5], np.radians(x[:, :5].astype(np.float64)))
    scale = 2.0 * np.pi * 1481.0 / 4096 / 100.0
    np.testing.assert_allclose(log.q[:, 5], x[:, 5] * scale, rtol=1e-3)
    again = armdyn.Log.read(tmp_path, units="m100_100")
    np.testing.assert_allclose(again.q, log.q, atol=1e-3)
    assert log.command.endswith("--units m100_100")
    body = armdyn.Log.read(tmp_path, joints=simulated.NAMES[:5])
    assert body.command.endswith("--units deg")


def test_several_datasets_are_joined(tmp_path: Path) -> None:
    for name, version in (("one", "v2.1"), ("two", "v3.0")):
        simulated.write_dataset(tmp_path / name, version, "deg", (200, 100))
    log = armdyn.Log.read([tmp_path / "one", tmp_path / "two"])
    assert len(log.episodes) == 4
    assert log_paths(tmp_path / "one") == [tmp_path / "one"]
    assert log_paths(str(tmp_path / "*")) == [tmp_path / "one", tmp_path / "two"]


def test_saved_logs_keep_what_was_read(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path / "data")
    log = armdyn.Log.read(tmp_path / "data")
    log.save(tmp_path / "log.parquet")
    again = armdyn.Log.read(tmp_path / "log.parquet")
    assert again.episodes == log.episodes
    for name in ("t", "q", "q_cmd"):
        np.testing.assert_array_equal(getattr(again, name), getattr(log, name))


def test_a_single_data_file_is_read_by_its_columns(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path, units="deg")
    whole = armdyn.Log.read(tmp_path)
    shutil.rmtree(tmp_path / "meta")
    log = armdyn.Log.read(
        tmp_path / "data/chunk-000/file-000.parquet", columns={"q": STATE}, units="deg"
    )
    assert len(log.episodes) == 4
    np.testing.assert_allclose(log.q, whole.q)
    assert log.q_cmd is not None


# Damaged and hostile datasets: an error of armdyn that says what is wrong.


@pytest.mark.parametrize("version", ["v1.6", "v4.0", "", None, 3, ["v3.0"]])
def test_other_versions_are_refused(tmp_path: Path, version: Any) -> None:
    simulated.write_dataset(tmp_path)
    info = json.loads((tmp_path / "meta/info.json").read_text())
    info["codebase_version"] = version
    (tmp_path / "meta/info.json").write_text(json.dumps(info))
    with pytest.raises(armdyn.LogError, match=r"v2\.1 or v3\.0"):
        armdyn.Log.read(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"features": 3}', '{"features": {}}', "[" * 100_000, "\xff\xfe"]
)
def test_a_damaged_info_is_told(tmp_path: Path, text: str) -> None:
    simulated.write_dataset(tmp_path)
    (tmp_path / "meta/info.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(armdyn.LogError, match=r"info\.json"):
        armdyn.Log.read(tmp_path)


def test_missing_parts_are_told(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path, "v2.1")
    (tmp_path / "data/chunk-000/episode_000001.parquet").unlink()
    with pytest.warns(LogWarning, match="850 frames"):
        assert len(armdyn.Log.read(tmp_path).episodes) == 3
    with pytest.warns(LogWarning, match="850 frames"):
        armdyn.Log.stream(tmp_path)
    shutil.rmtree(tmp_path / "meta")
    for call in (armdyn.Log.read, armdyn.Log.stream, log_paths):
        with pytest.raises(armdyn.LogError, match=r"info\.json"):
            call(tmp_path)
    simulated.write_dataset(tmp_path / "two", "v2.1")
    shutil.rmtree(tmp_path / "two" / "data")
    with pytest.raises(armdyn.LogError, match="without data files"):
        armdyn.Log.read(tmp_path / "two")


def test_a_folder_that_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(armdyn.LogError, match="folder"):
        armdyn.Log.read(tmp_path)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_data_file_is_read_as_a_part_of_its_dataset(tmp_path: Path, version: str) -> None:
    simulated.write_dataset(tmp_path, version, "deg", LENGTHS)
    whole = armdyn.Log.read(tmp_path)
    paths = sorted((tmp_path / "data/chunk-000").iterdir())
    log = both_ways(paths[-1])[0]
    some = whole.episodes[-1] if len(paths) > 1 else slice(0, None)
    np.testing.assert_array_equal(log.q, whole.q[some])
    assert log.q_cmd is not None and log.joint_names == whole.joint_names
    assert not any("files are missing" in note for note in log.notes)


def test_a_folder_of_datasets_is_several_logs(tmp_path: Path) -> None:
    for name in ("b", "a"):
        simulated.write_dataset(tmp_path / "user" / name, "v3.0", "deg", LENGTHS)
    both = [tmp_path / "user" / "a", tmp_path / "user" / "b"]
    assert log_paths(tmp_path / "user") == both
    with pytest.raises(armdyn.LogError) as caught:
        log_paths(tmp_path)
    pattern = str(caught.value).split("'")[1]
    assert log_paths(pattern) == both
    with pytest.raises(armdyn.LogError, match=r"Read the log in it, .*a, or all"):
        armdyn.Log.read(tmp_path / "user")


def test_a_part_of_a_dataset_names_the_folder_to_read(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path, "v3.0", "deg", LENGTHS)
    for part in ("meta", "data", "data/chunk-000"):
        with pytest.raises(armdyn.LogError) as caught:
            armdyn.Log.read(tmp_path / part)
        assert str(caught.value).endswith(f"dataset {tmp_path}: read that folder.")


def test_large_datasets_are_not_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated.write_dataset(tmp_path, "v2.1", "deg", LENGTHS)
    for size, kind in ((1 << 30, armdyn.Log), (1 << 10, LongLog)):
        monkeypatch.setattr(many, "LARGE", size)
        (log,) = many.read_logs([tmp_path], None, {}, long=True)
        assert type(log) is kind


def test_a_dataset_in_the_place_of_an_arm_is_named_as_a_log(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path / "set", "v2.1", "deg", LENGTHS)
    path = tmp_path / "set" / "data" / "chunk-000" / "episode_000000.parquet"
    for log in (tmp_path / "set", path):
        with pytest.raises(armdyn.RobotError, match="is a log, not a description"):
            armdyn.load(log)


def test_more_joints_than_those_of_the_arm_are_offered_from_the_first(tmp_path: Path) -> None:
    path = small(tmp_path, {STATE: waves(width=4)}, {STATE: ["a", "b", "c", "d"]})
    with pytest.raises(armdyn.LogError, match="If the first 2") as caught:
        armdyn.Log.read(path, joints=["x", "y"])
    columns = {k: v.split(",") for k, v in caught.value.columns.items()}
    log = armdyn.Log.read(path, joints=["x", "y"], columns=columns)
    np.testing.assert_allclose(log.q, waves(width=4)[:, :2])


def test_files_that_were_not_fetched_are_named(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path, "v2.1", "deg", LENGTHS)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    (tmp_path / "run.csv").write_text(pointer)
    part = tmp_path / "data" / "chunk-000" / "episode_000002.parquet"
    part.write_text(pointer)
    for path in (tmp_path, tmp_path / "run.csv", part):
        for read in (armdyn.Log.read, armdyn.Log.stream):
            with pytest.raises(armdyn.LogError, match="git lfs pull"):
                read(path)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_truncated_files_are_told(tmp_path: Path, version: str, share: float) -> None:
    simulated.write_dataset(tmp_path, version)
    path = sorted((tmp_path / "data/chunk-000").iterdir())[-1]
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    for read in (armdyn.Log.read, armdyn.Log.stream):
        with pytest.raises(armdyn.LogError, match="not a Parquet file"):
            read(tmp_path)


def test_damaged_bytes_are_an_error_or_numbers(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path, lengths=(50,))
    path = tmp_path / "data/chunk-000/file-000.parquet"
    whole, rng = path.read_bytes(), np.random.default_rng(3)
    for _ in range(60):
        data = bytearray(whole)
        for at in rng.integers(0, len(data), 5).tolist():
            data[at] = int(rng.integers(256))
        path.write_bytes(data)
        try:
            armdyn.Log.read(tmp_path, units="deg", missing="drop")
        except (armdyn.ArmdynError, LogWarning):
            continue


def test_empty_episodes_are_left_out(tmp_path: Path) -> None:
    simulated.write_dataset(tmp_path, "v2.1", lengths=(100, 0, 150))
    with pytest.warns(LogWarning, match="no frames"):
        log = armdyn.Log.read(tmp_path)
    assert log.episodes == [slice(0, 100), slice(100, 250)]
    simulated.write_dataset(tmp_path / "none", "v2.1", lengths=(0, 0))
    with pytest.raises(armdyn.LogError, match="no frames"):
        armdyn.Log.read(tmp_path / "none")


def test_an_episode_of_another_width_is_told(tmp_path: Path) -> None:
    names = {STATE: ["a", "b", "c"]}
    simulated.write_info(tmp_path, "v2.1", {STATE: {"names": names[STATE]}})
    simulated.write_episodes(tmp_path, "v2.1", [{STATE: waves(width=3)}, {STATE: waves(width=4)}])
    for read in (armdyn.Log.read, armdyn.Log.stream):
        with pytest.raises(armdyn.LogError, match="4 numbers a frame"):
            read(tmp_path)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[0.1, 0.2]] * 199 + [[0.1]]),
        pa.array([["a", "b"]] * 200),
        pa.array(["text"] * 200),
        pa.array([[[0.1], [0.2]]] * 200),
        pa.array([[]] * 200, pa.list_(pa.float32())),
        pa.array([None] * 200, pa.list_(pa.float32(), 2)),
    ],
)
def test_odd_lists_are_told(tmp_path: Path, column: Any) -> None:
    small(tmp_path, {STATE: waves()}, {})
    path = tmp_path / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.column_names.index(STATE), STATE, column), path)
    for read in (armdyn.Log.read, armdyn.Log.stream):
        with pytest.raises(armdyn.LogError):
            read(tmp_path)


def test_missing_numbers_are_told_or_dropped(tmp_path: Path) -> None:
    x = waves()
    x[7, 1] = np.nan
    small(tmp_path, {STATE: x}, {})
    path = tmp_path / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    rows = table.column(STATE).to_pylist()
    rows[9] = None
    column = pa.array(rows, pa.list_(pa.float32()))
    pq.write_table(table.set_column(table.column_names.index(STATE), STATE, column), path)
    with pytest.raises(armdyn.LogError, match="2 rows"):
        armdyn.Log.read(tmp_path)
    for log in both_ways(tmp_path, missing="drop"):
        assert len(log) == 198
        assert log.episodes == [slice(0, 198)]


@pytest.mark.parametrize(
    "names",
    [
        ["<script>alert(1)</script>", "a\nb", "x" * 5000],
        ["", " ", "\0"],
        ["q1", "target_1", "t"],
        ["timestamp", "episode_index", "action"],
        ["gripper", "gripper", "gripper"],
        ["[deg]", "a [mm]", "../../etc"],
    ],
)
def test_hostile_names_are_names(tmp_path: Path, names: list[str]) -> None:
    x = waves()
    small(tmp_path, {STATE: x, "action": x}, {STATE: names, "action": names})
    for log in both_ways(tmp_path):
        assert log.n == 3
        np.testing.assert_array_equal(np.asarray(log.q), x)
        assert all("\n" not in words and len(words) < 2000 for words in log.notes)
        assert all(name.isprintable() for name in log.joint_names)
        assert "<script>" not in log._repr_html_()


@pytest.mark.parametrize("path", ["/etc/*", "../{x}/y.parquet", "**/{a}", "nothing/{x}.parquet"])
def test_data_paths_stay_in_the_dataset(tmp_path: Path, path: str) -> None:
    small(tmp_path, {STATE: waves()}, {}, data_path=path)
    with pytest.raises(armdyn.LogError):
        armdyn.Log.read(tmp_path)


def test_a_parquet_bomb_is_refused(tmp_path: Path) -> None:
    width = 1 << 20
    small(tmp_path, {STATE: waves()}, {})
    path = tmp_path / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    zeros = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(50 * width, np.int8)), width)
    bomb = table.slice(0, 50)
    bomb = bomb.set_column(table.column_names.index(STATE), STATE, zeros)
    pq.write_table(bomb, path, compression="zstd")
    assert path.stat().st_size < 1e6
    for read in (armdyn.Log.read, armdyn.Log.stream):
        with pytest.raises(armdyn.LogError, match="GB of memory"):
            read(tmp_path)
        with pytest.raises(armdyn.LogError, match="GB of memory"):
            read(path)


def test_poses_are_no_joints(tmp_path: Path) -> None:
    pose = ["x", "y", "z", "roll", "pitch", "yaw", "gripper"]
    for k, names in enumerate((pose, ["x", "y", "z", "rx", "ry", "rz", "rw", "gripper"])):
        state = {STATE: waves(width=len(names))}
        only = small(tmp_path / f"only{k}", state, {STATE: names})
        with pytest.raises(armdyn.LogError, match="is a pose"):
            armdyn.Log.read(only)
    joints = "observation.state.joint_position"
    both = small(
        tmp_path / "both",
        {STATE: waves(width=7), joints: waves(), "action.joint_position": waves()},
        {STATE: pose, joints: ["a", "b", "c"], "action.joint_position": ["a", "b", "c"]},
    )
    log = both_ways(both)[0]
    assert log.joint_names == ("a", "b", "c")
    assert log.q_cmd is not None
    slides = small(tmp_path / "slides", {STATE: waves()}, {STATE: ["x", "y", "z"]})
    assert both_ways(slides, joints=("x", "y", "z"))[0].n == 3


@pytest.mark.parametrize("grip", [True, False])
def test_vectors_without_names_take_those_of_the_positions(tmp_path: Path, grip: bool) -> None:
    names = ["a", "b", "gripper"]
    columns = {
        STATE: waves(),
        "observation.velocity": waves(width=3 if grip else 2),
        "action": waves(),
    }
    log = both_ways(small(tmp_path, columns, {STATE: names}), joints=("a", "b"))[0]
    assert log.qd is not None
    np.testing.assert_array_equal(log.qd, waves()[:, :2])
    assert log.q_cmd is not None
    assert any("those of observation.state are taken" in note for note in log.notes)


def test_efforts_of_aloha_are_currents(tmp_path: Path) -> None:
    names = [f"left_{name}" for name in ALOHA_JOINTS]
    columns = {STATE: waves(width=7), "observation.effort": 200.0 * waves(width=7)}
    log = both_ways(small(tmp_path, columns, {STATE: names, "observation.effort": names}))[0]
    assert log.effort == "current"
    np.testing.assert_allclose(log.tau, 0.2 * waves(width=7), rtol=1e-6)


def test_an_arm_of_two_is_selected_by_the_option_of_the_message(tmp_path: Path) -> None:
    names = [f"{side}_{k}" for side in ("left", "right") for k in ("waist", "elbow", "gripper")]
    columns = {STATE: waves(width=6), "action": waves(width=6), "observation.effort": waves(200, 6)}
    path = small(tmp_path, columns, dict.fromkeys(columns, names))
    with pytest.raises(armdyn.LogError, match="may be right") as caught:
        armdyn.Log.read(path, joints=("j1", "j2", "jaw"))
    log = both_ways(path, joints=("j1", "j2", "jaw"), columns=caught.value.columns)[0]
    assert set(log.measured) == {"q", "tau", "q_cmd"}
    np.testing.assert_array_equal(log.q, waves(width=6)[:, :3])


def test_the_gripper_of_a_file_is_that_of_the_arm(tmp_path: Path) -> None:
    path = small(tmp_path, {STATE: waves()}, {STATE: ["joint_1.pos", "joint_2.pos", "gripper.pos"]})
    log = both_ways(path, joints=("jointGripper", "joint1", "joint2"))[0]
    np.testing.assert_array_equal(log.q, waves()[:, [2, 0, 1]])


# Names that recorders of other arms use, around those of the joints of an SO-101.
FORMS = {
    "koch and SO-100 of version 2": ("main_{}", "v2.1", "deg"),
    "SO-101": ("{}.pos", "v3.0", "m100_100"),
    "LeKiwi": ("arm_{}.pos", "v3.0", "m100_100"),
    "upper case": ("{}.POS", "v3.0", "deg"),
}


@pytest.mark.parametrize("name", FORMS)
def test_names_of_recorders_go_to_the_joints_of_the_arm(tmp_path: Path, name: str) -> None:
    form, version, units = FORMS[name]
    arm = armdyn.load("so101")
    steps, goals = simulated.frames_of(0, 300)
    names = [form.format(joint) for joint in simulated.NAMES]
    vectors = {STATE: steps, "action": goals}
    columns = {key: simulated.in_units(x, units) for key, x in vectors.items()}
    if name == "LeKiwi":  # the velocity of its base
        names += ["x.vel", "y.vel", "theta.vel"]
        columns = {key: np.hstack([x, waves(300)]) for key, x in columns.items()}
    path = small(tmp_path, columns, dict.fromkeys(columns, names), version)
    log = both_ways(path, joints=arm)[0]
    assert log.joint_names == arm.joint_names and log.q_cmd is not None
    q = steps * 2.0 * np.pi / 4096
    off = log.q - q
    np.testing.assert_allclose(off, np.broadcast_to(off[0], off.shape), atol=1e-3)
    assert np.abs(off[0, :4]).max() < 0.01  # only normalised positions have another zero


def test_positions_beside_a_pose_in_features_of_their_own(tmp_path: Path) -> None:
    axes = {"axes": [f"joint_{k}" for k in range(3)]}
    pose = ["x", "y", "z", "roll", "pitch", "yaw"]
    columns = {
        "observation.state.joint_position": waves(),
        "observation.state.cartesian_position": waves(width=6),
        "observation.state.gripper_position": waves(width=1),
        "action.joint_velocity": waves(), "action.joint_position": waves(),
    }  # fmt: skip
    names = {"observation.state.cartesian_position": pose}
    path = small(tmp_path, columns, {key: names.get(key, axes) for key in columns})
    log = both_ways(path)[0]
    assert log.n == 3 and log.q_cmd is not None
    np.testing.assert_allclose(log.q, waves(), atol=1e-6)
