"""HTML that names from files cannot break: any text that is not `Html` is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape


class Html(str):
    """Text that is already HTML."""

    __slots__ = ()


def tag(name: str, *inside: str, **attributes: object) -> Html:
    """Return an element; ``class_`` is the attribute class, ``data_x`` is data-x."""
    words = [name]
    for key, value in attributes.items():
        shown = escape(_visible(str(value)), quote=True)
        words.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    return Html(f"<{' '.join(words)}>{joined(inside)}</{name}>")


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Return parts in sequence; parts that are not `Html` are escaped."""
    return Html(between.join(_escaped(part) for part in parts))


def document(title: str, body: Html, style: str) -> str:
    """Return a self-contained page from its title, its body and its style sheet."""
    head = tag(
        "head",
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        tag("style", Html(style)),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool]) -> Html:
    """Return a table; `numbers` marks the columns of numbers, which are right-aligned."""

    def cells(kind: str, row: Sequence[str]) -> Html:
        return joined(
            tag(kind, cell, class_="number") if is_number else tag(kind, cell)
            for cell, is_number in zip(row, numbers, strict=True)
        )

    head = tag("thead", tag("tr", cells("th", heads)))
    body = tag("tbody", joined(tag("tr", cells("td", row)) for row in rows))
    return tag("div", tag("table", head, body), class_="scroll")


def listed(sentences: Iterable[str]) -> Html:
    """Return sentences as a list."""
    return tag("ul", joined(tag("li", sentence(words)) for words in sentences))


def section(title: str, *inside: str, key: str) -> Html:
    """Return a section with a title and an anchor."""
    return tag("section", tag("h2", title), *inside, id=key)


def sentence(words: str) -> Html:
    """Return words as a sentence with a capital letter; words in backticks become code.

    A first word with a dot or an underscore is a name and stays as it is.
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
    """Return a text without the characters that HTML forbids."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
