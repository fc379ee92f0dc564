"""Compressed files that grow without bounds: refused by the sizes they declare, before reading."""

from __future__ import annotations

from pathlib import Path

from armdyn.errors import LogError

# Up to here [bytes] any log is read.
HARMLESS = 1 << 28
# Beyond, a file may grow by this factor. Measured signals compress by 2 to 10, columns that never
# change by 1000.
LARGEST_FACTOR = 100


def largest_size(path: Path) -> int:
    """Return the bytes that the numbers of a compressed file may take in memory."""
    return max(HARMLESS, LARGEST_FACTOR * path.stat().st_size)


def check_inflation(path: Path, declared: int) -> None:
    """Refuse a file whose numbers take far more memory than its bytes.

    Args:
        path: of the file.
        declared: bytes of all numbers.
    """
    if declared > largest_size(path):
        raise LogError(path, f"would take {declared / 1e9:.3g} GB of memory, {_advice(path)}")


def inflation_error(path: Path) -> LogError:
    """Return the error of a file that does not say how large it becomes."""
    size = largest_size(path) / 1e9
    return LogError(path, f"would take more than {size:.3g} GB of memory, {_advice(path)}")


def _advice(path: Path) -> str:
    return (
        f"more than {LARGEST_FACTOR} times the {path.stat().st_size / 1e6:.3g} MB of the file, as "
        "no log of a motion does. If it is one, save it without compression."
    )
