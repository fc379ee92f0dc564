"""The catalogues: whole, without doubles, with references that lead somewhere; pages of today."""

from __future__ import annotations

import json
import re
import sys
from functools import reduce
from pathlib import Path

import pytest

import armdyn
from armdyn.algorithms.table import QUANTITIES
from armdyn_papers.app import main
from armdyn_papers.catalogue.entry import Paper, equation_numbers, path_of_test
from armdyn_papers.catalogue.places import defined, source_place
from armdyn_papers.claims.trials import CLAIMS
from armdyn_papers.pages import pages
from armdyn_papers.papers import PAPERS, verdict_of
from armdyn_papers.tables.printed_counts import HEADS as COUNTS_HEADS
from armdyn_papers.tables.printed_counts import counts_grid
from armdyn_papers.verdict import VERDICTS
from support.beside import paper_with

ROOT = Path(__file__).parents[2]
ENTRIES = [(paper, entry) for paper in PAPERS.values() for entry in paper.entries]

# A sentence of each text, and how many equations it has.
KNOWN = {
    "lin_fang_1999": ("FORMULATION OF KAWASAKI ET AL", 80),
    "lin_1991": ("FORMULATION OF THE BIAS VECTOR", 82),
    "saha_1999": ("Reverse Gaussian Elimination", 58),
    "lin_1994": ("Proof of Theorem 3", 81),
    "mata_2002": ("Gauss–Jordan elimination", 26),
}


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_equation_is_in_exactly_one_entry(paper: Paper) -> None:
    covered = [number for entry in paper.entries for number in entry.equations]
    assert sorted(covered) == sorted(set(covered))
    assert set(covered) == set(paper.equations)
    assert len(paper.equations) == KNOWN[paper.name][1]


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_numbers_of_equations_are_those_of_the_text(paper: Paper) -> None:
    sentence, _ = KNOWN[paper.name]
    text = paper_with(sentence)
    text = text[: text.find("REFERENCES") if "REFERENCES" in text else None]
    displayed = set(re.findall(r"\\tag\{([A-C]?\d{1,2}[a-f]?)\}", text))
    displayed |= set(
        re.findall(r"\((?:\\text\{)?([A-C]?\d{1,2}[a-f]?)\}?\) *(?:\$\$)?$", text, re.M)
    )
    displayed |= set(re.findall(r"\\quad +\((?:\\text\{)?([A-C]?\d{1,2}[a-f]?)\}?\)", text))
    if paper.name == "lin_1991":  # most are lost; the others are those we have
        spoken = set(re.findall(r"\((A?\d{1,2})\)", text))
        assert {"1", "7", "12", "18", "38", "44", "46", "50"} <= spoken
        assert spoken <= set(paper.equations)
        assert "(62)-(67)" in text and "(A151" in text  # the last ones; a bracket was lost
        return
    wrong = {"56"} if paper.name == "mata_2002" else set()  # a number of Table 3
    assert displayed - wrong <= set(paper.equations)
    missing = set(paper.equations) - displayed
    assert not missing, sorted(missing)


# Tables, figures, theorems and the like of each paper.
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII")
ITEMS = {
    "lin_fang_1999": [*(f"Table {k}" for k in ROMAN), "Theorem 1"],
    "lin_1991": ["Table I", "Table II", "Fig. 1", "Fig. 2", "Fig. 3", "Fig. A1"],
    "saha_1999": ["Fig. 1", "Fig. 2", "Fig. 3"],
    "lin_1994": [
        "Fig. 1", "Fig. 2", "Definition 1", "Definition 2", "Corollary 6", "Lemma A1", "Lemma A2",
        *(f"Theorem {k}" for k in range(1, 6)), *(f"Property {k}" for k in range(1, 5)),
    ],
    "mata_2002": [*(f"Table {k}" for k in range(1, 8)), *(f"Fig. {k}" for k in range(1, 5))],
}  # fmt: skip


@pytest.mark.parametrize("name", ITEMS)
def test_every_table_figure_and_theorem_is_in_exactly_one_entry(name: str) -> None:
    places = [entry.place for entry in PAPERS[name].entries]
    for item in ITEMS[name]:
        found = [place for place in places if re.search(rf"{re.escape(item)}(?!\w)", place)]
        assert len(found) == 1, (item, found)
    listed = re.findall(
        r"(?:Table|Fig\.|Theorem|Property|Corollary|Lemma|Definition) A?\w+", " ".join(places)
    )
    assert sorted(listed) == sorted(ITEMS[name])


