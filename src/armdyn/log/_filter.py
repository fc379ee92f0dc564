"""Zero-phase low-pass, accurate differences, and the same filter for torque and regressor.

The filter is a Butterworth of order 4 run forward and backward: no delay, and a gain of
``1/(1 + (f/fc)^8)``, which is 1/2 at the cut-off and within 3e-6 of 1 at a fifth of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError, shown
from armdyn.log._scipy import scipy

Array = NDArray[np.float64]

ORDER = 4

# Cut-offs end here: above, next to nothing is removed. Share of the Nyquist frequency.
HIGHEST = 0.8

# Central differences on nine points: wrong by (w h)^8/630 and (w h)^8/3150 of the derivative, for a
# motion of angular frequency w sampled every h. The plain three-point ones, (w h)^2/6, are wrong by
# 6 % for a motion of 3 Hz in a log of 30 Hz.
REACH = 4
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array(
    [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]
)  # fmt: skip


def low_pass(values: Array, rate: float, cutoff: float) -> Array:
    """Return columns of equal steps with what is above the cut-off [Hz] removed, without delay."""
    signal = scipy("signal")
    sections = signal.butter(ORDER, cutoff, fs=rate, output="sos")
    # The start-up of the filter dies out within a few periods of the cut-off.
    pad = min(len(values) - 1, max(int(np.ceil(3 * rate / cutoff)), 3 * (2 * len(sections) + 1)))
    return np.ascontiguousarray(signal.sosfiltfilt(sections, values, axis=0, padlen=pad))


def derivatives(values: Array, rate: float) -> tuple[Array, Array]:
    """Return first and second derivatives of columns; `REACH` rows at both ends are repeated."""
    first = _convolved(values, FIRST * rate)
    second = _convolved(values, SECOND * rate**2)
    return first, second


def _convolved(values: Array, weights: Array) -> Array:
    result = np.empty_like(values)
    inner = np.zeros_like(values[REACH:-REACH])
    last = len(values) - 2 * REACH
    for k, weight in enumerate(weights):
        if weight:
            inner += weight * values[k : k + last]
    result[REACH:-REACH] = inner
    result[:REACH] = inner[0]
    result[-REACH:] = inner[-1]
    return result


def decimated(values: Array, factor: int, bounds: Sequence[tuple[int, int]] | None = None) -> Array:
    """Return every factor-th row of columns after a zero-phase low-pass: parallel filtering.

    The cut-off is 0.8 of the Nyquist frequency of the rows that are left. Torques and all columns
    of a regressor go through this one function: what is linear in the parameters stays so, and the
    noise of the rows that are left out is averaged instead of thrown away.

    Args:
        values: columns ``(N, ...)`` at equal steps.
        factor: one row of this many is kept; 1 returns the values as they are.
        bounds: (start, stop) of pieces that are filtered one by one; if left out, one piece. A
            piece shorter than `shortest(factor)` rows gives no rows.
    """
    if isinstance(factor, bool) or not isinstance(factor, int | np.integer) or factor < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"`factor` is {shown(factor)}, expected a whole number from 1.")
    if factor == 1:
        return values
    kept = rows_kept(len(values), factor, bounds)
    flat = values.reshape(len(values), -1)
    result = np.empty((sum(len(k) for _, _, k in kept), flat.shape[1]))
    row = 0
    for a, b, rows in kept:
        filtered = low_pass(flat[a:b], 1.0, HIGHEST * 0.5 / factor)
        result[row : row + len(rows)] = filtered[rows - a]
        row += len(rows)
    return result.reshape(-1, *values.shape[1:])


def kept_rows(
    count: int, factor: int, bounds: Sequence[tuple[int, int]] | None = None
) -> NDArray[np.int64]:
    """Return the numbers of the rows that `decimated` keeps."""
    if factor == 1:
        return np.arange(count)
    parts = [rows for _, _, rows in rows_kept(count, factor, bounds)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def shortest(factor: int) -> int:
    """Return the fewest rows that can be filtered and decimated."""
    return 1 if factor == 1 else 2 * factor + 1


def rows_kept(
    count: int, factor: int, bounds: Sequence[tuple[int, int]] | None
) -> list[tuple[int, int, NDArray[np.int64]]]:
    """Return each piece that is long enough with the rows kept of it, the middle ones of each."""
    pieces = [(0, count)] if bounds is None else bounds
    return [
        (a, b, np.arange(a + ((b - a - 1) % factor) // 2, b, factor, dtype=np.int64))
        for a, b in pieces
        if b - a >= shortest(factor)
    ]
