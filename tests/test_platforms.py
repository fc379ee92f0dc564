"""Other systems, faked: what one of them lacks is not needed, or its lack is told."""

from __future__ import annotations

import ast
import ctypes
import locale
import os
import re
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import armdyn
import timing
from armdyn import checks as _checks
from armdyn import writing as _temporary
from armdyn.errors import ArmdynError
from armdyn.kernel import batch as _threads
from armdyn.kernel import llvm as _llvm
from armdyn.kernel.targets import choice as _choice
from armdyn.kernel.targets.choice import target
from armdyn.log import rows as _memory_rows
from armdyn.robot.formats.isolated import confine as _confine
from armdyn.robot.formats.isolated import process as _process
from armdyn.writing import write_whole

SOURCES = sorted(Path(str(files("armdyn"))).rglob("*.py"))
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="calls Linux itself")


def _nodes(words: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield what the library's modules with these words consist of, and where it is."""
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if re.search(words, text):
            for node in ast.walk(ast.parse(text)):
                yield f"{path}:{getattr(node, 'lineno', 0)}", node


def _names_its_encoding(call: ast.Call) -> bool:
    """Whether a call that may read or write text names the encoding, or handles bytes."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {k.arg: getattr(k.value, "value", k.value) for k in call.keywords}
    words = [str(getattr(argument, "value", "")) for argument in call.args]
    if isinstance(call.func, ast.Attribute) and name in ("read_text", "write_text"):
        return "encoding" in given or "utf-8" in words
    if isinstance(call.func, ast.Name) and name == "open":
        binary = any("b" in word for word in (*words[1:2], str(given.get("mode", ""))))
        return binary or "encoding" in given or "opener" in given
    return name not in ("run", "Popen") or not given.get("text") or "encoding" in given


def test_text_has_the_same_encoding_everywhere() -> None:
    """Without a name, text is read and written in the encoding of the user's locale."""
    found = _nodes(r"\b(read_text|write_text|open|run|Popen)\(")
    calls = [(place, node) for place, node in found if isinstance(node, ast.Call)]
    assert len(calls) > 100
    assert [place for place, call in calls if not _names_its_encoding(call)] == []


def test_numbers_are_written_without_the_locale() -> None:
    """`n` in a format, and the module `locale`, follow the user's decimal comma."""
    assert not re.search(r":\d*\.?\d*n\}|^import locale|^from locale", _whole(), re.MULTILINE)
    assert re.search(r":\d*\.?\d*g\}", _whole())


def _whole() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in SOURCES)


@pytest.fixture
def decimal_comma() -> Iterator[None]:
    before = locale.setlocale(locale.LC_ALL)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8", "German", "it_IT.UTF-8"):
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        yield
        locale.setlocale(locale.LC_ALL, before)
        return
    pytest.skip("this system has no locale with a decimal comma")


def test_files_and_code_are_the_same_with_a_decimal_comma(
    decimal_comma: None, tmp_path: Path
) -> None:
    assert locale.localeconv()["decimal_point"] == ","
    arm = armdyn.load("puma560")
    armdyn.save(arm, tmp_path / "arm.urdf")
    again = armdyn.load(tmp_path / "arm.urdf")
    q = np.linspace(-1.0, 1.0, 6)
    assert np.allclose(again.gravity(q), arm.gravity(q), rtol=1e-12, atol=1e-12)
    source = arm.export_c(tmp_path, ["gravity"])[1].read_text(encoding="utf-8")
    assert "9.8" in source and "9,8" not in source


def test_memory_of_unknown_size_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    _checks._memory.cache_clear()
    try:
        monkeypatch.delattr(os, "sysconf", raising=False)
        _checks.check_memory(1 << 40, "the result")
    finally:
        _checks._memory.cache_clear()


