"""Numbers inside a page, which its script reads when one zooms in."""

from __future__ import annotations

import base64
import hashlib
import json

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A number is stored in three bytes, as a share of the range of its column.
LEVELS = (1 << 24) - 1

# Steps that differ by less than this share are equal.
EQUAL = 1e-6


UNPACK = """\
function unpacked([low, high, given]) {
  const even = typeof given === "number", raw = even ? "" : atob(given);
  const n = even ? given : raw.length / 3, values = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const share = even ? i / (n - 1) : (raw.charCodeAt(3 * i) | raw.charCodeAt(3 * i + 1) << 8
      | raw.charCodeAt(3 * i + 2) << 16) / 16777215;
    values[i] = low + (high - low) * share;
  }
  return values;
}
"""
"""JavaScript that reads a packed column."""


class Packed:
    """Columns of numbers; equal arrays are stored once."""

    def __init__(self) -> None:
        self._columns: list[list[object]] = []
        self._known: dict[bytes, int] = {}
        self.count = 0

    def key(self, values: Array) -> int:
        """Store a column ``(N,)`` of finite numbers, and return its number in the page."""
        digest = hashlib.sha256(values.tobytes()).digest()
        if digest not in self._known:
            self._known[digest] = len(self._columns)
            self._columns.append(packed_column(values))
            self.count += len(values)
        return self._known[digest]

    def script(self) -> str:
        """Return the columns as a statement of JavaScript."""
        return f"const packed = {json.dumps(self._columns, separators=(',', ':'))};"


def packed_column(values: Array) -> list[object]:
    """Return (lowest, highest, number) of equal steps, or (lowest, highest, text)."""
    count = len(values)
    if count > 1:
        steps = (values[-1] - values[0]) / (count - 1)
        even = values[0] + steps * np.arange(count)
        if float(np.abs(values - even).max()) <= EQUAL * abs(steps):
            return [float(values[0]), float(values[-1]), count]
    low, high = (float(x) for x in (values.min(initial=np.inf), values.max(initial=-np.inf)))
    size = high - low if high > low else 1.0
    levels = np.rint((values - low) * (LEVELS / size)).astype("<u4")
    three = levels.view(np.uint8).reshape(count, 4)[:, :3]
    return [low, low + size, base64.b64encode(three.tobytes()).decode()]
