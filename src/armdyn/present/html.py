"""Pages: escaped HTML, the style sheet, packed numbers, and the file they are written to."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_path
from armdyn.errors import FileError
from armdyn.writing import check_target

# HTML that names from files cannot break: any text that is not `Html` is escaped.


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


def hint(*words: str) -> Html:
    """Return an explanation of what follows."""
    return tag("p", *words, class_="hint")


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


# Pages as files: checked before any work, and filled in safely.

SUFFIXES = (".html", ".htm")


def check_page(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work, a page that cannot be written."""
    target = checked_path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise FileError(target, "pages are written as .html.")
    check_target(target)


def filled(
    template: str,
    texts: Mapping[str, str],
    data: object,
    code: Mapping[str, str] | None = None,
) -> str:
    """Return a page: its template with fields ``{{name}}`` replaced.

    Args:
        template: of the page.
        texts: fields that are text, by name; they are escaped.
        data: plain data for the script of the page, in the field ``{{data}}``.
        code: fields that are styles and scripts of ours, by name; they are not escaped.
    """
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    # in a script, text that looks like a tag is a tag, even inside a string
    fields = {name: escape(text) for name, text in texts.items()}
    fields.update(code or {})
    fields["data"] = written.replace("<", "\\u003c")
    # in one pass, since a text may look like a field
    return re.sub(r"\{\{(\w+)\}\}", lambda field: fields[field[1]], template)


# The style sheet of pages, and the colours that all pages share.

PALETTE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d8dde4; --paper: #fff;
  --wash: #f4f6f8; --good: #1a7f4b; --bad: #b3261e; --fair: #9a6700; --is: #7b8794; --said: #d9541e;
  --rest: #2563a8; --raw: #b9c4d0; --band: #2563a81f; --bars: #d9541e33;
  --goodwash: #e7f5ed; --fairwash: #fbf3e0; --badwash: #fcebea; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b3;
  --line: #343c47; --paper: #14181d; --wash: #1c2229; --good: #56c48a; --bad: #ff8a80;
  --fair: #e0b050;
  --is: #9aa5b3; --said: #ff8f5a; --rest: #7ab3ee; --raw: #4a5663; --band: #7ab3ee2b;
  --bars: #ff8f5a40;
  --goodwash: #16291f; --fairwash: #2e2614; --badwash: #331a18; } }
