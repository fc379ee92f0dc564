"""Find the file of a mesh: within permitted folders, or above the file of the robot."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from armdyn.robot._shape import Shape

PACKAGES = ("package", "model")


def package_folders() -> Iterator[str]:
    """Yield the folders that ROS finds packages in, from the environment."""
    for folder in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        if folder and os.path.isdir(folder):
            yield os.path.abspath(folder)
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        share = os.path.join(prefix, "share")
        if prefix and os.path.isdir(share):
            yield os.path.abspath(share)


def mesh_path(shape: Shape, packages: Sequence[Path] = ()) -> Path | str:
    """Return the file of a mesh, or why there is none.

    Nothing is opened but what is in the folder of the robot's file, in `packages`, or in a folder
    of packages that the environment names; links in the file system count by where they lead.

    Args:
        shape: the mesh.
        packages: folders of packages, or in which packages are.
    """
    folder = Path(shape.folder)
    places = [folder, *packages, *map(Path, package_folders())]
    found = next((path for path in _tries(shape, places) if _is_file(path)), None)
    if found is None:
        above = found_above(shape)
        return "not found" if above is None else _outside(shape, above)
    real = Path(os.path.realpath(found))
    if not any(real.is_relative_to(os.path.realpath(place)) for place in places):
        return _outside(shape, real)
    return real


def found_above(shape: Shape) -> Path | None:
    """Return the file of a mesh wherever it is; packages are looked for above the robot's file."""
    folder = Path(shape.folder)
    places = [folder, *folder.parents, *map(Path, package_folders())]
    return next((path for path in _tries(shape, places) if _is_file(path)), None)


def _tries(shape: Shape, places: Sequence[Path]) -> Iterator[Path]:
    """Yield where the file of a mesh may be."""
    name, folder = shape.file.strip(), Path(shape.folder)
    scheme, _, rest = name.rpartition("://")
    if scheme not in PACKAGES:
        yield folder / (rest if scheme == "file" else name)
        return
    package, _, inside = rest.partition("/")
    for place in places:
        yield place / rest
        if place.name == package:
            yield place / inside


def _outside(shape: Shape, path: Path) -> str:
    """Return the refusal of a file, and what to pass so that it may be opened."""
    scheme, _, rest = shape.file.strip().rpartition("://")
    there = str(path.parent)
    if scheme in PACKAGES:  # the folder in which the package is, or the package itself
        inside = rest.partition("/")[2]
        there = str(path).removesuffix(rest if str(path).endswith(rest) else inside).rstrip("/")
    return (
        "outside of the folder of the robot's file; to permit that, give the folder "
        f"{there!r} as `packages` (--packages)"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
