"""Refuse compressed files that would grow too large, by their declared sizes, before reading."""

from __future__ import annotations

from pathlib import Path

from armdyn.errors import LogError

# Logs up to this size [bytes] are always read.
HARMLESS = 1 << 28
# Larger ones may grow by this factor. Measured signals compress by 2 to 10, columns that never
# change by 1000.
LARGEST_FACTOR = 100


def largest_size(path: Path) -> int:
    """Return the bytes that the numbers of a compressed file may take in memory."""
    return max(HARMLESS, LARGEST_FACTOR * path.stat().st_size)


def check_inflation(path: Path, declared: int) -> None:
    """Refuse a file whose numbers take far more memory than the file itself.

    Args:
        path: of the file.
        declared: bytes of all numbers.
    """
    if declared > largest_size(path):
        raise LogError(path, f"would take {declared / 1e9:.3g} GB of memory, {_advice(path)}")


def inflation_error(path: Path) -> LogError:
    """Return the error for a file that does not declare its uncompressed size."""
    size = largest_size(path) / 1e9
    return LogError(path, f"would take more than {size:.3g} GB of memory, {_advice(path)}")


def _advice(path: Path) -> str:
    return (
        f"more than {LARGEST_FACTOR} times the {path.stat().st_size / 1e6:.3g} MB of the file, as "
        "no log of a motion does. If it is one, save it without compression."
    )
