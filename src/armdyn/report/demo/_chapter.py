"""A chapter of the story: what was done, its numbers, and whether it came out right."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.present import Grid


@dataclass(frozen=True)
class Chapter:
    """One step.

    Attributes:
        title: what was done.
        words: what it means, in a sentence or two.
        grid: its numbers.
        passed: whether they are as they should be.
        files: what was written, by names within the folder.
        command: how to do it on the command line, with another arm; empty if there is no one line.
        seconds: how long it took.
    """

    title: str
    words: str
    grid: Grid
    passed: bool = True
    files: tuple[str, ...] = ()
    command: str = ""
    seconds: float = 0.0
