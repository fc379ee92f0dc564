"""The parts of a catalogue of a paper: what it says where, and what became of it here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

Verdict: TypeAlias = Literal["holds", "holds with a correction", "does not hold", "not tried"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

Kind: TypeAlias = Literal["equation", "algorithm", "theorem", "table", "figure", "example", "claim"]

# What a place begins with, and what kind of statement it is then.
KINDS: dict[str, Kind] = {
    "(": "equation", "section": "algorithm", "Theorem": "theorem", "Corollary": "theorem",
    "Lemma": "theorem", "Property": "theorem", "Definition": "theorem", "Table": "table",
    "Fig.": "figure", "example": "example", "claim": "claim",
}  # fmt: skip

_NUMBER = r"\(([A-C]?\d+[a-f]?)\)"
_RANGE = re.compile(_NUMBER + rf"(?:-{_NUMBER})?")


@dataclass(frozen=True)
class Entry:
    """A numbered group of equations, a theorem, table, figure, example or claim.

    Attributes:
        place: where it is; equations by their numbers, "(7)-(11)".
        says: what it says, in few words of ours.
        verdict: whether it holds.
        methods: "quantity: method" of `armdyn.methods`, or a public name of the package.
        code: functions that follow it, "module:name" within `armdyn`, "papers.module:name" here.
        tests: that show the verdict, "folder/file.py::name" within the tests of armdyn, or
            "papers/tests/file.py::name".
        claims: ids of `armdyn_papers.claims`, "paper.name".
        note: how it is meant, what is wrong with it, or why it was not tried.
    """

    place: str
    says: str
    verdict: Verdict
    methods: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    note: str = ""

    @property
    def kind(self) -> Kind:
        """What kind of statement it is."""
        return next(kind for head, kind in KINDS.items() if self.place.startswith(head))

    @property
    def equations(self) -> tuple[str, ...]:
        """Numbers of the equations that it is about."""
        return equation_numbers(self.place) if self.kind in ("equation", "theorem") else ()


@dataclass(frozen=True)
class Paper:
    """The catalogue of a paper.

    Attributes:
        name: of its page, and of it on the command line.
        key: of the list of references.
        title: of the paper.
        numbers: of all its equations, "(1)-(55), (A1)-(A10)".
        entries: in the order of the paper.
        remark: what to know before reading.
    """

    name: str
    key: str
    title: str
    numbers: str
    entries: tuple[Entry, ...]
    remark: str = ""

    @property
    def equations(self) -> tuple[str, ...]:
        """Numbers of all its equations."""
        return equation_numbers(self.numbers)


def equation_numbers(text: str) -> tuple[str, ...]:
    """Return the numbers of equations that a text names, ranges written out."""
    found: list[str] = []
    for first, last in _RANGE.findall(text):
        found += _between(first, last) if last else [first]
    return tuple(found)


def _between(first: str, last: str) -> list[str]:
    """Return the numbers from "A1" to "A10", or from "7a" to "7e"."""
    if first[-1].isalpha():
        head = first[:-1]
        assert last[:-1] == head, f"({first})-({last}) is no range"
        return [head + chr(k) for k in range(ord(first[-1]), ord(last[-1]) + 1)]
    letter = first[0] if first[0].isalpha() else ""
    assert last.startswith(letter), f"({first})-({last}) is no range"
    start, end = int(first.removeprefix(letter)), int(last.removeprefix(letter))
    assert start < end, f"({first})-({last}) is no range"
    return [f"{letter}{k}" for k in range(start, end + 1)]


def holds(place: str, says: str, *references: str, note: str = "") -> Entry:
    """Return a statement that holds.

    Args:
        place: where it is.
        says: what it says.
        references: methods "quantity: method" and public names "armdyn.Name", functions
            "module:name", tests "folder/file.py::name", claims "paper.name", told apart by their
            form.
        note: how it is meant.
    """
    tests = tuple(r for r in references if "::" in r)
    methods = tuple(r for r in references if ": " in r or r.startswith("armdyn"))
    code = tuple(r for r in references if ":" in r and r not in (*tests, *methods))
    claims = tuple(r for r in references if ":" not in r and r not in methods)
    return Entry(place, says, "holds", methods, code, tests, claims, note)


def corrected(place: str, says: str, *references: str, note: str = "") -> Entry:
    """Return a statement that holds with a correction."""
    return replace(holds(place, says, *references, note=note), verdict="holds with a correction")


def fails(place: str, says: str, *references: str, note: str) -> Entry:
    """Return a statement that does not hold."""
    return replace(holds(place, says, *references, note=note), verdict="does not hold")


def not_tried(place: str, says: str, *references: str, note: str) -> Entry:
    """Return a statement that was not tried, and why."""
    return replace(holds(place, says, *references, note=note), verdict="not tried")


def path_of_test(test: str) -> str:
    """Return the path of a test in the repository."""
    return test if test.startswith("papers/") else f"tests/{test}"
