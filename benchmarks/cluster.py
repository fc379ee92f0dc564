"""Work on a Dask cluster of two worker processes on this machine, beside the same work in one.

    python benchmarks/cluster.py states [--count 10000000]
    python benchmarks/cluster.py identify [--samples 1000000] [--robot puma560]
    python benchmarks/cluster.py study [--arms 20000]
    python benchmarks/cluster.py logs [--samples 1000000]

Each prints times, whether the bits are equal, and the largest memory of a worker. `identify` and
`study` also lose a worker in the middle, killed by its id. `logs` writes a log as Parquet and CSV
and prints how fast files are read. Two workers and the client share the cores of one machine, so
times show what distribution costs, not what it gains.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
import signal
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import armdyn

CHUNK = 500_000


@contextmanager
def cluster() -> Generator[Client]:
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address="127.0.0.1:0", memory_limit="2GB", silence_logs=logging.CRITICAL,
        ) as made,
        Client(made) as client,
    ):  # fmt: skip
        yield client


def peak() -> int:
    """The largest memory of this process so far [bytes]."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def told(client: Client) -> str:
    return ", ".join(f"{size / 1e9:.2f} GB" for size in client.run(peak).values())


def timed(what: str, work: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    result = work()
    print(f"{what:46} {time.perf_counter() - start:8.2f} s", flush=True)
    return result


def block(number: int, count: int, n: int) -> np.ndarray:
    return np.random.default_rng([0, number]).uniform(-1.0, 1.0, (3, count, n))


def digest(x: np.ndarray) -> np.ndarray:
    return np.array([hashlib.sha256(np.ascontiguousarray(x).tobytes()).hexdigest()], dtype="U64")


def states(count: int) -> None:
    """Inverse dynamics of states that are made on the workers; only digests come back."""
    arm = armdyn.load("ur5")
    sizes = [min(CHUNK, count - a) for a in range(0, count, CHUNK)]
    make = [dask_block(k, size, arm.n) for k, size in enumerate(sizes)]
    q, qd, qdd = (da.concatenate([x[i] for x in make]) for i in range(3))
    lazy = arm.inverse_dynamics(q, qd, qdd)
    digests = lazy.map_blocks(digest, dtype="U64", chunks=(1,), drop_axis=1)

    def local() -> list[str]:
        made = (arm.inverse_dynamics(*block(k, size, arm.n)) for k, size in enumerate(sizes))
        return [str(digest(x)[0]) for x in made]

    here = timed(f"{count:,} states, NumPy by blocks", local)
    with cluster() as client:
        there = timed("Dask, two workers", digests.compute)
        print(f"same bits: {here == there.tolist()}; peak memory of workers: {told(client)}")
        total = timed("Dask again, a sum of squares", lambda: float((lazy**2).sum().compute()))
        print(f"sum of squares {total:.6e}; peak memory of workers: {told(client)}")


def dask_block(number: int, count: int, n: int) -> Any:
    import dask

    return da.from_delayed(dask.delayed(block)(number, count, n), (3, count, n), float)


def recorded(arm: armdyn.Arm, samples: int, rate: float = 1000.0) -> armdyn.Log:
    """A log of a periodic motion with noise."""
    rng = np.random.default_rng(1)
    t = np.arange(samples) / rate
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, arm.n)) * 0.35 / np.arange(1, 6)[:, None] ** 0.5
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd, qdd = s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.3 * rng.normal(size=q.shape)
    q += 1e-5 * rng.normal(size=q.shape)
    return armdyn.Log(t, q, tau=tau, joint_names=arm.joint_names)


def bits(result: armdyn.Result) -> str:
    made = hashlib.sha256(repr((result.notes, result.verdict, result.findings)).encode())
    for name in ("values", "std", "covariance", "parameters", "sigma", "torque_error"):
        made.update(np.ascontiguousarray(getattr(result, name)).tobytes())
    return made.hexdigest()


def killing(client: Client, step: str) -> Callable[[int, int, str], None]:
    killed: list[int] = []

    def progress(done: int, total: int, what: str) -> None:
        if what == step and 0 < done < total and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)
            print(f"killed worker process {killed[0]} at {done} of {total} of {what!r}")

    return progress


def identify(samples: int, robot: str) -> None:
    """Without the search for links that can exist, which needs no rows and no cluster."""
    arm = armdyn.load(robot)
    log = recorded(arm, samples)

    def run(**options: Any) -> armdyn.Result:
        return armdyn.identify(arm, log, physical=False, **options)

    here = bits(timed(f"identify {robot}, {samples:,} samples, local", run))
    with cluster() as client:
        there = timed("two workers", lambda: run(client=client))
        print(f"same bits: {bits(there) == here}; peak memory of workers: {told(client)}")
        work = killing(client, "regressor")
        again = timed(
            "two workers, one killed",
            lambda: run(client=client, progress=work),
        )
        print(f"same bits: {bits(again) == here}")


def study(arms: int) -> None:
    arm = armdyn.load("ur5")
    options: dict[str, Any] = {
        "q0": lambda rng, count: rng.normal(0.0, 0.3, (count, 6)),
        "parameters": lambda rng, count: (
            arm.parameters * np.repeat(rng.normal(1.0, 0.05, (count, 6)), 10, axis=1)
        ),
        "arms": arms, "seed": 1, "until": 0.5, "integrator": "rk4", "step": 2e-3, "samples": 2,
    }  # fmt: skip
    here = timed(f"Monte Carlo, {arms:,} arms, local", lambda: armdyn.simulate(arm, **options))
    with cluster() as client:
        for what, progress in (
            ("two workers", None),
            ("two workers, one killed", killing(client, "simulating")),
        ):
            work = {**options, "client": client, "progress": progress}
            there = timed(what, lambda work=work: armdyn.simulate(arm, **work))
            equal = all(np.array_equal(getattr(here, x), getattr(there, x)) for x in ("q", "qd"))
            print(f"same bits: {equal}; peak memory of workers: {told(client)}")


def logs(samples: int) -> None:
    arm = armdyn.load("puma560")
    log = recorded(arm, samples)
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("parquet", "csv"):
            path = Path(folder) / f"log.{suffix}"
            timed(f"write {suffix}", lambda path=path: log.save(path))
            size = path.stat().st_size
            timed(f"read {suffix}, {size / samples:.0f} bytes a sample",
                  lambda path=path: armdyn.Log.read(path, joints=arm))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("states", "identify", "study", "logs"))
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--arms", type=int, default=20_000)
    parser.add_argument("--robot", default="puma560")
    given = parser.parse_args()
    if given.what == "states":
        states(given.count)
    elif given.what == "study":
        study(given.arms)
    elif given.what == "identify":
        identify(given.samples, given.robot)
    else:
        logs(given.samples)


if __name__ == "__main__":
    main()
