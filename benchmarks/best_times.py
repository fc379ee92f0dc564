"""The shortest of many times, of calls that take turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

AT_ONCE = 5


def best(calls: Mapping[str, Callable[[], Any]], states: int, rounds: int) -> dict[str, float]:
    """Return the shortest time of each call on the processor, in nanoseconds a state.

    A turn is some calls of one kind: the first finds the caches full of what the others left.
    """
    for call in calls.values():
        call()
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            for _ in range(AT_ONCE):
                start = time.process_time()
                call()
                found[name] = min(found[name], time.process_time() - start)
    return {name: 1e9 * seconds / states for name, seconds in found.items()}
