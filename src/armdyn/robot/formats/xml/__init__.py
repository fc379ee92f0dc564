"""XML as the formats of robots use it: elements with their places, names and numbers."""

from armdyn.robot.formats.xml._names import new_name, numbers_text, xml_name
from armdyn.robot.formats.xml._scan import DEEPEST, XmlElement, scanned

__all__ = ["DEEPEST", "XmlElement", "new_name", "numbers_text", "scanned", "xml_name"]
