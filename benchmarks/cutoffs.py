"""Cut-offs of parts of real logs, and what they cost beside the best of a fixed grid.

    python benchmarks/cutoffs.py [WINDOWS] [--errors [WINDOWS]] [--free] [--logs ur10,panda]
    python benchmarks/cutoffs.py --noise

The first table is of the cut-offs that the whole, halves, thirds and random 30 % windows (20 if
left out) of every log get. They should lie within a factor of 2. The KR300 is apart: its drives are
elastic, the model explains about half of the torques from 2 to 30 Hz, so the end of the band is not
sharp, but neither does the error depend on it.

With --errors a second table has the errors of torques of models that were fitted to parts of logs
and tested on other parts, in the log's own band, on moving rows and at the times of the log's
source: with the cut-off that is chosen, and with those of a grid. The models are those that are
delivered; with --free they are fits without the step to links that can exist, which steadies short
parts. The ratio to the best of the grid should be at most 1.3. Random windows (none if left out)
take a quarter of an hour for each log; those of one of several runs are tested on the next run.

With --noise there is one table, of simulated arms without velocities whose positions are noisy or
quantised: the cut-off by prediction and the one that is kept, and the errors of the torques of
their models on other motions, beside the true arm. Where noise biases the model the second should
be lower, and its error, too.

The logs and the measure of errors lie beside the project, in ../shared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import armdyn
from armdyn import Arm, Log
from armdyn.identification.extra import extra_columns
from armdyn.identification.signals.band import find_band
from armdyn.log.clock import at_source_times

HOME = Path(__file__).parents[1]
sys.path[:0] = [str(HOME / "tests"), str(HOME / "tests/identification")]
sys.path.append(str(HOME.parent / "shared/judge"))

GRID = (3.0, 4.0, 6.0, 8.0, 10.0, 16.0, 24.0, 32.0)
WINDOW = 0.3


@dataclass(frozen=True)
class Case:
    """Logs of one arm; `key` names its band for the measure of errors."""

    key: str
    arm: Arm
    logs: list[Log]
    extra: Sequence[Any] = ()


def cases() -> Iterator[Case]:
    import test_identify_real as real

    from support.beside import beside
    from support.identification import example_robot

    arm = armdyn.load(example_robot("ur_description/urdf/ur10_robot.urdf"))
    path = beside("data", "ur10_panda_unisa", "ur10_exciting_trajectory.csv")
    yield Case("ur10", arm, [Log.read(path, joints=arm)])
    path = example_robot("panda_description/urdf/panda.urdf")
    arm = armdyn.load(path, tip="panda_link8")
    log = Log.read(beside("data", "ur10_panda_unisa", "panda_exciting_trajectory.csv"))
    yield Case("panda", arm, [log])
    text, runs = real.lwr4()
    with TemporaryDirectory() as folder:
        path = Path(folder, "lwr4.urdf")
        path.write_text(text)
        arm = armdyn.load(path)
    stamps = [run["times"] - run["times"][0] for run in runs]
    logs = [
        Log(t=t, q=run["positions"], qd=run["velocities"], tau=run["torques"])
        for t, run in zip(stamps, runs, strict=True)
    ]
    yield Case("lwr4", arm, logs)
    arm, logs = real.kr300()
    yield Case("kr300", arm, logs, real.COUNTERBALANCE)


def parts(log: Log, windows: int) -> dict[str, Log]:
    """The whole, halves, thirds and random windows of a log."""
    count = len(log)
    found = {"whole": log}
    for name, pieces in (("half", 2), ("third", 3)):
        for k in range(pieces):
            found[f"{name} {k + 1}"] = log.part(k * count // pieces, (k + 1) * count // pieces)
    rng = np.random.default_rng(0)
    for k, start in enumerate(rng.uniform(0.0, 1.0 - WINDOW, windows)):
        found[f"window {k + 1}"] = log.part(int(start * count), int((start + WINDOW) * count))
    return found


def quiet(done: int, total: int, what: str) -> None:
    pass


def stability(windows: int, logs: list[str]) -> None:
    print(f"cut-offs [Hz] of the whole, halves, thirds and {windows} windows")
    print(f"{'log':10} {'whole':>7} {'lowest':>7} {'highest':>7} {'factor':>7}  delays corrected")
    for case in cases():
        extra = extra_columns(case.arm, case.extra)
        for number, log in enumerate(case.logs if case.key in logs else (), 1):
            found = [
                find_band(
                    case.arm, [part], [], cutoff=None, delay=None, coupling=None, extra=extra,
                    progress=quiet,
                )
                for part in map(at_source_times, parts(log, windows).values())
            ]  # fmt: skip
            chosen = np.array([band.cutoff for band in found])
            delays = sum(band.delay != 0.0 for band in found)
            print(
                f"{case.key} {number:<{9 - len(case.key)}} {chosen[0]:7.2f} {chosen.min():7.2f} "
                f"{chosen.max():7.2f} {chosen.max() / chosen.min():7.2f}  {delays} of {len(found)}",
                flush=True,
            )


def splits(case: Case, windows: int) -> Iterator[tuple[str, list[Log], Log]]:
    """What to fit and what to test: parts of one log on the rest, or whole runs on others."""
    if len(case.logs) == 1:
        log = case.logs[0]
        half = len(log) // 2
        first, second = log.part(0, half), log.part(half, len(log))
        for name, part in parts(log, windows).items():
            if name == "whole":
                continue
            early = part.t[0] + part.t[-1] < log.t[0] + log.t[-1]
            rest = log[float(part.t[-1]) :] if early else log[: float(part.t[0])]
            if name.startswith("half"):
                rest = second if early else first
            yield name, [part], rest
        return
    for k, test in enumerate(case.logs):
        others = [log for i, log in enumerate(case.logs) if i != k]
        if case.key == "kr300":
            yield f"others > {k + 1}", others, test
            continue
        for i, log in enumerate(case.logs):
            if i != k:
                following = (i + 1) % len(case.logs) == k
                for name, part in parts(log, windows).items():
                    if following or not name.startswith("window"):
                        yield f"{i + 1} {name} > {k + 1}", [part], test


def errors(windows: int, physical: bool, logs: list[str]) -> None:
    from yardstick import CUTOFF, torque_error

    print("errors [%] with the cut-off that is chosen, and with those of a grid [Hz]")
    print(f"{'fit > test':22} {'Hz':>6} {'error':>6}", *(f"{f:6.0f}" for f in GRID), " ratio")
    worst: dict[str, float] = {}
    for case in cases():
        for name, train, test in splits(case, windows) if case.key in logs else ():
            test = at_source_times(test)
            fits: list[tuple[float, float]] = []
            rate = min(log.rate for log in (*train, test))
            for cutoff in (None, *(f for f in GRID if f < 0.4 * rate)):
                result = armdyn.identify(
                    case.arm, train, test=test, extra=case.extra, cutoff=cutoff, physical=physical
                )
                error = torque_error(result.predict, test, CUTOFF[case.key])[0]
                fits.append((result.about.cutoff, 100 * error))
            ratio = fits[0][1] / min(error for _, error in fits[1:])
            print(
                f"{case.key + ' ' + name:22} {fits[0][0]:6.2f}",
                *(f"{error:6.2f}" for _, error in fits),
                "      " * (len(GRID) + 1 - len(fits)),
                f"{ratio:6.2f}",
                flush=True,
            )
            worst[case.key] = max(worst.get(case.key, 0.0), ratio)
    print("largest ratio:", ", ".join(f"{key} {ratio:.2f}" for key, ratio in worst.items()))


NOISES = {  # standard deviation [rad], step [rad], correlation of neighbours
    "noise 1e-5": (1e-5, 0.0, 0.0),
    "noise 1e-4": (1e-4, 0.0, 0.0),
    "noise 1e-3": (1e-3, 0.0, 0.0),
    "noise 3e-3": (3e-3, 0.0, 0.0),
    "steps of 2e-3": (0.0, 2e-3, 0.0),
    "steps of 1e-2": (0.0, 1e-2, 0.0),
    "slow noise 1e-3": (1e-3, 0.0, 0.9),
}


def noise_study(rate: float = 200.0, seconds: float = 30.0) -> None:
    from support.identification import motion, small_arm

    print("simulated noisy positions: cut-offs [Hz] by prediction and kept, errors elsewhere [%]")
    arms = {
        "small": small_arm(),
        **{f"generic {n}": Arm(armdyn.generic(n, seed=n)) for n in (4, 6)},
    }
    t = np.arange(int(seconds * rate)) / rate
    for name, arm in arms.items():
        rng = np.random.default_rng(arm.n)
        q, qd, qdd = motion(arm.n, t, 3)
        exact = arm.inverse_dynamics(q, qd, qdd)
        tau = exact + 0.02 * exact.std(axis=0) * rng.normal(size=q.shape)
        states = motion(arm.n, t[::10], 103)
        true = arm.inverse_dynamics(*states)
        for what, (deviation, step, memory) in NOISES.items():
            noise = rng.normal(size=q.shape)
            for k in range(1, len(noise)):
                noise[k] = memory * noise[k - 1] + np.sqrt(1.0 - memory**2) * noise[k]
            seen = q + deviation * noise
            seen = step * np.round(seen / step) if step else seen
            log = Log(t=t, q=seen, tau=tau, joint_names=arm.joint_names)
            train, test = log.part(0, int(0.7 * len(log))), log.part(int(0.7 * len(log)), len(log))
            predicted = find_band(
                arm, [train], [], cutoff=None, delay=None, coupling=None, extra=(), progress=quiet
            ).cutoff
            made = [armdyn.identify(arm, train, test=test, cutoff=f) for f in (predicted, None)]
            error = [
                100.0
                * np.linalg.norm(r.arm.inverse_dynamics(*states) - true)
                / np.linalg.norm(true)
                for r in made
            ]
            print(
                f"{name:10} {what:16} {predicted:6.2f} {made[1].about.cutoff:6.2f} "
                f"{error[0]:7.2f} {error[1]:7.2f}",
                flush=True,
            )


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("windows", type=int, nargs="?", default=20)
    reader.add_argument("--errors", type=int, nargs="?", const=0, default=None)
    reader.add_argument("--free", action="store_true")
    reader.add_argument("--logs", default="ur10,panda,lwr4,kr300")
    reader.add_argument("--noise", action="store_true")
    asked = reader.parse_args()
    if asked.noise:
        noise_study()
        return
    stability(asked.windows, asked.logs.split(","))
    if asked.errors is not None:
        errors(asked.errors, not asked.free, asked.logs.split(","))


if __name__ == "__main__":
    main()
