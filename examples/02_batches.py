"""Batches: leading axes of states come back in the result; one call computes them all."""

import time

import numpy as np

import armdyn

arm = armdyn.load("puma560")
rng = np.random.default_rng(0)
q, qd, qdd = rng.uniform(-1, 1, (3, 100_000, arm.n))

arm.inverse_dynamics(q[:1], qd[:1], qdd[:1])  # compiled at the first call, and kept on disk
out = np.empty_like(q)
start = time.perf_counter()
arm.inverse_dynamics(q, qd, qdd, out=out)
seconds = time.perf_counter() - start
print(f"{len(q)} states in {1e3 * seconds:.1f} ms: {1e9 * seconds / len(q):.0f} ns each")

grid = arm.mass_matrix(q[:600].reshape(20, 30, arm.n))
print("a grid of poses gives", grid.shape)
