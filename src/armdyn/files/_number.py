"""Numbers as files write them."""

from __future__ import annotations


def number_in(text: str) -> float | None:
    """Return the number that a text is, None if it is none.

    Python reads more than other programs do: digits of all scripts, and ``1_000``. These are no
    numbers here.
    """
    if not text.isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None
