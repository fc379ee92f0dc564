"""The verbs of the command line, and what happens when something is wrong."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from armdyn.cli._lazy_group import LazyGroup
from armdyn.errors import ArmdynError

OPTIONS = {
    "strict=False": "--no-strict", "force=True": "--force", "`tip`": "--tip", "`base`": "--base",
    'units="deg"': "--units deg", 'units="rad"': "--units rad", "sort=True": "--sort",
    'missing="drop"': "--drop-missing", "physical=False": "--no-physical",
    'columns={"t": "clock", "q": ["a1", "a2"], "tau": ["m1", "m2"]}':
        "--columns t=clock --columns q=a1,a2 --columns tau=m1,m2",
    "`functions`": "--functions", "`q0`": "--q0", "`qd0`": "--qd0", "`until`": "--until",
    "`step`": "--step", "`rtol`": "--rtol", "`samples`": "--rate", "`limits`": "--limits",
    "`kp`": "--kp", "`kd`": "--kd", "`stiction`": "--stiction", "`noise_q`": "--noise-q",
    "`noise_tau`": "--noise-tau", "`quantisation`": "--quantisation", "`jitter`": "--jitter",
    "`seed`": "--seed",
}  # fmt: skip

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


def _in_options(words: str) -> str:
    """Return advice about arguments of Python as advice about options of the command line."""
    for argument, option in OPTIONS.items():
        words = words.replace(argument, option)
    return words


def main() -> None:
    """Run the command line: 0 if the job was done, 1 if its verdict is no, 2 if it could not be."""
    try:
        app()
    except ArmdynError as error:
        _fail(_in_options(str(error)))
    except MemoryError:
        _fail("there is not enough memory for this; try fewer states or joints.")


def _fail(why: str) -> NoReturn:
    from armdyn.cli._console import complain

    complain(f"error: {why}")
    sys.exit(2)
