"""Names and numbers as XML has them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from armdyn.errors import RobotError

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
