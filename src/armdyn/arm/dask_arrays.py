"""Dask arrays as arguments: checked by dtype and shape alone, and functions applied to blocks."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from armdyn.checks import checked_flag
from armdyn.errors import ArmdynError, InputError
from armdyn.kernel.batch import wanted_threads
from armdyn.kinematics.branches import NOT_BOTH, SPARE, check_lead, checked_spare
from armdyn.kinematics.inverse_kinematics import checked_start
from armdyn.kinematics.poses import SEVERAL, check_shape, shaped_poses
from armdyn.kinematics.turns import Branches
from armdyn.programs.arguments import (
    check_state_shape,
    checked_lazy,
    checked_state,
    common_lead,
    dask_array,
    is_lazy,
)
from armdyn.programs.sized_lru import PROGRAMS

if TYPE_CHECKING:
    from armdyn.arm.arm import Arm
    from armdyn.arm.function import Function

# `BlockTask`: a function of an arm that is applied to the blocks of Dask arrays.

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


# Dask arrays as arguments: checked by dtype and shape alone, and functions applied to them.

Shape = tuple[int, ...]


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
    da = dask_array()
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


# Functions called with Dask arrays.


def lazy_call(f: Function, states: Sequence[Any], out: object, threads: int | None) -> Any:
    """Return the result of a function for states of which some are Dask arrays, lazily.

    Blocks are evaluated by one thread each, unless `threads` is given: Dask works on several
    blocks at once.
    """
    refuse_out(out)
    wanted_threads(threads)
    slots = f.program.inputs
    arrays: list[Any] = []
    for state, slot in zip(states, slots, strict=True):
        n = slot.shape[0]
        if is_lazy(state):
            what = f"real numbers of shape (..., {n}) for robot {f.robot!r}"
            arrays.append(checked_lazy(state, slot.name, what, f.dtype))
            check_state_shape(state.shape, slot.name, n, f.robot)
        else:
            arrays.append(checked_state(state, slot.name, n, f.robot, f.dtype))
    lead = common_lead(arrays, [slot.name for slot in slots])
    task = BlockTask(f.quantity, f, {"threads": 1 if threads is None else threads})
    outputs = [(slot.shape, f.dtype) for slot in f.program.outputs]
    results = applied(task, arrays, [slot.shape for slot in slots], outputs, lead)
    return results[0] if len(results) == 1 else tuple(results)


# Inverse kinematics of Dask arrays of poses.

POSE = (4, 4)


def lazy_inverse_kinematics(arm: Arm, pose: Any, start: Any, out: object, **options: Any) -> Any:
    """Return joint positions ``(..., n)`` for poses, lazily; see `Arm.inverse_kinematics`."""
    refuse_out(out)
    if checked_flag(options["follow"], "follow"):
        raise InputError(
            "`follow` needs all poses of a path at once, and Dask arrays come in blocks; compute "
            "them first.",
            argument="follow",
        )
    arrays, core = [_poses(pose, "pose")], list[Shape]([POSE])
    lead = arrays[0].shape[:-2]
    arm.inverse_kinematics(np.empty((0, *POSE)), **options)  # tells wrong options now
    if start is not None:
        arrays.append(_start(arm, start, lead))
        core.append((arm.n,))
    task = BlockTask("inverse_kinematics", arm.inverse_kinematics, options)
    return applied(task, arrays, core, [((arm.n,), arm.dtype)], lead)[0]


def lazy_inverse_kinematics_all(
    arm: Arm, poses: Any, redundancy: Any, swivel: Any, out: object, **options: Any
) -> Branches:
    """Return all branches for poses, lazily; see `Arm.inverse_kinematics_all`."""
    refuse_out(out)
    name, spare = ("redundancy", redundancy) if swivel is None else ("swivel", swivel)
    if redundancy is not None and swivel is not None:
        raise InputError(NOT_BOTH, argument="swivel")
    arrays, core = [_poses(poses, "poses")], list[Shape]([POSE])
    lead, none = arrays[0].shape[:-2], np.empty((0, *POSE))
    if spare is None:
        empty = arm.inverse_kinematics_all(none, **options)
    else:
        nothing: Any = {name: np.empty(0)}
        empty = arm.inverse_kinematics_all(none, **nothing, **options)
        lazy = is_lazy(spare)
        given = checked_lazy(spare, name, SPARE) if lazy else checked_spare(spare, name)
        lead = check_lead(arrays[0], given, name)
        arrays.append(given)
        core.append(())
    B = empty.q.shape[-2]
    outputs = [((B, arm.n), arm.dtype), ((B,), np.bool_), ((B,), arm.dtype), ((), np.bool_)]
    task = BlockTask("inverse_kinematics_all", _Branches(arm, name), options)
    return Branches(*applied(task, arrays, core, outputs, lead))


class _Branches:
    """The branches of an arm as a tuple of arrays."""

    def __init__(self, arm: Arm, name: str) -> None:
        self.arm, self.name = arm, name

    def __call__(self, poses: Any, spare: Any = None, **options: Any) -> tuple[Any, ...]:
        given: Any = {self.name: spare}
        found = self.arm.inverse_kinematics_all(poses, **given, **options)
        return found.q, found.valid, found.margin, found.complete

    def __dask_tokenize__(self) -> object:
        return token_of(type(self).__name__, self.arm, self.name)


def _poses(value: Any, name: str) -> Any:
    if not is_lazy(value):
        return shaped_poses(name, value)
    checked_lazy(value, name, SEVERAL)
    check_shape(value.shape, name)
    return value


def _start(arm: Arm, value: Any, lead: Shape) -> Any:
    if not is_lazy(value):
        return checked_start(arm.robot.joints, value, lead=lead)
    shapes = (arm.n,), (*lead, arm.n)
    what = f"numbers of shape {' or '.join(map(str, dict.fromkeys(shapes)))}"
    checked_lazy(value, "start", what)
    if value.shape not in shapes:
        raise InputError(f"`start` has shape {value.shape}, expected {what}.", argument="start")
    return value


def stacked(arrays: Sequence[Any], axis: int, out: object) -> Any:
    """Return Dask arrays of one shape along a new axis."""
    refuse_out(out)
    return dask_array().stack(arrays, axis=arrays[0].ndim + 1 + axis)
