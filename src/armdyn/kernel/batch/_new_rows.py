"""Memory for the results of many states."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from armdyn.kernel.targets import target


def new_rows(lead: tuple[int, ...], row: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a new array that is aligned to a cache line.

    Otherwise every vector store would touch two cache lines, and some stores two pages.

    Args:
        lead: the leading axes, over states.
        row: the axes of one state's result.
    """
    shape = (*lead, *row)
    line, size = target().line_bytes, np.dtype(np.float64).itemsize
    if prod(lead) < line // size:
        return np.empty(shape)
    count = prod(shape)
    room = np.empty(count + line // size - 1)
    first = -room.__array_interface__["data"][0] % line // size
    return room[first : first + count].reshape(shape)
