"""Results that are kept for the next call, as many of the latest as there is room for.

A number of results would be no bound of their memory: the program of one arm may be a hundred times
as long as that of another, and whoever sweeps over arms makes thousands of them.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def recent(room: int, size: Callable[[T], int]) -> Callable[[Callable[P, T]], Recent[P, T]]:
    """Return a decorator for a function whose arguments can be keys.

    Args:
        room: sizes of the results that are kept, together; the latest is kept however large it is.
        size: of a result.
    """
    return lambda function: Recent(function, room, size)


class Recent(Generic[P, T]):
    """A function that remembers what it returned last."""

    def __init__(self, function: Callable[P, T], room: int, size: Callable[[T], int]) -> None:
        self.__doc__ = function.__doc__
        self._function = function
        self._room = room
        self._size = size
        self._lock = Lock()
        self.cache_clear()

    def __call__(self, *args: P.args, **named: P.kwargs) -> T:
        """Return what the function returns for these arguments."""
        key = (args, tuple(named.items()))
        with self._lock:
            if key in self._kept:
                self._kept[key] = found = self._kept.pop(key)  # behind all others
                return found[0]
        result = self._function(*args, **named)  # another thread may do the same meanwhile
        kept = (result, self._size(result))
        with self._lock:
            self._used += kept[1] - self._kept.pop(key, (result, 0))[1]
            self._kept[key] = kept
            while self._used > self._room and len(self._kept) > 1:
                oldest = next(iter(self._kept))
                self._used -= self._kept.pop(oldest)[1]
        return result

    def cache_clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept: dict[object, tuple[T, int]] = {}
            self._used = 0
