"""The page of an arm for a browser: one file that needs no network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armdyn.arm.recording import Recording, recording_of
from armdyn.arm.scene import NEEDED, meshes_of, programs_of, scene
from armdyn.checks import checked_flag
from armdyn.errors import InputError
from armdyn.present.html import PALETTE, UNPACK, check_page, filled
from armdyn.robot.files import checked_folders
from armdyn.writing import write_whole

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm
    from armdyn.log.log import Log

# The parts of the script, each after those it needs.
SCRIPTS = (
    "linear.js", "pace.js", "reach.js", "fall.js", "recording.js", "camera.js", "solids.js",
    "webgl.js", "meshes.js", "pieces.js", "style.js", "panel.js", "matrix.js", "plots.js",
    "hands.js", "tell.js", "main.js",
)  # fmt: skip

# Height of a page within a notebook, in pixels.
INLINE = 560
# Samples of a recording within a report.
PLAYED = 3000


class Page:
    """A page that is not a file yet: a notebook shows it.

    Attributes:
        html: the text of the page.

    Examples:
        >>> page = armdyn.load("planar2").page()
        >>> page.html[:15]
        '<!DOCTYPE html>'
    """

    def __init__(self, html: str, name: str) -> None:
        self.html = html
        self._name = name

    def _repr_html_(self) -> str:
        return framed(self.html)

    def __repr__(self) -> str:
        return f"<Page of {self._name!r}: {len(self.html) // 1000} kB>"


def framed(html: str, height: int = INLINE) -> str:
    """Return a page as an element of another one, loaded when it comes into sight."""
    style = f"width:100%;height:{height}px;border:0;border-radius:8px"
    inside = escape(html, quote=True)
    return f'<iframe srcdoc="{inside}" style="{style}" title="arm" loading="lazy"></iframe>'


def player(arm: Arm, recording: Recording, most: int = PLAYED, height: int = INLINE) -> str:
    """Return a recording of an arm as an element of a report.

    Args:
        arm: the arm.
        recording: its motion.
        most: samples that the report carries, about.
        height: of the element [pixels].
    """
    return framed(page_text(arm, recording.thinned(most), console=False), height)


def mesh_folders(
    meshes: object, packages: Sequence[str | os.PathLike[str]]
) -> tuple[Path, ...] | None:
    """Return the folders in which meshes are looked for, or None if none are wanted."""
    folders, wanted = checked_folders(packages), checked_flag(meshes, "meshes")
    if folders and not wanted:
        raise InputError(
            "`packages` are given, but `meshes` is False: nothing is looked for in them.",
            argument="packages",
        )
    return folders if wanted else None


def arm_page(
    arm: Arm,
    path: str | os.PathLike[str] | None,
    log: Log | None,
    meshes: bool,
    packages: Sequence[str | os.PathLike[str]],
) -> Page | None:
    """Write the page of an arm, or return it; see `Arm.page`."""
    if path is not None:
        check_page(path)  # before work is done in vain
    folders = mesh_folders(meshes, packages)
    return write_page(arm, path, None if log is None else recording_of(arm, log), folders)


def write_page(
    arm: Arm,
    path: str | os.PathLike[str] | None,
    recording: Recording | None = None,
    packages: Sequence[Path] | None = None,
) -> Page | None:
    """Write the page of an arm, the whole file or none; without a path, return it.

    With `packages`, it has the meshes of the links, which are looked for there too.
    """
    if path is not None:
        check_page(path)
    text = page_text(arm, recording, packages)
    if path is None:
        return Page(text, arm.name)
    write_whole(path, text)
    return None


def page_text(
    arm: Arm,
    recording: Recording | None = None,
    packages: Sequence[Path] | None = None,
    console: bool = True,
) -> str:
    """Return the page of an arm, with a recording of its motion and meshes if there are any."""
    shown = None if recording is None else recording.thinned()
    code, left_out = programs_of(arm, console)
    mass = sum(joint.mass for joint in arm.robot.joints)
    about = f"{arm.n} joints, {mass:.4g} kg"
    notes = [] if shown is None else list(shown.notes)
    if set(left_out) & set(NEEDED):
        notes.insert(
            0, f"With {arm.n} joints, its dynamics are too long for a page: it shows positions."
        )
    meshes: list[dict[str, Any]] = []
    if packages is not None:
        meshes, missing = meshes_of(arm.robot, packages)
        notes += missing
    data = {
        "meshes": meshes,
        "scene": scene(arm, None if shown is None else shown.q),
        "recording": None if shown is None else shown.data(),
        "about": about if shown is None or not shown.about else f"{about}; {shown.about}",
        "notes": notes,
    }
    script = "\n".join([UNPACK, f"const programs = {code};", *map(_asset, SCRIPTS)])
    style = PALETTE + _asset("style.css")
    return filled(
        _asset("page.html"), {"title": arm.name}, data, {"style": style, "script": script}
    )


@lru_cache
def _asset(name: str) -> str:
    return files("armdyn.arm").joinpath("assets", name).read_text("utf-8")