@pytest.mark.parametrize("name", ITEMS)
def test_tables_figures_and_theorems_are_those_of_the_text(name: str) -> None:
    sentence, _ = KNOWN[name]
    text = paper_with(sentence)
    captions = set(re.findall(r"^\W*(?:Table|Fig\.|Figure) ?([AIVXl\d]+)[.:]?(?= ?\W)", text, re.M))
    captions -= {"11", "Al", "A"}  # misread: Table II and Figure A1 of [Lin1991]
    heads = re.findall(
        r"(?:^|\W)(Theorem|Corollary|Property|Definition) (\d)[. ]+\W*[(*A-Z\\]", text
    )
    known = " ".join(ITEMS[name])
    assert all(re.search(rf" {caption}(?!\w)", known) for caption in captions), captions
    elsewhere = {("Corollary", "6")} if name == "lin_fang_1999" else set[tuple[str, str]]()
    for kind, number in set(heads) - elsewhere:
        assert f"{kind} {number}" in known, (kind, number)


def test_places_are_unique_and_verdicts_are_explained() -> None:
    for paper in PAPERS.values():
        places = [entry.place for entry in paper.entries]
        assert len(places) == len(set(places))
        assert all(paper.entries[k].kind for k in range(len(places)))
    for paper, entry in ENTRIES:
        verdict = verdict_of(paper, entry)
        assert verdict in VERDICTS
        plain = verdict in ("holds", "not legible, derived anew")
        assert entry.note or entry.claims or plain, entry.place
        assert entry.tests or verdict == "not tried", entry.place


def test_ranges_of_numbers_are_written_out() -> None:
    assert equation_numbers("(7a)-(7c), (12), (A9)-(A11)") == (
        "7a", "7b", "7c", "12", "A9", "A10", "A11",
    )  # fmt: skip
    assert equation_numbers("Theorem 1, (27)-(28)") == ("27", "28")
    for wrong in ("(7)-(5)", "(A1)-(B2)", "(7a)-(8b)"):
        with pytest.raises(AssertionError):
            equation_numbers(wrong)


def test_every_function_named_is_found() -> None:
    for paper, entry in ENTRIES:
        for reference in entry.code:
            place = source_place(reference)
            lines = (ROOT / place.folder / place.file).read_text("utf-8").splitlines()
            name = place.name.rpartition(".")[2]
            assert name in lines[place.line - 1], f"{paper.name} {entry.place}: {reference}"


def test_a_name_that_is_not_there_is_not_found() -> None:
    for wrong in ("algorithms.frame:nothing", "algorithms.nothing:frames", "algorithms.frame"):
        with pytest.raises(LookupError):
            source_place(wrong)


def test_every_test_named_exists() -> None:
    for paper, entry in ENTRIES:
        for test in entry.tests:
            file, _, name = test.partition("::")
            found = defined(ROOT / path_of_test(file))
            assert name.startswith("test_") and name in found, f"{paper.name} {entry.place}: {test}"


def test_every_method_and_public_name_exists() -> None:
    for paper, entry in ENTRIES:
        for method in entry.methods:
            where = f"{paper.name} {entry.place}: {method}"
            quantity, colon, name = method.partition(": ")
            if colon:
                assert name in QUANTITIES[quantity].methods, where
            else:
                first, *rest = method.split(".")
                assert first == "armdyn" and reduce(getattr, rest, armdyn) is not None, where


def test_every_claim_about_operations_is_in_exactly_one_entry() -> None:
    named = [claim for _, entry in ENTRIES for claim in entry.claims]
    assert sorted(named) == sorted(claim.id for claim in CLAIMS)
    for paper, entry in ENTRIES:
        assert all(claim.startswith(f"{paper.name}.") for claim in entry.claims)


def test_pages_in_docs_are_those_of_today() -> None:
    """All but the numbers of lines, which every change of a file moves."""

    def without_lines(text: str) -> str:
        return re.sub(r"\.py:\d+", ".py:", text)

    folder = ROOT / "docs" / "papers"
    texts = pages()
    assert {path.name for path in folder.iterdir()} == set(texts)
    for name, text in texts.items():
        written = (folder / name).read_text("utf-8")
        assert without_lines(written) == without_lines(text), (
            f"docs/papers/{name} is old: run armdyn-papers paper --write docs/papers"
        )


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn-papers", "paper", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_without_a_name_the_papers_are_listed(monkeypatch, capsys) -> None:
    status, out, _ = run(monkeypatch, capsys)
    assert status == 0
    for name, paper in PAPERS.items():
        (line,) = (line for line in out.splitlines() if line.startswith(name))
        numbers = [int(x) for x in re.findall(r"(?<= )\d+", line)]
        assert numbers[0] == len(paper.equations) and sum(numbers[1:-1]) == len(paper.entries)
    status, out, _ = run(monkeypatch, capsys, "--json")
    assert status == 0 and set(json.loads(out)) == set(PAPERS)


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_is_shown_as_table_and_as_json(monkeypatch, capsys, name) -> None:
    status, out, _ = run(monkeypatch, capsys, name)
    assert status == 0
    shown = "".join(out.split())
    paper = PAPERS[name]
    for entry in paper.entries:
        assert entry.place.split()[0].rstrip(":,") in shown
    status, out, _ = run(monkeypatch, capsys, name, "--json")
    told = json.loads(out)
    assert status == 0 and [e["place"] for e in told["entries"]] == [e.place for e in paper.entries]
    assert all(found["line"] > 0 for e in told["entries"] for found in e["code"])


