"""Catalogues of papers and the list of errata as pages of Markdown, tables and plain values."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any

from armdyn.present.tables import Grid, Tone, Toned
from armdyn_papers.catalogue.entry import VERDICTS, Entry, Paper, Verdict, path_of_test
from armdyn_papers.catalogue.places import source_place
from armdyn_papers.errata.erratum import Erratum, Evidence
from armdyn_papers.papers import ERRATA, PAPERS, errata_of, verdicts
from armdyn_papers.tables.printed_counts import counts_grid

WRITTEN = "Written by `armdyn-papers paper --write docs/papers`; change nothing here by hand."

TONES: dict[Verdict, Tone | None] = {
    "holds": "good", "holds with a correction": "fair", "does not hold": "bad",
    "not tried": "faint",
}  # fmt: skip

# Differences below this are rounding, and shown as none: their digits differ between machines.
ROUNDING = 1e-11

HEADS = ("place", "what it says", "methods, code", "tests", "verdict")
ERRATA_HEADS = ("place", "printed", "right", "what decides", "misprint of")


def pages() -> dict[str, str]:
    """Return all pages by the names of their files."""
    texts = {f"{name}.md": paper_page(paper) for name, paper in PAPERS.items()}
    return {"index.md": index_page(), **texts, "errata.md": errata_page()}


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


def entries_grid(paper: Paper) -> Grid:
    """Return the catalogue of a paper for the terminal: some lines for each entry."""
    rows: list[tuple[str, ...]] = []
    breaks: set[int] = set()
    for entry in paper.entries:
        breaks.add(len(rows))
        place, says = _place_and_words(entry)
        said = [says, Toned(_verdict(entry), TONES[entry.verdict])]
        where = [*_methods_and_code(entry), *map(path_of_test, entry.tests)]
        rows += zip_longest([place], said, where, fillvalue="")
    heads = ("place", "what it says; verdict", "methods, code, tests")
    title = f"{paper.key} {paper.title}"
    return Grid(title, heads, len(heads), tuple(rows), breaks=frozenset(breaks - {0}))


def errata_grid(name: str) -> Grid:
    """Return the errata of a paper for the terminal, decided now."""
    rows = [(e.place, e.printed, e.correct, evidence_in_words(e), e.origin) for e in ERRATA[name]]
    return Grid(f"Errata of {PAPERS[name].key}", ERRATA_HEADS, len(ERRATA_HEADS), tuple(rows))


def paper_page(paper: Paper) -> str:
    """Return the page of a paper."""
    counted = ", ".join(f"{count} {verdict}" for verdict, count in verdicts(paper).items())
    about = [
        f"# {paper.key}: every statement, run today\n",
        f"*{paper.title}* ([references](../references.md)). {WRITTEN}\n",
        f"`armdyn-papers paper {paper.name}` shows the same. Equations {paper.numbers}; "
        f"{len(paper.entries)} entries: {counted}. Misprints are on the page of "
        "[errata](errata.md), with the numbers that decide them.\n",
    ]
    if paper.remark:
        about.append(f"{paper.remark}\n")
    rows = [
        (
            *map(_escaped, _place_and_words(entry)),
            _lines(_methods_and_code(entry, quoted=True)),
            _lines([_quoted(path_of_test(test)) for test in entry.tests]),
            f"**{entry.verdict}**" + (f": {_escaped(entry.note)}" if entry.note else ""),
        )
        for entry in paper.entries
    ]
    parts = [*about, Grid("", HEADS, len(HEADS), tuple(rows)).markdown()]
    counts = counts_grid(paper.key)
    return "\n".join(parts if counts is None else [*parts, counts.markdown(2)])


def errata_page() -> str:
    """Return the page of errata, every check run now."""
    parts = [
        "# Errata of the papers\n",
        f"{WRITTEN} `armdyn-papers errata` shows the same.\n",
        "Only scanned copies of the papers were at hand, and scans lose signs, dots and indices: "
        "“paper” marks what is certainly printed so (it is repeated, or a sum is wrong), “copy” "
        "what the scan has almost certainly lost. Differences are computed when this page is "
        "written: of the printed and of the corrected form, from an independent answer; “none” is "
        "none but rounding.\n",
    ]
    for name, errata in ERRATA.items():
        rows = [
            tuple(map(_escaped, (e.place, e.printed, e.correct, evidence_in_words(e), e.origin)))
            for e in errata
        ]
        title = f"{PAPERS[name].key}, [{name}]({name}.md)"
        parts.append(Grid(title, ERRATA_HEADS, len(ERRATA_HEADS), tuple(rows)).markdown(2))
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
        "decides, and the verdict. [Errata](errata.md) lists the misprints.\n",
    ]
    return "\n".join([*about, Grid("", grid.heads, 2, rows).markdown()])


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
                "verdict": entry.verdict,
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
        decides = erratum.decides
        found = decides if isinstance(decides, str) else decides()
        told.append(
            {
                "place": erratum.place,
                "printed": erratum.printed,
                "correct": erratum.correct,
                "misprint_of": erratum.origin,
                "reason": found if isinstance(found, str) else found.what,
                "difference_printed": None if isinstance(found, str) else found.printed,
                "difference_corrected": None if isinstance(found, str) else found.corrected,
            }
        )
    return told


def evidence_in_words(erratum: Erratum) -> str:
    """Return what decides an erratum; a check is run."""
    if isinstance(erratum.decides, str):
        return erratum.decides
    found: Evidence = erratum.decides()
    printed, corrected = _difference(found.printed), _difference(found.corrected)
    return f"{found.what}: {printed} as printed, {corrected} corrected"


def _difference(x: float) -> str:
    return "none" if abs(x) < ROUNDING else f"{x:.2g}"


def _place_and_words(entry: Entry) -> tuple[str, str]:
    """Return where an entry is and what it says; of claims and examples the place is words, too."""
    kind, colon, words = entry.place.partition(": ")
    return (kind, f"{words}: {entry.says}") if colon else (kind, entry.says)


def _verdict(entry: Entry) -> str:
    return f"{entry.verdict}: {entry.note}" if entry.note else entry.verdict


def _methods_and_code(entry: Entry, quoted: bool = False) -> list[str]:
    """Return methods, claims and code of an entry; in Markdown quoted, with paths of files."""
    places = list(map(source_place, entry.code))
    named = [*entry.methods, *(f"claim {claim}" for claim in entry.claims)]
    if quoted:
        files = (f"{_quoted(f'{place.folder}/{place}')} {place.name}" for place in places)
        return [*map(_quoted, named), *files]
    return [*named, *(f"{place} {place.name}" for place in places)]


def _escaped(text: str) -> str:
    """Return a text in which brackets and stars are themselves in Markdown."""
    return re.sub(r"([\[\]*])", r"\\\1", text)


def _quoted(text: str) -> str:
    return f"`{text}`"


def _lines(parts: list[str]) -> str:
    return "<br>".join(parts)
