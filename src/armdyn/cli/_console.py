"""What all verbs share: how a robot is named, and how results and words reach the user."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Any, TextIO, cast

import typer
from rich import box
from rich.console import Console, RenderableType
from rich.progress import Progress
from rich.table import Table

from armdyn.arm import Arm, load
from armdyn.errors import ArmdynError, RobotWarning
from armdyn.robot import bundled_names


def _bundled(incomplete: str) -> list[str]:
    """Return bundled robots for a shell to complete; if none fits, it completes files."""
    return [name for name in bundled_names() if name.startswith(incomplete)]


RobotArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A bundled robot's name, a .urdf or a .toml file.",
        autocompletion=_bundled,
    ),
]
TipOption = Annotated[str | None, typer.Option(help="URDF: the link at which the arm ends.")]
BaseOption = Annotated[str | None, typer.Option(help="URDF: the link at which the arm begins.")]
StrictOption = Annotated[
    bool, typer.Option("--strict/--no-strict", help="Refuse inertias that no body can have.")
]
SnapOption = Annotated[
    bool, typer.Option("--snap/--no-snap", help="URDF: take almost right angles for exact.")
]
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


def open_arm(
    robot: str, base: str | None, tip: str | None, strict: bool, snap: bool
) -> tuple[Arm, list[str]]:
    """Load a robot; return it and what was warned of, which is also said to the person."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        arm = load(robot, base=base, tip=tip, strict=strict, snap=snap)
    said = [str(w.message) for w in caught if issubclass(w.category, RobotWarning)]
    for sentence in said:
        complain(f"warning: {sentence}")
    return arm, said


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
