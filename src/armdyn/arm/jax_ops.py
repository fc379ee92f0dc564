"""Functions of JAX arrays that call the compiled kernel.

A kernel is a primitive of JAX, so that all its transformations apply: `jit`, `vmap`, forward and
reverse mode, any number of times. Derivatives are kernels too. On a CPU, XLA calls a kernel through
its foreign function interface, without Python. For other devices the traced program is lowered to
operations of XLA. If jaxlib has another version of that interface, or JAX has no primitives as
expected, the traced program is all there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.arm.kernel_op import KernelOp, kernel_op_of
from armdyn.errors import InputError
from armdyn.export.libraries import check_sizes, to_jax
from armdyn.files import imported
from armdyn.fork_safe import first_use
from armdyn.graph.program import Program, Slot
from armdyn.kernel.call.xla import API
from armdyn.programs.arguments import DOUBLE, check_precision

# The C header that comes with jaxlib, in its folder of headers, and the versions that it defines.
HEADER = "xla/ffi/api/c_api.h"
VERSION = r"#define XLA_FFI_API_MAJOR (\d+)\b.*?#define XLA_FFI_API_MINOR (\d+)\b"


def jax_function(program: Program, dtype: np.dtype[Any] = DOUBLE) -> Callable[..., Any]:
    """Return a function of JAX arrays ``(..., n)`` that computes with numbers of a type."""
    jnp: Any = imported("jax.numpy", "the function in JAX")
    compute: Callable[..., Sequence[Any]]
    if kernels_work():
        compute = partial(_primitive().bind, op=kernel_op_of(program, dtype))
    else:
        compute = partial(_traced, program)

    def function(*states: Any) -> Any:
        _check_double(dtype)
        arrays = [x if hasattr(x, "dtype") else jnp.asarray(x, dtype) for x in states]
        arrays = [jnp.asarray(x) for x in arrays]
        check_sizes(program, [a.shape[-1] if a.ndim else 0 for a in arrays])
        for array, slot in zip(arrays, program.inputs, strict=True):
            _check_type(array, slot)
            check_precision(array.dtype, dtype, slot.name)
        lead = jnp.broadcast_shapes(*(a.shape[:-1] for a in arrays))
        given = [jnp.broadcast_to(a.astype(dtype), (*lead, a.shape[-1])) for a in arrays]
        results = [
            part.reshape((*lead, *slot.shape))
            for part, slot in zip(compute(*given), program.outputs, strict=True)
        ]
        return results[0] if len(results) == 1 else tuple(results)

    return function


@lru_cache(maxsize=1)
def kernels_work() -> bool:
    """Return whether JAX can call kernels: it has the expected interfaces."""
    try:
        return ffi_version() == API and _primitive() is not None
    except Exception:  # anything unexpected: the traced program always works
        return False


def ffi_version() -> tuple[int, int] | None:
    """Return the version of XLA's foreign function interface in jaxlib, as its header says."""
    ffi: Any = import_module("jax.ffi")
    header = Path(ffi.include_dir()) / HEADER
    found = re.search(VERSION, header.read_text(encoding="utf-8"), re.S)
    return (int(found[1]), int(found[2])) if found else None


def _check_double(dtype: np.dtype[Any]) -> None:
    dtypes: Any = import_module("jax.dtypes")
    if dtype == DOUBLE and dtypes.canonicalize_dtype(dtype) != dtype:
        raise InputError(
            "JAX rounds all numbers to single precision here, and the arm computes in double: call "
            '`jax.config.update("jax_enable_x64", True)` first, load the arm with '
            "`dtype=np.float32`, or take `jax(kernel=False)`, which computes in the precision of "
            "its arguments."
        )


def _check_type(array: Any, slot: Slot) -> None:
    if not np.can_cast(array.dtype, np.float64, "safe"):
        raise InputError(
            f"`{slot.name}` holds {array.dtype}; expected real numbers.",
            argument=slot.name,
        )


