"""Parse XML text; refuse constructs that come from attackers or unfinished tool chains.

Document types are refused, so no entity can expand or point to another file. Only the text itself
is read: meshes and packages that a URDF names are never opened.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from armdyn.robot.formats._records import Fault

# URDFs of whole humanoids stay below 1 MB; a tree can take sixty times the memory of its text.
LARGEST_FILE = 5_000_000

# URDFs nest elements at most ten deep, and a humanoid has some 20,000 elements.
DEEPEST = 100
MOST_ELEMENTS = 300_000


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


def parse_xml(text: str | bytes) -> Element:
    """Return the <robot> element."""
    if len(text) > LARGEST_FILE:
        raise Fault(too_large(len(text)))
    try:
        parser = DefusedXMLParser(target=_BoundedBuilder(), forbid_dtd=True)
        parser.feed(text)
        root: Element = parser.close()
    except DefusedXmlException:
        raise Fault(
            "the file declares a document type or entities (<!DOCTYPE ...>), which are refused for "
            "safety and which no URDF needs; remove the declaration."
        ) from None
    except ParseError as error:
        raise Fault(f"the file is not well-formed XML: {error}.{_xacro_hint(str(error))}") from None
    except (LookupError, ValueError) as error:
        raise Fault(f"the file is not XML that can be decoded: {error}.") from None
    _refuse_xacro(root)
    if _shown(root.tag) != "robot":
        raise Fault(f"the outermost element is <{_shown(root.tag)}>, expected <robot>: not a URDF.")
    return root


def too_large(size: int) -> str:
    """Return the sentence about a file of `size` bytes."""
    return (
        f"the file has {size / 1e6:.0f} MB, more than the {LARGEST_FILE / 1e6:.0f} MB a URDF may "
        "have; meshes belong in files of their own."
    )


def _refuse_xacro(root: Element) -> None:
    for element in root.iter():
        macro = "xacro" in element.tag.rpartition("}")[0]
        for name, value in element.attrib.items():
            macro |= name != "filename" and ("${" in value or "$(" in value)
        if macro:
            raise Fault(
                f"<{_shown(element.tag)}> holds xacro macros, which are not expanded here; run "
                "`xacro robot.urdf.xacro > robot.urdf` first and read its output."
            )


def _xacro_hint(error: str) -> str:
    if "unbound prefix" not in error:
        return ""
    return " If this is a xacro file, run `xacro` first and read its output."


def _shown(tag: str) -> str:
    return tag.rpartition("}")[2][:60]
