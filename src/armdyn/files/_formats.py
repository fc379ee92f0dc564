"""Tables of file formats: one row per format serves readers, writers and messages."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from armdyn.errors import MissingExtraError


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """One file format.

    Functions are named as "module:function" and imported when a file needs them.

    Attributes:
        name: name of the format in messages.
        suffixes: file suffixes in lower case; messages list them.
        reader: function that reads a file.
        writer: function that writes a file; None if the format is read-only.
        written: suffixes for writing, if not all of `suffixes`; messages list them.
        unlisted: further suffixes for reading, which messages do not list.
        unlisted_written: further suffixes for writing, which messages do not list.
        extra: the package it needs, and the extra of armdyn that installs it.
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    writer: str | None = None
    written: tuple[str, ...] | None = None
    unlisted: tuple[str, ...] = ()
    unlisted_written: tuple[str, ...] = ()
    extra: tuple[str, str] | None = None

    def reads(self, path: Path) -> bool:
        """Whether a path has a suffix of this format."""
        return path.suffix.lower() in (*self.suffixes, *self.unlisted)

    def writes(self, path: Path) -> bool:
        """Whether files of this suffix are written in this format."""
        return path.suffix.lower() in (*self.listed_written, *self.unlisted_written)

    @property
    def listed_written(self) -> tuple[str, ...]:
        """The suffixes of written files that messages list."""
        if self.writer is None:
            return ()
        return self.suffixes if self.written is None else self.written

    def function(self, name: str, verb: str) -> Callable[..., Any]:
        """Import and return a function of the format.

        Args:
            name: "module:function", from this row.
            verb: "reading" or "writing", for the message.

        Raises:
            MissingExtraError: the package that the format needs is not installed.
        """
        if self.extra is not None:
            from importlib.util import find_spec

            if find_spec(self.extra[0]) is None:
                raise MissingExtraError(*self.extra, f"{verb} {self.name}")
        module, _, function = name.partition(":")
        return getattr(importlib.import_module(module), function)


Format = TypeVar("Format", bound=FileFormat)


def reading(formats: Iterable[Format], path: Path) -> list[Format]:
    """Return the formats that a path may be read as, by its suffix."""
    return [one for one in formats if one.reads(path)]


def writing(formats: Iterable[Format], path: Path) -> Format | None:
    """Return the format that a path is written as: the first row with its suffix."""
    return next((one for one in formats if one.writes(path)), None)


def listed(words: Sequence[str], last: str = "or") -> str:
    """Return words as a list in a sentence: "a, b or c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
