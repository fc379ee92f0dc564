"""Every arm of a folder of MJCF files, here and in MuJoCo; and through all formats and back.

    python benchmarks/mjcf_files.py FOLDER [--tips 3] [--all]

For each file arms to several ends of its tree are read as written (`snap=False`) and snapped, and
compared with MuJoCo at random states: mass matrix with armature, bias, gravity, named frames. Then
the arm is written into its file, unchanged (every byte must stay), and as URDF, MJCF, URDF, TOML
and URDF in turn: torques must stay, and Pinocchio and MuJoCo agree with each file. Files without
their meshes are compiled by MuJoCo without geoms.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import mujoco

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from armdyn.errors import ArmdynError
from armdyn.robot.files import read_robot, write_robot
from armdyn.robot.formats.registry import root_element
from armdyn.robot.model import Robot
from support.formats_in_turn import in_turn
from support.mjcf_texts import differences, without_assets

EXACT = 1e-10
ROUND_TRIP = 1e-12
WAIVED = ("triangle", "limits")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tips", type=int, default=3, help="ends of the tree to try")
    parser.add_argument("--all", action="store_true", help="print every arm, not only bad ones")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    worst = dict.fromkeys(("as written", "snapped, of what is stated", "round trip"), 0.0)
    count = bad = 0
    refused: Counter[str] = Counter()
    files = [p for p in sorted(given.folder.rglob("*.xml")) if root_element(p) == "mujoco"]
    for path in files:
        model = compiled(path, refused)
        for tip in tips(model, given.tips) if model is not None else ():
            try:
                exact, snapped = (
                    read_robot(path, tip=tip, waive=WAIVED, snap=snap) for snap in (False, True)
                )
            except ArmdynError as error:
                refused[reason(error, path)] += 1
                continue
            try:
                found = differences(exact, model, states=2).worst()
            except KeyError:  # joints without names have some here, but not in MuJoCo
                refused["not compared: joints without names"] += 1
                continue
            count += 1
            share = differences(snapped, model, states=1).worst() / max(stated(snapped), EXACT)
            try:
                trip, same = round_trip(exact), unchanged(exact, path)
            except ArmdynError as error:
                refused[f"writing: {reason(error, path)}"] += 1
                trip, same = 0.0, True
            for key, value in zip(worst, (found, share, trip), strict=True):
                worst[key] = max(worst[key], value)
            wrong = found > EXACT or share > 1.0 or trip > ROUND_TRIP or not same
            bad += wrong
            if wrong or given.all:
                print(
                    f"{path.relative_to(given.folder)!s:60} {tip:24} n={exact.n:2} as written "
                    f"{found:.1e}, snapped {share:.2g} of what is stated, round trip {trip:.1e}, "
                    f"bytes {'kept' if same else 'CHANGED'}"
                )
    print(f"{len(files)} files, {count} arms, {bad} bad; worst: " + ", ".join(
        f"{key} {value:.1e}" for key, value in worst.items()
    ))  # fmt: skip
    for words, times in refused.most_common():
        print(f"{times:5} refused: {words}")
    sys.exit(1 if bad else 0)


def compiled(path: Path, refused: Counter[str]) -> mujoco.MjModel | None:
    """Return MuJoCo's model of a file; None if it has none."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        first = str(error)
    try:
        return without_assets(path)
    except ValueError:
        refused[f"by MuJoCo: {' '.join(first.split())}"[:90]] += 1
        return None


def tips(model: mujoco.MjModel, most: int) -> list[str]:
    """Return names of bodies at which arms may end."""
    parents = set(model.body_parentid[1:].tolist())
    ends = [model.body(k).name for k in range(1, model.nbody) if k not in parents]
    named = [name for name in ends if name]
    return named[:: max(1, len(named) // most)][:most]


def stated(robot: Robot) -> float:
    """Return the largest difference that the notes of a snapped arm admit."""
    told = [re.search(r"by up to (\S+) of their size; snap", note) for note in robot.notes]
    return max((float(found[1]) for found in told if found), default=0.0)


def round_trip(robot: Robot) -> float:
    """Return the largest change of torques after all formats in turn; inf if others disagree."""
    with tempfile.TemporaryDirectory() as folder:
        found = in_turn(robot, Path(folder))
    return found["torques"] if max(found.values()) < EXACT else float("inf")


def unchanged(robot: Robot, path: Path) -> bool:
    """Whether every byte of the file stays if the arm is written into it."""
    with tempfile.TemporaryDirectory() as folder:
        new = Path(folder, path.name)
        write_robot(robot, new, into=path)
        return new.read_bytes() == path.read_bytes()


def reason(error: Exception, path: Path) -> str:
    words = str(error).replace(str(path), "FILE").split(": ", 1)[-1]
    return re.sub(r"'[^']*'", "'...'", words)[:130]


if __name__ == "__main__":
    main()
