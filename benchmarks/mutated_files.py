"""Broken MJCF and xacro files, a thousand of them: an arm, or a clear error; never anything else.

    python benchmarks/mutated_files.py [--files 1000] [--seed 0] [FOLDER]

Small models, random ones and, with a folder, its MJCF files are broken the way files break and the
way attackers break them (`tests/support/mutations.py`): 60 of 100 are MJCF, 40 xacro. Told are what
came of them, crashes of the readers' own processes, the slowest file, files that were opened
outside of the folder and the library, and connections. The exit status is 1 if an error is not one
of armdyn, or says nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import sysconfig
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from armdyn.errors import ArmdynError
from armdyn.robot.files import read_robot
from support.mjcf_texts import TWO_LINKS, random_mjcf
from support.mutations import mutated
from support.xacro_texts import ARM, MACROS

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = random.Random(given.seed)
    models = [TWO_LINKS.encode(), *(random_mjcf(seed).encode() for seed in range(8))]
    if given.folder is not None:
        models += [path.read_bytes() for path in sorted(given.folder.rglob("*.xml"))]
    told: Counter[str] = Counter()
    unclear: list[str] = []
    slowest = 0.0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        (folder / "parts").mkdir()
        os.chdir(folder)
        foreign = watched(folder)
        for k in range(given.files):
            path = broken_mjcf(folder, models, rng) if k % 5 < 3 else broken_xacro(folder, rng)
            start = time.perf_counter()
            try:
                read_robot(path)
                told["an arm"] += 1
            except ArmdynError as error:
                words = str(error).removeprefix(f"{path}: ")
                told["a crash that was caught" if "crashed on it" in words else "an error"] += 1
                if not words.strip():
                    unclear.append(f"{k}: {error!r}")
            except Exception as error:
                unclear.append(f"{k}: {type(error).__name__}: {error}")
            slowest = max(slowest, time.perf_counter() - start)
        left = sorted(set(os.listdir(folder)) - {"arm.xml", "arm.urdf.xacro", "parts"})
        os.chdir(ROOT)
    print(f"{given.files} files: {', '.join(f'{n} {what}' for what, n in told.most_common())}")
    print(f"unclear: {len(unclear)}; slowest {slowest:.2f} s; left behind: {left or 'nothing'}")
    print(f"opened elsewhere or connected, by this process: {sorted(foreign) or 'nothing'}")
    print(*unclear, sep="\n")
    sys.exit(1 if unclear or left or foreign else 0)


def broken_mjcf(folder: Path, models: list[bytes], rng: random.Random) -> Path:
    path = folder / "arm.xml"
    path.write_bytes(mutated(rng.choice(models), rng))
    return path


def broken_xacro(folder: Path, rng: random.Random) -> Path:
    path, macros = folder / "arm.urdf.xacro", folder / "parts/macros.xacro"
    path.write_text(ARM)
    macros.write_text(MACROS)
    broken = rng.choice((path, macros))
    broken.write_bytes(mutated(broken.read_bytes(), rng))
    return path


def watched(folder: Path) -> set[str]:
    """Return a set that fills with files opened elsewhere, and with connections."""
    known = (
        str(folder), str(ROOT), sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"),
        sys.base_prefix, sys.prefix, "/proc", "/dev/null", str(Path(sys.prefix).resolve()),
    )  # fmt: skip
    found: set[str] = set()

    def seen(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            path = os.path.abspath(arguments[0])
            if not path.startswith(known):
                found.add(path)
        elif event in ("socket.connect", "socket.getaddrinfo"):
            found.add(f"{event} {arguments[1:]}")

    sys.addaudithook(seen)
    return found


if __name__ == "__main__":
    main()
