"""Output of results and messages to the user."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Any, TextIO, cast

import typer
from rich import box
from rich.console import Console, RenderableType
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from armdyn.errors import ArmdynError
from armdyn.present.tables import Grid, Toned
from armdyn.progress import Progress, silent

JsonOption = Annotated[bool, typer.Option("--json", help="Print the results as JSON.")]

# Width of tables in a pipe, which has no width of its own.
PIPE_WIDTH = 160

# Terminal styles for the tones of cells.
STYLES = {"good": "green", "fair": "yellow", "bad": "bold red", "faint": "dim", "strong": "bold"}


def show(*parts: RenderableType | Grid) -> None:
    """Print results to standard output. Text is printed literally, never as markup."""
    with _delivery() as stream:
        width = None if stream.isatty() else PIPE_WIDTH
        console = _Results(file=stream, width=width, highlight=False, markup=False, emoji=False)
        for part in parts:
            console.print(_renderable(part))


def show_text(text: str) -> None:
    """Print a text to standard output as it is: code must not be wrapped."""
    with _delivery() as stream:
        print("\n".join(map(plain, text.splitlines())), file=stream)


def print_json(value: Any) -> None:
    """Print a result as strict JSON, with infinities as null."""
    with _delivery() as stream:
        print(json.dumps(_finite(value), indent=2, allow_nan=False), file=stream)


def complain(words: str, lines: int | None = None) -> None:
    """Print a message to standard error; on a terminal, folded to at most so many lines."""
    if cast(TextIO | None, sys.stderr) is None:  # the parent process closed it
        return
    try:
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        text = plain(words)
        if lines is not None and console.is_terminal:
            text = folded(text, lines * console.width)
        console.print(text, markup=False, emoji=False)
        sys.stderr.flush()
    except OSError:  # there is no other stream to report to
        _discard(sys.stderr)


def plain(text: str) -> str:
    """Return a text without control characters: names from files must not control a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def folded(text: str, length: int) -> str:
    """Return a text of at most a length: its first sentences, which say why, and its last."""
    if len(text) <= length:
        return text
    *sentences, last = re.split(r"(?<=[.;]) ", text)
    last = f" ... {last}" if sentences and len(last) < length // 2 else " ..."
    head = text[: length - len(last)]
    whole = max(head.rfind(". "), head.rfind("; ")) + 1
    return (head[:whole] if whole > length // 4 else head) + last


def _renderable(part: RenderableType | Grid) -> RenderableType:
    if isinstance(part, Grid):
        return _table(part)
    return plain(part) if isinstance(part, str) else part


def _table(grid: Grid) -> Table:
    """Return a table. A narrow terminal wraps its cells: numbers are never truncated."""
    table = Table(
        title=plain(grid.title), title_justify="left", header_style="bold",
        box=box.SIMPLE_HEAD, show_edge=False, padding=0,
    )  # fmt: skip
    for k, head in enumerate(grid.heads):
        justify = "right" if grid.is_number(k) else "left"
        table.add_column(plain(head), justify=justify, overflow="fold")
    for k, row in enumerate(grid.rows):
        if k in grid.breaks:
            table.add_section()
        table.add_row(*(_cell(cell) for cell in row))
    return table


def _cell(cell: str) -> Text:
    tone = cell.tone if isinstance(cell, Toned) else None
    return Text(plain(cell), style=STYLES[tone] if tone else "")


class _Results(Console):
    def on_broken_pipe(self) -> None:
        """Leave the broken pipe to `_delivery`."""
        raise


@contextmanager
def _delivery() -> Generator[TextIO, None, None]:
    """Yield standard output, and check that everything printed arrives."""
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
        if isinstance(error, BrokenPipeError):  # the reader has closed the pipe, as `head` does
            return
        why = error.strerror or str(error)
        raise ArmdynError(f"the results cannot be printed to standard output: {why}.") from error


def _discard(stream: TextIO) -> None:
    """Discard the rest of a stream's buffer: writing it would fail again when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def printed_warnings(category: type[Warning]) -> Generator[list[str], None, None]:
    """Print the warnings of a category at the end; yields the list that takes their messages."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", category)
        yield messages
    messages += [str(one.message) for one in caught if issubclass(one.category, category)]
    for message in messages:
        complain(f"warning: {message}")


@contextmanager
def progress_bar(*, as_json: bool = False) -> Generator[Progress, None, None]:
    """Show a bar on a terminal while a job runs; yields the function to report progress to.

    The bar is drawn on standard error and removed at the end, also after an error or Ctrl-C. There
    is no bar if standard error is not a terminal, or if JSON goes to a pipe: a program reads it.
    """
    stdout = cast(TextIO | None, sys.stdout)
    piped = stdout is None or not stdout.isatty()
    is_silent = cast(TextIO | None, sys.stderr) is None or (as_json and piped)
    console = Console(stderr=True)
    if is_silent or not console.is_terminal:
        yield silent
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def update(done: int, total: int, what: str) -> None:
            bar.update(task, description=plain(what), completed=done, total=total)

        yield update


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
    return value
