"""What the tutorials show works as shown."""

from __future__ import annotations

import re
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
import typer

import armdyn
import armdyn.control
import armdyn.motion
from armdyn.cli.app import _imported
from armdyn.cli.usage import VERBS as USAGE
from armdyn.identification.payload.payload import loaded
from armdyn_papers.app import app as papers
from support.identification import recorded, small_arm
from support.pages import ROOT, blocks, run_page, spoken
from support.payloads import pair

TUTORIALS = (
    "torques",
    "inverse_kinematics",
    "time_optimal",
    "own_file",
    "trees",
    "simulation",
    "page",
    "view",
    "controller",
    "formulations",
    "batches",
    "precision",
    "learning",
    "cluster",
    "fleet",
    "symbolic",
    "control",
    "recording",
    "low_cost",
)
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "papers/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
VERBS = {verb: _imported(verb) for verb in USAGE}
COMMANDS = {"armdyn": VERBS, "armdyn-papers": typer.main.get_command(papers).commands}


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_code_and_commands_of_a_tutorial_run(name, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert run_page(text, monkeypatch) >= 2


def test_every_page_with_code_is_run() -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    with_code = {
        name for name in pages if list(blocks((ROOT / f"docs/{name}.md").read_text("utf-8")))
    }
    assert with_code == {*TUTORIALS, "identify", "gallery"}  # the site runs the gallery


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
    page = (ROOT / "docs" / "identify.md").read_text(encoding="utf-8")
    arm = small_arm()
    armdyn.save(arm, "ur10.urdf")
    armdyn.save(arm, "arm.toml")
    recorded(arm).save("run.csv")
    _write_oddly(recorded(arm), Path("motors.csv"))
    held, empty = pair(arm)
    held.save("held.csv")
    empty.save("empty.csv")
    for name, one, seed in (("held", loaded(arm, armdyn.Load(mass=1.5)), 1), ("empty", arm, 2)):
        log = recorded(one, seed=seed)
        replace(log, tau=log.tau / [16.3, -20.7, 8.1], effort="current").save(f"amps_{name}.csv")
    quick = page.replace("-o excite.csv", "-o excite.csv --evaluations 1000")
    assert run_page(quick, monkeypatch) >= 6
    made = {"identified", "out", "load", "gains", "excite.csv", "report.html", "from_currents"}
    assert made <= {path.name for path in tmp_path.iterdir()}


def _write_oddly(log: armdyn.Log, path: Path) -> None:
    """The log in milliseconds and degrees, on the side of the motors."""
    assert log.tau is not None
    gear = np.array([1 / 100, 1 / 100, 1 / 80])
    heads = ["clock", "A1_ActPos", "A2_ActPos", "A3_ActPos", "m1", "m2", "m3"]
    columns = np.column_stack([1e3 * log.t, np.degrees(log.q) / gear, log.tau * gear])
    np.savetxt(path, columns, delimiter=",", header=",".join(heads), comments="")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_sentences_are_there(path: Path) -> None:
    """Verbs with their options, options by themselves, targets of make, scripts."""
    anywhere = {"--install-completion", "--help"}
    for verb in (verb for verbs in COMMANDS.values() for verb in verbs.values()):
        anywhere |= {name for p in verb.params for name in (*p.opts, *p.secondary_opts)}
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    for words in spoken(path.read_text(encoding="utf-8")):
        first, *rest = words.split()
        verb = next((word for word in rest if not word.startswith("-")), None)
        known = anywhere
        if first in COMMANDS and verb is not None:
            assert verb in COMMANDS[first], words
            known = {n for p in COMMANDS[first][verb].params for n in (*p.opts, *p.secondary_opts)}
        elif first == "make" and rest:
            assert rest[0] in targets, words
        elif first == "python" and rest and rest[0].endswith(".py"):
            assert (ROOT / rest[0]).is_file(), words
        if first in COMMANDS or first.startswith("--"):
            assert {w for w in words.split() if re.match(r"--?[a-z]", w)} <= known, words


def test_every_public_name_is_on_the_page_of_the_api() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^::: armdyn\.([\w.]+)$", page, re.M))
    public = {name for name in armdyn.__all__ if not hasattr(armdyn.errors, name)}
    public |= {f"motion.{name}" for name in armdyn.motion.__all__}
    public |= {f"control.{name}" for name in armdyn.control.__all__ if name not in public}
    public.add("view.Viewer")  # what arm.view() returns
    assert {name for name in told if not name.startswith("Arm.")} - {"errors"} == public


def test_every_member_of_arm_is_in_one_task_of_the_api() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^::: armdyn\.Arm\n    options:\n      members: \[(.*)\]$", page, re.M)
    told = re.findall(r"^::: armdyn\.Arm\.(\w+)$", page, re.M) + listed.split(", ")
    public = [name for name in vars(armdyn.Arm) if not name.startswith("_")]
    assert sorted(told) == sorted(public)


def test_what_is_needed_is_there() -> None:
    """Names, headings and commands of the table lead somewhere; the site checks the headings."""
    page = (ROOT / "docs" / "which.md").read_text(encoding="utf-8")
    names = re.findall(r"api\.md#armdyn\.([\w.]+)", page)
    assert len(names) > 30
    for name in names:
        attrgetter(name)(armdyn)


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    mkdocs = pytest.importorskip("mkdocs.commands.build", reason="mkdocs is not installed")
    from mkdocs.config import load_config

    pytest.importorskip("mkdocstrings")
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site"), strict=True)
    mkdocs.build(config)
    site = tmp_path / "site"
    page = (site / "api.html").read_text(encoding="utf-8")
    assert "Identify the dynamic parameters of an arm from logs of its motion." in page
    shown = re.findall(r'src="(made/[^"]+)"', (site / "gallery.html").read_text("utf-8"))
    assert len(shown) >= 9 and all((site / name).stat().st_size > 1000 for name in shown)
    fetched = r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//'
    for path in site.rglob("*.html"):
        assert not re.search(fetched, path.read_text(encoding="utf-8")), path
