"""HTML that cannot be broken by names from files: what is not `Html` is text, and escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *inside: str, **attributes: object) -> Html:
    """Return an element; ``class_`` is the attribute class, ``data_x`` is data-x."""
    words = [name]
    for key, value in attributes.items():
        shown = escape(_visible(str(value)), quote=True)
        words.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    return Html(f"<{' '.join(words)}>{joined(inside)}</{name}>")


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Return parts one behind the other."""
    return Html(between.join(_escaped(part) for part in parts))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> Html:
    """Return a table whose first columns, `words` of them, are words, and all others numbers."""

    def cells(kind: str, row: Sequence[str]) -> Html:
        kinds = ["" if k < words else "number" for k in range(len(row))]
        return joined(
            tag(kind, cell, class_=c) if c else tag(kind, cell)
            for cell, c in zip(row, kinds, strict=True)
        )

    head = tag("thead", tag("tr", cells("th", heads)))
    body = tag("tbody", joined(tag("tr", cells("td", row)) for row in rows))
    return tag("div", tag("table", head, body), class_="scroll")


def listed(sentences: Iterable[str]) -> Html:
    """Return sentences as a list."""
    return tag("ul", joined(tag("li", sentence(words)) for words in sentences))


def section(title: str, *inside: str, key: str) -> Html:
    """Return a section with a title and a name to jump to."""
    return tag("section", tag("h2", title), *inside, id=key)


def sentence(words: str) -> Html:
    """Return words as a sentence: what is between backticks as code, the first letter large.

    A first word that is the name of something, with a dot or a bar in it, stays as it is.
    """
    if re.match(r"[a-z]+[ ,]", words):
        words = words[0].upper() + words[1:]
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return joined([words])
    return joined(tag("code", part) if k % 2 else part for k, part in enumerate(parts))


def _escaped(part: str) -> str:
    return part if isinstance(part, Html) else escape(_visible(part), quote=True)


def _visible(text: str) -> str:
    """Return a text without characters that HTML must not have."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