def test_cores_are_counted_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert _threads._cores() == 3

    def refused(_process: int) -> set[int]:
        raise PermissionError

    monkeypatch.setattr(os, "sched_getaffinity", refused, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert _threads._cores() == 1


@pytest.mark.parametrize("allowed", [0, 1])
def test_fewer_threads_than_wanted_do_all_the_work(
    allowed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, started = threading.Thread.start, []

    def limited(self: threading.Thread) -> None:
        if len(started) >= allowed:
            raise RuntimeError("can't start new thread")
        started.append(self)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", limited)
    seen: list[int] = []
    _threads.in_threads(lambda i, j: seen.extend(range(i, j)), 100, 7, threads=4)
    assert sorted(seen) == list(range(100)) and len(started) == allowed


def test_processors_without_a_name_have_that_of_their_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """ARM's /proc/cpuinfo has no names, other systems have no such file."""
    monkeypatch.setattr(timing.platform, "machine", lambda: "arm64")
    monkeypatch.setattr(timing.platform, "processor", lambda: "")
    monkeypatch.setattr(Path, "read_text", lambda *_a, **_k: "processor\t: 0\nCPU part\t: 0xd0b\n")
    assert timing._processor() == "arm64"

    def missing(*_a: object, **_k: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", missing)
    assert timing._processor() == "arm64"
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert timing._load() == "unknown"


def test_rows_need_no_mapping_of_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAP_POPULATE", "MAP_PRIVATE", "MAP_ANONYMOUS"):
        monkeypatch.delattr(_memory_rows.mmap, name, raising=False)
    assert _memory_rows.MemoryRows(_memory_rows.LARGE_ARRAY_BYTES // 4, 2).rows.shape[1] == 2


def test_files_are_written_where_there_are_no_locks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On Windows files are closed before they are renamed, and stay if they are young."""
    monkeypatch.setattr(_temporary, "fcntl", None)
    left = tmp_path / f".armdyn-{'0' * 16}.tmp"
    left.touch()
    write_whole(tmp_path / "new.txt", "whole")
    assert (tmp_path / "new.txt").read_text(encoding="utf-8") == "whole" and left.exists()
    os.utime(left, (0, 0))
    write_whole(tmp_path / "new.txt", "whole")
    assert os.listdir(tmp_path) == ["new.txt"]


def test_a_system_without_forks_imports_armdyn() -> None:
    code = (
        "import os, sys\n"
        "for name in ('fork', 'register_at_fork', 'geteuid', 'getuid', 'sysconf',"
        " 'sched_getaffinity', 'getloadavg'):\n"
        "    if hasattr(os, name): delattr(os, name)\n"
        "sys.modules['resource'] = sys.modules['fcntl'] = sys.modules['pwd'] = None\n"
        "import armdyn, numpy\n"
        "print(float(armdyn.load('planar2').mass_matrix(numpy.zeros((40000, 2))).sum()) > 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize("fault", [ValueError, OSError, AttributeError])
def test_limits_that_a_system_refuses_are_left(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_a: object) -> None:
        raise fault("current limit exceeds maximum limit")

    limits = SimpleNamespace(
        RLIMIT_AS=9, RLIMIT_CORE=4, RLIMIT_CPU=0, RLIMIT_FSIZE=1, RLIM_INFINITY=-1,
        getrlimit=lambda _what: (-1, -1), setrlimit=refused,
    )  # fmt: skip
    if fault is AttributeError:
        del limits.RLIMIT_AS
    monkeypatch.setitem(sys.modules, "resource", limits)
    assert _confine._limit_resources()
    monkeypatch.setitem(sys.modules, "resource", None)
    assert not _confine._limit_resources()


def test_signals_without_a_name_have_a_number() -> None:
    assert _process._signal(int(signal.SIGTERM)) == "SIGTERM"
    assert _process._signal(4000) == "signal 4000"


def test_a_python_of_32_bits_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert struct.calcsize("P") == _choice.POINTER_BYTES
    _choice._target.cache_clear()
    monkeypatch.setattr(_choice.struct, "calcsize", lambda _format: 4)
    try:
        with pytest.raises(ArmdynError, match="this Python is a program of 32 bits; install"):
            target("native")
    finally:
        _choice._target.cache_clear()


def test_windows_has_constants_at_any_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    _choice._target.cache_clear()
    monkeypatch.setattr(_choice.sys, "platform", "win32")
    try:
        assert not target("native").near_code
    finally:
        _choice._target.cache_clear()


def test_systems_that_share_a_cache_do_not_share_code(monkeypatch: pytest.MonkeyPatch) -> None:
    here = _llvm.llvm_identity()
    assert here[2] == _llvm._binding().get_process_triple()
    other = SimpleNamespace(
        llvm_version_info=_llvm._binding().llvm_version_info,
        get_process_triple=lambda: "arm64-apple-darwin24.0.0",
    )
    monkeypatch.setattr(_llvm, "_binding", lambda: other)
    assert _llvm.llvm_identity() != here


REFUSED = "does not let the process run it"


def test_memory_that_may_not_be_executed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(_llvm._binding(), "check_jit_execution", refused)
    arm = armdyn.Arm(armdyn.generic(2, seed=77))
    with pytest.raises(ArmdynError, match=REFUSED):
        arm.gravity([0.1, 0.2])
    monkeypatch.undo()
    assert np.isfinite(arm.gravity([0.1, 0.2])).all()


@on_linux
def test_a_process_that_denies_execution_raises_and_does_not_crash() -> None:
    """Linux denies it to this process itself, as systemd's MemoryDenyWriteExecute does."""
    if ctypes.CDLL(None).prctl(66, 0, 0, 0, 0) < 0:  # PR_GET_MDWE
        pytest.skip("this kernel cannot deny execution to a process")
    code = (
        "import ctypes, armdyn\n"
        "arm = armdyn.load('planar2')\n"
        "assert ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0\n"
        "try: arm.gravity([0.1, 0.2])\n"
        "except armdyn.ArmdynError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0 and REFUSED in done.stdout, done.stderr
