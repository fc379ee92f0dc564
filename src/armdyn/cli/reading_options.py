"""Options of every verb that reads a robot's file, besides --base, --tip, --strict and --snap.

They are added to each verb that has --tip, so that no verb has to declare them; `open_arm` takes
their values from here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextvars import ContextVar
from typing import Annotated, Any

import typer

from armdyn.errors import InputError, shown
from armdyn.robot.leniency import WAIVABLE

_given: ContextVar[Mapping[str, Any]] = ContextVar("_given", default={})  # noqa: B039


def _declared(
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
    alone.command()(_declared)
    params = command.params
    own = {option for parameter in params for option in parameter.opts}
    for parameter in typer.main.get_command(alone).params:
        if parameter.name == "without_links" and "--without" not in own:
            parameter.opts.append("--without")
        params.append(parameter)


def take_reading_options(params: dict[str, Any]) -> None:
    """Take the values of the options from those of a verb, for `reading_options`."""
    names = _declared.__annotations__.keys() - {"return"}
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
