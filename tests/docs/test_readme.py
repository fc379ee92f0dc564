"""What the README shows works as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from armdyn.cli.app import app
from armdyn.cli.usage import VERBS
from support.pages import ROOT, run_page

README = (ROOT / "README.md").read_text(encoding="utf-8")


def script(name: str) -> dict:
    """What a script of benchmarks/ defines."""
    path = ROOT / "benchmarks" / f"{name}.py"
    scope: dict = {"__name__": name, "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), scope)
    return scope


@pytest.mark.slow
def test_code_and_commands_of_the_readme_run(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page(README, monkeypatch) == 11
    assert "def mass_matrix(q):" in capsys.readouterr().out
    made = {
        "arm.png",
        "arm.html",
        "control",
        "fall.html",
        "fall.csv",
        "excite.csv",
        "excite.png",
        "c",
    }
    assert made == {path.name for path in tmp_path.iterdir()}


def unnamed_verbs(section: str) -> set[str]:
    """Verbs of the command line that a text names neither as `armdyn VERB` nor as `VERB`."""
    return set(get_command(app).commands) - set(re.findall(r"(?:armdyn |`)([\w-]+)", section))


def test_readme_names_every_verb() -> None:
    section = README.partition("\n## On the command line\n")[2].partition("\n## ")[0]
    section = section.replace("`armdyn", "armdyn")
    assert VERBS and not unnamed_verbs(section)
    for verb in VERBS:  # one that is left out is missed
        assert unnamed_verbs(re.sub(rf"(armdyn |`){verb}\b", "", section)) == {verb}


@pytest.mark.parametrize(
    "page",
    [README, *((ROOT / "docs").glob("*.md"))],
    ids=lambda p: "README" if p is README else p.name,
)
def test_links_lead_somewhere(page) -> None:
    folder = ROOT
    if isinstance(page, Path):
        page, folder = page.read_text(encoding="utf-8"), page.parent
    pages = [(ROOT / "docs" / name).read_text("utf-8") for name in ("gallery.md", "low_cost.md")]
    drawn = "".join(pages)
    for target in re.findall(r"\]\(([^)#]+)\)", page):
        if target.startswith("made/"):  # by code of these pages, when the site is built
            assert target.removeprefix("made/") in drawn.replace(target, ""), target
        elif not target.startswith("https://"):
            assert (folder / target).exists(), target


def test_counts_are_those_of_today() -> None:
    assert "\n".join(script("counts")["rows"]()) in README


def test_times_are_those_of_the_last_benchmark() -> None:
    readme = script("readme")
    assert readme["written"](README, readme["measured"]()) == README


def test_times_of_a_benchmark_become_a_table() -> None:
    seconds = {"armdyn": 2e-8, "Pinocchio C++": 4e-7}
    cell = {"robot": "ur5", "kind": "mass_matrix", "batch": {"seconds": seconds}}
    found = {
        "cells": [cell, {**cell, "kind": "udu"}],
        "peers": {"Pinocchio C++": "4"},
        "batch": 100_000,
        "machine": {"processor": "Z80", "date": "2020-01-02"},
    }
    rows = script("readme")["rows"](found)
    assert rows[2] == "| mass_matrix, ur5 | 20 | 400 (20.0) |"
    assert len(rows) == 6 and "Z80" in rows[4]


def test_every_cited_work_is_listed() -> None:
    listed = set(re.findall(r"^\| \[(\w+)\]", (ROOT / "docs/references.md").read_text(), re.M))
    for path in (*(ROOT / "src").rglob("*.py"), *(ROOT / "papers/src").rglob("*.py")):
        cited = set(re.findall(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d)\]", path.read_text("utf-8")))
        assert cited <= listed, (path, cited - listed)
