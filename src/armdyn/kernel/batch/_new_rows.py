"""Memory for the results of many states."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.kernel._element import DOUBLE, ElementType
from armdyn.kernel.targets import target


def new_rows(
    lead: tuple[int, ...], row: tuple[int, ...], element: ElementType = DOUBLE
) -> NDArray[Any]:
    """Return a new array that is aligned to a cache line.

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
    room = np.empty(count + line // size - 1, element.code)
    first = -room.__array_interface__["data"][0] % line // size
    return room[first : first + count].reshape(shape)
