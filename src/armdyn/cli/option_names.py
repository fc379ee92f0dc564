"""Options of verbs: groups, panels of the help, former names, and messages that name options."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, cast, get_type_hints

import typer
from rich.markup import escape
from typer.core import TyperCommand

from armdyn.cli.console import complain, plain
from armdyn.errors import ArmdynError, InputError, LogError, RobotError, shown

# Declarations of options: default values of the parameters of a verb, or of the fields of a group.


def option(
    help_text: str,
    metavar: str | None = None,
    *,
    default: Any = None,
    name: str | None = None,
    shown: str | bool = True,
    **settings: Any,
) -> Any:
    """Declare an option; one of type `bool` has a negation, such as --rotor and --no-rotor.

    Args:
        help_text: a line that says what the option does.
        metavar: placeholder of the value in the help.
        default: value without the option; ``...``: the option is required.
        name: of the option, if it is not that of the parameter.
        shown: the default in words, where the value does not say it.
        settings: further arguments of `typer.Option`.
    """
    names = () if name is None else (name,)
    return typer.Option(
        default, *names, metavar=metavar, help=help_text, show_default=shown, **settings
    )


def flag(name: str, help_text: str) -> Any:
    """Declare an option without a value and without a negation."""
    return option(help_text, default=False, name=name)


def argument(metavar: str, help_text: str, default: Any = ...) -> Any:
    """Declare an argument, required unless it has a default."""
    return typer.Argument(default, metavar=metavar, help=help_text)


def out_folder(default: Any = None) -> Any:
    """Declare the option for the folder of the results."""
    return option("Output folder.", "DIR", default=default, name="--out")


# Groups of options that several verbs share.


def with_groups(function: Callable[..., None]) -> Callable[..., None]:
    """Return a verb's function with the fields of its option groups as parameters of their own.

    A group is a dataclass whose fields are declared like parameters of a verb. A verb has the group
    if one of its parameters has that type; the function is called with an instance. Options of the
    groups are listed after those of the verb.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    if not groups:
        return function
    parameters: list[inspect.Parameter] = []
    shared: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            for field in _fields(groups[name]):
                (parameters if field.default is inspect.Parameter.empty else shared).append(field)
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(kind=kind, annotation=hints[name]))

    @wraps(function)
    def call(**values: Any) -> None:
        for name, group in groups.items():
            own = {field.name: values.pop(field.name) for field in fields(group)}
            values[name] = group(**own)
        function(**values)

    listed = [*parameters, *shared]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in listed}
    cast(Any, call).__signature__ = inspect.Signature(listed)
    return call


