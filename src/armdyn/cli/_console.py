"""What all verbs share: how a robot is named, and how results and words reach the user."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from armdyn.arm import Arm, load
from armdyn.errors import RobotWarning

RobotArgument = Annotated[
    str, typer.Argument(metavar="ROBOT", help="A bundled robot's name, a .urdf or a .toml file.")
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


def results() -> Console:
    """Return the console of results: standard output."""
    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def complain(words: str) -> None:
    """Say something to the person, not to the pipe."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(words, markup=False)


def print_json(value: Any) -> None:
    """Print a result for machines: strict JSON, infinities as null."""
    print(json.dumps(_finite(value), indent=2, allow_nan=False))


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


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
    return value
