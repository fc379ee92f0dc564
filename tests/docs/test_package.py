"""What is published: the source carries its docs, and the README needs no files beside it."""

from __future__ import annotations

import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from support.lowest import PROJECT, lowest
from support.pages import ROOT

pytest.importorskip("hatchling", reason="hatchling is not installed")


def _shown(text: str, source: str | None = None) -> str:
    scope: dict = {"__name__": "hatch_build"}
    exec((ROOT / "hatch_build.py").read_text(encoding="utf-8"), scope)
    return scope["shown"](text, source)


def test_the_source_carries_docs_and_examples(tmp_path: Path) -> None:
    from hatchling.builders.sdist import SdistBuilder

    (made,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        (about,) = (name for name in archive.getnames() if name.endswith("/PKG-INFO"))
        file = archive.extractfile(about)
        assert file is not None
        told = file.read().decode()
    wanted = [path for folder in ("docs", "examples") for path in (ROOT / folder).rglob("*.*")]
    missing = {str(path.relative_to(ROOT)) for path in wanted if "__pycache__" not in str(path)}
    assert missing - names == set()
    assert {"src/armdyn/robot/bundled/puma560.toml", "src/armdyn/arm/page/assets/main.js"} <= names
    assert not any(name.startswith((".venv", "site/")) for name in names)
    assert "## In Python" in told and "](docs/" not in told and "![" not in told


def test_wheels_of_armdyn_and_of_the_papers_share_nothing(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    names: list[set[str]] = []
    for folder in (ROOT, ROOT / "papers"):
        (made,) = WheelBuilder(str(folder)).build(directory=str(tmp_path), versions=["standard"])
        with zipfile.ZipFile(made) as archive:
            names.append({name for name in archive.namelist() if ".dist-info/" not in name})
            (entry,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
            assert archive.read(entry).decode().count(" = ") == 1
    ours, papers = names
    assert "armdyn/arm/programs/_counts.py" in ours and "armdyn_papers/app.py" in papers
    assert all(name.startswith("armdyn/") for name in ours)
    assert all(name.startswith("armdyn_papers/") for name in papers)


def test_links_of_the_readme_lead_to_the_source_if_it_has_an_address() -> None:
    text = "A [page](docs/a.md), a [site](https://b.c).\n\n![An arm](docs/a.png)\n*drawn*\n\nEnd."
    assert _shown(text) == "A page, a [site](https://b.c).\n\nEnd."
    told = _shown(text, "https://d.e/arm")
    assert "[page](https://d.e/arm/blob/HEAD/docs/a.md)" in told
    assert "![An arm](https://d.e/arm/raw/HEAD/docs/a.png)" in told
    assert "[site](https://b.c)" in told


def test_lowest_versions_of_every_extra_are_those_that_are_tested() -> None:
    """`make test-lowest` installs those of `test`; PyTorch and tools have other targets."""
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    tested = set(lowest("test"))
    for extra in extras.keys() - {"bench", "docs", "lint", "torch"}:
        assert set(lowest(extra)) <= tested, extra
    every = {one.partition(";")[0] for one in lowest(*extras)}
    assert all("==" in one for one in every)
    names = sorted(one.partition("==")[0] for one in every)
    assert sorted(set(names)) == names  # no package has two bounds
