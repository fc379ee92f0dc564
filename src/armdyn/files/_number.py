"""Numbers in text files."""

from __future__ import annotations


def number_in(text: str) -> float | None:
    """Parse a number; return None if the text is not a number.

    Python accepts more than other programs: digits of all scripts, and ``1_000``. These are not
    numbers here.
    """
    if not text.isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None
