"""JAX with compiled kernels beside the traced program, both in jit, in one run.

Prints nanoseconds a state for 4096 states, the best of interleaved rounds, and ratios. "JAX" is the
same call of a handler that computes nothing: what JAX itself takes, and an array for results.
Everything runs on one core, where the system can pin it: a kernel uses one thread, and XLA may use
more. Times are of the processor, so that other work on the machine counts little.

    python benchmarks/jax_kernels.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

if hasattr(os, "sched_setaffinity"):  # before JAX starts its threads
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import jax
import jax.numpy as jnp
import numpy as np

import armdyn
from armdyn.arm.function import Function
from armdyn.kernel.call.xla import HANDLER, handler_ir
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.jit import compile_object, load_code
from timing import Job, best_times

STATES, ROUNDS = 4096, 60
KEPT: list[object] = []  # machine code that JAX may call until the end
QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity")


def gradient(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    loss = lambda *states: (function(*states) ** 2).sum()  # noqa: E731
    return jax.jit(jax.grad(loss, argnums=tuple(range(count))))


def without_kernel(f: Function, name: str) -> Callable[..., Any]:
    """Return what JAX does to call the kernel of a function, without the kernel."""
    kernel, program = f.kernel, f.program
    assert kernel is not None
    target = kernel.target
    text = "define void @nothing(ptr %a, ptr %b, ptr %c, ptr %d) { ret void }"
    nothing = load_code(compile_object(text, target), target)
    ir = handler_ir(program, nothing.address("nothing"), Codegen(target, kernel.element))
    handler = load_code(compile_object(ir, target), target)
    KEPT.extend([nothing, handler])
    jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(handler.address(HANDLER)), platform="cpu")
    results = [jax.ShapeDtypeStruct((STATES, slot.size), jnp.float64) for slot in program.outputs]
    return jax.jit(jax.ffi.ffi_call(name, results))


def nanoseconds(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the shortest time of each call on the processor, a state."""
    jobs = {name: Job(call, (), STATES) for name, call in calls.items()}
    times = best_times(jobs, 0.0, ROUNDS, process_time)
    return {name: 1e9 * seconds for name, seconds in times.items()}


def main(names: list[str]) -> None:
    jax.config.update("jax_enable_x64", True)
    wait = jax.block_until_ready
    rng = np.random.default_rng(0)
    print(f"ns a state, {STATES} states")
    for name in names:
        arm = armdyn.load(name)
        for quantity in QUANTITIES:
            f = arm.function(quantity)
            plain = [rng.uniform(-2, 2, (STATES, arm.n)) for _ in f.program.inputs]
            states = [jnp.asarray(x) for x in plain]
            kernel, traced = jax.jit(f.jax()), jax.jit(f.jax(kernel=False))
            slope = gradient(f.jax(), len(states))
            empty = without_kernel(f, f"nothing_{name}_{quantity}")
            times = nanoseconds({
                "JAX": lambda g=empty, x=states: wait(g(*x)),
                "NumPy": lambda f=f, x=plain: f(*x),
                "kernel": lambda g=kernel, x=states: wait(g(*x)),
                "traced": lambda g=traced, x=states: wait(g(*x)),
                "gradient": lambda g=slope, x=states: wait(g(*x)),
            })  # fmt: skip
            listed = "  ".join(f"{what} {ns:7.1f}" for what, ns in times.items())
            ratio = times["traced"] / times["kernel"]
            print(f"{name:8} {quantity:17} {listed}  traced / kernel {ratio:5.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["ur5"])
