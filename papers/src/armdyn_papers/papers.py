"""The five papers by name: catalogues, verdicts, and the errata that concern an entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from armdyn.errors import InputError, shown
from armdyn_papers.catalogue import lin_1991, lin_1994, lin_fang_1999, mata_2002, saha_1999
from armdyn_papers.catalogue.entry import Entry, Paper, equation_numbers
from armdyn_papers.claims.trials import judged_claim
from armdyn_papers.errata import lin_1991 as errata_of_lin_1991
from armdyn_papers.errata import lin_1994 as errata_of_lin_1994
from armdyn_papers.errata import lin_fang_1999 as errata_of_lin_fang_1999
from armdyn_papers.errata import mata_2002 as errata_of_mata_2002
from armdyn_papers.errata import saha_1999 as errata_of_saha_1999
from armdyn_papers.errata.erratum import Erratum
from armdyn_papers.verdict import VERDICTS, Verdict, of_differences, worst

# The catalogues by the names of their pages.
PAPERS: dict[str, Paper] = {
    module.PAPER.name: module.PAPER
    for module in (lin_fang_1999, lin_1991, saha_1999, lin_1994, mata_2002)
}

# The errata by the names of the papers.
ERRATA: dict[str, tuple[Erratum, ...]] = {
    "lin_fang_1999": errata_of_lin_fang_1999.ERRATA,
    "lin_1991": errata_of_lin_1991.ERRATA,
    "saha_1999": errata_of_saha_1999.ERRATA,
    "lin_1994": errata_of_lin_1994.ERRATA,
    "mata_2002": errata_of_mata_2002.ERRATA,
}


def entries_at(paper: Paper, place: str) -> tuple[Entry, ...]:
    """Return the entries of an equation, "(20)", or of a table, theorem or claim by its name.

    Raises:
        InputError: the paper has no such place.
    """
    numbers = equation_numbers(place)
    word = re.compile(rf"(?<!\w){re.escape(place)}(?!\w)", re.IGNORECASE)
    found = tuple(
        entry
        for entry in paper.entries
        if (set(numbers) & set(entry.equations) if numbers else word.search(entry.place))
    )
    if found and place.strip():
        return found
    named = [entry.place for entry in paper.entries if entry.kind in ("table", "theorem", "figure")]
    raise InputError(
        f"{paper.key} has no {shown(place)}; it has equations {paper.numbers}, and "
        f"{', '.join(named)}.",
        argument="place",
    )


def verdict_of(paper: Paper, entry: Entry) -> Verdict:
    """Return the verdict on an entry, from trials of its claims, or its errata and its check."""
    if entry.basis is not None:
        return entry.basis
    if entry.claims:
        return worst(judged_claim(claim).verdict for claim in entry.claims)
    return verdict_from(errata_of(paper, entry), entry)


def verdict_from(errata: Sequence[Erratum], entry: Entry) -> Verdict:
    """Return the verdict on an entry without claims that some errata concern."""
    verdicts: list[Verdict] = [erratum.verdict for erratum in errata]
    if entry.check:
        found = entry.check()
        verdicts.append(of_differences(found.printed, found.corrected))
    return worst(verdicts)


def verdicts(paper: Paper) -> dict[Verdict, int]:
    """Return how many entries of a paper have each verdict."""
    counted = Counter(verdict_of(paper, entry) for entry in paper.entries)
    return {verdict: counted[verdict] for verdict in VERDICTS}


def errata_of(paper: Paper, entry: Entry) -> list[Erratum]:
    """Return the errata that concern an entry: of its equations, or of the same table or claim."""
    return [erratum for erratum in ERRATA[paper.name] if _concerns(erratum, entry)]


def _concerns(erratum: Erratum, entry: Entry) -> bool:
    if erratum.place.startswith("("):
        return not set(entry.equations).isdisjoint(equation_numbers(erratum.place))
    return erratum.place.split(",")[0] == entry.place.split(",")[0]
