"""`BlockTask`: a function of an arm that is applied to the blocks of Dask arrays."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from armdyn._fork_safe import brief_lock
from armdyn.errors import ArmdynError

# Tasks that a process keeps. Without them, every block would load its machine code again.
MOST_KEPT = 64

_kept: OrderedDict[str, BlockTask] = OrderedDict()
_lock = brief_lock()


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
    """Return the task of a token that this process keeps, or unpickle it."""
    with _lock:
        task = _kept.get(token)
        if task is not None:
            _kept.move_to_end(token)
            return task
    task = BlockTask(*pickle.loads(pickled))
    with _lock:
        _kept[token] = task
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return task
