"""The robots that ship with the package: one TOML file each, in the folder ``bundled``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armdyn.robot._leniency import Leniency
from armdyn.robot._robot import Robot

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def bundled_names() -> tuple[str, ...]:
    """Return the names of the bundled robots, in alphabetical order.

    Examples:
        >>> armdyn.robots()
        ('ascher2', 'planar2', 'planar3', 'puma560', 'scara', 'stanford')
    """
    names = (file.name for file in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def read_bundled(name: str, leniency: Leniency) -> Robot:
    """Return a bundled robot."""
    from armdyn.robot.formats._toml import robot_from_toml

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
