"""PyTorch with compiled kernels beside `torch.compile` of the same program, in one run.

Prints nanoseconds a state for 4096 states, the best of interleaved rounds, and ratios: forward
alone, and forward and backward. "alone" is the kernel called with NumPy arrays for its results, and
the ratio that a call without any overhead would have. All run in one thread. Times are of the
processor, so that other work on the machine counts little. Compiling takes PyTorch a minute or so a
quantity.

    python benchmarks/torch_operators.py [QUANTITY ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
import torch

import armdyn
from armdyn.graph.program import Program
from armdyn.graph.show import statements
from armdyn.scalar import Op
from timing import Job, best_times

ROBOT, STATES, ROUNDS = "ur5", 4096, 60
TEMPLATES = {
    Op.MAX: "where({0} > {1}, {0}, {1})",
    Op.SELECT: "where({0} > 0.0, {1}, {2})",
    Op.COPYSIGN: "copysign(as_tensor({0}), {1})",
}
USED = ("sin", "cos", "sqrt", "sign", "abs", "where", "copysign", "as_tensor", "stack", "full_like")


def number(text: str) -> str:
    """Return a result as a tensor: constants are written as numbers."""
    return text if text.isidentifier() or "[" in text else f"full_like(like, {text})"


def in_torch(program: Program) -> Callable[..., Any]:
    """Return the program as operations of PyTorch: generated text, which its compiler can read."""
    lines, values = statements(program, TEMPLATES)
    names = [slot.name for slot in program.inputs]
    text = [
        f"def {program.name}({', '.join(names)}):",
        f"    like = {names[0]}[..., 0]",
        *(f"    {name} = {name}.unbind(-1)" for name in names),
        *(f"    {line}" for line in lines),
    ]
    parts = [
        f"stack([{', '.join(map(number, part))}], -1).reshape(*like.shape, *{slot.shape})"
        for slot, part in zip(program.outputs, values, strict=True)
    ]
    scope: dict[str, Any] = {name: getattr(torch, name) for name in USED}
    exec("\n".join([*text, f"    return {', '.join(parts)}", ""]), scope)
    return scope[program.name]


def both_ways(function: Callable[..., Any], states: list[Any]) -> None:
    for x in states:
        x.grad = None
    function(*states).sum().backward()


def nanoseconds(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the shortest time of each call on the processor, a state."""
    jobs = {name: Job(call, (), STATES) for name, call in calls.items()}
    times = best_times(jobs, 0.0, ROUNDS, process_time)
    return {name: 1e9 * seconds for name, seconds in times.items()}


def main(quantities: list[str]) -> None:
    torch.set_num_threads(1)
    arm = armdyn.load(ROBOT)
    rng = np.random.default_rng(0)
    print(f"{ROBOT}, ns a state, {STATES} states: forward; forward and backward")
    for quantity in quantities:
        f = arm.function(quantity)
        ours, theirs = f.torch(), torch.compile(in_torch(f.program), fullgraph=True)
        plain = [torch.tensor(rng.uniform(-2, 2, (STATES, arm.n))) for _ in f.program.inputs]
        tracked = [x.clone().requires_grad_() for x in plain]
        assert torch.allclose(ours(*plain), theirs(*plain), rtol=1e-9, atol=1e-9)
        arrays = [x.numpy() for x in plain]
        out = f(*arrays)
        forward = nanoseconds({
            "alone": lambda g=f.kernel, x=arrays, out=out: g(*x, out=out),
            "kernel": lambda g=ours, x=plain: g(*x),
            "compiled": lambda g=theirs, x=plain: g(*x),
        })  # fmt: skip
        both = nanoseconds({
            "kernel": lambda g=ours, x=tracked: both_ways(g, x),
            "compiled": lambda g=theirs, x=tracked: both_ways(g, x),
        })  # fmt: skip
        listed = [f"{name} {forward[name]:6.1f}; {both[name]:6.1f}" for name in both]
        ratios = [t["compiled"] / t["kernel"] for t in (forward, both)]
        print(
            f"{quantity:17} {'  '.join(listed)}  compiled / kernel "
            f"{ratios[0]:.1f}; {ratios[1]:.1f}  alone {forward['alone']:.1f}, "
            f"{forward['compiled'] / forward['alone']:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:] or ["inverse_dynamics", "forward_dynamics"])
