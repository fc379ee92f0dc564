"""JAX with compiled kernels beside the traced program, both in jit, in one run.

Prints nanoseconds a state for 4096 states, the best of interleaved rounds, and ratios. Everything
runs on one core, where the system can pin it: a kernel uses one thread, and XLA may use more. Times
are of the processor, so that other work on the machine counts little.

    python benchmarks/jax_kernels.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

if hasattr(os, "sched_setaffinity"):  # before JAX starts its threads
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import jax
import jax.numpy as jnp
import numpy as np
from best_times import best

import armdyn

STATES, ROUNDS = 4096, 60
QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity")


def gradient(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    loss = lambda *states: (function(*states) ** 2).sum()  # noqa: E731
    return jax.jit(jax.grad(loss, argnums=tuple(range(count))))


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
            times = best({
                "NumPy": lambda f=f, x=plain: f(*x),
                "kernel": lambda g=kernel, x=states: wait(g(*x)),
                "traced": lambda g=traced, x=states: wait(g(*x)),
                "gradient": lambda g=slope, x=states: wait(g(*x)),
            }, STATES, ROUNDS)  # fmt: skip
            listed = "  ".join(f"{what} {ns:7.1f}" for what, ns in times.items())
            ratio = times["traced"] / times["kernel"]
            print(f"{name:8} {quantity:17} {listed}  traced / kernel {ratio:5.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["ur5"])
