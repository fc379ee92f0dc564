"""The process that parses untrusted files can compute, and nothing else, whatever runs in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from armdyn.robot.formats.isolated import confine as _confine
from armdyn.robot.formats.isolated import process as _process
from armdyn.robot.formats.isolated.process import Isolated
from armdyn.robot.formats.records import Fault
from support.says import facts

linux = pytest.mark.skipif(sys.platform != "linux", reason="mechanisms of Linux")


@pytest.fixture
def hostile() -> Iterator[Isolated]:
    process = Isolated("support.hostile_answers", "it")
    yield process
    process.stop()


@linux
def test_code_in_the_process_reaches_nothing(hostile: Isolated, tmp_path: Path) -> None:
    secret = tmp_path / "outside" / "secret"
    secret.parent.mkdir()
    secret.write_text("secret")
    request = {"folder": str(tmp_path), "secret": str(secret), "parent": os.getpid()}
    answer = hostile.ask({"do": "escape", **request})
    assert [name for name, outcome in answer["results"].items() if outcome == "succeeded"] == []
    assert len(answer["results"]) >= 18
    assert (answer["asked"], answer["threads"]) == ("contents", 1)  # what parsers need works
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside"]
    assert secret.read_text() == "secret"


ALONE = """
import sys
from armdyn.robot.formats.isolated import confine as _confine
_confine.{other} = lambda: False
holds = _confine.confine()
try:
    open(sys.argv[1]).read()
    read = "read"
except OSError:
    read = "refused"
try:
    open(sys.argv[1] + ".new", "w")
    write = "written"
except OSError:
    write = "refused"
print(sorted(holds), read, write)
"""


@linux
@pytest.mark.parametrize(
    ("mechanism", "other"), [("seccomp", "_deny_paths"), ("landlock", "_filter_system_calls")]
)
def test_each_mechanism_holds_alone(mechanism: str, other: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    command = [sys.executable, "-c", ALONE.format(other=other), str(secret)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    if mechanism not in done.stdout:
        pytest.skip(f"this kernel or processor has no {mechanism}")
    assert done.stdout.split("] ")[1].split() == ["refused", "refused"]


def test_a_crash_costs_one_request(hostile: Isolated) -> None:
    with pytest.raises(Fault, match=facts("SIG")):
        hostile.ask({"do": "crash"})
    assert hostile.ask({"do": "print"}) == {"printed": True}  # and prints nothing into the answer


def test_memory_is_bounded(hostile: Isolated) -> None:
    with pytest.raises(Fault, match="failed: MemoryError"):
        hostile.ask({"do": "allocate"})


def test_time_is_bounded(hostile: Isolated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_process, "PATIENCE", 1.0)
    with pytest.raises(Fault, match="took more than 1 s"):
        hostile.ask({"do": "spin"})
    assert _confine.CPU_SECONDS <= 15


def test_both_lists_name_the_same_system_calls() -> None:
    (_, x86), (_, arm) = _confine.ARCHITECTURES.values()
    assert x86.keys() == arm.keys()
    assert len(set(x86.values())) == len(set(arm.values())) == len(x86)
