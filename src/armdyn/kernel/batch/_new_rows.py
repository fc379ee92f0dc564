"""Many states as rows: memory for their results, and arrays of any axes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.kernel._element import DOUBLE, ElementType
from armdyn.kernel.targets import target

# Bytes of a large page. NumPy asks Linux for such pages for arrays of `LARGE` bytes or more; at
# their ends there are small ones, hundreds of them, unless the array has room for whole large ones.
LARGE_PAGE, LARGE = 2**21, 2**22


def new_rows(
    lead: tuple[int, ...], row: tuple[int, ...], element: ElementType = DOUBLE
) -> NDArray[Any]:
    """Return a new array that is aligned to a cache line, a large one to a large page.

    Otherwise every vector store would touch two cache lines, and some stores two pages.

    Args:
        lead: the leading axes, over states.
        row: the axes of one state's result.
        element: the type of the numbers.
    """
    shape = (*lead, *row)
    line, size = target().line_bytes, element.bytes
    if prod(lead) < line // size:
        return np.empty(shape, element.code)
    count = prod(shape)
    large = count * size >= LARGE
    boundary, more = (LARGE_PAGE, 2 * LARGE_PAGE) if large else (line, line)
    room = np.empty(count + more // size - 1, element.code)
    first = -room.__array_interface__["data"][0] % boundary // size
    return room[first : first + count].reshape(shape)


def as_rows(array: NDArray[Any], lead: tuple[int, ...]) -> NDArray[Any]:
    """Return states ``(..., n)`` as rows ``(B, n)``, copied only if there is no other way.

    Args:
        array: the states; if one serves for all, it is returned as ``(n,)``.
        lead: the leading axes to which they are broadcast.
    """
    n = array.shape[-1]
    if array.size == n and prod(lead) > 1:
        rows = array.reshape(n)
    elif array.shape[:-1] == lead:
        rows = array.reshape(-1, n) if array.size else array.reshape(0, n)
    else:
        rows = np.broadcast_to(array, (*lead, n)).reshape(prod(lead), n)
    return rows if rows.flags.aligned and min(rows.strides) >= 0 else rows.copy()
