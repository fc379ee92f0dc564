"""Every public function, class and method is documented and shows an example that runs.

Functions and methods have a summary in the imperative, `Args` for each argument, `Returns` and
`Raises`; constructors have `Args` or `Attributes`; properties have a summary and a unit.

Examples assume ``import armdyn`` and ``import numpy as np``. They run in a folder with some small
logs (`support.example_logs`), arrays print with four digits, and ``...`` stands for any text.
"""

from __future__ import annotations

import doctest
import inspect
import re
import textwrap
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import armdyn
import armdyn.control
import armdyn.errors
import armdyn.motion
import armdyn.view
from armdyn.arm.traced import ProgramView
from support.example_logs import write_example_logs
from support.pages import not_installed

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


# Classes that are defined in two files.
PARTS: dict[type, type] = {armdyn.Function: ProgramView}


def _methods(cls: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties that a class defines itself."""
    part = vars(PARTS[cls]) if cls in PARTS else {}
    for name, member in {**part, **vars(cls)}.items():
        if name == "__call__" or not name.startswith("_"):
            function = getattr(member, "__func__", member)  # of a class method
            method = inspect.isfunction(function) or name == "__call__"
            if method or isinstance(member, (property, cached_property)):
                yield name, function


def _public() -> dict[str, object]:
    """Return all public functions, classes, methods and properties by their dotted names."""
    public: dict[str, object] = {}
    errors = [name for name in dir(armdyn.errors) if name.endswith(("Error", "Warning"))]
    modules = {module: module.__all__ for module in (armdyn, armdyn.motion, armdyn.control)}
    modules |= {armdyn.view: armdyn.view.__all__, armdyn.errors: errors}
    for module, listed in modules.items():
        for name in listed:
            value = getattr(module, name)
            full = f"{module.__name__}.{name}"
            public[full] = value
            if isinstance(value, type) and value.__module__.startswith("armdyn"):
                public |= {f"{full}.{key}": member for key, member in _methods(value)}
    return public


PUBLIC = _public()
EXAMPLES = {
    name: examples
    for name, value in PUBLIC.items()
    if (examples := doctest.DocTestParser().get_examples(inspect.getdoc(value) or "", name))
}


def _needs_example(value: object) -> bool:
    """Properties and errors explain themselves; all else shows how it is called."""
    is_error = isinstance(value, type) and issubclass(value, BaseException)
    return not (is_error or isinstance(value, (property, cached_property)))


def test_every_public_name_has_an_example() -> None:
    without = {name for name, value in PUBLIC.items() if _needs_example(value)} - set(EXAMPLES)
    assert sorted(without) == []


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing := not_installed("".join(example.source for example in EXAMPLES[name])):
        pytest.skip(f"{', '.join(missing)} is not installed")
    monkeypatch.chdir(tmp_path)
    write_example_logs(tmp_path)
    scope = {"armdyn": armdyn, "np": np}
    of_class = EXAMPLES.get(name.rpartition(".")[0], [])
    test = doctest.DocTest([*of_class, *EXAMPLES[name]], scope, name, None, None, None)
    output: list[str] = []
    with np.printoptions(precision=4, suppress=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=output.append)
    assert result.failed == 0, "".join(output)


# Verbs that begin the summary of a function.
VERBS = frozenset(
    "Check Choose Close Compute Convert Count Draw Estimate Evaluate Find Forget Go Identify Join "
    "Let Load Open Play Plot Process Read Return Simulate Stop Test Wait Write".split()
)
# Classes that armdyn makes: their constructors are not public.
MADE_BY_ARMDYN: tuple[type, ...] = (
    armdyn.Function,
    armdyn.MinimalParameters,
    armdyn.SymbolicModel,
    armdyn.motion.TimeOptimal,
    armdyn.motion.TimeOptimalPaths,
    armdyn.view.Viewer,
)
# Docstrings of this package have examples, but not yet all sections.
UNCHECKED = "armdyn.identification"


def _code(value: object) -> object:
    """Return the function that computes a property; other values as they are."""
    return getattr(value, "fget", None) or getattr(value, "func", None) or value


CHECKED = {k: v for k, v in PUBLIC.items() if not _code(v).__module__.startswith(UNCHECKED)}
FUNCTIONS = {name: value for name, value in CHECKED.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in CHECKED.items() if isinstance(value, type)}
PROPERTIES = {name: _code(value) for name, value in CHECKED.items() if _code(value) is not value}


def _sections(value: object) -> dict[str, str]:
    """Return the sections of a docstring by their titles; the summary and text have none."""
    parts = re.split(r"^(\w+):\n", inspect.getdoc(value) or "", flags=re.M)
    return dict(zip(["", *parts[1::2]], parts[::2], strict=True))


def _described(text: str) -> set[str]:
    """Return the names that a section describes."""
    lines = re.findall(r"^    ([*\w, ]+):", text, re.M)
    return {name.strip("* ") for line in lines for name in line.split(",")}


def _arguments(function: object) -> list[str]:
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
    return [name for name in parameters if name not in ("self", "cls")]


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function_has_all_sections(name: str) -> None:
    function = FUNCTIONS[name]
    sections = _sections(function)
    summary = sections[""].partition("\n")[0]
    assert summary.endswith("."), "the summary is one sentence on one line"
    assert summary.split()[0] in VERBS, "the summary begins with a verb in the imperative"
    missing = [x for x in _arguments(function) if x not in _described(sections.get("Args", ""))]
    assert missing == [], "arguments without a description"
    assert "Returns" in sections or inspect.signature(function).return_annotation == "None"
    raises = re.search(r"^\s+raise ", textwrap.dedent(inspect.getsource(function)), re.M)
    assert "Raises" in sections or not raises


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_class_describes_its_arguments(name: str) -> None:
    cls = CLASSES[name]
    sections = _sections(cls)
    assert sections[""].partition("\n")[0].endswith(".")
    if cls in MADE_BY_ARMDYN or issubclass(cls, (Exception, str)):
        return
    own = _sections(cls.__init__)  # type: ignore[misc]
    texts = (sections.get("Attributes", ""), sections.get("Args", ""), own.get("Args", ""))
    missing = [x for x in _arguments(cls) if x not in set().union(*map(_described, texts))]
    assert missing == [], "arguments without a description"


@pytest.mark.parametrize("name", sorted(PROPERTIES))
def test_property_has_a_summary_and_a_unit(name: str) -> None:
    text = inspect.getdoc(PROPERTIES[name]) or ""
    assert text.partition("\n")[0].endswith("."), "the summary is one sentence on one line"
    if PROPERTIES[name].__annotations__.get("return") in ("float", "float | None", "Array"):
        assert re.search(r"\[.+\]|no unit|units", text), "numbers have a unit, or say `no unit`"
