"""XML as elements that know their places in the text, and changes of some attributes of it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from xml.parsers.expat import ExpatError, ParserCreate
from xml.sax.saxutils import escape

from armdyn.errors import RobotError
from armdyn.robot.formats.records import Fault

# XML as elements that know their places in the text, so that parts can be blanked or replaced.

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


# Change some attributes of an XML file and leave every other byte as it is.
#
# A file is parsed into elements that know where they stand in it. Changes are collected and made at
# once, so that places stay right:
#
#     document = XmlSource(data)
#     mass = document.root.children[0].child("mass")
#     document.set(mass, "value", "2.5")              # replaces the value, or adds the attribute
#     document.add(link, "inertial", {...})           # a new element, indented as its neighbours
#     new = document.edited()                         # data itself if nothing was set
#
# Names of elements and attributes are as written, with prefixes. Document types are refused, so
# that no entity expands. The encoding, its mark and the ends of lines stay what they are.

DECLARED = re.compile(rb"""^<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# How a file without a mark begins if it is not in bytes: parsers take it for UTF-16, too.
BEGINNINGS = ((b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
# Indentation of an element in a file without any.
INDENT = b"  "


class XmlSource:
    """The text of an XML file, its elements, and changes to be made."""

    def __init__(self, data: bytes) -> None:
        """Parse a file.

        Raises:
            Fault: it is not XML that can be read.
        """
        self.data = data
        self._mark, self._encoding = _encoding(data)
        try:
            text = data[len(self._mark) :].decode(self._encoding)
        except (LookupError, UnicodeDecodeError) as error:
            raise Fault(f"the file is not XML that can be decoded: {error}.") from None
        self._text = text.encode()
        self.root = scanned(self._text)
        self._changes: list[tuple[int, int, bytes]] = []

    def set(self, element: XmlElement, name: str, value: str) -> None:
        """Give an attribute a value; quotes stay those of the file."""
        quoted = escape(value, {'"': "&quot;", "'": "&apos;"}).encode()
        places = {m[2].decode(): m for m in element.written()}
        found = places.get(name)
        if found is not None:
            self._changes.append((found.start(3) + 1, found.end(3) - 1, quoted))
            return
        last = list(places.values())[-1] if places else None
        at = last.end() if last else element.start + 1 + len(element.tag.encode())
        blank = last[1] if last else b" "
        self._changes.append((at, at, blank + f'{name}="'.encode() + quoted + b'"'))

    def remove(self, element: XmlElement, name: str) -> None:
        """Take an attribute away, with the space before it."""
        found = next(match for match in element.written() if match[2].decode() == name)
        self._changes.append((*found.span(), b""))

    def add(
        self,
        parent: XmlElement,
        tag: str,
        attributes: Mapping[str, str],
        children: Iterable[tuple[str, Mapping[str, str]]] = (),
    ) -> None:
        """Add an element at the end of another, on a line of its own if its neighbours have one.

        Args:
            parent: the element to add to.
            tag: name of the new element.
            attributes: its attributes.
            children: names and attributes of the elements in it.
        """
        newline = self._newline(parent)
        own, unit = self._line_start(parent), self._indent(parent)
        text = _written(tag, attributes)
        if children:
            inner = newline + own + unit * 2 if newline else b""
            parts = [inner + _written(name, given) for name, given in children]
            end = newline + own + unit if newline else b""
            text = text[:-2] + b">" + b"".join(parts) + end + b"</" + tag.encode() + b">"
        line = newline + own + unit + text if newline else text
        if parent.is_empty:
            slash = self._text.rindex(b"/", parent.start, parent.end)
            blanks = len(self._text[parent.start : slash]) - len(
                self._text[parent.start : slash].rstrip()
            )
            closing = (newline + own if newline else b"") + b"</" + parent.tag.encode() + b">"
            self._changes.append((slash - blanks, parent.end, b">" + line + closing))
            return
        at = parent.children[-1].end if parent.children else parent.inside
        tail = self._text[at : parent.closing]
        if newline and not parent.children and not tail.strip():
            self._changes.append((at, parent.closing, line + newline + own))
        else:
            self._changes.append((at, at, line))

    def edited(self) -> bytes:
        """Return the file with all changes made; the very same bytes if there are none."""
        if not self._changes:
            return self.data
        parts: list[bytes] = []
        done = 0
        for start, end, new in sorted(self._changes, key=lambda change: change[:2]):
            if start < done:
                raise AssertionError("two changes of one place")
            parts += [self._text[done:start], new]
            done = end
        text = b"".join([*parts, self._text[done:]]).decode()
        return self._mark + text.encode(self._encoding, errors="xmlcharrefreplace")

    def _newline(self, parent: XmlElement) -> bytes:
        """Return the end of line before new children; empty if the file keeps them on one line."""
        first = parent.children[0].start if parent.children else parent.start
        before = self._text[:first].rstrip(b" \t")
        if not before.endswith(b"\n"):
            return b""
        return b"\r\n" if before.endswith(b"\r\n") else b"\n"

    def _indent(self, element: XmlElement) -> bytes:
        """Return by how much children are indented: those of the element, or those around it."""
        around: XmlElement | None = element
        while around is not None:
            own = self._line_start(around)
            for child in around.children[:1]:
                inner = self._line_start(child)
                if inner.startswith(own) and inner != own:
                    return inner[len(own) :]
            around = around.parent
        return INDENT

    def _line_start(self, element: XmlElement) -> bytes:
        """Return the blanks before an element on its line."""
        line = self._text.rfind(b"\n", 0, element.start) + 1
        before = self._text[line : element.start]
        return before if not before.strip() else b""


def _written(tag: str, attributes: Mapping[str, str]) -> bytes:
    listed = "".join(
        f' {name}="{escape(value, {chr(34): "&quot;"})}"' for name, value in attributes.items()
    )
    return f"<{tag}{listed}/>".encode()


def _encoding(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark and the encoding of an XML file."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return mark, encoding
    for beginning, encoding in BEGINNINGS:
        if data.startswith(beginning):
            return b"", encoding
    declared = DECLARED.match(data)
    return b"", declared[1].decode() if declared else "utf-8"


# Names and numbers as XML has them.

# XML 1.0 has no way to write these characters, escaped or not.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def number_text(value: float) -> str:
    """Return a number with all its digits; a zero is written without a sign."""
    return repr(float(value) + 0.0)


def numbers_text(values: Iterable[float]) -> str:
    """Return several numbers, with blanks between them."""
    return " ".join(map(number_text, values))


def xml_name(name: str) -> str:
    """Return a name, or refuse one that XML cannot express."""
    found = NOT_IN_XML.search(name)
    if found or not name.strip():
        raise RobotError(
            f"the name {name!r} cannot be written to XML; rename it with printable characters."
        )
    return name
