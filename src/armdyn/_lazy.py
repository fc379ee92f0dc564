"""Lazy imports: a package imports its names on first access."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

import armdyn._fork_safe  # noqa: F401  # pyright: ignore[reportUnusedImport] forks wait for imports


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package.

    Args:
        package: name of the package.
        homes: the module of each public name, relative to the package; "module:name" if the name
            differs there.
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, called = homes[name].partition(":")
        value: object = getattr(import_module(f"{package}.{module}"), called or name)
        setattr(sys.modules[package], name, value)
        return value

    return get
