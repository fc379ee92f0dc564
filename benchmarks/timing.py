"""Timing: several jobs in turn, the best time of each; and the machine that they run on.

Absolute times depend on the machine and on its load at that moment. So jobs that are compared run
in turn, round after round, and the shortest time of each is kept: a disturbance can only make a run
longer.
"""

from __future__ import annotations

import os
import platform
import timeit
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from armdyn.kernel.element import DOUBLE
from armdyn.kernel.targets.choice import target

# A shorter sample measures the clock as much as the job; jobs are repeated to reach this time.
SHORTEST_SAMPLE = 2e-3


@dataclass(frozen=True)
class Job:
    """A call to be timed.

    Attributes:
        call: the function.
        args: its arguments.
        states: number of states per call; times are per state.
        options: arguments given by name.
    """

    call: Callable[..., object]
    args: Sequence[object]
    states: int = 1
    options: Mapping[str, object] | None = None

    def timer(self, clock: Callable[[], float] = perf_counter) -> timeit.Timer:
        """Return a timer of the plain call, without a layer around it."""
        given: dict[str, Any] = {f"a{k}": value for k, value in enumerate(self.args)}
        named = {f"o_{key}": value for key, value in (self.options or {}).items()}
        words = [*given, *(f"{key.removeprefix('o_')}={key}" for key in named)]
        names = {"f": self.call, **given, **named}
        return timeit.Timer(f"f({', '.join(words)})", timer=clock, globals=names)


def best_times(
    jobs: Mapping[str, Job],
    seconds: float,
    least_rounds: int = 3,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """Return the seconds for one state of each job, the best of all rounds.

    Args:
        jobs: by name.
        seconds: how long all rounds may take together; the last round is completed.
        least_rounds: minimum number of rounds, even if they take longer.
        clock: what a time is: `perf_counter`, or `process_time` or `thread_time` of the processor.
    """
    timers = {name: job.timer(clock) for name, job in jobs.items()}
    repeats = {name: _repeats(timer) for name, timer in timers.items()}
    best = dict.fromkeys(jobs, float("inf"))
    end = perf_counter() + seconds
    rounds = 0
    while rounds < least_rounds or perf_counter() < end:
        for name, timer in timers.items():
            number = repeats[name]
            taken = timer.timeit(number) / (number * jobs[name].states)
            best[name] = min(best[name], taken)
        rounds += 1
    return best


def _repeats(timer: timeit.Timer) -> int:
    """Return the number of calls per sample; the trial calls also warm up the job."""
    timer.timeit(1)
    number = 1
    while (taken := timer.timeit(number)) < SHORTEST_SAMPLE / 4:
        number *= 4
    return max(1, round(number * SHORTEST_SAMPLE / taken))


def machine() -> dict[str, str]:
    """Return the facts that a reader needs to interpret the times."""
    this = target()
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count() or 1),
        "doubles in a vector": str(this.vector_bytes // DOUBLE.bytes),
        "compiled for": this.cpu,
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: version(name) for name in ("armdyn", "numpy", "llvmlite")},
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "load when it began": _load(),
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:  # not on every system
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def _load() -> str:
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (AttributeError, OSError):
        return "unknown"
