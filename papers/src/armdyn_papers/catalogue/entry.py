"""The parts of a catalogue of a paper: what it says where, and what became of it here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from armdyn_papers.errata.erratum import Evidence
from armdyn_papers.verdict import Verdict

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
        basis: the verdict that needs no computation: of a study, or of what cannot be read or
            tried; None where the claims, the errata and the tests of the entry decide.
        methods: "quantity: method" of `armdyn.methods`, or a public name of the package.
        code: functions that follow it, "module:name" within `armdyn`, "papers.module:name" here.
        tests: that show the verdict, "folder/file.py::name" within the tests of armdyn, or
            "papers/tests/file.py::name".
        claims: ids of `armdyn_papers.claims`, "paper.name".
        note: how it is meant, what is wrong with it, or why it was not tried.
        check: compares the statement as printed with an independent answer.
    """

    place: str
    says: str
    basis: Verdict | None = None
    methods: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    note: str = ""
    check: Callable[[], Evidence] | None = None

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
        about: the paper in five sentences.
        example: lines of Python that call its methods and print; `armdyn` is imported.
        remark: what to know before reading.
    """

    name: str
    key: str
    title: str
    numbers: str
    entries: tuple[Entry, ...]
    about: str
    example: str
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


def statement(
    place: str,
    says: str,
    *references: str,
    note: str = "",
    check: Callable[[], Evidence] | None = None,
) -> Entry:
    """Return a statement whose claims, errata and tests decide whether it holds.

    Args:
        place: where it is.
        says: what it says.
        references: methods "quantity: method" and public names "armdyn.Name", functions
            "module:name", tests "folder/file.py::name", claims "paper.name", distinguished by
            their form.
        note: how it is meant.
        check: compares the statement as printed with an independent answer.
    """
    tests = tuple(r for r in references if "::" in r)
    methods = tuple(r for r in references if ": " in r or r.startswith("armdyn"))
    code = tuple(r for r in references if ":" in r and r not in (*tests, *methods))
    claims = tuple(r for r in references if ":" not in r and r not in methods)
    return Entry(place, says, None, methods, code, tests, claims, note, check)


def study(verdict: Verdict, place: str, says: str, *references: str, note: str) -> Entry:
    """Return a statement whose verdict is that of a study: a test of the study asserts it."""
    return replace(statement(place, says, *references, note=note), basis=verdict)


def illegible(place: str, says: str, *references: str, note: str = "") -> Entry:
    """Return an equation that is not legible; what the text says that it states is checked."""
    entry = statement(place, says, *references, note=note)
    return replace(entry, basis="not legible, derived anew")


def not_tried(place: str, says: str, *references: str, note: str) -> Entry:
    """Return a statement that was not tried, and why."""
    return replace(statement(place, says, *references, note=note), basis="not tried")


def path_of_test(test: str) -> str:
    """Return the path of a test in the repository."""
    return test if test.startswith("papers/") else f"tests/{test}"
