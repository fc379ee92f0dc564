"""What the tutorials show works as shown."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import armdyn
from identify_support import recorded, small_arm
from pages import ROOT, blocks, run_command, run_page
from test_payload import pair

TUTORIALS = ("torques", "simulation", "controller", "formulations", "batches")


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_code_and_commands_of_a_tutorial_run(name, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert run_page(text, monkeypatch) >= 4


def test_every_page_with_code_is_run() -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    with_code = {
        name for name in pages if list(blocks((ROOT / f"docs/{name}.md").read_text("utf-8")))
    }
    assert with_code <= set(TUTORIALS)


def test_a_page_that_is_wrong_fails(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for page in ("```python\n1 / 0\n```\n", "```console\n$ armdyn info nobody\n```\n"):
        with pytest.raises((ZeroDivisionError, AssertionError)):
            run_page(page, monkeypatch)
    with pytest.raises(AssertionError, match="not: rm"):
        run_page("```console\n$ rm x\n```\n", monkeypatch)


@pytest.mark.slow
def test_commands_about_logs_run_on_logs_like_those(tmp_path: Path, monkeypatch, capsys) -> None:
    """The page tells of a robot whose log does not ship; a small arm stands in for it."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "identify.md").read_text(encoding="utf-8").replace("\\\n", " ")
    told = re.findall(r"^    (armdyn .*)", page, re.M)
    assert len(told) >= 4
    arm = small_arm()
    armdyn.save(arm, "ur10.urdf")
    armdyn.save(arm, "arm.toml")
    recorded(arm).write("run.csv")
    held, empty = pair(arm)
    held.write("held.csv")
    empty.write("empty.csv")
    for command in told:
        if "--columns" in command:
            _write_oddly(recorded(arm), Path("run.csv"))
        run_command(command + " --evaluations 1000" * ("excite" in command), monkeypatch)
    assert {"identified", "out", "load", "excite.csv"} <= {path.name for path in tmp_path.iterdir()}


def _write_oddly(log: armdyn.Log, path: Path) -> None:
    """The log in milliseconds and degrees, on the side of the motors."""
    assert log.tau is not None
    gear = np.array([1 / 100, 1 / 100, 1 / 80])
    heads = ["clock", "axis1_angle", "axis2_angle", "axis3_angle", "m1", "m2", "m3"]
    columns = np.column_stack([1e3 * log.t, np.degrees(log.q) / gear, log.tau * gear])
    np.savetxt(path, columns, delimiter=",", header=",".join(heads), comments="")


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    mkdocs = pytest.importorskip("mkdocs.commands.build", reason="mkdocs is not installed")
    from mkdocs.config import load_config

    pytest.importorskip("mkdocstrings")
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site"), strict=True)
    mkdocs.build(config)
    page = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    assert "Identify the dynamic parameters of an arm from logs of its motion." in page
