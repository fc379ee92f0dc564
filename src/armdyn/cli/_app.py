"""The verbs of the command line, and the handling of errors."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from armdyn.cli._lazy_group import LazyGroup
from armdyn.errors import ArmdynError

app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="The smallest and fastest exact dynamic models of serial robot arms.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"armdyn {version('armdyn')}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None: ...


def main() -> None:
    """Run the command line; exit status 0: done, 1: done with a negative verdict, 2: error."""
    run(app)


def run(app: typer.Typer) -> None:
    """Run a command line; errors of armdyn are one message and exit status 2."""
    try:
        app()
    except ArmdynError as error:
        from armdyn.cli._option_names import error_in_options

        _fail(error_in_options(error))
    except MemoryError:
        _fail("there is not enough memory for this; try fewer states or joints.")


def _fail(why: str) -> NoReturn:
    from armdyn.cli._console import complain

    complain(f"error: {why}")
    sys.exit(2)
