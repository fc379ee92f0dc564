"""Numbers as text for people."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"

# Larger shares are shown as "more than" this.
MOST_PERCENT = 1000


def number(x: float, digits: int = 4) -> str:
    """Return a number to some significant digits."""
    if not math.isfinite(x):
        return "–"
    return f"{x:.{digits}g}".replace("-", MINUS)


def percent(x: float) -> str:
    """Return a share as percent, with as many digits as are useful."""
    if math.isnan(x):
        return "–"
    share = 100.0 * x
    if share > MOST_PERCENT:
        return f"> {MOST_PERCENT} %"
    return f"{share:.{0 if share >= 99.5 else 1 if share >= 10.0 else 2}f} %"


def with_deviation(value: float, std: float) -> str:
    """Return a value with the digits that its standard deviation leaves."""
    if not math.isfinite(std) or std <= 0.0:
        return number(value)
    places = min(max(1 - math.floor(math.log10(std)), 0), 12)
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", MINUS)
