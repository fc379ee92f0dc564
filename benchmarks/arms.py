"""The arms of the benchmarks, by name."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.errors import MissingExtraError
from armdyn.robot.library import generic

USUAL = ("ur5", "panda", "puma560", "generic6", "generic7")

# By name: the file in the package example-robot-data, and the last link of the arm.
PUBLISHED = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", None),
    "panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
}


def arm_named(name: str) -> Arm:
    """Return an arm: "ur5" or "panda", "generic" and a number of joints, or what `load` takes."""
    number = re.fullmatch(r"generic([1-9]\d{0,2})", name)
    if number:
        return Arm(generic(int(number.group(1))))
    if name in PUBLISHED:
        file, tip = PUBLISHED[name]
        return load(published(file), tip=tip)
    return load(name)


def published(file: str = "") -> Path:
    """Return a file of the package example-robot-data, or the folder of its robots."""
    for folder in sys.path:
        path = Path(folder, "cmeel.prefix/share/example-robot-data/robots", file)
        if path.exists():
            return path
    raise MissingExtraError(
        "example-robot-data", "bench", f"the arm of {Path(file).name}" if file else "this"
    )
