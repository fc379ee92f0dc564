"""Write a small LeRobot dataset of a simulated SO-101 arm.

    python benchmarks/lerobot_dataset.py FOLDER [--version v3.0] [--units m100_100] [--episodes 4]

The data are simulated, not recorded: a smooth random goal for each joint, positions that follow it
late and sag under gravity as those of a stiff servo, encoders of 4096 steps a turn. Files are as
LeRobot writes them: version 2.1 has one for each episode, version 3.0 one for all.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import armdyn

RATE = 30  # [Hz]
COUNTS = 4096  # steps of the encoders per turn
STIFFNESS = 20.0  # of a position-controlled servo [N m/rad]
LAG = 2  # frames by which positions follow the goal
# Calibrated ranges in steps of the encoder: what LeRobot maps to -100 ... 100.
RANGES = np.array([2548, 2303, 2207, 2287, 3834, 1481])
NAMES = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")


def frames_of(episode: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and goals of an episode in steps of the encoder from mid-range, (N, 6)."""
    arm = armdyn.load("so101")
    rng = np.random.default_rng(episode)
    t = np.arange(-LAG, count) / RATE
    rates, phases = rng.uniform(0.6, 2.4, (3, 6)), rng.uniform(0.0, 2.0 * np.pi, (3, 6))
    goal = 0.25 * np.sin(t[:, None, None] * rates + phases).sum(axis=1)
    reached = goal[:count].copy()
    reached -= arm.gravity(reached) / STIFFNESS
    steps = COUNTS / (2.0 * np.pi)
    return np.round(reached * steps), np.round(goal[LAG:] * steps)


def in_units(counts: np.ndarray, units: str) -> np.ndarray:
    """Return steps of the encoder as degrees, radians, or normalised as LeRobot does."""
    factor = {
        "deg": np.full(6, 360.0 / COUNTS),
        "rad": np.full(6, 2.0 * np.pi / COUNTS),
        "m100_100": 200.0 / RANGES,
    }[units]
    return (counts * factor).astype(np.float32)


def frame_table(
    columns: dict[str, np.ndarray], lengths: list[int], first: int = 0, rate: float = RATE
) -> pa.Table:
    """Return episodes as LeRobot stores them: vectors are lists of fixed size."""
    frames = np.concatenate([np.arange(k) for k in [0, *lengths]]).astype(np.int64)
    arrays: dict[str, Any] = {
        name: pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), x.shape[1])
        for name, x in columns.items()
    }
    arrays["timestamp"] = pa.array((frames / rate).astype(np.float32))
    arrays["frame_index"] = pa.array(frames)
    numbers = np.arange(first, first + len(lengths))
    arrays["episode_index"] = pa.array(np.repeat(numbers, lengths).astype(np.int64))
    arrays["index"] = pa.array(np.arange(len(frames)))
    return pa.table(arrays)


def write_info(folder: Path, version: str, features: dict[str, Any], **more: Any) -> None:
    """Write meta/info.json."""
    path = (
        "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
        if version.startswith("v2")
        else "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
    )
    info = {
        "codebase_version": version, "robot_type": "so101_follower (simulated)", "fps": RATE,
        "data_path": path, "features": features, **more,
    }  # fmt: skip
    (folder / "meta").mkdir(parents=True, exist_ok=True)
    (folder / "meta" / "info.json").write_text(json.dumps(info, indent=4))


def feature(names: Any, width: int = 6) -> dict[str, Any]:
    """Return the description of a vector."""
    return {"dtype": "float32", "shape": [width], "names": names}


def write_episodes(
    folder: Path, version: str, episodes: list[dict[str, np.ndarray]], rate: float = RATE
) -> None:
    """Write data files of episodes, each with vectors (N, k) by name."""
    data = folder / "data" / "chunk-000"
    data.mkdir(parents=True, exist_ok=True)
    lengths = [len(next(iter(one.values()))) for one in episodes]
    if version.startswith("v2"):
        for k, (one, length) in enumerate(zip(episodes, lengths, strict=True)):
            pq.write_table(frame_table(one, [length], k, rate), data / f"episode_{k:06d}.parquet")
        return
    joined = {name: np.concatenate([one[name] for one in episodes]) for name in episodes[0]}
    pq.write_table(
        frame_table(joined, lengths, rate=rate), data / "file-000.parquet", row_group_size=200
    )


def write_dataset(
    folder: Path,
    version: str = "v3.0",
    units: str = "m100_100",
    lengths: tuple[int, ...] = (300, 200, 250, 300),
    names: Any = None,
) -> None:
    """Write a dataset of a simulated SO-101."""
    episodes = [
        dict(zip(("observation.state", "action"), (in_units(x, units) for x in both), strict=True))
        for both in (frames_of(k, count) for k, count in enumerate(lengths))
    ]
    described = feature([f"{name}.pos" for name in NAMES] if names is None else names)
    features = {"observation.state": described, "action": described}
    write_info(folder, version, features, total_frames=sum(lengths), total_episodes=len(lengths))
    write_episodes(folder, version, episodes)


def write_log(
    folder: Path, log: armdyn.Log, version: str = "v3.0", units: str = "m100_100"
) -> None:
    """Write a log of an SO-101 with goals, such as those of `servo_truths.py`, as a dataset.

    As in LeRobot, stamps are nominal and positions are clipped to the calibrated range.
    """
    assert log.q_cmd is not None
    robot = armdyn.load("so101").robot
    lower = np.array([joint.lower for joint in robot.joints])
    upper = np.array([joint.upper for joint in robot.joints])
    steps = COUNTS / (2.0 * np.pi)
    ranges = np.round((upper - lower) * steps)
    columns = {}
    for name, x in (("observation.state", log.q), ("action", log.q_cmd)):
        counts = np.round((x - lower) * steps)
        columns[name] = (
            (200.0 * np.clip(counts, 0.0, ranges) / ranges - 100.0).astype(np.float32)
            if units == "m100_100"
            else in_units(counts - ranges / 2.0, units)
        )
    parts = log.episodes or [slice(0, len(log))]
    episodes = [{name: x[part] for name, x in columns.items()} for part in parts]
    described = feature([f"{name}.pos" for name in NAMES])
    features = {"observation.state": described, "action": described}
    write_info(folder, version, features, fps=round(log.rate), total_frames=len(log),
               total_episodes=len(episodes))  # fmt: skip
    write_episodes(folder, version, episodes, round(log.rate))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--version", choices=("v2.1", "v3.0"), default="v3.0")
    parser.add_argument("--units", choices=("deg", "rad", "m100_100"), default="m100_100")
    parser.add_argument("--episodes", type=int, default=4)
    given = parser.parse_args()
    write_dataset(given.folder, given.version, given.units, (300,) * given.episodes)


if __name__ == "__main__":
    main()
