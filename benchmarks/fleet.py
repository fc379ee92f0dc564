"""A fleet of simulated arms, and logs larger than memory.

    python benchmarks/fleet.py [--arms 50] [--days 2] [--minutes 2.5] [--robot ur10]
    python benchmarks/fleet.py --large [--files 40] [--megabytes 100] [--memory 1]

The first writes logs of arms, runs `armdyn.fleet` on two workers, again with a worker and then the
client killed in the middle, starts the latter again, and compares the tables to the bit. Some arms
drift; it prints which were named.

The second writes logs of one arm and identifies it with one worker, with two, and with two of which
one is killed. The client and every worker may allocate no more than `--memory` GB (RLIMIT_DATA); it
prints the largest resident memory of each, and whether the results have the same bits.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import armdyn
from armdyn.cluster import local_client

# Sampling rates [Hz] of the large logs, and of those of the fleet.
RATE, FLEET_RATE = 1000.0, 100.0


def peak() -> float:
    """The largest resident memory of this process so far [GB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def recorded(
    arm: armdyn.Arm, samples: int, seed: tuple[int, ...], rate: float, start: float = 0.0
) -> armdyn.Log:
    """A log of five harmonics a joint, with noise; `start` is the time of the first sample [s]."""
    rng = np.random.default_rng(seed)
    t = np.arange(samples) / rate
    w = 2 * np.pi * rng.uniform(0.08, 0.12) * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, arm.n)) * 0.3 / np.arange(1, 6)[:, None] ** 0.5
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd, qdd = s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b
    tau = arm.inverse_dynamics(q, qd, qdd)
    tau += 0.02 * np.sqrt(np.mean(tau**2, axis=0)) * rng.normal(size=tau.shape)
    q += 1e-5 * rng.normal(size=q.shape)
    return armdyn.Log(t + start, q, tau=tau, joint_names=arm.joint_names)


def with_friction(arm: armdyn.Arm, seed: int, factor: float = 1.0) -> armdyn.Arm:
    """The arm with Coulomb and viscous friction of its own, times a factor on the second joint."""
    rng = np.random.default_rng(seed)
    joints = [
        replace(j, coulomb=x * f, viscous=2.0 * x * f)
        for j, x, f in zip(
            arm.robot.joints, rng.uniform(1.0, 3.0, arm.n).tolist(),
            [1.0, factor, *[1.0] * (arm.n - 2)], strict=True,
        )
    ]  # fmt: skip
    return armdyn.Arm(replace(arm.robot, joints=joints))


# A fleet whose worker and client are killed.


def with_load(arm: armdyn.Arm, mass: float) -> armdyn.Arm:
    """The arm with a mass [kg] at the centre of mass of its last link."""
    *others, last = arm.robot.joints
    return armdyn.Arm(replace(arm.robot, joints=[*others, replace(last, mass=last.mass + mass)]))


def write_fleet(folder: Path, arms: int, days: int, minutes: float, robot: str) -> dict[str, str]:
    """Write the logs of a fleet; return the arms that drift on their last day, and what does."""
    drifting: dict[str, str] = {}
    for k in range(arms):
        name = f"arm{k:03}"
        (folder / name).mkdir(parents=True)
        if k % 7 == 3:
            drifting[name] = "gravity: 1 kg more at the last link"
        elif k % 5 == 1:
            drifting[name] = "friction: 40 % more in the second joint"
        for day in range(days):
            last = day == days - 1 and name in drifting
            heavy = last and k % 7 == 3
            arm = with_friction(armdyn.load(robot), k, 1.4 if last and not heavy else 1.0)
            log = recorded(
                with_load(arm, 1.0) if heavy else arm, int(60 * minutes * FLEET_RATE),
                (2, k, day), FLEET_RATE, start=1.77e9 + 86400.0 * day,
            )  # fmt: skip
            log.save(folder / name / f"run{day}.npz")
    return drifting


def client_of_fleet(folder: str, out: str, robot: str, workers: int, killed: bool) -> None:
    """Run the fleet; with `killed`, kill a worker after a quarter of the rows, and itself later."""
    victims: list[int] = []
    with local_client(workers) as client:

        def progress(done: int, total: int, what: str) -> None:
            if not killed or what != "arms and days":
                return
            if 4 * done >= total and not victims:
                victims.append(next(iter(client.run(os.getpid).values())))
                os.kill(victims[0], signal.SIGKILL)
                print(f"killed worker {victims[0]} at row {done} of {total}", flush=True)
            if 5 * done >= 3 * total:
                print(f"killed the client at row {done} of {total}", flush=True)
                os.kill(os.getpid(), signal.SIGKILL)

        made = armdyn.fleet(f"{folder}/*/", robot, out=out, client=client, progress=progress)
    made.page(Path(out).with_suffix(".html"))
    print(made)
    print(json.dumps({row["arm"]: row["drift"] for row in made.rows if row["drift"]}))


