"""Parse XML text; refuse constructs that come from attackers or unfinished tool chains.

Document types are refused, so no entity can expand or point to another file. Only the text itself
is read: meshes and packages that a URDF names are never opened.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from armdyn.errors import RobotWarning
from armdyn.robot.formats.records import Fault, too_large

# Bytes. URDFs of whole humanoids stay below 1 MB; a tree can take sixty times the memory of its
# text.
LARGEST_FILE = 5_000_000

# URDFs nest elements at most ten deep, and a humanoid has some 20,000 elements.
DEEPEST = 100
MOST_ELEMENTS = 300_000


# What xacro defines: it does nothing until it is used.
DEFINITIONS = ("property", "arg", "macro")
EXPAND = (
    "run `xacro robot.urdf.xacro > robot.urdf` first and read its output, or name the file .xacro."
)
# Characters of a name that a message shows.
LONGEST_SHOWN = 60

# The namespace of a prefix that a file does not declare begins with this.
UNDECLARED = b"undeclared:"


class _BoundedBuilder(TreeBuilder):
    """Builds the tree; refuses depths and sizes that no URDF has."""

    def __init__(self) -> None:
        super().__init__()
        self._depth, self._count = 0, 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self._depth += 1
        self._count += 1
        if self._depth > DEEPEST:
            raise Fault(
                f"elements are nested more than {DEEPEST} deep, at <{_shown(tag)}>: not a URDF."
            )
        if self._count > MOST_ELEMENTS:
            raise Fault(f"the file has more than {MOST_ELEMENTS} elements: not a URDF.")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        self._depth -= 1
        return super().end(tag)


@dataclass(frozen=True)
class Document:
    """The <robot> element, and notes on what was passed over to read it."""

    root: Element
    notes: tuple[str, ...] = ()


def parse_xml(text: str | bytes) -> Document:
    """Return the document.

    Sins that no number of a robot depends on are passed over, as other readers of URDF do: comments
    that no XML parser accepts, an empty line before the declaration, prefixes without a namespace.
    """
    if len(text) > LARGEST_FILE:
        raise Fault(too_large(len(text), LARGEST_FILE, "a URDF without its meshes"))
    notes: list[str] = []
    try:
        root = _root(text)
    except ParseError as error:
        mended = mended_xml(text.encode() if isinstance(text, str) else text)
        try:
            root = _root(mended)
        except (ParseError, LookupError, ValueError):
            raise Fault(f"the file is not well-formed XML: {error}.") from None
        notes.append(f"The file is not well-formed XML ({error}), but could be read.")
    except (LookupError, ValueError) as error:
        raise Fault(f"the file is not XML that can be decoded: {error}.") from None
    if _shown(root.tag) != "robot":
        raise Fault(f"the outermost element is <{_shown(root.tag)}>, expected <robot>: not a URDF.")
    _refuse_macros(root, xacro_spaces(text))
    return Document(root, tuple(notes))


def _root(text: str | bytes) -> Element:
    try:
        parser = DefusedXMLParser(target=_BoundedBuilder(), forbid_dtd=True)
        parser.feed(text)
        return parser.close()
    except DefusedXmlException:
        raise Fault(
            "the file declares a document type or entities (<!DOCTYPE ...>), which are refused for "
            "safety and which no URDF needs; remove the declaration."
        ) from None


def mended_xml(data: bytes) -> bytes:
    """Return XML without comments, with no blanks before it and with all prefixes declared.

    For encodings in which XML's own characters are single bytes.
    """
    bare = re.sub(rb"<!--.*?-->", b"", data.lstrip(), flags=re.DOTALL)
    start = re.search(rb"<[A-Za-z_][^\s<>/]*", bare)
    if start is None:
        return bare
    used = set(re.findall(rb"[<\s/]([A-Za-z_][\w.-]*):[\w.-]+", bare)) - {b"xml", b"xmlns"}
    declared = set(re.findall(rb"xmlns:([\w.-]+)\s*=", bare))
    names = b"".join(b' xmlns:%s="%s%s"' % (p, UNDECLARED, p) for p in sorted(used - declared))
    return bare[: start.end()] + names + bare[start.end() :]


def xacro_spaces(text: str | bytes) -> set[str]:
    """Return the namespaces that the prefix of xacro stands for in a text."""
    data = text.encode() if isinstance(text, str) else text
    declared = re.findall(rb"xmlns:xacro\s*=\s*[\"']([^\"']*)[\"']", data)
    return {uri.decode(errors="replace") for uri in (*declared, UNDECLARED + b"xacro")}


def _refuse_macros(root: Element, spaces: set[str]) -> None:
    """Refuse calls of macros, which would add links; definitions that nothing uses do no harm.

    Expressions are refused where an attribute that has one is read.
    """
    found = [root]
    while found:
        element = found.pop()
        space = element.tag.rpartition("}")[0]
        if space and (space[1:] in spaces or "xacro" in space):
            name = _shown(element.tag)
            if name == "include":
                where = element.get("filename", "")[:LONGEST_SHOWN]
                warnings.warn(
                    f"<xacro:include> of {where!r} is not expanded in a URDF: links and joints of "
                    f"that file are missing. If it has any, {EXPAND}",
                    RobotWarning,
                    stacklevel=6,
                )
            elif name not in DEFINITIONS:
                raise Fault(f"<xacro:{name}> is a macro of xacro, not expanded here; {EXPAND}")
        else:
            found.extend(element)


def _shown(tag: str) -> str:
    return tag.rpartition("}")[2][:LONGEST_SHOWN]
