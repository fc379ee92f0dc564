"""The text of a model: its file with all includes put in, from permitted folders only."""

from __future__ import annotations

import codecs
import os
import stat
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from armdyn.errors import shown
from armdyn.robot.formats.records import Fault, file_bytes, too_large
from armdyn.robot.formats.xml import XmlElement, scanned

# Files of one model.
MOST_FILES = 100

# Bytes of a model; arms have some ten thousand. Meshes belong in files of their own.
LARGEST_TEXT = 10_000_000


class Reach:
    """The folders that a model may name files in: its own and those that the user lists."""

    def __init__(self, folder: Path, packages: Iterable[str | os.PathLike[str]]) -> None:
        """Take the folder of the model's file, and more folders."""
        self._roots = [Path(os.path.realpath(root)) for root in (folder, *packages)]

    def file(self, folders: Iterable[Path], name: str) -> Path | None:
        """Return a regular file of this name in the first folder that has one; None if none does.

        Raises:
            Fault: it is outside of all permitted folders.
        """
        for folder in folders:
            try:
                path = Path(os.path.realpath(folder / name))
                kind = path.stat().st_mode
            except (OSError, ValueError):
                continue
            if not any(path.is_relative_to(root) for root in self._roots):
                raise Fault(
                    f"it names the file {shown(name)}, which is outside of its folder; to permit "
                    f"that, pass the folder: packages=[{str(path.parent)!r}]."
                )
            if stat.S_ISREG(kind):
                return path
        return None


@dataclass(frozen=True)
class Document:
    """A model in one text.

    Attributes:
        data: the text, in UTF-8.
        root: its elements.
        folder: of the model's file.
        origins: (line of `data`, file, line of the file) where pieces of files begin.
    """

    data: bytes
    root: XmlElement
    folder: Path
    origins: list[tuple[int, Path, int]]

    def origin(self, line: int) -> tuple[Path, int]:
        """Return the file that a line comes from, and the line there."""
        found = bisect_right(self.origins, line, key=lambda piece: piece[0]) - 1
        begin, path, there = self.origins[max(found, 0)]
        return path, there + line - begin


def document_of(path: Path, data: bytes, reach: Reach) -> Document:
    """Return the model of a file with its includes put in.

    Raises:
        Fault: an include is missing, comes twice or is not permitted.
    """
    root = scanned(data)
    if all(element.tag != "include" for element in root.walk()):
        return Document(data, root, path.parent, [(1, path, 1)])
    pieces = list(_Includes(path, reach).pieces(path, data, root, 0, len(data)))
    origins: list[tuple[int, Path, int]] = []
    line = 1
    for text, file, there in pieces:
        origins.append((line, file, there))
        line += text.count(b"\n") + 1
    joined = b"\n".join(text for text, _, _ in pieces)  # each piece has lines of its own
    _check_size(joined)
    return Document(joined, scanned(joined), path.parent, origins)


def read_text(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        Fault: it cannot be read, is too large, or is no text in UTF-8.
    """
    return checked_text(file_bytes(path, LARGEST_TEXT, "a model without its meshes"))


def checked_text(data: bytes) -> bytes:
    """Return the bytes of a text without its mark.

    Raises:
        Fault: it is too large, or no text in UTF-8.
    """
    _check_size(data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Fault(f"the file is not text in UTF-8 (byte {error.start}).") from None
    return data.removeprefix(codecs.BOM_UTF8)


def _check_size(data: bytes) -> None:
    if len(data) > LARGEST_TEXT:
        raise Fault(too_large(len(data), LARGEST_TEXT, "a model without its meshes"))


class _Includes:
    """Puts included files in the places of their <include> elements."""

    def __init__(self, main: Path, reach: Reach) -> None:
        self._folder, self._reach = main.parent, reach
        self._seen = {Path(os.path.realpath(main))}

    def pieces(
        self, path: Path, data: bytes, root: XmlElement, begin: int, end: int
    ) -> Iterator[tuple[bytes, Path, int]]:
        """Yield the texts of a part of a file and of its includes, with their files and lines."""
        for element in root.walk():
            if element.tag == "include":
                yield data[begin : element.start], path, data.count(b"\n", 0, begin) + 1
                yield from self._included(element, path)
                begin = element.end
        yield data[begin:end], path, data.count(b"\n", 0, begin) + 1

    def _included(self, element: XmlElement, path: Path) -> Iterator[tuple[bytes, Path, int]]:
        where = f"<include> in line {element.line} of {path.name}"
        name = element.attributes.get("file", "")
        if not name or set(element.attributes) != {"file"} or element.children:
            raise Fault(f"{where} needs an attribute `file`, and nothing else.")
        where += f" names {shown(name)}"
        # as MuJoCo does: beside the model, or else beside the file with the <include>
        file = self._reach.file((self._folder, path.parent), name)
        if file is None:
            raise Fault(f"{where}, but there is no such file.")
        if file in self._seen:
            raise Fault(f"{where}, which is included already; a file may be included once.")
        if len(self._seen) > MOST_FILES:
            raise Fault(f"{where}, one of more than {MOST_FILES} files: no model of an arm.")
        self._seen.add(file)
        try:
            data = read_text(file)
            root = scanned(data)
        except Fault as fault:
            raise Fault(f"{where}: {fault}") from None
        if not root.children:
            raise Fault(f"{where}, which has no elements.")
        yield from self.pieces(file, data, root, root.inside, root.closing)
