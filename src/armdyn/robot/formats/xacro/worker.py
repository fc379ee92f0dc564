"""Expand xacro files, in a confined process.

The package `xacro` evaluates Python expressions of the file, opens files that it names, and keeps
its state in its module. Here expressions are evaluated by `expressions`, whichever way xacro
reaches them; files, packages and globs are asked of the process outside, which permits some
folders only; document types are refused; and elements know their lines, for messages.
"""

from __future__ import annotations

import json
import os
import re
import xml.dom.minidom as minidom
from collections.abc import Callable
from types import SimpleNamespace, TracebackType
from typing import Any, ClassVar, NoReturn
from xml.parsers.expat import ExpatError

import xacro as _xacro  # pyright: ignore[reportMissingTypeStubs]
import xacro.substitution_args as _substitution_args  # pyright: ignore[reportMissingTypeStubs]
import yaml as _yaml  # pyright: ignore[reportMissingModuleSource]
from defusedxml.common import DefusedXmlException
from defusedxml.expatbuilder import DefusedExpatBuilderNS

from armdyn.robot.formats.isolated.serve import Refused
from armdyn.robot.formats.xacro.expressions import evaluate
from armdyn.robot.formats.xacro.reach import provide
from armdyn.robot.formats.xacro.values import MATH, PYTHON, Budget, Function, Namespace, checked

__all__ = ["answer", "provide"]

xacro: Any = _xacro  # their types are not complete
substitution_args: Any = _substitution_args
yaml: Any = _yaml

# Characters of an expanded file; arms have some ten thousand.
LARGEST_TEXT = 10_000_000

# What cloning an element, and finding expressions in a text, cost beside the steps of expressions.
CLONE_WORK, TEXT_WORK = 500, 20

# A parameter of a macro and its default, as in xacro, but in time that grows with the text only.
_DEFAULT = r"\$\{.*?\}|\$\(.*?\)|(?:'[^'\n]*'|\"[^\"\n]*\"|[^\s'\"])+|"
MACRO_PARAMETER = re.compile(r"^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?(" + _DEFAULT + r")(?:\s+|$)(.*)")


class _Request:
    """The request that is answered."""

    path: ClassVar[str] = ""
    arguments: ClassVar[set[str]] = set()
    packages: ClassVar[dict[str, str]] = {}
    ask: ClassVar[Callable[[dict[str, Any]], bytes]]


def answer(request: dict[str, Any], ask: Callable[[dict[str, Any]], bytes]) -> dict[str, Any]:
    """Return the expanded text and the file's arguments, or the error and its place."""
    _Request.path, _Request.ask = request["path"], staticmethod(ask)
    _Request.arguments, _Request.packages = set(), {}
    Budget.renew()
    xacro.init_stacks(request["path"])
    xacro.root_dir = request["cwd"]
    try:
        document = _parse(None, request["path"])
        xacro.process_doc(document, mappings=dict(request["arguments"]))
        text = document.toxml()
        if len(text) > LARGEST_TEXT:
            raise Refused(f"it expands to more than {LARGEST_TEXT / 1e6:.0f} MB: no arm")
        return {"text": text, "arguments": sorted(_Request.arguments)}
    except (Exception, RecursionError) as error:
        return _failure(error)


# --- what is replaced in xacro


class _LinedBuilder(DefusedExpatBuilderNS):
    """Builds a document whose elements know their file and line."""

    file = ""

    def start_element_handler(self, name: Any, attributes: Any) -> None:
        super().start_element_handler(name, attributes)
        node: Any = self.curNode
        node.armdyn_place = (self.file, self.getParser().CurrentLineNumber)


def _parse(source: Any, filename: str) -> Any:
    """Parse a file; `source` is None: xacro itself parses no text here."""
    around = [os.path.normpath(one) for one in xacro.filestack[:-1] if one]
    if os.path.normpath(filename) in around:
        raise Refused("the file includes itself, directly or through others")
    try:
        data = _Request.ask({"file": filename})
    except OSError as error:
        xacro.filestack.pop()
        raise xacro.XacroException(exc=error) from error  # which an optional include may ignore
    text = data.decode("utf-8", errors="replace")
    _Request.arguments.update(re.findall(r"\$\(arg\s+([^\s)]+)\s*\)", text))
    builder = _LinedBuilder(forbid_dtd=True)
    builder.file = filename
    document = builder.parseString(data)
    for element in document.getElementsByTagName("xacro:arg"):
        _Request.arguments.add(element.getAttribute("name"))
    return document


class _YamlLoader(yaml.SafeLoader):
    """Loads plain values, and numbers with the units of xacro."""


def _quantity(factor: float) -> Callable[[Any, Any], float]:
    def construct(loader: Any, node: Any) -> float:
        return float(evaluate(str(loader.construct_scalar(node)), _SYMBOLS)) * factor

    return construct


for _unit in xacro.ConstructUnits:
    _YamlLoader.add_constructor(_unit.value.tag, _quantity(_unit.value.conversion_constant))


def _load_yaml(filename: str) -> Any:
    path = xacro.abs_filename_spec(filename)
    text = _Request.ask({"file": path}).decode("utf-8", errors="replace")
    return checked(yaml.load(text, Loader=_YamlLoader))


def _evaluated(expression: str, globals: Any, locals: Any = None) -> Any:
    return evaluate(str(expression), globals)


def _substituted(text: str, context: dict[str, Any]) -> str:
    """Return the value of $(eval ...)."""
    given = context.setdefault("arg", {})
    names = {name: substitution_args.convert_value(value, "auto") for name, value in given.items()}
    return str(evaluate(text, {**names, **_SUBSTITUTION_SYMBOLS}))


