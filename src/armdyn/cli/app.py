"""The verbs of the command line, imported when they run, and the handling of errors.

So are the modules of options and of the console, which import NumPy and rich: 90 ms that
`--version` and `--help` do not need.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperCommand, TyperGroup

from armdyn.cli.usage import VERBS, epilog, module_of
from armdyn.errors import ArmdynError

# A group of commands whose modules are imported when a command runs.
#
# The help of the group and the completion of names need only the summaries.


class LazyGroup(TyperGroup):
    """The verbs: listed by their summaries, imported when they are called."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for name, usage in VERBS.items():
            self.add_command(TyperCommand(name, help=usage.summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the name, the imported verb and its remaining arguments."""
        name, found, rest = super().resolve_command(ctx, args)
        if found is None or found.name is None:
            return name, None, rest
        companion = VERBS[found.name].companion
        if ctx.resilient_parsing and companion and not companion.is_installed:
            return name, found, rest  # a shell completes: its summary will do
        return name, _imported(found.name), rest


def _imported(verb: str) -> Any:
    """Return the command of a verb: of a companion's own command line, or of its function."""
    companion = VERBS[verb].companion
    if companion is None:
        module = import_module(module_of(verb))
    else:
        module = companion.module(companion.verbs, f"`armdyn {verb}`")
        if hasattr(module, "app"):
            return cast(Any, typer.main.get_command(module.app)).commands[verb]
    from armdyn.cli.option_names import Verb, with_groups

    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(verb, cls=Verb, epilog=epilog(verb))(with_groups(getattr(module, verb)))
    return typer.main.get_command(alone)


# The verbs of the command line, and the handling of errors.

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
        from armdyn.cli.option_names import error_in_options

        _fail(error_in_options(error))
    except MemoryError:
        _fail("there is not enough memory for this; try fewer states or joints.")


# Lines of an error on a terminal; all of it goes to files and pipes.
ERROR_LINES = 5


def _fail(why: str) -> NoReturn:
    from armdyn.cli.console import complain

    complain(f"error: {why}", ERROR_LINES)
    sys.exit(2)
