"""Names and numbers as XML has them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from armdyn.errors import RobotError

# XML 1.0 has no way to write these characters, escaped or not.
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def numbers_text(values: Iterable[float]) -> str:
    """Return numbers with all their digits; a zero is written without a sign."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def xml_name(name: str) -> str:
    """Return a name, or refuse one that XML cannot express."""
    found = NOT_IN_XML.search(name)
    if found or not name.strip():
        raise RobotError(
            f"the name {name!r} cannot be written to XML; rename it with printable characters."
        )
    return name


def new_name(wanted: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it."""
    while wanted in taken:
        wanted += "_"
    taken.add(wanted)
    return wanted
