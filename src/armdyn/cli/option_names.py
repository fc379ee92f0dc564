"""Options of verbs: messages in terms of the running verb, and those of every robot's file."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from contextvars import ContextVar
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand

from armdyn.errors import ArmdynError, InputError, RobotError, shown
from armdyn.robot.leniency import WAIVABLE

# Options of every verb that reads a robot's file, besides --base, --tip, --strict and --snap.
#
# They are added to each verb that has --tip, so that no verb has to declare them; `open_arm` takes
# their values from here.

_given: ContextVar[Mapping[str, Any]] = ContextVar("_given", default={})  # noqa: B039


def _reading_options(
    without_links: Annotated[
        str | None,
        typer.Option(
            metavar="L,L", help="Leave out these links and all that they carry, such as a gripper."
        ),
    ] = None,
    waive: Annotated[
        str | None,
        typer.Option(metavar="C,C", help=f"Only warn of these faults: {', '.join(WAIVABLE)}."),
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Option(
            "--arg", metavar="NAME=VALUE", help="xacro: the value of an argument; may be repeated."
        ),
    ] = None,
    packages: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder of packages, included files or meshes; may be repeated.",
        ),
    ] = None,
) -> None: ...


def add_reading_options(command: Any) -> None:
    """Add the options to a verb that reads a robot with --tip."""
    if not any(parameter.name == "tip" for parameter in command.params):
        return
    alone = typer.Typer(add_completion=False)
    alone.command()(_reading_options)
    params = command.params
    own = {option for parameter in params for option in parameter.opts}
    for parameter in typer.main.get_command(alone).params:
        if parameter.name == "without_links" and "--without" not in own:
            parameter.opts.append("--without")
        params.append(parameter)


def take_reading_options(params: dict[str, Any]) -> None:
    """Take the values of the options from those of a verb, for `reading_options`."""
    names = _reading_options.__annotations__.keys() - {"return"}
    _given.set({name: params.pop(name) for name in names & params.keys()})


def reading_options(wanted: Collection[str] | None = None) -> dict[str, Any]:
    """Return arguments of `load` from the options of the running verb: all, or those wanted."""
    given = _given.get()
    words = {"without": given.get("without_links"), "waive": given.get("waive")}
    found: dict[str, Any] = {
        name: [word.strip() for word in text.split(",")]
        for name, text in words.items()
        if text is not None
    }
    if given.get("packages"):
        found["packages"] = given["packages"]
    if given.get("arguments"):
        found["arguments"] = dict(_argument(text) for text in given["arguments"])
    return {name: found[name] for name in found if wanted is None or name in wanted}


def _argument(text: str) -> tuple[str, str]:
    """Return the name and the value of an argument; ROS writes them with := in between."""
    name, equals, value = text.partition("=")
    if not equals or not name.rstrip(":").strip():
        raise InputError(
            f"`arguments` is {shown(text)}, expected NAME=VALUE.", argument="arguments"
        )
    return name.rstrip(":").strip(), value


# Messages about arguments, in terms of the options of the running verb.
#
# Messages of armdyn name arguments as in Python: `until`, or strict=False. Each option is declared
# under the name of its argument, so the declarations of a verb give the name on the command line:
# --until, --no-strict.

# A Python literal after the name of an argument: name=literal.
LITERAL = r"True|False|None|\"[^\"]*\"|'[^']*'|\{[^{}]*\}|\([^()]*\)|-?\d[\d.e+-]*\d|\d"

# The arguments of `load` that errors about a description may name.
OF_ROBOTS = ("base", "tip", "strict", "snap", "waive", "without_links", "packages", "arguments")

# The parameters of the running verb, by the name of the argument.
_declared: ContextVar[Mapping[str, Any]] = ContextVar("_declared", default={})  # noqa: B039


class Verb(TyperCommand):
    """A verb of the command line; messages name its options while it runs and afterwards."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        _declared.set({parameter.name: parameter for parameter in self.params})
        take_reading_options(ctx.params)
        return super().invoke(ctx)


def error_in_options(error: ArmdynError) -> str:
    """Return the message of an error; it names the option whose argument is wrong."""
    if isinstance(error, RobotError):  # its other arguments belong to joints and links
        return in_options(str(error), OF_ROBOTS)
    words = in_options(str(error))
    parameter = _declared.get().get(error.argument or "")
    if parameter is None or (option := _option(parameter)) in words:
        return words
    return f"{option}: {words}"


def in_options(words: str, arguments: Iterable[str] | None = None) -> str:
    """Return a message with all or some arguments replaced by options of the running verb."""
    declared = _declared.get()
    if arguments is not None:
        declared = {name: declared[name] for name in arguments if name in declared}
    if not declared:
        return words
    names = "|".join(map(re.escape, declared))
    words = re.sub(
        rf"`?\b({names})=({LITERAL})`?",
        lambda found: _option_with_value(declared[found[1]], found[2]),
        words,
    )
    return re.sub(rf"`({names})`", lambda found: _option(declared[found[1]]), words)


def _option(parameter: Any) -> str:
    """Return the name of a parameter on the command line: --option, or ARGUMENT."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = [name for name in cast("list[str]", parameter.opts) if name.strip()]
    return max(names or cast("list[str]", parameter.secondary_opts), key=len)


def _option_with_value(parameter: Any, literal: str) -> str:
    option, value = _option(parameter), _value(literal)
    if getattr(parameter, "is_flag", False):
        off = cast("list[str]", parameter.secondary_opts)
        return max(off, key=len) if value is False and off else option
    if isinstance(value, Mapping):  # an option that may be repeated
        items = cast("Mapping[object, object]", value).items()
        return " ".join(f"{option} {key}={_listed(item)}" for key, item in items)
    return f"{option} {_listed(value)}"


def _value(literal: str) -> object:
    """Return the value of a literal; what a user wrote may only look like one."""
    try:
        return cast(object, ast.literal_eval(literal))
    except (ValueError, SyntaxError):
        return literal


def _listed(value: object) -> str:
    """Return several values in command-line form: with commas."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, cast("Iterable[object]", value)))
    return str(value)
