"""Every public function, class and method shows an example, and every example runs.

Examples assume ``import armdyn`` and ``import numpy as np``. They run in a folder with some small
logs (`support.example_logs`), arrays print with four digits, and ``...`` stands for any text.
"""

from __future__ import annotations

import doctest
import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import armdyn
import armdyn.control
import armdyn.motion
from armdyn.arm.traced import Traced
from support.example_logs import write_example_logs
from support.pages import not_installed

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


# Classes that are defined in two files.
PARTS: dict[type, type] = {armdyn.Function: Traced}


def _methods(cls: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties that a class defines itself."""
    part = vars(PARTS[cls]) if cls in PARTS else {}
    for name, member in {**part, **vars(cls)}.items():
        if name == "__call__" or not name.startswith("_"):
            function = getattr(member, "__func__", member)  # of a class method
            method = inspect.isfunction(function) or name == "__call__"
            if method or isinstance(member, property):
                yield name, function


def _public() -> dict[str, object]:
    """Return all public functions, classes, methods and properties by their dotted names."""
    found: dict[str, object] = {}
    for module in (armdyn, armdyn.motion, armdyn.control):
        for name in module.__all__:
            value = getattr(module, name)
            full = f"{module.__name__}.{name}"
            found[full] = value
            if isinstance(value, type) and value.__module__.startswith("armdyn"):
                found |= {f"{full}.{key}": member for key, member in _methods(value)}
    return found


PUBLIC = _public()
EXAMPLES = {
    name: examples
    for name, value in PUBLIC.items()
    if (examples := doctest.DocTestParser().get_examples(inspect.getdoc(value) or "", name))
}


def _needs_example(value: object) -> bool:
    """Properties and errors explain themselves; all else shows how it is called."""
    is_error = isinstance(value, type) and issubclass(value, BaseException)
    return not (is_error or isinstance(value, property))


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
    told: list[str] = []
    with np.printoptions(precision=4, suppress=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.append)
    assert result.failed == 0, "".join(told)
