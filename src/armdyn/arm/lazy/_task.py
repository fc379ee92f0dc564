"""`BlockTask`: a function of an arm that is applied to the blocks of Dask arrays."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from armdyn.arm.programs._sized_lru import PROGRAMS
from armdyn.errors import ArmdynError

# Bytes in memory of loaded machine code, measured for short programs, and of a task's objects for
# each byte that they take pickled.
CODE_BYTES, BYTES_PER_PICKLED = 100_000, 8


class BlockTask:
    """Calls a function with options on blocks.

    Its token depends on what it computes, so equal tasks have equal names in every graph. A process
    unpickles it once and keeps it with its machine code.
    """

    def __init__(self, name: str, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        """Prepare a task.

        Args:
            name: of its blocks in graphs.
            function: of arrays; Dask finds the same token for equal functions.
            options: its keyword arguments.
        """
        self.__name__ = name
        self.function = function
        self.options = dict(options)

    def __call__(self, *blocks: Any) -> Any:
        """Return the result for some blocks."""
        try:
            return self.function(*blocks, **self.options)
        except ArmdynError as error:
            error.args = (
                f"{error} (An index counts within one chunk of the Dask arrays.)",
                *error.args[1:],
            )
            raise

    def __dask_tokenize__(self) -> object:
        return token_of(type(self).__name__, self.function, self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        content = (self.__name__, self.function, self.options)
        return (_revived, (str(self.__dask_tokenize__()), pickle.dumps(content)))


def token_of(*parts: object) -> object:
    """Return what Dask makes names from, equal for equal parts."""
    return import_module("dask.tokenize").normalize_token(parts)


def _revived(token: str, pickled: bytes) -> BlockTask:
    """Return the task of a token that this process keeps, or unpickle it.

    Without it, every block would load its machine code again.
    """
    return PROGRAMS.get(
        ("task", token),
        lambda: BlockTask(*pickle.loads(pickled)),
        lambda _: CODE_BYTES + BYTES_PER_PICKLED * len(pickled),
    )
