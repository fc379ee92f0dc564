"""What is published: the source carries its docs, and the README needs no files beside it."""

from __future__ import annotations

import ast
import re
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
    assert {"src/armdyn/robot/bundled/puma560.toml", "src/armdyn/arm/assets/main.js"} <= names
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
    assert "armdyn/programs/counts.py" in ours and "armdyn_papers/app.py" in papers
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
    extras, tested = _extras(), set(lowest("test"))
    for extra in extras.keys() - {"bench", "docs", "lint", "peers", "torch"}:
        assert set(lowest(extra)) <= tested, extra
    every = {one.partition(";")[0] for one in lowest(*extras)}
    assert all("==" in one for one in every)
    names = sorted(one.partition("==")[0] for one in every)
    assert sorted(set(names)) == names  # no package has two bounds


def test_everything_is_everything_but_pytorch_and_tools_of_developers() -> None:
    tools = {"all", "bench", "docs", "lint", "oracles", "peers", "test", "torch"}
    for extra in _extras().keys() - tools:
        assert set(lowest(extra)) <= set(lowest("all")), extra
    assert not any(one.startswith("torch=") for one in lowest("all", "test"))
    assert set(lowest("all")) == set(lowest(*(_extras().keys() - tools)))


def test_extras_that_messages_and_pages_name_exist() -> None:
    files = [path for path in (ROOT / "src").rglob("*.py") if "__pycache__" not in str(path)]
    code = {path: path.read_text(encoding="utf-8") for path in files}
    pages = [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), ROOT / "Makefile"]
    texts = code | {path: path.read_text(encoding="utf-8") for path in pages}
    named = {
        (path.name, extra)
        for path, text in texts.items()
        for words in re.findall(r"(?:\barmdyn|'\.)\[([a-z,]+)\]", text)
        for extra in words.split(",")
    }
    named |= {
        (path.name, extra)
        for path, text in code.items()
        for extra in (*_raised(text), *re.findall(r'extra=\("\w+", "(\w+)"\)', text))
    }
    assert {("README.md", "identify"), ("conic.py", "identify")} <= named
    assert {
        ("registry.py", "xacro"),
        ("libraries.py", "casadi"),
        ("torch_ops.py", "torch"),
        ("meshes.py", "view"),
    } <= named
    assert {(where, extra) for where, extra in named if extra not in _extras()} == set()


def test_the_first_page_says_which_extras_every_tutorial_needs() -> None:
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[.*\]\((\w+\.md)\).*?(?: \(((?:`\w+`(?:, )?)+)\))?\.$", text, re.M)
    assert len(listed) == text.partition("## Extras")[0].count("\n- [") > 10
    for page, words in listed:
        told = set().union(*map(lowest, re.findall(r"`(\w+)`", words))) - set(lowest())
        code = (ROOT / "docs" / page).read_text(encoding="utf-8")
        named = re.findall(r"armdyn\[(\w+)\]", code)
        named += ["plot"] * bool(re.search(r"^\$ .* --plot|^\w+\.plot\(", code, re.M))
        needed = set().union(*map(lowest, named)) - set(lowest())
        packages = {one.partition("==")[0] for one in told}
        assert needed == told, page
        assert set(re.findall(r"^# needs (\w+)", code, re.M)) <= packages, page


def test_the_first_page_has_all_extras_of_users() -> None:
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8").partition("## Extras")[2]
    rows = " ".join(line for line in text.splitlines() if line.startswith("| `"))
    tools = {"bench", "docs", "lint", "oracles", "peers", "test"}
    assert _extras().keys() - tools == set(re.findall(r"`(\w+)`", rows))


def _extras() -> dict[str, list[str]]:
    return tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def _raised(text: str) -> list[str]:
    """Return the extras of `MissingExtraError(package, extra, why)` and of `imported`.

    Those of `imported(module, why, extra)` are called like the module if they are left out.
    """
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    found: list[ast.expr] = []
    for call in calls:
        match call:
            case ast.Call(func=ast.Name(id="MissingExtraError"), args=[_, extra, *_]):
                found.append(extra)
            case ast.Call(func=ast.Name(id="imported"), args=[_, _, extra, *_]):
                found.append(extra)
            case ast.Call(func=ast.Name(id="imported"), args=[module, _]):
                found.append(module)
    constants = [one.value for one in found if isinstance(one, ast.Constant)]
    return [str(one).partition(".")[0] for one in constants]
