"""The table of robot file formats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from armdyn.files import FileFormat, listed, reading, writing

# The outermost element of an XML file begins within this many bytes, after at most a comment.
HEAD = 1 << 16


@dataclass(frozen=True, kw_only=True)
class RobotFormat(FileFormat):
    """A format of robot files.

    The reader is called as ``reader(path, strict=..., **options)`` and returns a `Robot`; the
    writer as ``writer(robot)`` and returns the text of the file.

    With `into`, an arm is written into a file it came from: the function is called as
    ``into(robot, original, merge_branches=..., **options)``, with those of `INTO_OPTIONS` that the
    reader takes, and returns the bytes of the new file.

    Attributes:
        words: description of the format, for messages.
        options: the arguments of `read_robot` that the reader takes besides `strict`; one that is
            given for a format without it is refused.
        root: the outermost element, to tell apart formats that share a suffix.
        into: function that writes an arm into a file; None if the format has none.
        into_suffix: suffix of the new file, if not one of the format's own.
        lost: function that returns, for a robot, sentences about what other programs will not find
            in the file.
    """

    words: str
    options: tuple[str, ...] = ()
    root: str | None = None
    into: str | None = None
    into_suffix: str | None = None
    lost: str | None = None


# The options of readers that are needed to read a file again, to write an arm into it.
INTO_OPTIONS = ("packages", "arguments")

FORMATS: list[RobotFormat] = [
    RobotFormat(
        name="TOML",
        words="a table of joints",
        suffixes=(".toml",),
        reader="armdyn.robot.formats.toml:read_toml",
        writer="armdyn.robot.formats.toml:toml_text",
        options=("waive",),
    ),
    RobotFormat(
        name="URDF",
        words="URDF",
        suffixes=(".urdf", ".xml"),
        written=(".urdf",),
        reader="armdyn.robot.formats.urdf.read:read_urdf",
        writer="armdyn.robot.formats.urdf.write:urdf_text",
        into="armdyn.robot.formats.urdf.write:urdf_into",
        lost="armdyn.robot.formats.urdf.write:lost_in_urdf",
        options=("base", "tip", "tips", "followers", "snap", "without", "waive"),
        root="robot",
    ),
    RobotFormat(
        name="xacro",
        words="URDF with macros",
        suffixes=(".xacro",),
        reader="armdyn.robot.formats.xacro.read:read_xacro",
        into="armdyn.robot.formats.xacro.read:xacro_into",
        into_suffix=".urdf",
        options=(
            "base",
            "tip",
            "tips",
            "followers",
            "snap",
            "without",
            "waive",
            "arguments",
            "packages",
        ),
        extra=("xacro", "xacro"),
    ),
    RobotFormat(
        name="MJCF",
        words="MuJoCo's MJCF",
        suffixes=(".xml", ".mjcf"),
        reader="armdyn.robot.formats.mjcf.read:read_mjcf",
        writer="armdyn.robot.formats.mjcf.write:mjcf_text",
        into="armdyn.robot.formats.mjcf.into:mjcf_into",
        lost="armdyn.robot.formats.mjcf.write:lost_in_mjcf",
        options=("base", "tip", "tips", "followers", "snap", "without", "waive", "packages"),
        root="mujoco",
        extra=("mujoco", "mjcf"),
    ),
]


def format_read(path: Path) -> RobotFormat | None:
    """Return the format of a file, by its suffix and, if several share it, its root element."""
    found = reading(FORMATS, path)
    if len(found) > 1:
        root = root_element(path)
        return next((one for one in found if one.root == root), found[0])
    return found[0] if found else None


def format_written(path: Path) -> RobotFormat | None:
    """Return the format that a file of this name is written in."""
    return writing(FORMATS, path)


def formats_in_words(*, written: bool = False) -> str:
    """Return all suffixes and what they are: ".toml (a table of joints) and .urdf (URDF)"."""
    rows = [(one.listed_written if written else one.suffixes, one.words) for one in FORMATS]
    return listed([f"{listed(suffixes)} ({words})" for suffixes, words in rows if suffixes], "and")


def suffixes_in_words() -> str:
    """Return the suffixes of all robot files that are read: ".toml, .urdf or .xml"."""
    return listed(list(dict.fromkeys(suffix for one in FORMATS for suffix in one.suffixes)))


def formats_with(option: str) -> str:
    """Return the names of the formats that take an option."""
    return listed([one.name for one in FORMATS if option in one.options], "and")


def root_element(path: Path) -> str:
    """Return the name of the outermost element of an XML file; "" if it cannot be found."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:  # the reader reports why
        return ""
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if wide else "latin-1", errors="replace")
    text = re.sub(r"<!--.*?-->|<[?!][^>]*>", "", text, flags=re.DOTALL)
    found = re.search(r"<([^\s<>/]+)", text)
    return found[1].rpartition(":")[2] if found else ""


def formats_into() -> str:
    """Return the names of the formats whose files take an arm."""
    return listed([one.name for one in FORMATS if one.into], "and")
