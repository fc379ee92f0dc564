"""Functions of PyTorch tensors: every program is a custom operator that calls the compiled kernel.

`torch.library` makes an operator known to autograd, `vmap` and `torch.compile`. Its gradient is the
operator of the program of gradients, which has a gradient again. Operators read the memory of the
tensors, with any strides, and tensors of results are the memory that kernels wrote.

Such operators know no forward mode, where PyTorch takes their derivatives for zero without a word,
and `torch.func.grad` refuses them. So, unless PyTorch compiles, they are called through an
`autograd.Function`, which has all rules, but not the favour of the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from armdyn.arm.kernel_op import KernelOp, kernel_op_of
from armdyn.errors import InputError
from armdyn.files import imported
from armdyn.fork_safe import first_use
from armdyn.graph.program import Program
from armdyn.programs.arguments import DOUBLE


def torch_function(program: Program, dtype: np.dtype[Any] = DOUBLE) -> Callable[..., Any]:
    """Return a function of tensors ``(..., n)`` on the CPU, which computes with numbers of a type.

    Tensors are of that type; in double precision they may all be of float32, and are converted.
    """
    torch: Any = imported("torch", "the function in PyTorch")
    op = kernel_op_of(program, dtype)
    computed = _type(torch, op)
    with first_use:
        operator, eager = _operator(op), _eager(op)
    inputs = [(slot.name, slot.size) for slot in program.inputs]
    several = len(program.outputs) > 1

    def function(*states: Any) -> Any:
        compiling = torch.compiler.is_compiling()
        if not compiling:
            found = _quick(torch, op, states)
            if found is not None:
                return found
        _check(torch, program.name, inputs, states, computed)
        kind = states[0].dtype
        lead = _lead(torch, inputs, states)
        given = [
            x if x.shape[:-1] == lead else x.expand(*lead, x.shape[-1])
            for x in [x.to(computed) for x in states]
        ]
        if compiling:
            _refuse_forward_mode(torch, inputs, states)
            results = operator(*given)
        else:
            results = eager(*given)
        if several:
            return tuple([x.to(kind) for x in results])
        return results.to(kind)

    return function


def _quick(torch: Any, op: KernelOp, states: Sequence[Any]) -> Any:
    """Return the results for plain tensors; None if anything is unusual.

    Checks and transformations of PyTorch would take as long as a thousand states. The caller finds
    out what is unusual, and NumPy refuses wrong sizes.
    """
    if getattr(torch.autograd.forward_ad, "_current_level", 0) >= 0:  # there may be tangents
        return None
    tensor, computed = torch.Tensor, _type(torch, op)
    arrays: list[Any] = []
    try:
        for x in states:
            if type(x) is not tensor or x.dtype is not computed or x.requires_grad:
                return None
            arrays.append(x.numpy())  # wrappers and tensors elsewhere have none
            if arrays[-1].shape != arrays[0].shape:
                return None
        return _computed(torch, op, arrays)
    except (RuntimeError, TypeError, ValueError, IndexError):
        return None


def _type(torch: Any, op: KernelOp) -> Any:
    return torch.float64 if op.dtype == DOUBLE else torch.float32


def _check(
    torch: Any, name: str, inputs: list[tuple[str, int]], states: Sequence[Any], computed: Any
) -> None:
    """Raise an error if these are no tensors that a kernel can compute with."""
    if len(states) != len(inputs):
        wanted = ", ".join([f"{given} ({size})" for given, size in inputs])
        raise InputError(f"{name} takes these inputs, with their sizes: {wanted}.")
    for (given, size), x in zip(inputs, states, strict=True):
        if not isinstance(x, torch.Tensor):
            raise InputError(
                f"`{given}` is of type {type(x).__name__}; expected a tensor: `torch.as_tensor` "
                "makes one.",
                argument=given,
            )
        if x.device.type != "cpu":
            raise InputError(
                f"`{given}` is on the device {x.device}; kernels compute on the CPU and expect "
                "their tensors there: move it with `.cpu()`.",
                argument=given,
            )
        if x.dtype not in (torch.float64, torch.float32) or x.layout != torch.strided:
            raise InputError(
                f"`{given}` is a tensor of {x.dtype}, {x.layout}; expected a dense one of float64 "
                "or float32: `.double()` makes one.",
                argument=given,
            )
        if x.dtype == torch.float64 and computed == torch.float32:
            raise InputError(
                f"`{given}` is a tensor of float64, but the arm computes in float32. If it shall "
                "be rounded, give `.float()` of it; to compute in double, load the arm with "
                "`dtype=np.float64`.",
                argument=given,
            )
        if x.dtype != states[0].dtype:
            raise InputError(
                f"`{given}` holds {x.dtype} and `{inputs[0][0]}` {states[0].dtype}; expected the "
                "same for all: `.double()` or `.float()` converts a tensor.",
                argument=given,
            )
        if x.dim() == 0 or x.shape[-1] != size:
            raise InputError(
                f"`{given}` has shape {tuple(x.shape)}; expected (..., {size}).", argument=given
            )


def _lead(torch: Any, inputs: list[tuple[str, int]], states: Sequence[Any]) -> Any:
    """Return the common broadcast shape of the leading axes of states."""
    try:
        leads = [x.shape[:-1] for x in states]
        if all([lead == leads[0] for lead in leads]):
            return leads[0]
        return torch.broadcast_shapes(*leads)
    except RuntimeError:
        names = [given for given, _ in inputs]
        shapes = [f"{given} {tuple(x.shape)}" for given, x in zip(names, states, strict=True)]
        raise InputError(
            f"the leading axes of the states do not broadcast: {', '.join(shapes)}."
        ) from None


def _refuse_forward_mode(torch: Any, inputs: list[tuple[str, int]], states: Sequence[Any]) -> None:
    """Raise an error while PyTorch compiles forward mode, whose results would be zero.

    The compiler shows it within an error of its own. Not every version can follow how errors of
    other classes are made.
    """
    for (given, _), x in zip(inputs, states, strict=True):
        if torch.autograd.forward_ad.unpack_dual(x).tangent is not None:
            raise RuntimeError(
                f"`{given}` has a tangent: operators have no forward mode within `torch.compile`; "
                "compile without it, or take reverse mode."
            )


@cache
def _operator(op: KernelOp) -> Any:
    """Return the operator of a program; its tensors have the same leading axes."""
    torch: Any = import_module("torch")
    outputs = op.program.outputs

    def compute(*tensors: Any) -> Any:
        return _computed(torch, op, [x.detach().resolve_neg().numpy() for x in tensors])

    def shapes(*tensors: Any) -> Any:
        lead = tensors[0].shape[:-1]
        return _packed([tensors[0].new_empty((*lead, *slot.shape)) for slot in outputs])

    def mapped(info: Any, axes: Sequence[int | None], *tensors: Any) -> Any:
        return _mapped(operator, len(outputs), info.batch_size, axes, tensors)

    def backward(ctx: Any, *weights: Any) -> Any:
        return _backward(_operator(op.vjp), op, ctx.saved_tensors, weights)

    given = ", ".join(f"Tensor x{k}" for k in range(len(op.program.inputs)))
    returned = ", ".join(["Tensor"] * len(outputs))
    operator: Any = torch.library.custom_op(
        "armdyn::" + re.sub(r"\W", "_", op.name),
        compute,
        mutates_args=(),
        schema=f"({given}) -> " + (returned if len(outputs) == 1 else f"({returned})"),
    )
    operator.register_fake(shapes)
    operator.register_vmap(mapped)
    operator.register_autograd(backward, setup_context=_save)
    return operator


@cache
def _eager(op: KernelOp) -> Callable[..., Any]:
    """Return the function of a program that is called unless PyTorch compiles."""
    torch: Any = import_module("torch")
    differentiable, tracked = _differentiable(op), _tracked(op)
    transformed = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)

    def function(*tensors: Any) -> Any:
        arrays = _memory(torch, tensors)
        if arrays is None:
            return differentiable.apply(*tensors)
        if not (torch.is_grad_enabled() and any([x.requires_grad for x in tensors])):
            return _computed(torch, op, arrays)
        if transformed():
            return differentiable.apply(*tensors)
        return tracked.apply(arrays, *tensors)

    return function


@cache
def _tracked(op: KernelOp) -> Any:
    """Return the `autograd.Function` for plain tensors, of which only gradients are wanted.

    PyTorch calls one without further rules in half the time.
    """
    torch: Any = import_module("torch")

    def forward(ctx: Any, arrays: Sequence[Any], *tensors: Any) -> Any:
        ctx.save_for_backward(*tensors)
        return _computed(torch, op, arrays)

    def backward(ctx: Any, *weights: Any) -> Any:
        found = _backward(_eager(op.vjp), op, ctx.saved_tensors, weights)
        return (None, *found) if isinstance(found, tuple) else (None, found)

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(op.program.name, (torch.autograd.Function,), methods)


def _memory(torch: Any, tensors: Sequence[Any]) -> list[Any] | None:
    """Return the memory of tensors as arrays; None if they stand for others, or have a tangent."""
    unpack = torch.autograd.forward_ad.unpack_dual
    try:
        if all([type(x) is torch.Tensor and unpack(x).tangent is None for x in tensors]):
            return [x.detach().numpy() for x in tensors]
    except (RuntimeError, TypeError):  # transformations wrap tensors, and wrappers have no memory
        pass
    return None


def _computed(torch: Any, op: KernelOp, arrays: Sequence[Any]) -> Any:
    results = op.unchecked(arrays, torch.get_num_threads())
    return _packed([torch.from_numpy(x) for x in results])


@cache
def _differentiable(op: KernelOp) -> Any:
    """Return the `autograd.Function` of a program; its tensors have the same leading axes."""
    torch: Any = import_module("torch")
    n_results = len(op.program.outputs)
    with first_use:
        operator = _operator(op)

    def forward(*tensors: Any) -> Any:
        arrays = _memory(torch, tensors)
        return operator(*tensors) if arrays is None else _computed(torch, op, arrays)

    def mapped(info: Any, axes: Sequence[int | None], *tensors: Any) -> Any:
        return _mapped(_eager(op), n_results, info.batch_size, axes, tensors)

    def backward(ctx: Any, *weights: Any) -> Any:
        return _backward(_eager(op.vjp), op, ctx.saved_tensors, weights)

    def along(ctx: Any, *tangents: Any) -> Any:
        states = ctx.saved_tensors
        full = [
            torch.zeros_like(x) if tangent is None else tangent
            for x, tangent in zip(states, tangents, strict=True)
        ]
        return _eager(op.jvp)(*states, *full)

    rules: dict[str, Any] = {
        "forward": forward, "setup_context": _save, "vmap": mapped, "backward": backward,
        "jvp": along,
    }  # fmt: skip
    methods = {name: staticmethod(rule) for name, rule in rules.items()}
    kernel: Any = type(op.program.name, (torch.autograd.Function,), methods)
    return kernel


def _packed(results: Sequence[Any]) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def _save(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
    ctx.save_for_backward(*inputs)
    ctx.save_for_forward(*inputs)


def _mapped(
    function: Callable[..., Any],
    n_results: int,
    length: int,
    axes: Sequence[int | None],
    tensors: Sequence[Any],
) -> Any:
    """Apply a function with the mapped axis among the leading ones; return the axes of results."""
    moved = [
        x.expand(length, *x.shape) if axis is None else x.movedim(axis, 0)
        for x, axis in zip(tensors, axes, strict=True)
    ]
    results = function(*moved)
    return results, _packed([0] * n_results)


def _backward(
    gradient: Callable[..., Any], op: KernelOp, states: Sequence[Any], weights: Sequence[Any]
) -> Any:
    """Return the gradients by the states, given those by the results."""
    lead = states[0].shape[:-1]
    slots = op.program.outputs
    flat = [
        w if len(slot.shape) == 1 else w.reshape(*lead, slot.size)
        for w, slot in zip(weights, slots, strict=True)
    ]
    return gradient(*states, *flat)
