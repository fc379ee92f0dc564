"""How results and messages reach the user."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Any, TextIO, cast

import typer
from rich import box
from rich.console import Console, RenderableType
from rich.progress import Progress
from rich.table import Table

from armdyn.errors import ArmdynError

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]

# A pipe has no width of its own; tables get room enough not to be cut.
PIPE_WIDTH = 160


def show(*parts: RenderableType) -> None:
    """Print results to standard output. Text is taken as it stands, never as markup."""
    with _delivery() as stream:
        width = None if stream.isatty() else PIPE_WIDTH
        console = _Results(file=stream, width=width, highlight=False, markup=False, emoji=False)
        for part in parts:
            console.print(plain(part) if isinstance(part, str) else part)


def print_json(value: Any) -> None:
    """Print a result for machines: strict JSON, infinities as null."""
    with _delivery() as stream:
        print(json.dumps(_finite(value), indent=2, allow_nan=False), file=stream)


def complain(words: str) -> None:
    """Say something to the person, not to the pipe."""
    if cast(TextIO | None, sys.stderr) is None:  # closed by whoever started us
        return
    try:
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        console.print(plain(words), markup=False, emoji=False)
        sys.stderr.flush()
    except OSError:  # nobody can be told that nobody can be told
        _discard(sys.stderr)


def plain(text: str) -> str:
    """Return a text in which nothing can steer a terminal: names come from files."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def new_table(title: str, words: tuple[str, ...], numbers: tuple[str, ...]) -> Table:
    """Return a table with columns of words and of numbers.

    Where a terminal is narrow cells are folded: a number must never lose its tail.
    """
    table = Table(
        title=plain(title), title_justify="left", header_style="bold",
        box=box.SIMPLE_HEAD, show_edge=False, padding=0,
    )  # fmt: skip
    for column in words:
        table.add_column(column, overflow="fold")
    for column in numbers:
        table.add_column(column, justify="right", overflow="fold")
    return table


class _Results(Console):
    def on_broken_pipe(self) -> None:
        """Leave the broken pipe to `_delivery`."""
        raise


@contextmanager
def _delivery() -> Generator[TextIO, None, None]:
    """Yield standard output, and see to it that what is printed arrives."""
    stream = cast(TextIO | None, sys.stdout)
    if stream is None:
        raise ArmdynError("standard output is closed: there is nowhere to print the results.")
    if hasattr(stream, "reconfigure"):
        cast(Any, stream).reconfigure(errors="replace")  # "?" for ² on a terminal without it
    try:
        yield stream
        stream.flush()
    except OSError as error:
        _discard(stream)
        if isinstance(error, BrokenPipeError):  # the reader has seen enough, as `head` does
            return
        why = error.strerror or str(error)
        raise ArmdynError(f"the results cannot be printed to standard output: {why}.") from error


def _discard(stream: TextIO) -> None:
    """Send what is left in a stream's buffer nowhere: it would fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def progress_bar(what: str) -> Generator[Callable[[int, int], None], None, None]:
    """Show a bar on a terminal, nothing on a pipe; yields a function of (done, of)."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)

        def update(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of)

        yield update


@contextmanager
def step_bar() -> Generator[Callable[[str, float], None], None, None]:
    """Show a bar for one step after the other on a terminal; yields a function of (step, share)."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("preparing", total=1.0)

        def update(step: str, share: float) -> None:
            bar.update(task, description=plain(step), completed=share)

        yield update


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
    return value