def _fields(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


# Panels of the help in their order, after that of all other options, with their options.
PANELS = {
    "Output": "out plot animate markdown json latex python force into merge-branches "
    "require-passed",
    "Model": "friction no-friction rotor physical prior tilt coupling extra stiction",
    "Preprocessing": "cutoff trim delay flip dead-band decimate weights robust",
    "Limits": "position velocity acceleration effort margin speed tolerance",
    "Obstacles": "floor wall self-collision radius clearance",
    "Integrator": "integrator rtol step",
    "Simulated measurements": "measured noise-q noise-tau quantisation jitter",
    "Many arms": "arms spread-q spread-links",
    "Log": "columns units time-unit torque-unit gear sort drop-missing",
    "Robot": "robot tip base without-links strict no-strict waive snap arg packages",
    "Parallel computation": "workers cluster part",
}
PANEL_OF = {f"--{name}": panel for panel, names in PANELS.items() for name in names.split()}

# Former names of options: of every verb that has the new one, and of single verbs.
RENAMED = {"--output": "--out", "--without": "--without-links"}
RENAMED_IN = {
    "identify": {"--strict": "--require-passed"},
    "payload": {"--without": "--empty"},
    "gains": {"--without": "--empty"},
    "excite": {"--torque": "--effort"},
    "bench": {"--json": "--out"},
}

# The key of the words of a command in the context's `meta`.
WORDS = "armdyn.words"


class Verb(TyperCommand):
    """A verb of the command line, with panels of options and former names of options.

    Messages name its options while it runs and afterwards.
    """

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        known = {option for parameter in self.params for option in parameter.opts}
        own = RENAMED_IN.get(name or "", {})
        self._renamed = {old: new for old, new in RENAMED.items() if new in known} | own
        for parameter in cast("list[Any]", self.params):
            # a former name leads to the new one, even if it has another meaning elsewhere
            names = [own.get(option, option) for option in parameter.opts]
            parameter.opts = [n for n, old in zip(names, parameter.opts, strict=True)
                              if n == old or n not in known]  # fmt: skip
            if "--out" in parameter.opts and "-o" not in parameter.opts:
                parameter.opts.append("-o")
            if getattr(parameter, "help", None):
                parameter.help = escape(parameter.help)  # [s] is a unit, not markup
            if parameter.param_type_name == "option" and parameter.rich_help_panel is None:
                parameter.rich_help_panel = PANEL_OF.get(_option(parameter))
        order = [None, *PANELS]
        self.params.sort(key=lambda p: order.index(getattr(p, "rich_help_panel", None)))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a command, in which options may have former names."""
        _declared.set({})  # errors of other words than options name none
        ctx.meta[WORDS] = words = self._with_new_names(args)
        _command.set((ctx.command_path, *words))
        return super().parse_args(ctx, list(words))

    def _with_new_names(self, args: Sequence[str]) -> list[str]:
        """Return the words of a command with new names of options; former ones are a warning."""
        takes_value = _with_values(self.params)
        words: list[str] = []
        for k, word in enumerate(args):
            if word == "--":
                return [*words, *args[k:]]
            old, equals, value = word.partition("=")
            new = self._renamed.get(old)
            if new is None or (words and words[-1] in takes_value):
                words.append(word)
                continue
            complain(f"warning: {old} is deprecated here, use {new}.")
            words.append(f"{new}{equals}{value}")
        return words

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        _declared.set({parameter.name: parameter for parameter in self.params})
        return super().invoke(ctx)


def _with_values(parameters: Iterable[Any]) -> set[str]:
    """Return the names of options that take a value."""
    return {
        option
        for parameter in parameters
        if parameter.param_type_name == "option" and not parameter.is_flag
        for option in parameter.opts
    }


# Values of options.


def separated(
    name: str, words: str, expected: str, *counts: int, separator: str = ","
) -> list[float]:
    """Return the numbers of an option.

    Args:
        name: of the option, without dashes.
        words: its value.
        expected: what the value should be, for the error message.
        counts: how many numbers there may be; any number if left out.
        separator: of the numbers.
    """
    try:
        values = [float(word) for word in words.split(separator)]
    except ValueError:
        values = []
    if not values or (counts and len(values) not in counts):
        raise InputError(f"--{name} is {shown(words)}, expected {expected}.")
    return values


def numbers(name: str, words: str | None) -> float | list[float] | None:
    """Return the value of an option: one number, or one for each joint, separated by commas."""
    if words is None:
        return None
    values = separated(name, words, "a number, or one for each joint by commas")
    return values[0] if len(values) == 1 else values


# Messages about arguments, in terms of the options of the running verb.
#
# Messages of armdyn name arguments as in Python: `until`, or strict=False. Each option is declared
# under the name of its argument, so the declarations of a verb give the name on the command line:
# --until, --no-strict.

# A Python literal after the name of an argument: name=literal.
LITERAL = r"True|False|None|\"[^\"]*\"|'[^']*'|\{[^{}]*\}|\([^()]*\)|-?\d[\d.e+-]*\d|\d"

# The arguments of `load` that errors about a description may name.
OF_ROBOTS = ("base", "tip", "strict", "snap", "waive", "without_links", "packages", "arguments")

# The words of the running command, and the parameters of its verb by the name of the argument.
_command: ContextVar[tuple[str, ...]] = ContextVar("_command", default=())
_declared: ContextVar[Mapping[str, Any]] = ContextVar("_declared", default={})  # noqa: B039


def error_in_options(error: ArmdynError) -> str:
    """Return the message of an error; it names the option whose argument is wrong."""
    if isinstance(error, RobotError):  # its other arguments belong to joints and links
        return in_options(str(error), OF_ROBOTS)
    if isinstance(error, LogError) and error.columns and _command.get():
        each = [("--columns", f"{what}={names}") for what, names in error.columns.items()]
        whole = command_with([word for pair in each for word in pair])
        return re.sub(r"columns=\{[^{}]*\}\.?$", lambda _: whole, str(error))
    words = in_options(str(error))
    parameter = _declared.get().get(error.argument or "")
    if parameter is None or (option := _option(parameter)) in words:
        return words
    return f"{option}: {words}"


def command_with(options: Iterable[str]) -> str:
    """Return the running command with further options, to be pasted into a shell."""
    path, *words = _command.get() or ("armdyn",)
    at = words.index("--") if "--" in words else len(words)
    return plain(f"{path} {shlex.join([*words[:at], *options, *words[at:]])}")


def options_but(*names: str) -> str:
    """Return the options of the running command but some, to be pasted into a shell."""
    takes_value = _with_values(_declared.get().values())
    words, kept = iter(_command.get()[1:]), list[str]()
    for word in words:
        if word == "--":
            break
        name = word.partition("=")[0]
        value = [next(words, "")] if word in takes_value else []
        if name.startswith("-") and name not in names:
            kept += [word, *value]
    return plain(shlex.join(kept))


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
        return " ".join(f"{option} {_quoted(f'{key}={_by_commas(item)}')}" for key, item in items)
    return f"{option} {_quoted(_by_commas(value))}"


def _quoted(text: str) -> str:
    """Return a word as a shell takes it; letters of all scripts need no quotes."""
    return text if re.fullmatch(r"[\w@%+=:,./-]+", text) else shlex.quote(text)


def _value(literal: str) -> object:
    """Return the value of a literal; what a user wrote may only look like one."""
    try:
        return cast(object, ast.literal_eval(literal))
    except (ValueError, SyntaxError):
        return literal


def _by_commas(value: object) -> str:
    """Return several values in command-line form: with commas."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, cast("Iterable[object]", value)))
    return str(value)
