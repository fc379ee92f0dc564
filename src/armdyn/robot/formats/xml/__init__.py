"""XML as the formats of robots use it: elements with their places, edits, names and numbers."""

from armdyn.robot.formats.xml._edit import XmlSource
from armdyn.robot.formats.xml._names import number_text, numbers_text, xml_name
from armdyn.robot.formats.xml._scan import DEEPEST, XmlElement, scanned
from armdyn.robot.formats.xml._skeleton import FixedLink, Skeleton, skeleton

__all__ = [
    "DEEPEST",
    "FixedLink",
    "Skeleton",
    "XmlElement",
    "XmlSource",
    "number_text",
    "numbers_text",
    "scanned",
    "skeleton",
    "xml_name",
]