"""

STYLE = (
    PALETTE
    + """
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 62rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p { margin: .5rem 0; max-width: 46rem; } ul { padding-left: 1.2rem; max-width: 48rem; }
li { margin: .25rem 0; } .hint, .sub { color: var(--soft); } .sub { margin-top: 0; }
nav { margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: 0 1rem; }
a { color: var(--rest); text-decoration: none; } a:hover { text-decoration: underline; }
.verdict { border-left: 6px solid; padding: .8rem 1.1rem; margin: 1.2rem 0; border-radius: 4px; }
.verdict p { margin: .2rem 0; } .verdict .head { font-size: 1.25rem; font-weight: 650; }
.passed { border-color: var(--good); background: var(--goodwash); }
.usable { border-color: var(--fair); background: var(--fairwash); }
.failed { border-color: var(--bad); background: var(--badwash); }
.facts { display: flex; flex-wrap: wrap; gap: .7rem; margin: 1rem 0; }
.facts div { background: var(--wash); border-radius: 6px; padding: .5rem .9rem; flex: 1 1 9rem; }
.facts b { display: block; font-size: 1.25rem; } .facts span { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { padding: .22rem .6rem; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: middle; }
th { color: var(--soft); font-weight: 600; } th:first-child, td:first-child { padding-left: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .fair { color: var(--fair); }
figure { margin: 1.1rem 0 1.6rem; break-inside: avoid; } figcaption { margin-bottom: .2rem; }
output { float: right; color: var(--soft); font-variant-numeric: tabular-nums; }
svg { display: block; max-width: 100%; height: auto; } svg.panel { overflow: hidden; }
svg text { fill: var(--soft); font-size: 11px; } .left text, text.axis { text-anchor: end; }
.below text { text-anchor: middle; } .curves { cursor: crosshair; width: 100%; }
polyline, line { fill: none; vector-effect: non-scaling-stroke; }
.is { stroke: var(--is); stroke-width: 2.4; } .said { stroke: var(--said); stroke-width: 1.3; }
.rest { stroke: var(--rest); stroke-width: 1.1; } .band { fill: var(--band); }
.raw { stroke: var(--raw); stroke-width: .8; } .chosen { fill: var(--band); }
.zero { stroke: var(--line); stroke-width: 1; } .pointer { stroke: var(--soft); opacity: 0; }
.bar { stroke: var(--ink); stroke-width: 1.5; } .mid { fill: var(--ink); }
.dots { stroke: var(--rest); stroke-width: 2.4; stroke-linecap: round; opacity: .55; }
.dots.others { stroke: var(--said); } .frame { fill: none; stroke: var(--line); }
.bars { fill: var(--bars); } .mark { stroke: var(--soft); stroke-dasharray: 4 3; }
.plus { fill: var(--said); } .minus { fill: var(--rest); }
.framed { fill: none; stroke: var(--ink); stroke-width: 1; vector-effect: non-scaling-stroke; }
.cad { fill: none; stroke: var(--said); stroke-width: 1.5; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .6rem; }
.pairs { grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }
.pairs text { font-size: 8px; }
.grid figure { margin: 0; } summary { cursor: pointer; color: var(--rest); }
code { background: var(--wash); white-space: nowrap; padding: 0 .25rem; border-radius: 3px; }
footer { margin-top: 3rem; color: var(--soft); border-top: 1px solid var(--line); }
@media screen and (max-width: 45rem) { figure { overflow-x: auto; }
  svg.curves, svg.heat { min-width: 38rem; } }
@media print { :root { color-scheme: light; } body { padding: 0; font-size: 11px; max-width: none; }
  nav, .hint { display: none; } section { break-inside: auto; } }
"""
)


# Numbers inside a page, which its script reads when one zooms in.

# A number is stored in three bytes, as a share of the range of its column.
LEVELS = (1 << 24) - 1

# Steps that differ by less than this share are equal.
EQUAL_STEP_SHARE = 1e-6


# JavaScript that reads a packed column.
UNPACK = """\
function unpacked([low, high, given]) {
  const even = typeof given === "number", raw = even ? "" : atob(given);
  const n = even ? given : raw.length / 3, values = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const share = even ? i / (n - 1) : (raw.charCodeAt(3 * i) | raw.charCodeAt(3 * i + 1) << 8
      | raw.charCodeAt(3 * i + 2) << 16) / 16777215;
    values[i] = low + (high - low) * share;
  }
  return values;
}
"""


class Packed:
    """Columns of numbers; equal arrays are stored once."""

    def __init__(self) -> None:
        self._columns: list[list[object]] = []
        self._known: dict[bytes, int] = {}
        self.count = 0

    def key(self, values: Array) -> int:
        """Store a column ``(N,)`` of finite numbers, and return its number in the page."""
        digest = hashlib.sha256(values.tobytes()).digest()
        if digest not in self._known:
            self._known[digest] = len(self._columns)
            self._columns.append(packed_column(values))
            self.count += len(values)
        return self._known[digest]

    def script(self) -> str:
        """Return the columns as a statement of JavaScript."""
        return f"const packed = {json.dumps(self._columns, separators=(',', ':'))};"


def packed_column(values: Array) -> list[object]:
    """Return (lowest, highest, number) of equal steps, or (lowest, highest, text)."""
    count = len(values)
    if count > 1:
        steps = (values[-1] - values[0]) / (count - 1)
        even = values[0] + steps * np.arange(count)
        if float(np.abs(values - even).max()) <= EQUAL_STEP_SHARE * abs(steps):
            return [float(values[0]), float(values[-1]), count]
    low, high = (float(x) for x in (values.min(initial=np.inf), values.max(initial=-np.inf)))
    size = high - low if high > low else 1.0
    levels = np.rint((values - low) * (LEVELS / size)).astype("<u4")
    three = levels.view(np.uint8).reshape(count, 4)[:, :3]
    return [low, low + size, base64.b64encode(three.tobytes()).decode()]
