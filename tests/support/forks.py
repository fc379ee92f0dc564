"""Start processes while threads compile: every child must compute, and rightly.

    python tests/support/forks.py --parents 20 --forks 50 --spawns 10 --forkservers 2

Each parent is a new process, so that forks also meet the imports and the first use of LLVM. It
starts children while eight threads call functions for the first time; a child calls functions that
nobody has called before and compares them with the interpreted program. The last line counts
children and those that answered rightly. Set ARMDYN_CACHE=off, so that everything is compiled.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import warnings
from itertools import count

import numpy as np
from numpy.testing import assert_allclose

import armdyn

THREADS = 8
# A child that takes longer hangs. Eight threads compete with it for the processor.
PATIENCE_SECONDS = 300
CHILDREN_AT_ONCE = 4
BATCH = 600  # states: computed by the loop over batches, in one thread


def call_for_the_first_time(seed: int) -> None:
    """Compile a function of a new arm; raise an error if a result is wrong."""
    from armdyn.graph.interpret import interpret

    arm = armdyn.Arm(armdyn.generic(2, seed=seed))
    f = arm.function("gravity", "second_moment")
    if seed % 4 == 3:
        f = arm.function("mass_matrix")
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, (BATCH, 2))
    expected = interpret(f.program, q)[0]
    for k in (0, slice(None)):  # the function for one state, and the loop over batches
        assert_allclose(f(q[k]), expected[k], rtol=1e-9, atol=1e-9)


def _child(seed: int) -> None:
    faulthandler.dump_traceback_later(PATIENCE_SECONDS, exit=True)  # says where a child hangs
    call_for_the_first_time(seed)


def _forked(seed: int) -> int:
    child = os.fork()
    if child:
        return child
    try:
        _child(seed)
        os._exit(0)
    except BaseException as error:
        print(f"child {seed}: {error!r}", file=sys.stderr, flush=True)
    os._exit(1)


def _exit_codes_of_forks(number: int, seeds: count[int]) -> list[int]:
    codes: list[int] = []
    alive: list[int] = []
    for _ in range(number):
        alive.append(_forked(next(seeds)))
        if len(alive) == CHILDREN_AT_ONCE:
            codes.append(os.waitstatus_to_exitcode(os.waitpid(alive.pop(0), 0)[1]))
    return codes + [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in alive]


def _exit_codes(method: str, number: int, seeds: count[int]) -> list[int | None]:
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        multiprocessing.set_forkserver_preload(["armdyn.arm", "armdyn.kernel"])
    codes: list[int | None] = []
    for _ in range(number):
        child = context.Process(target=_child, args=(next(seeds),))
        child.start()
        child.join(PATIENCE_SECONDS)
        codes.append(child.exitcode)
        child.kill()
    return codes


def one_parent(forks: int, spawns: int, forkservers: int, seed: int) -> bool:
    """Start all children of one parent; return whether all were right."""
    seeds = count(1_000_000 * (seed + 1))
    wrong: list[BaseException] = []
    over = threading.Event()

    def compile_on_and_on(k: int) -> None:
        try:
            for own in count(1_000_000 * (seed + 1) + 100_000 * (k + 1)):
                if over.is_set():
                    return
                call_for_the_first_time(own)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=compile_on_and_on, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    codes: dict[str, list[int | None]] = {"fork": []}
    if hasattr(os, "fork"):
        codes["fork"] += _exit_codes_of_forks(forks, seeds)
        codes["forkserver"] = _exit_codes("forkserver", forkservers, seeds)
    codes["spawn"] = _exit_codes("spawn", spawns, seeds)
    over.set()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    hung = sum(thread.is_alive() for thread in threads)
    for method, found in codes.items():
        print(method, len(found), found.count(0), *[code for code in found if code], flush=True)
    for error in wrong:
        print(f"thread: {error!r}", flush=True)
    if hung:
        print(f"{hung} threads hang", flush=True)
        os._exit(1)
    return not wrong and all(code == 0 for found in codes.values() for code in found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("forks", 24), ("spawns", 1), ("forkservers", 1), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--parents", type=int, default=0, help="new processes that do all this")
    told = parser.parse_args()
    warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
    if not told.parents:
        return not one_parent(told.forks, told.spawns, told.forkservers, told.seed)
    counts = [f"--{name}={getattr(told, name)}" for name in ("forks", "spawns", "forkservers")]
    bad, begin = 0, time.monotonic()
    for k in range(told.parents):
        done = subprocess.run([sys.executable, __file__, *counts, f"--seed={told.seed + k}"])
        bad += done.returncode != 0
        print(f"parent {k + 1}: {done.returncode}, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{told.parents} parents, {bad} of them with a child or thread that failed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
