"""Every name of armdyn that a benchmark uses exists: no script is left behind by a move."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(BENCHMARKS.rglob("*.py"))
OURS = ("armdyn", "armdyn_papers")

# Libraries that a script may need beside armdyn: without one of them it is not imported here.
OTHERS = (
    "casadi", "dask", "distributed", "eaik", "example_robot_data", "jax", "mujoco", "pinocchio",
    "playwright", "toppra", "torch",
)  # fmt: skip


def unknown_names(text: str) -> list[str]:
    """Return the names of armdyn in a program that do not exist, with their lines."""
    tree = ast.parse(text)
    modules = {local: name for name, local in _imported(tree)}
    asked = {(line, name) for line, name in _uses(tree, modules)}
    return [f"line {line}: {name}" for line, name in sorted(asked) if not _exists(name)]


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what is imported from our packages, and how the program calls it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in OURS:
                    top = alias.name.split(".")[0]
                    yield (alias.name, alias.asname) if alias.asname else (top, top)
        elif _is_ours(node):
            for alias in node.names:
                yield f"{node.module}.{alias.name}", alias.asname or alias.name


def _uses(tree: ast.AST, modules: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the imports, and all chains of attributes that start at something imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names if a.name.split(".")[0] in OURS)
        elif _is_ours(node):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Attribute):
            chain = _chain(node)
            if chain and chain[0] in modules:
                yield node.lineno, ".".join([modules[chain[0]], *chain[1:]])


def _is_ours(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS


def _chain(node: ast.expr) -> list[str]:
    """Return the names of a.b.c; none if it starts at anything but a name."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        before = _chain(node.value)
        return [*before, node.attr] if before else []
    return []


def _exists(name: str) -> bool:
    """Whether a name is a module, or is reached from one by attributes."""
    words = name.split(".")
    for k in range(len(words), 0, -1):
        try:
            found = import_module(".".join(words[:k]))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(OURS):
                raise
            continue
        try:
            reduce(getattr, words[k:], found)
        except AttributeError:
            return False
        return True
    return False


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(BENCHMARKS).as_posix())
def test_script_is_imported_and_its_names_exist(path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # some scripts add to it
    assert unknown_names(path.read_text(encoding="utf-8")) == []
    name = ".".join(path.relative_to(BENCHMARKS).with_suffix("").parts).removesuffix(".__init__")
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in OTHERS:
            raise
        pytest.skip(f"{error.name} is not installed")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("from armdyn.log.signals import prepared_never", 1),
        ("from armdyn.log.nowhere import prepare", 1),
        ("import armdyn.nowhere", 1),
        ("import armdyn\nx = armdyn.log.prepare", 2),
        ("import armdyn\ndef f():\n    return armdyn.identifies(1).x", 3),
        ("from armdyn.identification import arguments as a\na.at_no_times", 2),
        ("from armdyn import Arm\nArm.no_such_function", 2),
        ("from armdyn_papers.claims import nothing", 1),
    ],
)
def test_an_unknown_name_is_found(text: str, line: int) -> None:
    (told,) = unknown_names(text)
    assert told.startswith(f"line {line}: armdyn")


def test_names_that_exist_are_not_told() -> None:
    text = """
import armdyn
import armdyn.log.signals
from armdyn.identification import arguments as a
from armdyn import Arm, load as read
armdyn.log.signals.prepare
armdyn.Arm.inverse_dynamics
a.at_source_times
read("planar2").nothing
other.armdyn.nothing
"""
    assert unknown_names(text) == []
