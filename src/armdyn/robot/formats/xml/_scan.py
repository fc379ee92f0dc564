"""XML as elements that know their places in the text, so that parts can be blanked or replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers.expat import ExpatError, ParserCreate

from armdyn.robot.formats._records import Fault

# The parsers of other programs refuse elements nested deeper, and no description of an arm has
# more of them.
DEEPEST = 490
MOST_ELEMENTS = 300_000

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(rb"""(\s+)([^\s=<>/"']+)\s*=\s*("[^"]*"|'[^']*')""")


class XmlElement:
    """An element and where it stands; offsets are bytes of the text in UTF-8.

    Attributes:
        tag: its name as written.
        attributes: as written, with entities replaced.
        children: the elements in it.
        parent: the element around it; None for the outermost.
        start: where its start tag begins.
        line: the line that this is on, from 1.
    """

    __slots__ = ("_closing", "_text", "attributes", "children", "line", "parent", "start", "tag")

    def __init__(
        self, text: bytes, tag: str, attributes: dict[str, str], start: int, line: int,
        parent: XmlElement | None,
    ) -> None:  # fmt: skip
        """Take what the parser says at the start of an element."""
        self._text, self.tag, self.attributes = text, tag, attributes
        self.start, self.line, self.parent = start, line, parent
        self.children: list[XmlElement] = []
        self._closing = 0

    def close_at(self, place: int) -> None:
        """Take the place at which the parser found the end."""
        self._closing = place

    # Places are found when they are asked for: most elements of a file are never changed.

    @property
    def inside(self) -> int:
        """Where the start tag ends and the content begins."""
        return _tag_end(self._text, self.start)

    @property
    def is_empty(self) -> bool:
        """Whether it is written as ``<a/>``."""
        inside = self.inside
        return self._text[inside - 2 : inside] == b"/>"

    @property
    def closing(self) -> int:
        """Where the end tag begins; the end if there is none (``<a/>``)."""
        return self.inside if self.is_empty else self._closing

    @property
    def end(self) -> int:
        """Where the element ends."""
        inside = self.inside
        if self._text[inside - 2 : inside] == b"/>":
            return inside
        return _tag_end(self._text, self._closing)

    def written(self) -> Iterator[re.Match[bytes]]:
        """Yield the attributes as matches: 1 the space before, 2 the name, 3 the quoted value."""
        return _ATTRIBUTE.finditer(self._text, self.start, self.inside)

    def child(self, tag: str) -> XmlElement | None:
        """Return the first child of a name, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[XmlElement]:
        """Yield the element and all elements in it, in the order of the file."""
        found: list[XmlElement] = [self]
        while found:
            element = found.pop()
            yield element
            found.extend(reversed(element.children))

    def up(self) -> Iterator[XmlElement]:
        """Yield the element and those around it."""
        element: XmlElement | None = self
        while element is not None:
            yield element
            element = element.parent


def scanned(text: bytes) -> XmlElement:
    """Return the outermost element of a text in UTF-8.

    Comments that no parser accepts, and blanks before the declaration, do no harm.

    Raises:
        Fault: it is not XML, or declares a document type.
    """
    try:
        return _Builder(text, 0).root(text)
    except ExpatError as error:
        blanks = len(text) - len(text.lstrip())
        masked = _COMMENT.sub(lambda found: re.sub(rb"[^\n]", b" ", found[0]), text)
        try:
            return _Builder(text, blanks).root(masked[blanks:])
        except ExpatError:
            raise Fault(f"the file is not well-formed XML: {error}.") from None


class _Builder:
    """Makes elements of the parser's events; what it parses begins `shift` bytes into the text."""

    def __init__(self, text: bytes, shift: int) -> None:
        self._text, self._shift = text, shift
        self._lines = text.count(b"\n", 0, shift)
        self._open: list[XmlElement] = []
        self._roots: list[XmlElement] = []
        self._count = 0
        parser = self._parser = ParserCreate("utf-8")
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartDoctypeDeclHandler = _refuse

    def root(self, parsed: bytes) -> XmlElement:
        self._parser.Parse(parsed, True)
        return self._roots[0]

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if len(self._open) >= DEEPEST:
            raise Fault(f"elements are nested more than {DEEPEST} deep: no description of an arm.")
        if self._count > MOST_ELEMENTS:
            raise Fault(
                f"the file has more than {MOST_ELEMENTS} elements: no description of an arm."
            )
        parser = self._parser
        parent = self._open[-1] if self._open else None
        start = parser.CurrentByteIndex + self._shift
        line = parser.CurrentLineNumber + self._lines
        element = XmlElement(self._text, tag, attributes, start, line, parent)
        (parent.children if parent else self._roots).append(element)
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop().close_at(self._parser.CurrentByteIndex + self._shift)


def _refuse(*_: object) -> None:
    raise Fault(
        "the file declares a document type or entities (<!DOCTYPE ...>), which are refused for "
        "safety and which no description of an arm needs; remove the declaration."
    )


def _tag_end(text: bytes, start: int) -> int:
    """Return where a tag ends, past its ``>``; one in quotes is part of a value."""
    found = _TAG.match(text, start)
    assert found is not None, "the parser has found the tag"
    return found.end()
