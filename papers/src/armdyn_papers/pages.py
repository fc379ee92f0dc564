"""Catalogues of papers and the list of errata as pages of Markdown, tables and plain values."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.resources import files
from itertools import zip_longest
from typing import Any

import numpy as np

from armdyn.present.tables import Grid, Tone, Toned
from armdyn_papers.catalogue.entry import Entry, Paper, path_of_test
from armdyn_papers.catalogue.formulas import SYMBOLS, method_block
from armdyn_papers.catalogue.places import source_place
from armdyn_papers.claims.trials import judged_claim
from armdyn_papers.errata.erratum import Erratum
from armdyn_papers.papers import ERRATA, PAPERS, errata_of, verdict_of, verdicts
from armdyn_papers.tables.bars import picture
from armdyn_papers.tables.printed_counts import counts_grid
from armdyn_papers.verdict import DEFINITIONS, VERDICTS, Verdict

WRITTEN = "Written by `armdyn-papers paper --write docs/papers`; change nothing here by hand."

TONES: dict[Verdict, Tone | None] = {
    "holds": "good", "differs with our algebra": "fair", "holds with a correction": "fair",
    "does not hold": "bad", "not legible, derived anew": None, "not tried": "faint",
}  # fmt: skip

# Differences below this are rounding, and shown as none: their digits differ between machines.
ROUNDING = 1e-11

HEADS = ("place", "what it says", "verdict")
MAP_HEADS = ("place", "kind", "reference")
ERRATA_HEADS = ("place", "printed", "right", "what decides", "misprint of")


def pages() -> dict[str, str]:
    """Return all pages and pictures by the names of their files."""
    texts = {f"{name}.md": paper_page(paper) for name, paper in PAPERS.items()}
    maps = {f"{name}_map.md": map_page(paper) for name, paper in PAPERS.items()}
    drawings = {f"{name}.svg": picture(paper.key)[0] for name, paper in PAPERS.items()}
    derivations = files("armdyn_papers").joinpath("derivations.md").read_text("utf-8")
    return {
        "index.md": index_page(),
        **texts,
        **drawings,
        **maps,
        "derivations.md": derivations,
        "errata.md": errata_page(),
    }


def overview() -> Grid:
    """Return the papers with the numbers of their verdicts."""
    rows = [
        (
            name,
            paper.key,
            *(str(count) for count in (len(paper.equations), *verdicts(paper).values())),
            str(len(ERRATA[name])),
        )
        for name, paper in PAPERS.items()
    ]
    heads = ("name", "paper", "equations", *VERDICTS, "errata")
    return Grid("The papers, statement by statement", heads, 2, tuple(rows))


def entries_grid(paper: Paper, entries: Sequence[Entry] | None = None) -> Grid:
    """Return the catalogue of a paper, or some entries, for the terminal: some lines for each."""
    rows: list[tuple[str, ...]] = []
    breaks: set[int] = set()
    for entry in paper.entries if entries is None else entries:
        breaks.add(len(rows))
        place, says = _place_and_words(entry)
        said = [says, Toned(_verdict(paper, entry), TONES[verdict_of(paper, entry)])]
        where = [*_methods_and_code(entry), *map(path_of_test, entry.tests)]
        rows += zip_longest([place], said, where, fillvalue="")
    heads = ("place", "what it says; verdict", "methods, code, tests")
    title = f"{paper.key} {paper.title}"
    return Grid(title, heads, len(heads), tuple(rows), breaks=frozenset(breaks - {0}))


def errata_grid(name: str) -> Grid:
    """Return the errata of a paper for the terminal, decided now."""
    rows = [
        (e.place, f"{e.printed}: {e.quote}", e.correct, evidence_in_words(e), e.origin)
        for e in ERRATA[name]
    ]
    return Grid(f"Errata of {PAPERS[name].key}", ERRATA_HEADS, len(ERRATA_HEADS), tuple(rows))


def paper_page(paper: Paper) -> str:
    """Return the page of a paper: about, equations, a call, counts, verdicts, errata."""
    counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts(paper).items() if count)
    code = f"import armdyn\n\n{paper.example}"
    parts = [
        f"# {paper.key}\n",
        f"*{paper.title}* ([references](../references.md)).\n",
        f"{paper.about}\n",
        f"{SYMBOLS[paper.name]}\n",
        method_block(paper.name),
        f"```python\n{code}\n```\n",
        f"```text\n{_printed_by(code)}\n```\n",
        f"![{picture(paper.key)[1]}]({paper.name}.svg)\n",
        "## Statements\n",
        f"Equations {paper.numbers}; {len(paper.entries)} statements: {counted}. The "
        "[verdicts](index.md#verdicts) have definitions. Methods, code and tests of each statement "
        f"are on [a page of their own]({paper.name}_map.md).\n",
    ]
    if paper.remark:
        parts.append(f"{paper.remark}\n")
    rows = [
        (*map(_escaped, _place_and_words(entry)), _verdict(paper, entry, strong=True))
        for entry in paper.entries
    ]
    parts.append(Grid("", HEADS, len(HEADS), tuple(rows)).markdown())
    if counts := counts_grid(paper.key):
        parts.append(counts.markdown(2))
    errata = Grid("Errata", ERRATA_HEADS, len(ERRATA_HEADS), _errata_rows(paper.name))
    parts += [
        errata.markdown(2),
        f"\n{WRITTEN} `armdyn-papers paper {paper.name}` shows the same.\n",
    ]
    return "\n".join(parts)


def map_page(paper: Paper) -> str:
    """Return the map of a paper: methods, code, claims and tests of each statement, one a row."""
    rows: list[tuple[str, ...]] = []
    for entry in paper.entries:
        place = _escaped(entry.place)
        places = [(f"{x.folder}/{x}", x.name) for x in map(source_place, entry.code)]
        rows += [(place, "method", _quoted(method)) for method in entry.methods]
        rows += [(place, "code", f"{_quoted(path)} {name}") for path, name in places]
        rows += [(place, "claim", _quoted(claim)) for claim in entry.claims]
        rows += [(place, "test", _quoted(path_of_test(test))) for test in entry.tests]
    about = [
        f"# {paper.key}: from equations to files and tests\n",
        f"{WRITTEN} Statements and verdicts are on [the page of the paper]({paper.name}.md).\n",
    ]
    return "\n".join([*about, Grid("", MAP_HEADS, len(MAP_HEADS), tuple(rows)).markdown()])


def _printed_by(code: str) -> str:
    """Return what lines of Python print; arrays with four digits, the sign of zeros left out."""
    out = io.StringIO()
    with redirect_stdout(out), np.printoptions(precision=4, suppress=True):
        exec(code, {})
    return re.sub(r"-0\.(?=[\s\]])", " 0.", out.getvalue().rstrip())


def _errata_rows(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the errata for Markdown; of the printed form the letters of the copy, too."""
    return tuple(
        (
            _escaped(e.place),
            f"{_escaped(e.printed)}: {_quoted(e.quote)}",
            *map(_escaped, (e.correct, evidence_in_words(e), e.origin)),
        )
        for e in ERRATA[name]
    )


