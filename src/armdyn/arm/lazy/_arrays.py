"""Dask arrays as arguments: checked by dtype and shape alone, and functions applied to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from armdyn._checks import REAL
from armdyn.arm._arguments import DOUBLE, check_precision, is_lazy
from armdyn.arm.lazy._task import BlockTask
from armdyn.errors import InputError

Shape = tuple[int, ...]


def checked_lazy(value: Any, name: str, what: str, dtype: np.dtype[Any] = DOUBLE) -> Any:
    """Return a Dask array of real numbers and known shape.

    Args:
        value: value of the argument, a collection of Dask.
        name: name of the argument.
        what: description of the expected array.
        dtype: the type of numbers that it is for.
    """
    if not isinstance(value, _dask_array().Array):
        raise InputError(
            f"`{name}` is a Dask {type(value).__name__}, expected a Dask array: {what}.",
            argument=name,
        )
    if value.dtype.kind not in REAL:
        raise InputError(
            f"`{name}` is a Dask array of {value.dtype}, expected {what}. `astype(float)` converts "
            "numbers that are stored as objects or text.",
            argument=name,
        )
    check_precision(value.dtype, dtype, name)
    if any(np.isnan(size) for size in value.shape):
        raise InputError(
            f"`{name}` is a Dask array with chunks of unknown sizes, its shape is {value.shape}; "
            f"expected {what}. Call its method `compute_chunk_sizes` first.",
            argument=name,
        )
    return value


def refuse_out(out: object) -> None:
    """Raise an error if a lazy result shall be written to an array."""
    if out is not None:
        raise InputError(
            "`out` is given, but results of Dask arrays are lazy and fill no array; leave it out, "
            "and compute or store the result.",
            argument="out",
        )


def applied(
    task: BlockTask,
    arrays: Sequence[Any],
    core: Sequence[Shape],
    outputs: Sequence[tuple[Shape, DTypeLike]],
    lead: Shape,
) -> list[Any]:
    """Return the lazy results of a task, whose chunks along the leading axes are those of arrays.

    Args:
        task: of blocks ``(..., *core)``; returns an array, or a tuple of several.
        arrays: of NumPy or Dask, ``(..., *core)`` each; leading axes broadcast.
        core: shapes of the last axes of each array.
        outputs: the same of the results, and their dtypes.
        lead: the leading axes of the results.
    """
    da = _dask_array()
    given = [_whole(da, x, len(shape)) for x, shape in zip(arrays, core, strict=True)]
    if 0 in lead:  # an axis of length 1 does not become one of length 0 by itself
        given = [da.broadcast_to(x, (*lead, *s)) for x, s in zip(given, core, strict=True)]
    sizes: dict[str, int] = {}
    signature = "->".join(
        ",".join(f"({','.join(_axes(kind, k, shape, sizes))})" for k, shape in enumerate(shapes))
        for kind, shapes in (("i", core), ("o", [shape for shape, _ in outputs]))
    )
    metas = [np.empty((0,) * (len(lead) + len(shape)), dtype) for shape, dtype in outputs]
    results = da.apply_gufunc(
        task,
        signature,
        *given,
        output_sizes={name: size for name, size in sizes.items() if name[0] == "o"},
        meta=tuple(metas) if len(metas) > 1 else metas[0],
        allow_rechunk=True,
    )
    return list(results) if len(metas) > 1 else [results]


def _whole(da: Any, array: Any, axes: int) -> Any:
    """Return an array as one of Dask whose last axes are in one chunk."""
    lazy = array if is_lazy(array) else da.asarray(array)
    split = [k for k in range(lazy.ndim - axes, lazy.ndim) if len(lazy.chunks[k]) > 1]
    return lazy.rechunk(dict.fromkeys(split, -1)) if split else lazy


def _axes(kind: str, number: int, shape: Shape, sizes: dict[str, int]) -> list[str]:
    """Return names for the axes of an input or output, and note their sizes."""
    named: Mapping[str, int] = {f"{kind}{number}_{k}": size for k, size in enumerate(shape)}
    sizes.update(named)
    return list(named)


def _dask_array() -> Any:
    """Return the module dask.array, which has no types of its own."""
    return import_module("dask.array")
