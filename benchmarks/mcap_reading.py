"""How long an MCAP recording takes to read, as a ratio to a bare loop of the reader of `rosbags`.

    python benchmarks/mcap_reading.py [--messages 1000000] [--joints 7] [--runs 3] [--compress]

The recording has joint states of a simulated motion. The bare loop goes through the messages
without decoding them. Medians of runs in turn, and the largest memory of the process.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

import armdyn
from reading import medians

KIND = "sensor_msgs/msg/JointState"
START, STEP = 1_700_000_000_000_000_000, 2_000_000  # [ns]


def write(folder: Path, messages: int, joints: int, *, compress: bool) -> None:
    """Write a recording of joint states at 500 Hz."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    types: dict[str, Any] = dict(store.types)
    header, stamp = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"]
    rng = np.random.default_rng(0)
    rates, phases = rng.uniform(0.6, 2.4, joints), rng.uniform(0.0, 2.0 * np.pi, joints)
    names = [f"joint_{k}" for k in range(1, joints + 1)]
    with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        if compress:
            writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        topic = writer.add_connection("/joint_states", KIND, typestore=store)
        for k in range(messages):
            at = START + k * STEP
            angle = rates * (1e-9 * k * STEP) + phases
            message = types[KIND](
                header=header(stamp=stamp(sec=at // 10**9, nanosec=at % 10**9), frame_id=""),
                name=names,
                position=np.sin(angle),
                velocity=rates * np.cos(angle),
                effort=np.cos(angle),
            )
            writer.write(topic, at, store.serialize_cdr(message, KIND))


def loop(folder: Path) -> int:
    """Go through all messages, and return their number."""
    with Reader(folder) as reader:
        return sum(1 for _ in reader.messages())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--joints", type=int, default=7)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--compress", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "recording"
        write(folder, asked.messages, asked.joints, compress=asked.compress)
        size = sum(file.stat().st_size for file in folder.iterdir())
        times = medians(
            {"armdyn": lambda: armdyn.Log.read(folder), "loop": lambda: loop(folder)}, asked.runs
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"{asked.messages} messages, {size / 1e6:.0f} MB: armdyn {times['armdyn']:.2f} s, "
            f"bare loop {times['loop']:.2f} s, ratio {times['armdyn'] / times['loop']:.2f}; "
            f"largest memory {peak:.2f} GB"
        )


if __name__ == "__main__":
    main()
