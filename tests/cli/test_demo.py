"""The demo: every step right, every file it names there, and a failure told by the exit status."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import groupby
from pathlib import Path

import pytest

import armdyn
from armdyn.cli import demo_story
from armdyn.cli.app import main
from armdyn.cli.demo_page import Chapter, arm_on_the_bench, demo_page, rough_description
from armdyn.cli.demo_story import Demo, run_demo, run_self_test
from armdyn.cli.verbs import demo as verb
from armdyn.present.tables import Grid

GOOD = Chapter("Weigh <it>", "All `well`.", Grid("", ("what", "number"), 1, (("a & b", "1"),)))


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", "demo", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.mark.slow
def test_the_whole_story_comes_out_right(monkeypatch, capsys, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    status, said, _ = run(monkeypatch, capsys, "-o", str(out), "--json")
    told = json.loads(said)
    assert status == 0 and told["passed"], said
    assert [step["passed"] for step in told["steps"]] == [True] * 7
    named = [Path(file) for step in told["steps"] for file in step["files"]]
    assert len(named) == 13 and all(file.is_file() for file in named)
    page = Path(told["page"]).read_text(encoding="utf-8")
    links = re.findall(r'href="([^"#]+)"', page)
    assert set(links) == {os.path.relpath(file, out) for file in named}
    assert page.count('<iframe srcdoc="') == 2
    assert armdyn.load(out / "identified" / "identified.urdf").n == 6
    assert len(armdyn.Log.read(out / "log.csv").t) > 3000


@pytest.mark.slow
def test_progress_only_grows(tmp_path: Path, monkeypatch) -> None:
    seen: list[tuple[str, int]] = []
    few = {name: (seconds, 3, 200, 0) for name, seconds in (("EXCITING", 10.0), ("OTHER", 5.0))}
    for name, motion in few.items():
        monkeypatch.setattr(demo_story, name, motion)
    run_demo(tmp_path / "demo", lambda done, total, what: seen.append((what, done)))
    groups = [list(group) for _, group in groupby(seen, key=lambda pair: pair[0])]
    assert len(groups) == 7  # every step is begun once
    ends = [group[-1][1] for group in groups]
    assert ends == sorted(ends) and ends[-1] <= 100
    comparing = [done for _, done in groups[0]]
    assert len(comparing) > 20 and comparing == sorted(comparing)


def test_a_step_that_fails_is_told_by_name_and_status(monkeypatch, capsys, tmp_path: Path) -> None:
    bad = replace(GOOD, title="Measure it", passed=False)

    def run_demo(folder, progress, told):
        for chapter in (GOOD, bad):
            told(chapter)
        return Demo(folder, (GOOD, bad))

    monkeypatch.setattr(verb, "run_demo", run_demo)
    status, out, err = run(monkeypatch, capsys, "-o", str(tmp_path))
    assert status == 1
    assert "1. Weigh <it>: passed" in out and "2. Measure it: FAILED" in out
    assert err.strip() == "failed: Measure it."


def test_a_folder_that_cannot_be_written_is_refused_at_once(monkeypatch, capsys, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    status, out, err = run(monkeypatch, capsys, "-o", str(tmp_path / "file"))
    assert (status, out) == (2, "") and "file" in err and "Traceback" not in err


def test_a_missing_solver_is_told_before_any_work(monkeypatch, capsys, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    status, out, err = run(monkeypatch, capsys, "-o", str(tmp_path / "demo"))
    assert (status, out) == (2, "") and "armdyn[identify]" in err
    assert not (tmp_path / "demo").exists()


def test_the_description_is_wrong_and_the_truth_has_friction() -> None:
    arm = armdyn.load("puma560")
    truth, rough = arm_on_the_bench(arm), rough_description(arm)
    assert all(joint.coulomb > 0 for joint in truth.robot.joints)
    assert not any(joint.coulomb for joint in rough.robot.joints)
    pairs = zip(truth.robot.joints[1:], rough.robot.joints[1:], strict=True)
    assert all(abs(b.mass / a.mass - 1) > 0.15 for a, b in pairs)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_a_self_test_that_fails_does_not_pass(tmp_path: Path) -> None:
    source = tmp_path / "t.c"
    for body, passed, said in (
        ('#include <stdio.h>\nint main(void){puts("fine");return 0;}', True, "fine"),
        ('#include <stdio.h>\nint main(void){puts("bad");return 1;}', False, "bad"),
        ("int main(void){return nothing;}", False, "nothing"),
    ):
        source.write_text(body + "\n")
        found = run_self_test([source])
        assert found.passed is passed and said in " ".join(found.said)


def test_without_a_compiler_the_self_test_is_left_out(monkeypatch) -> None:
    monkeypatch.setattr(demo_story.shutil, "which", lambda name: None)
    found = run_self_test([])
    assert found.passed and found.compiler is None and "not run" in found.said[0]


def test_the_page_is_well_formed_and_escapes() -> None:
    from datetime import datetime

    page = demo_page([GOOD, replace(GOOD, passed=False)], b"\x89PNG", datetime(2020, 1, 2))
    assert "Weigh &lt;it&gt;" in page and "a &amp; b" in page
    assert "Not everything came out right" in page
    assert "data:image/png;base64,iVBORw==" in page
    assert "http" not in page.replace("http-equiv", "")  # nothing is fetched

    class Tags(HTMLParser):
        depth = 0

        def handle_starttag(self, tag, attrs):
            self.depth += tag not in ("meta", "img")

        def handle_endtag(self, tag):
            self.depth -= 1

    parser = Tags()
    parser.feed(page)
    assert parser.depth == 0