def errata_page() -> str:
    """Return the page of errata, every check run now."""
    parts = [
        "# Errata of the papers\n",
        f"{WRITTEN} `armdyn-papers errata` shows the same.\n",
        "Only scanned copies of the papers were at hand, and scans lose signs, dots and indices: "
        "“paper” marks what is certainly printed so (it is repeated, or a sum is wrong), “copy” "
        "what the scan has almost certainly lost. Behind the printed form stand the letters of the "
        "scanned copy, which writes formulas in LaTeX. Differences are computed when this page is "
        "written: of the printed and of the corrected form, from an independent answer; “none” is "
        "none but rounding.\n",
    ]
    for name in ERRATA:
        title = f"{PAPERS[name].key}, [{name}]({name}.md)"
        parts.append(Grid(title, ERRATA_HEADS, len(ERRATA_HEADS), _errata_rows(name)).markdown(2))
    return "\n".join(parts)


def index_page() -> str:
    """Return the page that leads to the others."""
    grid = overview()
    rows = tuple((f"[{name}]({name}.md)", *rest) for name, *rest in grid.rows)
    about = [
        "# The papers, statement by statement\n",
        f"{WRITTEN}\n",
        "Every numbered equation, theorem, table, figure, example and claim of the five papers "
        "that armdyn follows: the method that computes it, the code and its line, the test that "
        "decides, and the verdict. [Errata](errata.md) lists the misprints, "
        "[derivations](derivations.md) has what the papers leave out or the copies do not show.\n",
        "Multiplications of every method relative to the cheapest, as printed and as traced:\n",
        "![Multiplications of every method relative to the cheapest, n = 2 to 30](../counts.svg)\n",
    ]
    scale = Grid("Verdicts", ("verdict", "definition"), 2, tuple(DEFINITIONS.items()))
    closing = (
        "Verdicts on counts are computed from the trials of a claim at every n, those on other "
        "statements from their errata and checks, each a comparison of the printed and of the "
        "corrected form with an independent answer, when the pages are written. A statement "
        "without erratum holds if its tests pass. Verdicts on the numerical examples are those of "
        "the studies, which tests assert. Where a statement has several parts, the worst verdict "
        "is shown."
    )
    tables = [Grid("", grid.heads, 2, rows).markdown(), scale.markdown(2), f"{closing}\n"]
    return "\n".join([*about, *tables])


