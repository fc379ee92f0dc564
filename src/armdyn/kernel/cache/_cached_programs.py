"""Results of tracing, cached on disk beside the object code.

Tracing a method takes a fraction of a second, and choosing the cheapest method traces all of them.
The results are plain data. The caller supplies the key: everything that the results depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress

from armdyn.errors import GraphError
from armdyn.graph import Program
from armdyn.kernel.cache._cache import default_cache, key
from armdyn.kernel.cache._program_text import program_from_text, program_text


def cached_program(decided_by: Collection[str], make: Callable[[], Program]) -> Program:
    """Return a program from the cache, or make it and store it there.

    Args:
        decided_by: everything that the program depends on, as text.
        make: traces the program.
    """
    cache = default_cache()
    name = key("program", *decided_by)
    data = cache.get(name) if cache else None
    if data is not None:
        with suppress(GraphError):  # it is made again
            return program_from_text(data)
    program = make()
    if cache:
        cache.put(name, program_text(program).encode())
    return program


def cached_choice(
    decided_by: Collection[str], choices: Collection[str], make: Callable[[], str]
) -> str:
    """Return the chosen one of some names from the cache, or choose it and store it there."""
    cache = default_cache()
    name = key("choice", *decided_by, *choices)
    data = cache.get(name) if cache else None
    if data is not None and (chosen := data.decode(errors="replace")) in choices:
        return chosen
    chosen = make()
    if cache:
        cache.put(name, chosen.encode())
    return chosen
