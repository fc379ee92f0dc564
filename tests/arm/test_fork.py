"""Processes that start while other threads compile, and the lock that makes this work."""

from __future__ import annotations

import ast
import gc
import importlib
import math
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import armdyn
from armdyn import fork_safe as _fork_safe
from armdyn.arm.kernel_op import kernel_op_of
from armdyn.fork_safe import first_use
from armdyn.kernel import llvm as _llvm
from armdyn.kernel.element import FLOAT
from armdyn.kernel.kernel import cached_kernel, compile_program
from armdyn.kernel.targets import choice as _choice
from armdyn.kernel.targets.choice import target

forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
SOURCE = Path(armdyn.__file__).parent
FORKS = Path(__file__).parents[1] / "support" / "forks.py"


def test_children_compute_while_eight_threads_compile() -> None:
    """`FORKS` says how to start a thousand of them."""
    done = subprocess.run(
        [sys.executable, str(FORKS), "--forks=24", "--spawns=1", "--forkservers=1"],
        env={**os.environ, "ARMDYN_CACHE": "off"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    expected = ["fork 24 24", "forkserver 1 1"] if hasattr(os, "fork") else ["fork 0 0"]
    assert (done.returncode, done.stdout.splitlines()) == (0, [*expected, "spawn 1 1"]), done.stderr


@pytest.fixture
def unlocked_calls() -> Iterator[list[str]]:
    """Note every call of LLVM that is made without the lock."""
    ffi = importlib.import_module("llvmlite.binding.ffi")
    calls: list[bool] = []
    found: list[str] = []

    def begin() -> None:
        calls.append(first_use._is_owned())
        if not calls[-1]:
            found.append(str(sys._getframe(3).f_code))

    def end() -> None: ...

    ffi.register_lock_callback(begin, end)
    yield found
    ffi.unregister_lock_callback(begin, end)
    assert len(calls) > 100


@pytest.mark.parametrize("cache", ["off", "folder"])
def test_every_call_of_llvm_holds_the_lock(
    cache: str, unlocked_calls: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARMDYN_CACHE", "off" if cache == "off" else str(tmp_path))
    _choice._target.cache_clear()
    assert target()
    for _ in range(2):  # compiles, then loads if there is a folder
        arm = armdyn.Arm(armdyn.generic(2, seed=1))
        f = arm.function("gravity", "second_moment")
        f(np.zeros(2))
        f(np.zeros((50_000, 2)), threads=2)
        arm.mass_matrix(np.zeros(2), method="split")
        arm.inverse_dynamics(*np.zeros((3, 600, 2)), method="rolled")
        f.vjp()(np.zeros(2), np.ones(2))
        f.source("llvm")
        kernel = cached_kernel(f.program, FLOAT)
        assert kernel.xla_handler
        compile_program(f.program)(np.zeros(2))
        kernel_op_of(f.program).jvp.unchecked(np.zeros((2, 2)), 1)
    with pytest.raises(RuntimeError):
        _llvm.compile_ir("not IR", cpu="", features="")
    del arm, f, kernel
    gc.collect()
    assert not unlocked_calls


def test_one_module_calls_llvmlite() -> None:
    """Any other could call LLVM, or free an object of it, without the lock."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if "llvmlite" in text else "")):
            names = [x.name for x in getattr(node, "names", []) if isinstance(x, ast.alias)]
            if isinstance(node, ast.ImportFrom):
                names.append(node.module or "")
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
                names += [x.value for x in node.args if isinstance(x, ast.Constant)]
            if any(str(name).startswith("llvmlite") for name in names):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == {"kernel/llvm.py"}


def test_code_that_is_freed_during_a_first_call_is_unloaded_after_it() -> None:
    """A finalizer does not wait for the lock: the next use of LLVM unloads the code."""
    program = armdyn.load("planar2").function("gravity").program
    kernels = [compile_program(program) for _ in range(2)]
    gc.collect()
    assert not _llvm._unused
    with first_use:
        thread = threading.Thread(target=kernels.pop)
        thread.start()
        thread.join(60)
        assert not thread.is_alive() and len(_llvm._unused) == 1
    kernels.clear()
    assert not _llvm._unused


@forking
@pytest.mark.parametrize("what", ["first_use", "brief", "llvmlite", "import", "property"])
def test_a_child_finds_locks_free_that_another_thread_holds(what: str, tmp_path: Path) -> None:
    """A fork waits until the thread has released them; Python 3.11 locks properties."""
    (tmp_path / "slow.py").write_text("import threading\nthreading.hold()\n")
    done = subprocess.run(
        [sys.executable, "-c", HELD, what],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


HELD = """\
import os, signal, sys, threading, time, warnings
from functools import cached_property
from armdyn import fork_safe as _fork_safe
from armdyn.kernel.targets.choice import target

warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
target()  # imports llvmlite
begun = threading.Event()

class Held:
    @cached_property
    def value(self):
        hold()
        return 1

def hold():
    begun.set()
    time.sleep(0.2)

def use(lock):
    with lock:
        hold()

threading.hold = hold
_fork_safe.Held = Held  # as if it were a class of armdyn
uses = {
    "first_use": lambda: use(_fork_safe.first_use),
    "brief": lambda: use(_fork_safe._brief[0]),
    "llvmlite": lambda: use(sys.modules["llvmlite.binding.ffi"].lib._lock),
    "import": lambda: __import__("slow"),
    "property": lambda: Held().value,
}
_fork_safe.brief_lock()
thread = threading.Thread(target=uses[sys.argv[1]])
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)  # ends a child that hangs
    uses[sys.argv[1]]()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@forking
def test_a_fork_does_not_wait_twice_for_an_import_that_never_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_fork_safe, "PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(_fork_safe, "_endless", set[str]())
    lock = SimpleNamespace(owner=-1)
    monkeypatch.setitem(_fork_safe._module_locks, "endless", lambda: lock)
    for _ in range(2):
        _fork_safe._take()
        _fork_safe._let_go()
        assert _fork_safe._endless == {"endless"}
        monkeypatch.setattr(_fork_safe, "PATIENCE_SECONDS", math.inf)


def test_a_fork_waits_for_imports_that_make_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[set[str]] = [set(), {"c"}, {"a", "b"}, {"a"}]
    monkeypatch.setattr(_fork_safe, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(_fork_safe, "_endless", set[str]())
    monkeypatch.setattr(_fork_safe, "_imports_of_others", waiting.pop)
    _fork_safe._take()
    _fork_safe._let_go()
    assert not waiting and not _fork_safe._endless
