"""The robots that ship with the package: one TOML file each, in the folder ``bundled``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from armdyn.errors import RobotWarning
from armdyn.robot._leniency import Leniency
from armdyn.robot._robot import Robot

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


TRUST = ("measured", "CAD", "doubtful", "textbook")
"""How far masses and inertias can be trusted: measured or identified on an arm; from drawings;
rounded, guessed or known to be wrong; or those of an arm that exists on paper only."""


# Arms whose numbers are known to be wrong, not just rough, and what to do.
WRONG = {
    "ur5": (
        "the inertias of its wrist are wrong, as in the file they come from: 0.22 kg m^2 for 1.2 "
        "kg, a radius of gyration eight times that of the bundled ur3 and ur10. Poses and "
        "Jacobians are right. For torques of a UR5, load its maker's URDF: "
        "armdyn.load('ur5.urdf')."
    )
}
told: set[str] = set()
"""Those of them that this process has been warned of."""


class BundledName(str):
    """The name of a bundled robot, which also says how far the robot can be trusted.

    Examples:
        >>> name = armdyn.robots()[0]
        >>> name, name.trust
        ('ascher2', 'textbook')
    """

    __slots__ = ()

    @property
    def trust(self) -> str:
        """One of "measured", "CAD", "doubtful" and "textbook"; `why` says why."""
        return self._told()[0]

    @property
    def why(self) -> str:
        """A sentence or two on where its numbers come from and what they lack."""
        return self._told()[1]

    def _told(self) -> tuple[str, str]:
        import tomllib

        notes = tomllib.loads(bundled_file(self).read_text(encoding="utf-8"))["notes"]
        told = next(note for note in notes if note.startswith("Trust: "))
        _, word, why = told.split(": ", 2)
        return word, why


def bundled_names() -> tuple[BundledName, ...]:
    """Return the names of the bundled robots, in alphabetical order.

    Each name also says how far the masses and inertias of the robot can be trusted: `trust` is
    "measured" (on an arm, part by part or by identification), "CAD" (from drawings), "doubtful"
    (rounded, guessed or known to be wrong) or "textbook" (no such arm exists); `why` says more.

    Examples:
        >>> armdyn.robots()
        ('ascher2', 'kinova', 'panda', 'planar2', 'planar3', 'puma560', 'scara', 'so100', ...)
        >>> {name: name.trust for name in armdyn.robots() if name in ("panda", "ur5", "xarm7")}
        {'panda': 'measured', 'ur5': 'doubtful', 'xarm7': 'CAD'}
    """
    names = (file.name for file in _folder().iterdir())
    found = sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    return tuple(map(BundledName, found))


def read_bundled(name: str, leniency: Leniency) -> Robot:
    """Return a bundled robot; the first time, warn if its numbers are known to be wrong."""
    from armdyn.robot.formats._toml import robot_from_toml

    if name in WRONG and name not in told:
        told.add(name)
        warnings.warn(f"bundled arm {name!r}: {WRONG[name]}", RobotWarning, stacklevel=4)
    return robot_from_toml(bundled_file(name).read_bytes(), f"{name}.toml", leniency)


def bundled_file(name: str) -> Traversable:
    """Return the file of a bundled robot; it may lie inside an archive."""
    return _folder() / f"{name}.toml"


def _folder() -> Traversable:
    folder = Path(__file__).with_name("bundled")
    if folder.is_dir():
        return folder
    from importlib.resources import files  # for archives; slow to import

    return files("armdyn.robot") / "bundled"
