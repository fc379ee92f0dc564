"""How long a LeRobot dataset takes to read, as a ratio to pyarrow's time for the same columns.

    python benchmarks/lerobot_reading.py [--frames 1000000] [--episodes 1000] [--runs 7]

The data are simulated. Medians of runs in turn, and the largest memory of the process.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import armdyn
import lerobot_dataset as simulated
from reading import medians

COLUMNS = ["observation.state", "action", "timestamp", "frame_index", "episode_index"]


def write(folder: Path, version: str, frames: int, episodes: int) -> None:
    """Write a dataset of one long motion, cut into episodes; a group of rows has one of them."""
    rng = np.random.default_rng(0)
    rates, phases = rng.uniform(0.6, 2.4, (3, 6)), rng.uniform(0.0, 2.0 * np.pi, (3, 6))
    t = np.arange(frames) / simulated.RATE
    counts = np.round(160.0 * sum(np.sin(np.outer(t, rates[k]) + phases[k]) for k in range(3)))
    goals = np.roll(counts, -simulated.LAG, axis=0)
    vectors = {
        "observation.state": simulated.in_units(counts, "m100_100"),
        "action": simulated.in_units(goals, "m100_100"),
    }
    names = [f"{name}.pos" for name in simulated.NAMES]
    features = dict.fromkeys(vectors, simulated.feature(names))
    simulated.write_info(folder, version, features, total_frames=frames)
    length = frames // episodes
    if version == "v2.1":
        parts = [slice(k * length, (k + 1) * length) for k in range(episodes)]
        simulated.write_episodes(
            folder, version, [{name: x[part] for name, x in vectors.items()} for part in parts]
        )
        return
    data = folder / "data" / "chunk-000"
    data.mkdir(parents=True)
    table = simulated.frame_table(vectors, [length] * episodes)
    pq.write_table(table, data / "file-000.parquet", row_group_size=length)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    for version in ("v3.0", "v2.1"):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder, version, given.frames, given.episodes)
            files = sorted(folder.glob("data/*/*.parquet"))
            calls = {
                "pyarrow": lambda files=files: [
                    pq.ParquetFile(file).read(columns=COLUMNS) for file in files
                ],
                "armdyn": lambda folder=folder: armdyn.Log.read(folder),
            }
            times = medians(calls, given.runs)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"{version}: {1e3 * times['armdyn']:.0f} ms, ratio to pyarrow "
            f"{times['armdyn'] / times['pyarrow']:.2f}, at most {memory:.2f} GB"
        )


if __name__ == "__main__":
    main()
