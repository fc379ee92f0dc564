"""What the confined process that expands a xacro file may read: files, packages, patterns.

This runs outside of it, and trusts no name: each is looked up in the permitted folders only.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from armdyn.robot.formats.isolated.serve import Refused

# Bytes of a file, as of a URDF: those of arms have some ten thousand.
LARGEST_FILE = 5_000_000

# How deep below a folder of packages, and in how many folders, packages are searched: enough for a
# ROS workspace, and no endless walk through a home folder.
MAX_DEPTH = 6
MAX_FOLDERS = 20_000

# The file that makes a folder a package.
PACKAGE_FILE = "package.xml"


def provide(request: dict[str, Any], query: dict[str, Any]) -> bytes:
    """Return a file, the folder of a package, or the files of a pattern.

    Raises:
        OSError: a file cannot be read.
        Refused: it is not permitted, or not there.
    """
    reach = _Reach(request)
    if "file" in query:
        return reach.file(str(query["file"]))
    if "package" in query:
        return reach.package(str(query["package"])).encode()
    return json.dumps(reach.matches(str(query["pattern"]))).encode()


class _Reach:
    """The folders that a file may name files in.

    Attributes:
        roots: folders of the file and of the packages that the user lists; a link out of them is
            refused.
        trusted: folders of the environment, which may be full of links to elsewhere.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self.roots, self.trusted = tuple(request["roots"]), tuple(request["trusted"])
        self._folders = [*request["folders"], request["own"]]

    def file(self, name: str) -> bytes:
        """Return the bytes of a regular file."""
        path = os.path.abspath(name)
        if not self._permits(path):
            self._refuse(name, os.path.dirname(path))
        if os.path.exists(path) and not os.path.isfile(path):
            raise Refused(f"{name[:200]!r} is not a regular file")
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise Refused(f"the file has more than {LARGEST_FILE / 1e6:.0f} MB")
        return data

    def matches(self, pattern: str) -> list[str]:
        """Return the permitted files that a pattern names."""
        folder = os.path.dirname(re.split(r"[*?[]", os.path.abspath(pattern))[0])
        if not self._permits(folder):
            self._refuse(pattern, folder)
        return [path for path in sorted(glob.glob(pattern)) if self._permits(path)]

    def package(self, name: str) -> str:
        """Return the folder of a package: one that is listed, or lies in or below such a one."""
        found = next((str(path) for path in self._packages() if _package_name(path) == name), None)
        if found is None:
            raise Refused(
                f"there is no package {name[:200]!r}; pass the folder it is in: packages=[...], or "
                "set ROS_PACKAGE_PATH or AMENT_PREFIX_PATH"
            )
        return os.path.realpath(found) if self._permits(os.path.realpath(found)) else found

    def _packages(self) -> Iterator[Path]:
        """Yield folders that may be packages: those listed, those in them, those below them."""
        folders = [Path(folder) for folder in self._folders if os.path.isdir(folder)]
        for folder in folders:
            yield folder
            yield from sorted(path for path in folder.iterdir() if os.path.isdir(path))
        seen = 0
        for folder in folders[:-1]:
            for path, below, files in os.walk(folder, followlinks=True):
                seen += 1
                if PACKAGE_FILE in files:
                    yield Path(path)
                depth = len(Path(path).relative_to(folder).parts)
                if PACKAGE_FILE in files or depth >= MAX_DEPTH or seen > MAX_FOLDERS:
                    below.clear()
                below.sort()

    def _refuse(self, name: str, folder: str) -> NoReturn:
        raise Refused(
            f"it names the file {name[:200]!r}, which is in none of its packages; to permit that, "
            f"pass the folder: packages=[{folder!r}]"
        )

    def _permits(self, path: str) -> bool:
        real = os.path.realpath(path)
        return _is_below(real, self.roots) or _is_below(path, self.trusted)


def _is_below(path: str, roots: tuple[str, ...]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)


def _package_name(folder: Path) -> str:
    """Return the name in the file of a package; that of the folder if it has none."""
    try:
        text = (folder / PACKAGE_FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return folder.name
    name = re.search(r"<name>\s*([^<>\s]+)\s*</name>", text)
    return name[1] if name else folder.name
