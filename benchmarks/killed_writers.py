"""Kill every writer of files (SIGKILL) at random moments: files are whole, and the next cleans up.

    python benchmarks/killed_writers.py [--kills 1000] [--seed 0]

Every writer replaces old files by new ones in a forked process, which is killed after a random time
or at a random line of `armdyn.files`, in turns. Then each file must have the digest of the old or
of the new one, and files that are written together must not be mixed. One more file is written
into each folder; nothing else may be left over. The exit status is 1 otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np

import armdyn
from armdyn import writing as _temporary
from armdyn.cli.app import main as run_command
from armdyn.identification import result as _result
from armdyn.kernel.cache import Cache, key
from armdyn.writing import write_whole
from support.identification import recorded, small_arm

HERE = str(Path(_temporary.__file__).parent)
# A folder for temporary files of the system, beside what is written.
TEMPORARY = "temporary"
Writer = Callable[[Path], object]


class Frozen(datetime):
    """Reports differ by their date."""

    @classmethod
    def now(cls, tz: Any = None) -> Frozen:
        return cls(2024, 1, 1)


def writers(place: Path, seed: int) -> dict[str, Writer]:
    """Return the writers; the seed says of which data."""
    rng = np.random.default_rng(seed)
    arm = armdyn.Arm(armdyn.generic(3, seed=seed))
    small = small_arm()
    q, qd, tau = rng.normal(size=(3, 20_000, 3))
    log = armdyn.Log(np.arange(20_000) / 1e3, q, qd, tau=tau)
    run = armdyn.simulate(arm, [0.3, 0.2, 0.1], until=0.2)
    found = armdyn.identify(small, recorded(small, duration=10.0, seed=seed))
    data = rng.bytes(300_000)
    original = place / f"original{seed}.urdf"
    armdyn.save(arm, original)
    into = armdyn.load(original)
    robot = str(original)

    def cached(folder: Path) -> None:
        cache = folder / "cache"
        cache.mkdir(mode=0o700, exist_ok=True)
        for k in range(3):
            Cache(cache).put(key(str(k)), data)

    made: dict[str, Writer] = {
        f"log{suffix}": lambda folder, suffix=suffix: log.save(folder / f"log{suffix}")
        for suffix in (".csv", ".npz", ".parquet")
    }
    made |= {
        f"robot{suffix}": lambda folder, suffix=suffix: armdyn.save(arm, folder / f"arm{suffix}")
        for suffix in (".toml", ".urdf", ".xml")
    }
    made |= {
        f"plot{suffix}": lambda folder, suffix=suffix: run.plot(folder / f"run{suffix}")
        for suffix in (".png", ".svg", ".pdf")
    }
    made |= {
        "save(into=)": lambda folder: armdyn.save(into, folder / "new.urdf", into=original),
        "export_c": lambda folder: arm.export_c(folder / "c", ["mass_matrix"]),
        "page": lambda folder: arm.page(folder / "arm.html"),
        "animate": lambda folder: run.animate(folder / "run.html"),
        "identification": lambda folder: found.save(folder / "identified"),
        "cache": cached,
        "convert": lambda folder: command("convert", robot, str(folder / "new.toml")),
        "simulate": lambda folder: command(
            "simulate", robot, "--until", "0.1", "-o", str(folder / "run.csv")
        ),
        "symbolic": lambda folder: command(
            "symbolic", f"planar{2 + seed}", "-o", str(folder / "formulas.txt")
        ),
    }
    return made


def command(*words: str) -> None:
    sys.argv = ["armdyn", *words]
    run_command()


def started(write: Writer, folder: Path, lines: float = np.inf) -> int:
    """Fork a process that writes, and is killed at a line of `armdyn.files` if one is given."""
    child = os.fork()
    if child:
        return child
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    tempfile.tempdir = str(folder / TEMPORARY)

    def traced(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(HERE):
            return None
        lines -= event == "line"
        if lines < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return traced

    if lines < np.inf:
        sys.settrace(traced)
    try:
        write(folder)
    except SystemExit as ended:
        os._exit(int(ended.code or 0))
    except BaseException:
        os._exit(3)
    os._exit(0)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _temporary.NAME.fullmatch(path.name)
    }


def wait(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def is_killed(write: Writer, folder: Path, seconds: float, rng: random.Random) -> bool:
    """Kill a writer at a random moment; return whether it was still at work."""
    if rng.random() < 0.5:
        return wait(started(write, folder, rng.randrange(400))) == -signal.SIGKILL
    child = started(write, folder)
    time.sleep(rng.uniform(0.0, seconds))
    os.kill(child, signal.SIGKILL)
    return wait(child) == -signal.SIGKILL


def row(name: str, counts: np.ndarray) -> str:
    kills, left, half, mixed, remaining = counts.tolist()
    return f"{name:16} {kills:6} {left:15} {half:5} {mixed:6} {remaining:5}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    vars(_result)["datetime"] = Frozen
    rng = random.Random(given.seed)
    total = np.zeros(5, dtype=int)
    print(f"{'writer':16} {'kills':>6} {'with leftovers':>15} {'half':>5} {'mixed':>6} {'left':>5}")
    with tempfile.TemporaryDirectory() as place:
        old, new = writers(Path(place), 0), writers(Path(place), 1)
        each = -(-given.kills // len(new))
        for name, write in new.items():
            before, after, folder = (Path(place, x) for x in ("before", "after", "now"))
            for ready, do in ((before, old[name]), (after, write)):
                (ready / TEMPORARY).mkdir(parents=True)
                begin = time.perf_counter()
                assert wait(started(do, ready)) == 0, f"{name} does not write"
                seconds = time.perf_counter() - begin
            first, last = digests(before), digests(after)
            assert first.keys() == last.keys() and first != last, name
            counts = np.zeros(5, dtype=int)
            while counts[0] < each:
                shutil.copytree(before, folder)
                if is_killed(write, folder, 1.05 * seconds, rng):
                    now = digests(folder)
                    now = {k: v for k, v in now.items() if not k.startswith(TEMPORARY)}
                    counts[0] += 1
                    counts[1] += any(folder.rglob(".armdyn-*"))
                    counts[2] += sum(v not in (first.get(k), last.get(k)) for k, v in now.items())
                    changed = {v == last[k] for k, v in now.items() if first[k] != last[k]}
                    counts[3] += len(changed) > 1 and name != "cache"
                    for each_folder in [folder, *(p for p in folder.rglob("*") if p.is_dir())]:
                        if each_folder.is_dir():  # and no scratch folder that was removed meanwhile
                            write_whole(each_folder / "next.txt", "next")
                    counts[4] += len(list(folder.rglob(".armdyn-*")))
                shutil.rmtree(folder)
            print(row(name, counts), flush=True)
            total += counts
            for ready in (before, after):
                shutil.rmtree(ready)
    print(row("all", total))
    sys.exit(bool(total[2:].any()))


if __name__ == "__main__":
    main()
