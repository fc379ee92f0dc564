"""A chapter of the demo: its step, its numbers, and whether it passed."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.present import Grid, Html


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