def paper_dict(paper: Paper) -> dict[str, Any]:
    """Return a catalogue as plain values for JSON."""
    return {
        "name": paper.name,
        "key": paper.key,
        "title": paper.title,
        "remark": paper.remark,
        "verdicts": verdicts(paper),
        "entries": [
            {
                "place": entry.place,
                "kind": entry.kind,
                "equations": list(entry.equations),
                "says": entry.says,
                "verdict": verdict_of(paper, entry),
                "evidence": _evidence(entry),
                "note": entry.note,
                "methods": list(entry.methods),
                "code": [
                    {"file": found.file, "line": found.line, "name": found.name}
                    for found in map(source_place, entry.code)
                ],
                "tests": list(entry.tests),
                "claims": list(entry.claims),
                "errata": [erratum.place for erratum in errata_of(paper, entry)],
            }
            for entry in paper.entries
        ],
    }


def errata_dict(name: str) -> list[dict[str, Any]]:
    """Return the errata of a paper as plain values for JSON, decided now."""
    told: list[dict[str, Any]] = []
    for erratum in ERRATA[name]:
        found = erratum.evidence
        told.append(
            {
                "place": erratum.place,
                "printed": erratum.printed,
                "quote": erratum.quote,
                "correct": erratum.correct,
                "misprint_of": erratum.origin,
                "reason": found.what if found else erratum.decides,
                "difference_printed": found.printed if found else None,
                "difference_corrected": found.corrected if found else None,
                "verdict": erratum.verdict,
            }
        )
    return told


def evidence_in_words(erratum: Erratum) -> str:
    """Return what decides an erratum; a check is run."""
    if isinstance(erratum.decides, str):
        return erratum.decides
    found = erratum.evidence
    assert found is not None
    printed, corrected = _difference(found.printed), _difference(found.corrected)
    return f"{found.what}: {printed} as printed, {corrected} corrected"


def _difference(x: float) -> str:
    return "none" if abs(x) < ROUNDING else f"{x:.2g}"


def _place_and_words(entry: Entry) -> tuple[str, str]:
    """Return where an entry is and what it says; of claims and examples the place is words, too."""
    kind, colon, words = entry.place.partition(": ")
    return (kind, f"{words}: {entry.says}") if colon else (kind, entry.says)


def _verdict(paper: Paper, entry: Entry, strong: bool = False) -> str:
    """Return the verdict, what the trials of its claims show, and the note; in Markdown strong."""
    verdict = verdict_of(paper, entry)
    words = "; ".join([*_evidence(entry), *([entry.note] if entry.note else [])])
    if strong:
        return f"**{verdict}**" + (f": {_escaped(words)}" if words else "")
    return f"{verdict}: {words}" if words else verdict


def _evidence(entry: Entry) -> list[str]:
    """Return where the claims of an entry are true; if it has several, each with its statement."""
    judged = [judged_claim(claim) for claim in entry.claims]
    if len(judged) < 2:
        return [found.evidence for found in judged]
    return [
        f"“{found.claim.statement}” (Type {found.claim.type}): {found.evidence}" for found in judged
    ]


def _methods_and_code(entry: Entry) -> list[str]:
    """Return methods, claims and code of an entry."""
    places = list(map(source_place, entry.code))
    named = [*entry.methods, *(f"claim {claim}" for claim in entry.claims)]
    return [*named, *(f"{place} {place.name}" for place in places)]


def _escaped(text: str) -> str:
    """Return a text whose brackets, stars and underscores are themselves, code left alone."""
    return re.sub(r"`[^`]*`|[\[\]*_]", lambda x: x[0] if len(x[0]) > 1 else f"\\{x[0]}", text)


def _quoted(text: str) -> str:
    return f"`{text}`"