def test_errata_are_shown_with_their_numbers(monkeypatch, capsys) -> None:
    status, out, _ = run(monkeypatch, capsys, "errata", "--json")
    told = json.loads(out)
    assert status == 0
    first = told["lin_fang_1999"][0]
    assert first["difference_printed"] > 0.01 > 1e-12 > first["difference_corrected"]
    status, out, _ = run(monkeypatch, capsys, "errata")
    assert status == 0 and "none corrected" in " ".join(out.split())


def test_a_place_is_shown_alone(monkeypatch, capsys) -> None:
    status, out, _ = run(monkeypatch, capsys, "lin_fang_1999", "(20)")
    assert status == 0 and "Formulation 2: the closed form" in " ".join(out.split())
    assert "Table I" not in out
    status, out, _ = run(monkeypatch, capsys, "lin_1994", "property 4")
    assert status == 0 and "Property 4" in out and "Property 3" not in out.replace("2 and 3", "")
    status, _, err = run(monkeypatch, capsys, "lin_1991", "(99)")
    assert status == 2 and "(99)" in err and "(1)-(67), (A1)-(A15)" in " ".join(err.split())
    status, _, err = run(monkeypatch, capsys, "errata", "(1)")
    assert status == 2 and "one paper" in err


def test_wrong_names_are_refused(monkeypatch, capsys, tmp_path) -> None:
    status, out, err = run(monkeypatch, capsys, "lin_2001")
    assert status == 2 and not out
    assert "lin_2001" in err and all(name in err for name in (*PAPERS, "errata"))
    status, _, err = run(monkeypatch, capsys, "lin_1991", "--write", str(tmp_path / "pages"))
    assert status == 2 and "leave out" in err and not (tmp_path / "pages").exists()


def test_pages_are_written_together(monkeypatch, capsys, tmp_path) -> None:
    status, out, _ = run(monkeypatch, capsys, "--write", str(tmp_path / "pages"))
    assert status == 0
    assert {path.name for path in (tmp_path / "pages").iterdir()} == set(pages())
    assert "errata.md" in out


def test_every_count_that_is_not_the_printed_one_is_explained() -> None:
    """A contradiction within a paper, with both sums, or why the recursion takes another number."""
    same, heads = {"", "same", "none"}, COUNTS_HEADS
    seen = 0
    for paper in PAPERS.values():
        grid = counts_grid(paper.key)
        for row in () if grid is None else grid.rows:
            cells = dict(zip(heads, map(str, row), strict=True))
            differs = [cells[x] for x in ("its formula", "its lines", "run as printed")]
            if set(differs) <= same and cells["run as printed"]:
                continue
            seen += 1
            assert cells["remark"], cells["table, row"]
            if cells["its lines"] not in {*same, cells["its formula"]}:
                assert "its lines sum to" in cells["remark"]
            if cells["its formula"] not in same:
                assert "its formula gives" in cells["remark"]
    assert seen > 10


def test_no_cell_of_a_page_has_more_than_one_path() -> None:
    for name, text in pages().items():
        cells = [
            cell for line in text.splitlines() if line.startswith("|") for cell in line.split("|")
        ]
        paths = [len(re.findall(r"[\w/]+\.py", cell)) for cell in cells]
        # a test is a path and a name
        assert max(paths, default=0) <= 1, name


def test_the_map_has_every_reference_in_a_row_of_its_own() -> None:
    texts = pages()
    for name, paper in PAPERS.items():
        rows = [line for line in texts[f"{name}_map.md"].splitlines() if line.startswith("| ")][2:]
        references = sum(
            len(e.methods) + len(e.code) + len(e.claims) + len(e.tests) for e in paper.entries
        )
        assert len(rows) == references > 50
        assert ".py" not in texts[f"{name}.md"].partition("## Statements")[2].partition("## ")[0]


def test_pages_open_with_a_call_and_its_output() -> None:
    for name, paper in PAPERS.items():
        text = pages()[f"{name}.md"]
        assert text.index(paper.about) < text.index(paper.example) < text.index("## Statements")
        assert 4 <= len(re.findall(r"\.(?= |$)", paper.about)) <= 6, name
