"""Exported C on microcontrollers: self-tests on an emulated Cortex-M7 and M4F, and their budget.

All 48 self-tests, of three arms, four functions, two types and two cores, are run by
`make test-embedded`; other runs try one arm, if the tools are there.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import armdyn
from armdyn.export import budget as _budget
from support import embedded
from support.c_code import run

QUANTITIES = ["gravity", "mass_matrix", "inverse_dynamics", "forward_dynamics"]
ALL = "ARMDYN_EMBEDDED" in os.environ
CASES = [
    (name, single, core)
    for name in ("puma560", "ur5", "panda")
    for single in (True, False)
    for core in embedded.CORES
]
MISSING = embedded.missing()
needs_tools = pytest.mark.skipif(MISSING is not None, reason=MISSING or "")


@needs_tools
@pytest.mark.parametrize(("name", "single", "core"), CASES if ALL else [("ur5", True, "M4")])
def test_selftests_pass_on_microcontrollers(
    name: str, single: bool, core: str, tmp_path: Path
) -> None:
    paths = armdyn.load(name).export_c(tmp_path, QUANTITIES, single=single)
    program = embedded.build(core, [p for p in paths if p.suffix == ".c"], tmp_path / "test.elf")
    done = embedded.run(core, program)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" ok\n") == len(QUANTITIES)


@needs_tools
def test_a_wrong_function_fails_on_a_microcontroller(tmp_path: Path) -> None:
    """The exit status of the emulator is that of the self-test."""
    paths = armdyn.load("planar2").export_c(tmp_path, ["gravity"], single=True)
    source = paths[1].read_text(encoding="utf-8")
    wrong = source.replace(" + ", " - ", 1)
    assert wrong != source
    paths[1].write_text(wrong, encoding="utf-8")
    program = embedded.build("M7", [p for p in paths if p.suffix == ".c"], tmp_path / "test.elf")
    done = embedded.run("M7", program)
    assert done.returncode == 1 and "FAILED" in done.stdout


@needs_tools
def test_costs_are_measured(tmp_path: Path) -> None:
    """Instructions, code and stack of a function, in the order of sizes that is certain."""
    paths = armdyn.load("ur5").export_c(tmp_path, QUANTITIES, single=True)
    costs = embedded.costs("M7", paths, tmp_path)
    assert list(costs) == ["sincos", *(f"ur5_{quantity}" for quantity in QUANTITIES)]
    gravity, dynamics = costs["ur5_gravity"], costs["ur5_forward_dynamics"]
    assert 0 < costs["sincos"].instructions < gravity.instructions < dynamics.instructions
    assert 0 < gravity.code < dynamics.code
    assert 0 < gravity.stack < dynamics.stack < 1000


def _budget_of(options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> dict:  # type: ignore[type-arg]
    words = ["codegen", "puma560", "--functions", "gravity,inverse_dynamics", "--budget"]
    with pytest.MonkeyPatch.context() as patch:
        status, out, _ = run(patch, capsys, *words, "--out", str(folder), *options, "--json")
    assert status == 0
    return json.loads(out)["budget"]


@pytest.mark.parametrize("single", [True, False])
def test_the_budget_is_estimated_without_a_compiler(
    single: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = ["--float"] if single else []
    with monkeypatch.context() as patch:
        patch.setattr(_budget.shutil, "which", lambda _tool: None)
        guess = _budget_of(options, tmp_path, capsys)
    assert not guess["compiled"]
    assert guess["source"] == ("estimated from the program: arm-none-eabi-gcc is not installed")
    operations = armdyn.load("puma560").function("inverse_dynamics").operations
    told = guess["functions"]["puma560_inverse_dynamics"]["operations"]
    assert (told["mul"], told["add"]) == (operations.mul, operations.add)
    if shutil.which(_budget.COMPILER) is None:
        pytest.skip(f"{_budget.COMPILER} is not installed: estimates are not compared")
    found = _budget_of([*options, "--force"], tmp_path, capsys)
    assert found["compiled"] and found["source"] == "compiled by arm-none-eabi-gcc -O2"
    for name, row in found["functions"].items():
        for core in ("cortex-m7", "cortex-m4"):
            for what, most in (("code", 0.15), ("stack", 0.5)):
                exact, about = row[core][what], guess["functions"][name][core][what]
                assert abs(about - exact) <= most * exact + 16, (name, core, what)


def test_a_compiler_that_fails_gives_estimates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_budget.shutil, "which", lambda tool: tool)
    monkeypatch.setattr(_budget, "COMPILER", "false")
    words = ["codegen", "planar2", "--functions", "gravity", "--budget", "--out", str(tmp_path)]
    status, out, _ = run(monkeypatch, capsys, *words)
    assert status == 0
    assert "estimated from the program: false could not compile the code" in out
    assert "about" in out
