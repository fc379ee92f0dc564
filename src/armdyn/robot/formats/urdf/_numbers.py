"""Numbers as they are written to a URDF: with all their digits, and zeros without a sign."""

from __future__ import annotations

from collections.abc import Iterable


def number_text(value: float) -> str:
    """Return a number as text."""
    return repr(float(value) + 0.0)


def numbers_text(values: Iterable[float]) -> str:
    """Return several numbers as text, with blanks between them."""
    return " ".join(map(number_text, values))
