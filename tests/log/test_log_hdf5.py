"""HDF5 files: ALOHA's layout, episodes, datasets of any names, damaged and hostile files."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import InputError, Log, LogError, LogWarning

h5py: Any = pytest.importorskip("h5py")


def motion(n: int, joints: int) -> np.ndarray:
    return np.sin(np.outer(np.arange(n) * 0.05, np.arange(1, joints + 1)))


def written(path: Path, datasets: dict[str, Any], **attributes: Any) -> Path:
    with h5py.File(path, "w") as file:
        for name, array in datasets.items():
            file.create_dataset(name, data=array)
        for name, value in attributes.items():
            file.attrs[name] = value
    return path


def aloha(path: Path, n: int = 60, joints: int = 14, **attributes: Any) -> Path:
    q = motion(n, joints)
    return written(
        path,
        {
            "observations/qpos": q,
            "observations/qvel": 2 * q,
            "observations/effort": 1000 * q,
            "observations/images/cam_high": np.zeros((n, 4, 5, 3), np.uint8),
            "observations/images_compressed": np.zeros((n, 900), np.uint8),
            "action": 1.5 * q,
        },
        **attributes,
    )


def test_aloha_has_two_arms_at_50_hz_and_says_what_is_assumed(tmp_path: Path) -> None:
    log = Log.read(aloha(tmp_path / "episode_0.hdf5", sim=False))
    q = motion(60, 14)
    assert log.joint_names[0] == "left_waist" and log.joint_names[13] == "right_gripper"
    assert log.rate == pytest.approx(50.0)
    assert log.qd is not None and log.q_cmd is not None and log.current is not None
    assert (log.q == q).all() and (log.qd == 2 * q).all() and (log.q_cmd == 1.5 * q).all()
    assert log.effort == "current"
    assert np.allclose(log.current, q, rtol=1e-15)
    for word in ("50 Hz", "left_waist", "mA"):
        assert any(word in note for note in log.notes), word
    assert not log.extra


@pytest.mark.parametrize(
    ("attributes", "rate"), [({"fps": 30}, 30.0), ({"dt": 0.01}, 100.0), ({"control_freq": 20}, 20)]
)
def test_an_attribute_says_the_rate(
    tmp_path: Path, attributes: dict[str, Any], rate: float
) -> None:
    log = Log.read(aloha(tmp_path / "a.h5", **attributes))
    assert log.rate == pytest.approx(rate)


def test_one_arm_of_aloha_is_chosen_by_side_or_by_names(tmp_path: Path) -> None:
    file = aloha(tmp_path / "a.hdf5")
    six = ["waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate"]
    for log in (
        Log.read(file, joints=six, columns={"topic": "right"}),
        Log.read(file, joints=[f"right_{name}" for name in six]),
    ):
        assert (log.q == motion(60, 14)[:, 7:13]).all()
        assert log.q_cmd is not None
        assert (log.q_cmd == 1.5 * log.q).all()
    with pytest.raises(LogError, match="topic"):
        Log.read(file, joints=six)
    with pytest.raises(LogError, match="left_waist"):
        Log.read(file, columns={"topic": "middle"})


def test_efforts_of_arms_with_torques_are_chosen_by_name(tmp_path: Path) -> None:
    file = aloha(tmp_path / "a.hdf5")
    log = Log.read(file, columns={"tau": "observations/effort"})
    assert log.effort == "torque" and log.tau is not None
    assert (log.tau == 1000 * motion(60, 14)).all()
    assert not any("mA" in note for note in log.notes)


def test_without_stamps_the_rate_must_be_told(tmp_path: Path) -> None:
    q = motion(60, 3)
    file = written(tmp_path / "a.h5", {"q": q, "tau": q})
    with pytest.raises(LogError, match='"t": "50 Hz"'):
        Log.read(file)
    for read in (Log.read, Log.stream):
        log = read(file, columns={"t": "200 Hz"})
        assert log.rate == pytest.approx(200.0)
        assert any("200 Hz" in note for note in log.notes)
    for bad in ("0 Hz", "1 Hz", "1e9 Hz", "clock"):
        with pytest.raises((LogError, InputError)):
            Log.read(file, columns={"t": bad})


@pytest.mark.parametrize("group", ["", "run/", "recording/arm/"])
def test_datasets_are_found_by_name_in_groups_too(tmp_path: Path, group: str) -> None:
    q, t = motion(60, 3), np.arange(60) / 500
    data = {"t": t, "q": q, "qd": 2 * q, "tau": 3 * q.T, "label": np.arange(60)}
    file = written(tmp_path / "a.h5", {group + name: array for name, array in data.items()})
    log = Log.read(file)
    assert log.qd is not None and log.tau is not None
    assert (log.t == t).all() and (log.q == q).all() and (log.tau == 3 * q).all()


def test_one_dataset_per_joint(tmp_path: Path) -> None:
    q = motion(60, 2)
    data = {"time": np.arange(60) / 100, "q_elbow": q[:, 1], "q_hip": q[:, 0]}
    log = Log.read(written(tmp_path / "a.h5", data), joints=["hip", "elbow"])
    assert (log.q == q).all()


def test_names_of_groups_tell_datasets_apart(tmp_path: Path) -> None:
    q = motion(60, 2)
    data = {"t": np.arange(60) / 100, "left/q": q, "right/q": 2 * q}
    file = written(tmp_path / "a.h5", data)
    with pytest.raises(LogError, match="left/q"):
        Log.read(file)
    assert (Log.read(file, columns={"q": "right/q"}).q == 2 * q).all()


def test_names_of_joints_in_the_file_are_used(tmp_path: Path) -> None:
    q = motion(60, 3)
    data = {"t": np.arange(60) / 100, "q": q, "tau": 2 * q}
    file = written(tmp_path / "a.h5", data, joint_names=["a", "b", "c"])
    assert Log.read(file).joint_names == ("a", "b", "c")
    part = Log.read(file, joints=["c", "a"])
    assert part.tau is not None
    assert (part.q == q[:, [2, 0]]).all() and (part.tau == 2 * q[:, [2, 0]]).all()
    with pytest.raises(LogError, match="joints"):
        Log.read(file, joints=["a", "b", "d"])


def demos(path: Path, lengths: tuple[int, ...] = (30, 20, 25)) -> Path:
    with h5py.File(path, "w") as file:
        data = file.create_group("data")
        data.attrs["env_args"] = json.dumps({"env_kwargs": {"control_freq": 20}})
        for k, n in enumerate(lengths):
            group = data.create_group(f"demo_{k + 8}")  # 8, 9, 10: not in the order of letters
            group["obs/robot0_joint_pos"] = motion(n, 7) + k
            group["obs/robot0_joint_vel"] = 2 * motion(n, 7)
            group["obs/robot0_eef_pos"] = motion(n, 3)
            group["obs/agentview_image"] = np.zeros((n, 2, 2, 3), np.uint8)
            group["actions"] = motion(n, 7)
    return path


def test_demonstrations_of_robomimic_are_episodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from armdyn.log import hdf5

    file = demos(tmp_path / "low_dim.hdf5")
    log = Log.read(file)
    assert log.episodes == [slice(0, 30), slice(30, 50), slice(50, 75)]
    assert log.q_cmd is None  # actions of robomimic are goals of the hand
    for k, (one, n) in enumerate(zip(log.episodes, (30, 20, 25), strict=True)):
        assert (log.q[one] == motion(n, 7) + k).all()
        assert np.allclose(np.diff(log.t[one]), 0.05)
    assert (np.diff(log.t)[[29, 49]] > 0.1).all()
    monkeypatch.setattr(hdf5, "ROWS", 13)
    long = Log.stream(file)
    assert long.episodes == log.episodes
    assert (long.q[:] == log.q).all() and np.allclose(long.t[:], log.t)


def test_an_arm_of_the_catalogue_takes_an_hdf5_log(tmp_path: Path) -> None:
    arm = armdyn.load("planar2")
    q = motion(60, 2)
    data = {"t": np.arange(60) / 100, "q": q, "tau": q}
    assert Log.read(written(tmp_path / "a.h5", data), joints=arm).joint_names == arm.joint_names


# Damaged and hostile files.


def read_or_error(path: Path) -> Log | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", LogWarning)
        try:
            return Log.read(path)
        except LogError as error:
            assert "\n" not in str(error)
            return None


def test_a_file_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    data = aloha(tmp_path / "a.hdf5", n=10).read_bytes()
    cut = tmp_path / "cut.hdf5"
    for length in range(0, len(data), max(1, len(data) // 120)):
        cut.write_bytes(data[:length])
        assert read_or_error(cut) is None


def test_files_without_samples_are_refused(tmp_path: Path) -> None:
    for k, datasets in enumerate(
        (
            {},
            {"note": "text"},
            {"t": np.zeros(0), "q": np.zeros((0, 3))},
            {"t": np.arange(5.0), "q": np.array([[b"a", b"b"]] * 5)},
            {"t": np.arange(5.0), "q": np.zeros((5, 2), complex)},
            {"data/demo_0/obs/q": np.zeros((5, 2)), "data/demo_1/obs/p": np.zeros((5, 2))},
            {"observations/qpos": np.zeros((5, 14))},
            {"observations/qpos": np.zeros((5, 9)), "action": np.zeros((5, 9))},
        )
    ):
        assert read_or_error(written(tmp_path / f"{k}.h5", datasets)) is None, k


def test_nan_is_told_as_of_other_files(tmp_path: Path) -> None:
    q = motion(30, 2)
    q[7, 1] = np.nan
    file = written(tmp_path / "a.h5", {"t": np.arange(30) / 100, "q": q})
    with pytest.raises(LogError, match="sample 7"):
        Log.read(file)
    assert len(Log.read(file, missing="drop")) == 29


def test_a_file_that_declares_far_too_many_numbers_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "bomb.h5", "w") as file:
        for name, shape in (("t", (10**10,)), ("q", (10**10, 6))):
            file.create_dataset(name, shape, "f8", chunks=True, compression="gzip")
    with pytest.raises(LogError, match="GB"):
        Log.read(tmp_path / "bomb.h5")


def test_numbers_outside_of_the_file_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(np.arange(60.0).tobytes())
    q = motion(30, 2)
    other = written(tmp_path / "other.h5", {"q": q})
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["t"] = np.arange(30) / 100
        storage = [(str(tmp_path / "secret.bin"), 0, 480)]
        file.create_dataset("tau", (30, 2), "f8", external=storage)
        file["q"] = h5py.ExternalLink(str(other), "q")
        layout = h5py.VirtualLayout((30, 2), "f8")
        layout[:] = h5py.VirtualSource(str(other), "q", (30, 2))
        file.create_virtual_dataset("position", layout)
    with pytest.raises(LogError, match="no positions"):
        Log.read(tmp_path / "a.h5")


def test_names_of_groups_are_no_quantities(tmp_path: Path) -> None:
    q = motion(60, 3)
    file = written(tmp_path / "a.h5", {"a/b/qpos": q, "time": 0.02 * np.arange(60)})
    np.testing.assert_allclose(armdyn.Log.read(file).q, q)
