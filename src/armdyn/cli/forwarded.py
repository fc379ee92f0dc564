"""Verbs whose code is in the repository beside the package, not in it.

They run from a clone that armdyn is installed from (`pip install -e .`, or `make`). Elsewhere they
are an error that says how to get them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import armdyn
from armdyn.errors import ArmdynError


class Forwarded(NamedTuple):
    """Where a verb is: a module in a folder of the repository, and what to say if it is absent."""

    folder: str
    module: str
    absent: str


FORWARDED: dict[str, Forwarded] = {
    "bench": Forwarded(
        "benchmarks",
        "bench",
        "the benchmarks are in the repository of armdyn and not in the installed package: "
        "clone the repository and run there: make bench",
    ),
}


def forwarded_module(verb: str) -> ModuleType:
    """Return the module of a forwarded verb; its function has the verb's name.

    Raises:
        ArmdynError: armdyn is not installed from a clone that has it.
    """
    folder, module, absent = FORWARDED[verb]
    source = Path(armdyn.__file__).resolve().parents[1]
    place = source.parent / folder
    if source.name != "src" or not (place / f"{module}.py").is_file():
        raise ArmdynError(absent)
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))
    return import_module(module)