def _traced(program: Program, *arrays: Any) -> list[Any]:
    """Return the flat results of the traced program."""
    found = to_jax(program)(*arrays)
    several: Sequence[Any] = found if len(program.outputs) > 1 else (found,)
    lead = arrays[0].shape[:-1]
    return [x.reshape((*lead, slot.size)) for x, slot in zip(several, program.outputs, strict=True)]


@cache
def _registered(op: KernelOp) -> str | None:
    """Let XLA know a kernel; return its name there, or None if the program is too long for one."""
    kernel = op.evaluate.kernel
    if kernel is None:
        return None
    ffi: Any = import_module("jax.ffi")
    name = f"armdyn_{op.name}"
    ffi.register_ffi_target(name, ffi.pycapsule(kernel.xla_handler), platform="cpu")
    return name


@lru_cache(maxsize=1)
def _primitive() -> Any:
    """Return the primitive; its parameter is the `KernelOp`.

    Operands and results are flat arrays ``(*lead, size)`` of one type, all with the same lead.
    """
    jax, core, ad, batching, mlir = (
        import_module(name)
        for name in ("jax", "jax.extend.core", "jax.interpreters.ad",
                     "jax.interpreters.batching", "jax.interpreters.mlir")
    )  # fmt: skip
    anything: Any = jax
    jnp: Any = import_module("jax.numpy")
    kernel: Any = core.Primitive("armdyn")
    kernel.multiple_results = True

    @cache
    def jitted(op: KernelOp) -> Any:
        return anything.jit(partial(kernel.bind, op=op))

    def run(*arrays: Any, op: KernelOp) -> Any:
        return jitted(op)(*arrays)

    def shapes(*arrays: Any, op: KernelOp) -> list[Any]:
        lead = arrays[0].shape[:-1]
        return [
            anything.core.ShapedArray((*lead, slot.size), arrays[0].dtype)
            for slot in op.program.outputs
        ]

    def batch(arrays: Sequence[Any], axes: Sequence[int | None], *, op: KernelOp) -> Any:
        pairs = list(zip(arrays, axes, strict=True))
        length = next(array.shape[axis] for array, axis in pairs if axis is not None)
        moved = [
            jnp.broadcast_to(array, (length, *array.shape))
            if axis is None
            else jnp.moveaxis(array, axis, 0)
            for array, axis in pairs
        ]
        results = kernel.bind(*moved, op=op)
        return results, [0] * len(results)

    def forward(primals: Sequence[Any], tangents: Sequence[Any], *, op: KernelOp) -> Any:
        results = kernel.bind(*primals, op=op)
        directions = [ad.instantiate_zeros(tangent) for tangent in tangents]
        return results, kernel.bind(*primals, *directions, op=op.jvp)

    def transpose(cotangents: Sequence[Any], *operands: Any, op: KernelOp) -> list[Any]:
        # only derivatives along a direction are linear, in the second half of their inputs
        assert op.primal is not None, "this operation is not linear"
        half = len(operands) // 2
        weights = [ad.instantiate_zeros(cotangent) for cotangent in cotangents]
        gradients = kernel.bind(*operands[:half], *weights, op=op.primal.vjp)
        wanted = map(ad.is_undefined_primal, operands[half:])
        return [None] * half + [
            gradient if linear else None for gradient, linear in zip(gradients, wanted, strict=True)
        ]

    def traced(*arrays: Any, op: KernelOp) -> list[Any]:
        return _traced(op.program, *arrays)

    lower_traced: Any = mlir.lower_fun(traced, multiple_results=True)

    def lower(context: Any, *operands: Any, op: KernelOp) -> Any:
        with first_use:
            name = _registered(op)
        if name is None:
            return lower_traced(context, *operands, op=op)
        return anything.ffi.ffi_lowering(name)(context, *operands)

    kernel.def_impl(run)
    kernel.def_abstract_eval(shapes)
    batching.primitive_batchers[kernel] = batch
    ad.primitive_jvps[kernel] = forward
    ad.primitive_transposes[kernel] = transpose
    mlir.register_lowering(kernel, lower_traced)
    mlir.register_lowering(kernel, lower, platform="cpu")
    return kernel
