"""Results that this process keeps in memory, bounded by their bytes.

A bound on the number of results would not bound the memory: the program of one arm may be a hundred
times as long as that of another, and a loop over arms makes thousands of them. All results that
depend on an arm are kept in one cache, `PROGRAMS`, so that one bound holds for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from armdyn.fork_safe import brief_lock
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.programs.key import ProgramKey
from armdyn.robot.chain import Chain
from armdyn.robot.model import Robot

P = ParamSpec("P")
T = TypeVar("T")

# Bytes of all results and of the arguments they belong to: all programs of several arms of seven
# joints, or two functions of some thousand arms of two joints.
MAX_BYTES = 100_000_000

# Bytes as Python allocates them, rounded up: of a step of a program or one of its results, of a
# number in the table of a rolled program, of the constants of a link, and of what every result has.
STEP_BYTES, NUMBER_BYTES, LINK_BYTES, ENTRY_BYTES = 200, 40, 1500, 600


class SizedLRU:
    """The latest results of functions, as many as a total cost allows.

    Attributes:
        max_cost: largest total cost; the latest result always stays.
        cost: of the results that are kept.
    """

    def __init__(self, max_cost: int) -> None:
        self.max_cost = max_cost
        self._lock = brief_lock()
        self.clear()

    def get(self, key: object, make: Callable[[], T], cost: Callable[[T], int]) -> T:
        """Return the result of a key, or make it.

        Args:
            key: stands for the result.
            make: makes the result; two threads may do so at the same time.
            cost: returns the cost of the result and its key.
        """
        with self._lock:
            if key in self._entries:
                self._entries[key] = found = self._entries.pop(key)  # now the latest
                return found[0]
        result = make()
        spent = cost(result)
        with self._lock:
            self.cost += spent - self._entries.pop(key, (result, 0))[1]
            self._entries[key] = (result, spent)
            while self.cost > self.max_cost and len(self._entries) > 1:
                oldest = next(iter(self._entries))
                self.cost -= self._entries.pop(oldest)[1]
        return result

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries: dict[object, tuple[Any, int]] = {}
            self.cost = 0


PROGRAMS = SizedLRU(MAX_BYTES)


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Let `PROGRAMS` keep the results of a function of a chain and other constants."""

    @wraps(function)
    def found(*args: P.args, **named: P.kwargs) -> T:
        given = (*args, *named.values())
        return PROGRAMS.get(
            (function, args, tuple(named.items())),
            lambda: function(*args, **named),
            lambda result: ENTRY_BYTES + sum(map(bytes_of, (*given, result))),
        )

    return found


def bytes_of(part: object) -> int:
    """Return the bytes of an argument or a result; 0 if it takes few, or belongs to the package."""
    if isinstance(part, Program):
        return STEP_BYTES * (len(part.code) + len(part.results))
    if isinstance(part, Rolled):
        numbers = sum(len(row) for rows in part.constants.values() for row in rows)
        programs = [x for sweep in part.sweeps for x in (sweep.step, sweep.columns)]
        return NUMBER_BYTES * numbers + sum(map(bytes_of, programs))
    if isinstance(part, ProgramKey):
        return bytes_of(part.chain)
    return LINK_BYTES * part.n if isinstance(part, Chain | Robot) else 0