def fleet(arms: int, days: int, minutes: float, robot: str, keep: str | None) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(keep or scratch)
        start = time.perf_counter()
        drifting = write_fleet(folder / "logs", arms, days, minutes, robot)
        print(
            f"wrote {arms * days} logs of {arms} arms, {60 * minutes:.0f} s each at "
            f"{FLEET_RATE:g} Hz, in {time.perf_counter() - start:.0f} s",
            flush=True,
        )
        tables: list[bytes] = []
        named: dict[str, list[str]] = {}
        for name, runs in (("whole", (False,)), ("killed", (True, False))):
            out = folder / f"{name}.parquet"
            for killed in runs:
                words = [
                    sys.executable, __file__, "--fleet", str(folder / "logs"), "--out", str(out),
                    "--robot", robot, *(["--killed"] if killed else []),
                ]  # fmt: skip
                start = time.perf_counter()
                done = subprocess.run(words, capture_output=True, text=True)
                if not killed and done.returncode:
                    sys.exit(done.stderr[-9000:])
                *said, last = done.stdout.splitlines()
                named = named if killed else json.loads(last)
                said += [last] * killed
                print(*said, f"{time.perf_counter() - start:.0f} s", sep="; ", flush=True)
            tables.append(out.read_bytes())
        print(f"same table to the bit: {tables[0] == tables[1]}")
        hits = [name for name in drifting if name in named]
        false = {name: words for name, words in named.items() if name not in drifting}
        print(
            f"arms that drift: {len(drifting)}, of them named: {len(hits)}; others named: "
            f"{len(false)} of {arms - len(drifting)}"
        )
        for name in sorted({*drifting, *named}):
            print(f"  {name}: {drifting.get(name, 'no drift')}: {'; '.join(named.get(name, []))}")


# Logs larger than memory.


def bits(result: armdyn.Result) -> str:
    made = hashlib.sha256(repr((result.notes, result.verdict, result.findings)).encode())
    for name in ("values", "std", "covariance", "parameters", "sigma", "torque_error"):
        made.update(np.ascontiguousarray(getattr(result, name)).tobytes())
    return made.hexdigest()


def client_of_large(folder: str, robot: str, workers: int, killed: bool, memory: float) -> None:
    """Identify the arm from a folder in this process, and print what it took as JSON."""
    limit = int(memory * 1e9)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))  # workers inherit it
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1",
            dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        victims: list[int] = []

        def progress(done: int, total: int, what: str) -> None:
            if killed and what == "filter" and 0 < done < total and not victims:
                victims.append(next(iter(client.run(os.getpid).values())))
                os.kill(victims[0], signal.SIGKILL)

        start = time.perf_counter()
        result = armdyn.identify(
            armdyn.load(robot), folder, physical=False, client=client, progress=progress
        )
        told = {
            "seconds": time.perf_counter() - start, "client": peak(), "bits": bits(result),
            "workers": list(client.run(peak).values()), "verdict": result.verdict,
            "error": result.total_error, "killed": victims,
        }  # fmt: skip
    print(json.dumps(told))


def large(files: int, megabytes: float, memory: float, robot: str) -> None:
    arm = with_friction(armdyn.load(robot), 0)
    samples = int(megabytes * 1e6 / (8 * (1 + 2 * arm.n)))
    with tempfile.TemporaryDirectory() as folder:
        start, size = time.perf_counter(), 0
        for k in range(files):
            path = Path(folder) / f"log{k:03}.{'npz' if k % 2 else 'parquet'}"
            recorded(arm, samples, (1, k), RATE, start=1.1 * k * samples / RATE).save(path)
            size += path.stat().st_size
        print(f"wrote {files} logs, {size / 1e9:.2f} GB, {files * samples:,} samples, in "
              f"{time.perf_counter() - start:.0f} s", flush=True)  # fmt: skip
        seen: set[str] = set()
        for workers, killed in ((2, False), (2, True), (1, False)):
            words = [
                sys.executable, __file__, "--client", folder, "--robot", robot, "--workers",
                str(workers), "--memory", str(memory), *(["--killed"] if killed else []),
            ]  # fmt: skip
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr[-9000:])
            told = json.loads(done.stdout.splitlines()[-1])
            seen.add(told["bits"])
            most = ", ".join(f"{x:.2f}" for x in told["workers"])
            print(
                f"{workers} workers{', one killed' if told['killed'] else ''}: "
                f"{told['seconds']:.0f} s, peak of the client {told['client']:.2f} GB, of workers "
                f"{most} GB; {told['verdict']}, error {told['error']:.2%}",
                flush=True,
            )
        print(f"same bits: {len(seen) == 1}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--arms", type=int, default=50)
    parser.add_argument("--days", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=2.5)
    parser.add_argument("--robot", default="ur10")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--megabytes", type=float, default=100.0)
    parser.add_argument("--memory", type=float, default=1.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--client", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--keep", metavar="FOLDER", help="keep logs, tables and pages there")
    parser.add_argument("--fleet", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    parser.add_argument("--killed", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.client:
        client_of_large(given.client, given.robot, given.workers, given.killed, given.memory)
    elif given.fleet:
        client_of_fleet(given.fleet, given.out, given.robot, given.workers, given.killed)
    elif not given.large:
        fleet(given.arms, given.days, given.minutes, given.robot, given.keep)
    else:
        large(given.files, given.megabytes, given.memory, given.robot)


if __name__ == "__main__":
    main()
