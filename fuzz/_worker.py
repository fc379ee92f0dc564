"""A process that tries cases: it may crash or hang, and the runner knows at which case.

Blocks of cases come as lines of JSON, `{"target": ..., "seeds": [first, end]}`; the answers are
lines, too. Before each case its seed and the time are written to a small file that is mapped into
memory.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import random
import resource
import shutil
import struct
import sys
import time
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HEARTBEAT = struct.Struct("qd")
# Address space of a worker [bytes]: a case that takes all memory must not take the machine's.
MOST_MEMORY = 12 << 30
# Lines of a traceback that a record keeps.
TRACEBACK_LINES = 14


def main() -> None:
    """Answer blocks until standard input ends; argv: heartbeat file, scratch folder."""
    beat_path, scratch = sys.argv[1:3]
    answers = os.fdopen(os.dup(1), "w")
    prepare(Path(scratch))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with open(beat_path, "r+b") as file:
        beat = mmap.mmap(file.fileno(), HEARTBEAT.size)
    for line in sys.stdin:
        block = json.loads(line)
        answer = tried(block["target"], range(*block["seeds"]), beat)
        print(json.dumps(answer), file=answers, flush=True)


def prepare(scratch: Path) -> None:
    """Make warnings errors, limit memory, and go to the scratch folder."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(scratch)
    from armdyn import errors

    warnings.simplefilter("error")
    for own in (errors.RobotWarning, errors.LogWarning, errors.CacheWarning, errors.SettingWarning):
        warnings.simplefilter("ignore", own)


def tried(target: str, seeds: range, beat: mmap.mmap) -> dict[str, Any]:
    """Try cases in turn; return their number, failures, refusals, seconds and the slowest."""
    failures: list[dict[str, Any]] = []
    refused, slowest, begin = 0, (0.0, -1), time.process_time()
    for seed in seeds:
        start = time.monotonic()
        beat[:] = HEARTBEAT.pack(seed, start)
        found = outcome(target, seed)
        beat[:] = HEARTBEAT.pack(-1, start)
        slowest = max(slowest, (time.monotonic() - start, seed))
        refused += found == "refused"
        if found and found != "refused":
            failures.append({"seed": seed, "what": found})
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "cases": len(seeds), "failures": failures, "refused": refused, "slowest": slowest,
        "cpu": time.process_time() - begin, "children": children.ru_utime + children.ru_stime,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }  # fmt: skip


def drawn(target: str, seed: int) -> tuple[Any, Any]:
    """Return the module and the case of a seed."""
    from fuzz._targets import target as row

    module = import_module(row(target).module)
    with np.errstate(all="ignore"):
        return module, module.case(random.Random(f"{target}:{seed}"), target)


def outcome(target: str, seed: int) -> str:
    """Try one case; return "", "refused", or what failed."""
    from armdyn import errors

    found = ""
    try:
        module, case = drawn(target, seed)
    except Exception as error:
        return f"the case cannot be drawn: {described(error)}"
    try:
        module.run(case)
    except (errors.GraphError, errors.MissingExtraError) as error:
        found = described(error)
    except errors.ArmdynError:
        found = "refused"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        found = described(error)
        gc.collect()
    return cleaned(found)


def cleaned(found: str) -> str:
    """Empty the working folder; temporary files in it are a failure."""
    names = os.listdir()
    for name in names:
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.unlink(name)
    left = [name for name in names if name.endswith(".tmp")]
    return f"Finding: files left behind: {left}" if left and found in ("", "refused") else found


def described(error: BaseException) -> str:
    """Return an error and where it came from."""
    lines = "".join(traceback.format_exception(error)).splitlines()
    return "\n".join([f"{type(error).__name__}: {error}"[:600], *lines[-TRACEBACK_LINES:]])


if __name__ == "__main__":
    main()
