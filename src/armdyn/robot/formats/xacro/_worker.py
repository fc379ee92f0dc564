"""Expand xacro files, in an isolated process.

xacro runs Python expressions of the file, reads files that it names, and keeps its state in its
module. Here expressions may use no private names, so that they stay what they are meant to be,
arithmetic; files are read from permitted folders only; document types are refused; and elements
know their lines, for messages. Expressions that take all time or memory cost this process only.
"""

from __future__ import annotations

import ast
import os
import re
import xml.dom.minidom as minidom
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar
from xml.parsers.expat import ExpatError

import xacro as _xacro  # pyright: ignore[reportMissingTypeStubs]
import xacro.substitution_args as _substitution_args  # pyright: ignore[reportMissingTypeStubs]
import xacrodoc as _xacrodoc  # pyright: ignore[reportMissingTypeStubs]
from defusedxml.common import DefusedXmlException
from defusedxml.expatbuilder import DefusedExpatBuilderNS

xacro: Any = _xacro  # their types are not complete
substitution_args: Any = _substitution_args
xacrodoc: Any = _xacrodoc

# Functions that reach private names through text.
FORBIDDEN = ("format", "format_map")

LARGEST_FILE = 5_000_000


class _Refused(Exception):
    """What the file asks for is not permitted."""


class _Request:
    """The request that is answered: its file, the permitted folders, and the arguments seen."""

    path: ClassVar[str] = ""
    roots: ClassVar[tuple[str, ...]] = ()
    trusted: ClassVar[tuple[str, ...]] = ()
    seen: ClassVar[set[str]] = set()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the expanded text and the file's arguments, or the error and its place."""
    _Request.path, _Request.roots = request["path"], tuple(request["roots"])
    _Request.trusted = tuple(request["trusted"])
    _Request.seen = set()
    xacrodoc.packages.reset()
    if request["folders"]:
        xacrodoc.packages.look_in(request["folders"])
    direct = _packages([*request["folders"], request["own"]])
    xacrodoc.packages.update_package_cache(direct)
    xacro.init_stacks(request["path"])
    try:
        document = xacrodoc.XacroDoc.from_file(
            request["path"], walk_up=False, subargs=dict(request["arguments"]),
            resolve_packages=False,
        )  # fmt: skip
        return {"text": document.dom.toxml(), "arguments": sorted(_Request.seen)}
    except (Exception, RecursionError) as error:
        return _failure(error)


def _packages(folders: list[str]) -> dict[str, str]:
    """Return packages that are these folders or lie directly in them, by name."""
    found: dict[str, str] = {}
    for folder in map(Path, folders):
        for path in (folder, *(sorted(folder.iterdir()) if folder.is_dir() else ())):
            if path.is_dir():
                found.setdefault(_package_name(path), str(path))
    return found


def _package_name(folder: Path) -> str:
    """Return the name in the file of a package; that of the folder if it has none."""
    try:
        text = (folder / "package.xml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return folder.name
    name = re.search(r"<name>\s*([^<>\s]+)\s*</name>", text)
    return name[1] if name else folder.name


# --- what is replaced in xacro


class _LinedBuilder(DefusedExpatBuilderNS):
    """Builds a document whose elements know their file and line."""

    file = ""

    def start_element_handler(self, name: Any, attributes: Any) -> None:
        super().start_element_handler(name, attributes)
        node: Any = self.curNode
        node.armdyn_place = (self.file, self.getParser().CurrentLineNumber)


def _parse(source: Any, filename: str | None = None) -> Any:
    """Parse a text, or a file from a permitted folder."""
    if source is None:
        path = _permitted(filename or "")
        around = [os.path.realpath(one) for one in xacro.filestack[:-1] if one]
        if os.path.realpath(path) in around:
            raise _Refused("the file includes itself, directly or through others")
        with open(path, "rb") as file:
            source = file.read(LARGEST_FILE + 1)
    elif not isinstance(source, str):
        return source
    if len(source) > LARGEST_FILE:
        raise _Refused(f"the file has more than {LARGEST_FILE / 1e6:.0f} MB")
    text = source if isinstance(source, str) else source.decode("utf-8", errors="replace")
    _Request.seen.update(re.findall(r"\$\(arg\s+([^\s)]+)\s*\)", text))
    builder = _LinedBuilder(forbid_dtd=True)
    builder.file = filename or _Request.path
    document = builder.parseString(source)
    for element in document.getElementsByTagName("xacro:arg"):
        _Request.seen.add(element.getAttribute("name"))
    return document


_absolute = xacro.abs_filename_spec


def _permitted(filename: str) -> str:
    """Return the path of a file that xacro may read.

    Folders of the environment may be full of links to elsewhere; in others, a link out of them is
    refused.
    """
    path = os.path.abspath(_absolute(filename))
    real = os.path.realpath(path)
    if not _is_below(real, _Request.roots) and not _is_below(path, _Request.trusted):
        raise _Refused(
            f"it names the file {filename[:200]!r}, which is in none of its packages; to permit "
            f"that, pass the folder: packages=[{os.path.dirname(path)!r}]"
        )
    if os.path.exists(path) and not os.path.isfile(path):
        raise _Refused(f"{filename[:200]!r} is not a regular file")
    return path


def _is_below(path: str, roots: tuple[str, ...]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)


def _checked_expression(text: str) -> None:
    """Refuse expressions that reach for private names."""
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        names = [getattr(node, key, None) for key in ("id", "attr", "arg")]
        for name in names:
            if isinstance(name, str) and (name.startswith("__") or name in FORBIDDEN):
                raise _Refused(f"the expression uses {name!r}, which is refused for safety")
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise _Refused(f"the expression uses {node.attr!r}, which is refused for safety")
        if isinstance(node, ast.Lambda):
            raise _Refused("the expression defines a function, which is refused for safety")


_evaluate = xacro.safe_eval


def _safe_eval(expression: str, globals: Any, locals: Any = None) -> Any:
    _checked_expression(expression)
    return _evaluate(expression, globals, locals)


def _substituted(text: str, context: dict[str, Any]) -> str:
    """Evaluate $(eval ...) without Python's built-in functions."""
    _checked_expression(text)
    given = context.setdefault("arg", {})
    names: dict[str, Any] = {
        name: value for name, value in substitution_args._eval_dict.items() if name[:2] != "__"
    }
    names |= substitution_args._eval_dict["__builtins__"]
    names |= {name: substitution_args.convert_value(value, "auto") for name, value in given.items()}

    def value_of(name: str) -> Any:
        return substitution_args.convert_value(given[name], "auto")

    names["arg"] = value_of
    return str(eval(text, {"__builtins__": {}}, names))


_minidom: Any = minidom
_clone: Any = _minidom._clone_node


def _clone_with_place(node: Any, deep: Any, owner: Any) -> Any:
    copy: Any = _clone(node, deep, owner)
    if hasattr(node, "armdyn_place"):
        copy.armdyn_place = node.armdyn_place
    return copy


xacro.parse = _parse
xacro.safe_eval = _safe_eval
xacro.abs_filename_spec = _permitted
substitution_args._eval = _substituted
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
    if isinstance(error, xacrodoc.packages.PackageNotFoundError):
        return (
            f"there is no package {error.args[0]!r}; pass the folder it is in: packages=[...], or "
            "set ROS_PACKAGE_PATH or AMENT_PREFIX_PATH"
        )
    if isinstance(error, substitution_args.ArgException):
        return f"the argument {str(error)!r} has no value; pass arguments={{{str(error)!r}: ...}}"
    if isinstance(error, RecursionError):
        return "macros or properties call each other without end"
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
