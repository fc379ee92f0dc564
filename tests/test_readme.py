"""What the README shows works as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_code_of_the_readme_runs(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(block, scope)
    assert "def mass_matrix(q):" in capsys.readouterr().out
    assert (tmp_path / "two.urdf").exists()


@pytest.mark.parametrize(
    "page",
    [README, *((ROOT / "docs").glob("*.md"))],
    ids=lambda p: "README" if p is README else p.name,
)
def test_links_lead_somewhere(page) -> None:
    folder = ROOT
    if isinstance(page, Path):
        page, folder = page.read_text(encoding="utf-8"), page.parent
    for target in re.findall(r"\]\(([^)#]+)\)", page):
        assert (folder / target).exists(), target


def test_counts_are_those_of_today() -> None:
    path = ROOT / "benchmarks" / "counts.py"
    scope: dict = {"__name__": "counts"}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), scope)
    assert "\n".join(scope["rows"]()) in README


def test_every_cited_work_is_listed() -> None:
    listed = set(re.findall(r"^\| \[(\w+)\]", (ROOT / "docs/references.md").read_text(), re.M))
    for path in (ROOT / "src").rglob("*.py"):
        cited = set(re.findall(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d)\]", path.read_text("utf-8")))
        assert cited <= listed, (path, cited - listed)
