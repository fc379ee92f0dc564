"""Change some attributes of an XML file and leave every other byte as it is.

A file is parsed into elements that know where they stand in it. Changes are collected and made at
once, so that places stay right:

    document = XmlSource(data)
    mass = document.root.children[0].child("mass")
    document.set(mass, "value", "2.5")              # replaces the value, or adds the attribute
    document.add(link, "inertial", {...})           # a new element, indented as its neighbours are
    new = document.edited()                         # data itself if nothing was set

Names of elements and attributes are as written, with prefixes. Document types are refused, so that
no entity expands. The encoding, its mark and the ends of lines stay what they are.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape

from armdyn.robot.formats._records import Fault
from armdyn.robot.formats.xml._scan import XmlElement, scanned

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
