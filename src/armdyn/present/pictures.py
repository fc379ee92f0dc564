"""Pictures as files: checked before any work, written completely or not at all."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from armdyn.checks import checked_path
from armdyn.errors import FileError
from armdyn.files import imported
from armdyn.writing import check_target, whole_file

SUFFIXES = (".png", ".svg", ".pdf")

# The suffixes of pictures, for help texts.
PICTURES_IN_WORDS = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"

# Colours of joints, as in pages: the colour-blind can tell them apart.
JOINT_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a7a2c")

# Metadata that keep the time of drawing out of a file.
UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def check_picture(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work, a picture that cannot be drawn."""
    target = checked_path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise FileError(target, f"pictures are written as {', '.join(SUFFIXES)}.")
    check_target(target)
    matplotlib()


def new_figure(width: float, height: float) -> Any:
    """Return a figure of Matplotlib [inches]; no window is opened, no backend chosen."""
    matplotlib()
    return import_module("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def write_picture(figure: Any, path: str | os.PathLike[str], dpi: int = 110) -> None:
    """Write a figure: the whole file or, if that fails, none. Equal pictures are equal files."""
    suffix = Path(path).suffix.lower()
    # otherwise, names inside an SVG are random
    with matplotlib().rc_context({"svg.hashsalt": "armdyn"}), whole_file(path) as file:
        figure.savefig(file, format=suffix[1:], dpi=dpi, metadata=UNDATED.get(suffix))


def plain_text(text: str) -> str:
    """Return a text that Matplotlib does not interpret as a formula."""
    return text.replace("$", r"\$")


def matplotlib() -> Any:
    """Return Matplotlib.

    Raises:
        MissingExtraError: it is not installed.
    """
    imported("matplotlib.figure", "the picture", "plot")
    return imported("matplotlib", "the picture", "plot")
