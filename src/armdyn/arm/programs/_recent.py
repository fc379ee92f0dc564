"""A cache of the latest results of a function, bounded by their total size.

A bound on the number of results would not bound the memory: the program of one arm may be a hundred
times as long as that of another, and a loop over arms makes thousands of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

from armdyn._fork_safe import brief_lock

P = ParamSpec("P")
T = TypeVar("T")


def recent(
    room: int, size: Callable[[T], int], key_size: Callable[P, int]
) -> Callable[[Callable[P, T]], Recent[P, T]]:
    """Return a decorator for a function whose arguments can be keys.

    Args:
        room: largest total size of results and keys; the latest result always stays.
        size: returns the size of a result.
        key_size: returns the size of the arguments, in the same unit.
    """
    return lambda function: Recent(function, room, size, key_size)


class Recent(Generic[P, T]):
    """A function that remembers its latest results."""

    def __init__(
        self,
        function: Callable[P, T],
        room: int,
        size: Callable[[T], int],
        key_size: Callable[P, int],
    ) -> None:
        self.__doc__ = function.__doc__
        self._function = function
        self._room = room
        self._size = size
        self._key_size = key_size
        self._lock = brief_lock()
        self.cache_clear()

    def __call__(self, *args: P.args, **named: P.kwargs) -> T:
        """Return the function's result for these arguments."""
        key = (args, tuple(named.items()))
        with self._lock:
            if key in self._entries:
                self._entries[key] = found = self._entries.pop(key)  # now the latest
                return found[0]
        result = self._function(*args, **named)  # another thread may do the same meanwhile
        size = self._size(result) + self._key_size(*args, **named)
        with self._lock:
            self._used += size - self._entries.pop(key, (result, 0))[1]
            self._entries[key] = (result, size)
            while self._used > self._room and len(self._entries) > 1:
                oldest = next(iter(self._entries))
                self._used -= self._entries.pop(oldest)[1]
        return result

    def cache_clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries: dict[object, tuple[T, int]] = {}
            self._used = 0
