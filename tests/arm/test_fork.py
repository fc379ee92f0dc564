"""A process that forks while another thread makes a first call: the child computes all the same."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading

import pytest

import armdyn
from armdyn._fork_safe import first_use
from armdyn.kernel import _jit, compile_program

FORKS = """\
import os, signal, sys, threading, time, warnings
import numpy as np
import armdyn

warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
robots = [armdyn.generic(n, seed=n) for n in range(3, 8)]
begun, done = threading.Event(), threading.Event()

def work():
    begun.set()
    for robot in robots:
        arm = armdyn.Arm(robot)
        for quantity in ("mass_matrix", "inverse_dynamics", "forward_dynamics"):
            f = arm.function(quantity)
            f(*(np.zeros(arm.n) for _ in f.program.inputs))
    done.set()

thread = threading.Thread(target=work, daemon=True)
thread.start()
begun.wait()
children = []
while not done.is_set():
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends a child that hangs
        arm = armdyn.Arm(robots[0])
        answer = arm.mass_matrix(np.zeros(3)), arm.gravity(np.zeros(3))
        os._exit(0 if all(np.isfinite(x).all() for x in answer) else 3)
    children.append(child)
    time.sleep(0.05)
codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
thread.join()
print(len(codes), codes.count(0))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_child_computes_while_another_thread_compiles() -> None:
    settings = {**os.environ, "ARMDYN_CACHE": "off"}
    done = subprocess.run(
        [sys.executable, "-c", FORKS],
        env=settings, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    forks, good = map(int, done.stdout.split())
    assert forks == good >= 3


def test_code_that_is_freed_during_a_first_call_is_unloaded_after_it() -> None:
    """A fork waits for first calls, so LLVM unloads code under the same lock, without waiting."""

    program = armdyn.load("planar2").function("gravity").program
    kernels = [compile_program(program) for _ in range(2)]
    gc.collect()
    assert not _jit._unused
    with first_use:
        thread = threading.Thread(target=kernels.pop)
        thread.start()
        thread.join(60)
        assert not thread.is_alive() and len(_jit._unused) == 1
    kernels.clear()
    assert not _jit._unused
