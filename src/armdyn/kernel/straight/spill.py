"""Spilling: which live values of a long program are in registers, and which in memory.

LLVM decides this well, but its compile time grows much faster than the program. All reads of a
straight-line program are known in advance, so the decision is simple: when there are more live
values than registers, spill the one whose next read is latest (Belady's rule). LLVM then finds few
live values anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from armdyn.kernel.ir.writer import Writer

MEMORY = "%waiting"


class SpillAllocator:
    """The values of a function that is being emitted, by index.

    Args:
        w: emits the function.
        reads: the times at which each value is read, in order; calls of `read` must follow them.
            Other values are left to LLVM.
        room: maximum number of live values in registers.
    """

    def __init__(self, w: Writer, reads: Mapping[int, Sequence[int]], room: int) -> None:
        self._w = w
        self._room = room
        self._reads = {k: list(reversed(times)) for k, times in reads.items()}
        self._names: dict[int, str] = {}
        self._next: dict[int, int] = {}  # time of the next read of the values in registers
        self._places: dict[int, int] = {}
        self._free: list[int] = []
        self._size = 0

    def constant(self, k: int, name: str) -> None:
        """Record a value that needs no register: a constant."""
        self._names[k] = name

    def define(self, k: int, name: str) -> None:
        """Record a value that was just emitted; spill if registers run out."""
        self._names[k] = name
        if self._reads.get(k):
            self._next[k] = self._reads[k][-1]
            self._leave(self._room)

    def read(self, values: Iterable[int]) -> list[str]:
        """Reload spilled values and return all by name; drop values that are not read again."""
        wanted = list(values)
        for k in wanted:
            if k in self._places and k not in self._next:
                self._names[k] = self._w.load(MEMORY, self._places[k] * self._w.width)
                self._next[k] = 0
        names = [self._names[k] for k in wanted]
        for k in dict.fromkeys(wanted):
            if k in self._next:
                self._reads[k].pop()
                self._renew(k)
        return names

    def make_room(self, size: int) -> None:
        """Spill until there is room for values that will be read together."""
        self._leave(max(self._room - size, 0))

    def _leave(self, most: int) -> None:
        """Spill until at most this many values are in registers."""
        while len(self._next) > most:
            k = max(self._next, key=self._next.__getitem__)
            if k not in self._places:
                self._places[k] = self._free.pop() if self._free else self._size
                self._size = max(self._size, self._places[k] + 1)
                self._w.store(self._names[k], MEMORY, self._places[k] * self._w.width)
            del self._next[k]

    def _renew(self, k: int) -> None:
        if self._reads[k]:
            self._next[k] = self._reads[k][-1]
            return
        del self._next[k]
        if k in self._places:
            self._free.append(self._places.pop(k))

    def memory(self) -> list[str]:
        """Return the instruction that reserves the spill memory, if any is needed."""
        size = self._size * self._w.width
        return [f"{MEMORY} = {self._w.codegen.array(size)}"] if size else []
