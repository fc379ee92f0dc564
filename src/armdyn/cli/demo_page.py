"""The demo as one page; it needs no other files except those that it links to."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

from armdyn.present.html import STYLE, Html, document, joined, section, sentence, tag
from armdyn.present.tables import Grid, Toned

ALT = "The arm, and maps of its inertia, its weight and the eigenvalues of its mass matrix."

MORE_STYLE = """
.hint code { white-space: normal; overflow-wrap: anywhere; }
img, iframe { display: block; width: 100%; margin: 1rem 0; border-radius: 6px; }
"""


@dataclass(frozen=True)
class Chapter:
    """One step.

    Attributes:
        title: name of the step.
        words: its meaning, in a sentence or two.
        grid: its numbers.
        passed: whether the numbers are as expected.
        files: the written files, by names within the folder.
        shown: something to look at below the numbers, or None.
        command: the command line for another arm; empty if there is no single command.
        seconds: how long it took.
    """

    title: str
    words: str
    grid: Grid
    passed: bool = True
    files: tuple[str, ...] = ()
    command: str = ""
    seconds: float = 0.0
    shown: Html | None = None


def demo_page(chapters: Sequence[Chapter], drawing: bytes, made: datetime) -> str:
    """Return the page; `drawing` is the arm as PNG, or empty."""
    title = "armdyn: from a description to an identified model in C"
    good = all(chapter.passed for chapter in chapters)
    total = sum(chapter.seconds for chapter in chapters)
    words = "Everything came out right" if good else "Not everything came out right"
    body = tag(
        "body",
        tag("h1", title),
        tag("p", f"{made:%Y-%m-%d %H:%M}, armdyn {version('armdyn')}", class_="sub"),
        tag(
            "div",
            tag("p", words, class_="head"),
            tag("p", f"{len(chapters)} steps in {total:.0f} s, on this machine."),
            class_=f"verdict {'passed' if good else 'failed'}",
        ),
        _facts(chapters),
        joined(_chapter(k, chapter, drawing) for k, chapter in enumerate(chapters, start=1)),
    )
    return document(title, body, STYLE + MORE_STYLE)


def _facts(chapters: Sequence[Chapter]) -> Html:
    """Return links to the steps, each with its verdict."""
    rows = tuple(
        (
            tag("a", f"{k}. {chapter.title}", href=f"#step{k}"),
            _mark(chapter.passed),
            f"{chapter.seconds:.1f} s",
        )
        for k, chapter in enumerate(chapters, start=1)
    )
    return Grid("", ("step", "", "time"), 2, rows).html()


def _mark(passed: bool) -> Toned:
    return Toned("passed" if passed else "failed", "good" if passed else "bad")


def _chapter(k: int, chapter: Chapter, drawing: bytes) -> Html:
    inside = [tag("p", sentence(chapter.words))]
    inside.append(chapter.grid.html())
    if k == 1 and drawing:
        source = f"data:image/png;base64,{b64encode(drawing).decode('ascii')}"
        inside.append(Html(f'<img src="{source}" alt="{ALT}">'))
    if chapter.shown:
        inside.append(chapter.shown)
    if chapter.files:
        links = [tag("a", name, href=name) for name in chapter.files]
        inside.append(tag("p", "Files: ", joined(links, between=", ")))
    if chapter.command:
        parts = [tag("code", part.strip()) for part in chapter.command.split(";")]
        inside.append(tag("p", "By itself: ", joined(parts, between=" "), class_="hint"))
    return section(f"{k}. {chapter.title}", *inside, key=f"step{k}")