def _argument(name: str) -> Any:
    return _argument_text(name, lambda text: substitution_args.convert_value(text, "auto"))


def _argument_text(name: str, convert: Callable[[str], Any] = str) -> Any:
    given = xacro.substitution_args_context["arg"]
    if name not in given:
        raise substitution_args.ArgException(name)
    return convert(given[name])


def _package(name: str) -> str:
    if name not in _Request.packages:
        _Request.packages[name] = _Request.ask({"package": name}).decode()
    return _Request.packages[name]


def _matches(pattern: str) -> list[str]:
    return json.loads(_Request.ask({"pattern": pattern}))


def _tokens(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    tokens = re.split(f"[{re.escape(sep)}]", text)
    return [token for token in tokens if token or not skip_empty]


def _fatal(*words: Any) -> NoReturn:
    raise xacro.XacroException(" ".join(map(str, words)))


def _message(*words: Any, **options: Any) -> str:
    return ""  # nobody reads what this process prints


def _no_eval(*arguments: Any) -> NoReturn:
    raise Refused("Python's `eval` is refused for safety")


_minidom: Any = minidom
_clone: Any = _minidom._clone_node
_eval_text: Any = xacro.eval_text


def _clone_with_place(node: Any, deep: Any, owner: Any) -> Any:
    Budget.spend(CLONE_WORK)
    copy: Any = _clone(node, deep, owner)
    if hasattr(node, "armdyn_place"):
        copy.armdyn_place = node.armdyn_place
    return copy


def _counted_text(text: str, symbols: Any) -> Any:
    Budget.spend(TEXT_WORK + len(text))
    return _eval_text(text, symbols)


_OWN = {
    "abs_filename": xacro.abs_filename_spec, "arg": _argument_text, "dotify": dict,
    "error": _message, "fatal": _fatal, "load_yaml": _load_yaml, "message": _message,
    "print_location": _message, "tokenize": _tokens, "warning": _message,
}  # fmt: skip
_XACRO = Namespace({name: Function(name, call) for name, call in _OWN.items()})

# What ${...} may use besides properties.
_SYMBOLS = {
    **PYTHON, **MATH, "math": MATH, "python": PYTHON, "xacro": _XACRO,
    **{name: _XACRO[name] for name in ("abs_filename", "dotify", "load_yaml")},
}  # fmt: skip

_ENVIRONMENT = {
    "arg": _argument, "env": substitution_args._eval_env, "find": _package,
    "optenv": substitution_args._eval_optenv,
}  # fmt: skip

# What $(eval ...) may use besides arguments.
_SUBSTITUTION_SYMBOLS = {
    **PYTHON, **MATH, "true": True, "false": False,
    **{name: Function(name, call) for name, call in _ENVIRONMENT.items()},
}  # fmt: skip

xacro.parse = _parse
xacro.safe_eval = _evaluated
xacro.load_yaml = _load_yaml
xacro.eval_text = _counted_text
xacro.glob = SimpleNamespace(glob=_matches)
xacro.re_macro_arg = MACRO_PARAMETER
xacro._global_symbols = _SYMBOLS
xacro.eval = substitution_args.eval = _no_eval
substitution_args._eval = _substituted
substitution_args._eval_find = _package
_minidom._clone_node = _clone_with_place


# --- errors


def _failure(error: BaseException) -> dict[str, Any]:
    """Return an error with the place of the element that xacro was at, and the macros around."""
    place: tuple[str, int] = (xacro.filestack[-1] or _Request.path, 0)
    macros: list[tuple[str, str, int]] = []
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        names = trace.tb_frame.f_locals
        for key in ("node", "elt", "tag"):
            place = getattr(names.get(key), "armdyn_place", place)
        if trace.tb_frame.f_code.co_name == "handle_macro_call" and "body" in names:
            called = getattr(names["node"], "armdyn_place", place)
            name = str(names["m"].body.getAttribute("name"))
            macros.append((name, _shown(called[0]), called[1]))
        trace = trace.tb_next
    inner, context = _cause(error)
    if isinstance(inner, ExpatError | DefusedXmlException):
        place = (xacro.filestack[-1] or _Request.path, getattr(inner, "lineno", 0))
    return {
        "error": " ".join(f"{_sentence(inner)} {context}".split())[:2000],
        "file": _shown(place[0]),
        "line": place[1],
        "macros": macros[::-1][:10],
    }


def _cause(error: BaseException) -> tuple[BaseException, str]:
    """Return the error that others wrap, and what they add."""
    context: list[str] = []
    while isinstance(error, xacro.XacroException):
        suffix, inner = getattr(error, "suffix", None), getattr(error, "exc", None)
        if suffix:
            context.append(str(suffix).strip())
        if inner is None:
            break
        error = inner
    return error, ", ".join(reversed(context))


def _sentence(error: BaseException) -> str:
    """Return what is wrong, and what to do about it."""
    if isinstance(error, DefusedXmlException):
        return (
            "the file declares a document type or entities (<!DOCTYPE ...>), which are refused for "
            "safety"
        )
    if isinstance(error, substitution_args.ArgException):
        return f"the argument {str(error)!r} has no value; pass arguments={{{str(error)!r}: ...}}"
    if isinstance(error, RecursionError):
        return "it nests too deeply: macros or properties may call each other without end"
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    if isinstance(error, OSError):
        return f"{error.strerror}: {error.filename}"
    if isinstance(error, ExpatError):
        return f"not well-formed XML, {error}"
    return str(error) or type(error).__name__


def _shown(file: str) -> str:
    """Return a path as seen from the folder of the file that is read."""
    return os.path.relpath(file, os.path.dirname(_Request.path))
