"""Names in the sources: words of the trade, no private ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import armdyn

SOURCES = Path(armdyn.__file__).parent

# Words that only their authors understood, and that names no longer use.
PRIVATE = ("door", "watched", "kept_", "look_code", "workshop", "stretch", "trouble")
# These are plain words, or parts of them, where they are no classes.
PRIVATE_CLASSES = ("Behind", "Sites")


def names(path: Path) -> Iterator[str]:
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for field in ("id", "name", "arg", "attr"):
            found = getattr(node, field, None)
            if isinstance(found, str):
                yield found


def test_no_name_is_a_private_word() -> None:
    found = {
        (path.relative_to(SOURCES).as_posix(), name)
        for path in SOURCES.rglob("*.py")
        for name in names(path)
        if any(word in name.lower() for word in PRIVATE) or name in PRIVATE_CLASSES
    }
    assert not found


def test_folders_hold_one_idea() -> None:
    """A long list of files hides its ideas; each method of the papers is a file of its own."""
    sizes = {
        folder.relative_to(SOURCES).as_posix(): len(list(folder.glob("*.py")))
        for folder in (SOURCES, *SOURCES.rglob("*"))
        if folder.is_dir()
    }
    assert sizes.pop("algorithms") > 16
    assert {folder: size for folder, size in sizes.items() if size > 24} == {}
