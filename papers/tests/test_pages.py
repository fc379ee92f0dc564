"""The pages of the papers: equations that the site can show, pictures of the counts of today."""

from __future__ import annotations

import importlib.util
import re
import xml.etree.ElementTree as ET
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from armdyn_papers.catalogue.formulas import FORMULAS, SYMBOLS, method_block
from armdyn_papers.pages import pages
from armdyn_papers.papers import PAPERS
from armdyn_papers.tables.bars import JOINTS, picture
from armdyn_papers.tables.measured import TABLES

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def hook() -> Any:
    """Return the hook of the site that shows formulas."""
    path = ROOT / "docs" / "hooks" / "formulas.py"
    spec = importlib.util.spec_from_file_location("formulas", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def formulas() -> list[str]:
    derivations = files("armdyn_papers").joinpath("derivations.md").read_text("utf-8")
    texts = [*map(method_block, FORMULAS), derivations]
    return [block for text in texts for block in re.findall(r"```math\n(.*?)```", text, re.S)]


def test_every_formula_is_shown_as_mathml() -> None:
    show = hook().mathml
    assert len(formulas()) >= 19
    for source in formulas():
        ET.fromstring(show(source, display=True))
        assert source.count("{") == source.count("}")


def test_mathml_of_small_formulas() -> None:
    show = hook().mathml
    assert show("a_i^2") == (
        "<math><mrow><msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup></mrow></math>"
    )
    assert "<munderover><mo>∑</mo>" in show(r"\sum_{i=1}^{n} x")
    assert '<mi mathvariant="normal">ω</mi>' in show(r"\dot{\boldsymbol\omega}")
    assert show(r"\text{so~that~}").count("\u00a0") == 2
    assert show(r"\frac{1}{2}").count("<mn>") == 2
    matrix = show(r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}")
    assert (matrix.count("<mtr>"), matrix.count("<mtd>")) == (2, 4)


@pytest.mark.parametrize("wrong", [r"\nothing x", "a } b", r"\left( a", "{ a"])
def test_wrong_formulas_are_errors_of_the_build(wrong: str) -> None:
    with pytest.raises(ValueError):
        hook().mathml(wrong)


def test_pages_open_with_equations_code_and_a_picture() -> None:
    texts = pages()
    for name, paper in PAPERS.items():
        text = texts[f"{name}.md"]
        order = [
            paper.about, SYMBOLS[name], "```math", paper.example, "```text", f"({name}.svg)",
            "## Statements", "| place |",
        ]  # fmt: skip
        assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)


def test_equations_of_a_page_have_verdicts() -> None:
    for name, paper in PAPERS.items():
        numbers = re.findall(r"\((\d+[a-f]?)\)", FORMULAS[name])
        labels = re.findall(r"\\text\{(\(.*?)\}", FORMULAS[name])
        assert len(numbers) >= len(labels) >= 7
        assert set(numbers) <= set(paper.equations), name


def test_bars_are_the_counts_of_the_table() -> None:
    for paper in PAPERS.values():
        drawing, _ = picture(paper.key)
        words = [x.text or "" for x in ET.fromstring(drawing).iter(f"{SVG}text")]
        wanted = [
            "{}M {}A".format(*values)
            for table in TABLES
            if table.reference.startswith(paper.key)
            for row in table.rows
            if row.type == 1 and not isinstance(row.measure, str)
            for values in [row.values.get(JOINTS) or row.formula(JOINTS)]
            if values
        ]
        assert set(wanted) <= set(words), paper.name
        # one bar of each part of a number, none outside of the drawing
        width = float(ET.fromstring(drawing).attrib["viewBox"].split()[2])
        bars = list(ET.fromstring(drawing).iter(f"{SVG}rect"))
        assert all(float(x.attrib["x"]) + float(x.attrib["width"]) <= width for x in bars)
