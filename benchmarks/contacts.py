"""Pushes that a momentum observer finds in logs, and false alarms, by where its model comes from.

    python benchmarks/contacts.py [--arms NAME,...] [--logs K]

Pushes of a tenth and a fifth of a joint's torque limit, 0.4 s long, are put into logs at random:
the drives hold against them. The model is

- result: identified from other data, which also give the thresholds;
- free: that arm, with thresholds from a log without contacts;
- arm: that arm, with thresholds from the log itself;
- self: identified from the log itself, pushes included, as `armdyn observe ROBOT LOG` does.

A push counts as found if a contact of its joint begins within it. The first rows are simulated: ten
minutes without contacts, and pushes at 500 Hz; then motions with pauses, where the thresholds come
from such a motion and the model has too much viscous friction. The others are real logs, without
contacts as far as is known, which lie beside the project, in ../shared; most have no pushes of
their own.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import armdyn
from armdyn import Arm, Log, MomentumObserver
from armdyn.control.model_choice import model_for
from cutoffs import Case, cases

HOME = Path(__file__).parents[1]
sys.path[:0] = [str(HOME / "tests"), str(HOME / "tests/identification")]

Array = NDArray[np.float64]

SHARES, LENGTH, PUSHES = (0.1, 0.2), 0.4, 3
# A log of the KUKA KR300 has no limits: twice the largest torque stands for one.
LIMIT = 2.0


@dataclass
class Score:
    """What became of pushes: how many, found, when, and alarms elsewhere."""

    pushes: int = 0
    found: int = 0
    false: int = 0
    late: list[float] = field(default_factory=list)


def limits(arm: Arm, log: Log) -> Array:
    effort = np.array([joint.effort for joint in arm.robot.joints])
    return np.where(np.isfinite(effort), effort, LIMIT * np.abs(np.asarray(log.tau)).max(axis=0))


def pushed(log: Log, limit: Array, share: float, seed: int) -> tuple[Log, list[tuple[float, int]]]:
    """Return a log with pushes, and when and on which joint they are."""
    rng, tau = np.random.default_rng(seed), np.array(log.tau)
    parts = np.arange(PUSHES) + 0.5 + 0.3 * rng.uniform(-1, 1, PUSHES)
    done: list[tuple[float, int]] = []
    for start in log.t[0] + (log.t[-1] - log.t[0]) * parts / PUSHES:
        j = int(rng.integers(len(limit)))
        during = (log.t >= start) & (log.t < start + LENGTH)
        tau[during, j] -= share * limit[j] * rng.choice([-1, 1])
        done.append((float(start), j))
    return replace(log, tau=tau), done


def judge(
    score: Score, observer: MomentumObserver, log: Log, pushes: list[tuple[float, int]]
) -> None:
    contacts, names = observer.run(log).contacts, observer.arm.joint_names
    for start, j in pushes:
        own = [c.start - start for c in contacts if c.joint == names[j]]
        hits = [late for late in own if -2.0 / log.rate <= late < LENGTH]
        score.pushes += 1
        score.found += bool(hits)
        score.late += hits[:1]
    near = [
        any(-2.0 / log.rate <= c.start - start < LENGTH + 0.3 for start, _ in pushes)
        for c in contacts
    ]
    score.false += len(near) - sum(near)


def row(name: str, model: str, share: float, score: Score) -> None:
    late = 1e3 * np.quantile(score.late, [0.5, 0.9]) if score.late else [np.nan, np.nan]
    print(
        f"{name:10} {model:7} {share:5.0%} {score.found:5} of {score.pushes:3} {score.false:6} "
        f"{late[0]:8.0f} {late[1]:6.0f}"
    )


def simulated(many: int) -> None:
    """Print rows of the small arm of the tests."""
    from support.identification import recorded, small_arm
    from support.pauses import paused

    arm, limit = small_arm(), np.array([30.0, 30.0, 15.0])
    result = armdyn.identify(arm, recorded(arm, seed=1), physical=False)
    observer = MomentumObserver(result)
    calm = Score(false=len(observer.run(recorded(arm, duration=600.0, seed=7)).contacts))
    row("10 minutes", "result", 0.0, calm)
    for share in SHARES:
        score = Score()
        for seed in range(many):
            log = recorded(arm, duration=30.0, rate=500.0, seed=100 + seed)
            judge(score, observer, *pushed(log, limit, share, seed))
        row("simulated", "result", share, score)
    viscous = [replace(joint, viscous=joint.viscous + 3.0) for joint in arm.robot.joints]
    observer = MomentumObserver(Arm(replace(arm.robot, joints=viscous)), free=paused(arm, seed=1))
    logs = [paused(arm, seed=100 + seed) for seed in range(many)]
    calm = Score(false=sum(len(observer.run(log).contacts) for log in logs))
    row("pauses", "free", 0.0, calm)
    for share in SHARES:
        score = Score()
        for seed, log in enumerate(logs):
            judge(score, observer, *pushed(log, limit, share, seed))
        row("pauses", "free", share, score)


def parts(case: Case) -> tuple[list[Log], Log]:
    """Return logs to identify from, and one to observe."""
    if len(case.logs) > 1:
        return case.logs[:-1], case.logs[-1]
    (log,) = case.logs
    return [log.part(0, len(log) // 2)], log.part(len(log) // 2, len(log))


def real(case: Case, many: int) -> None:
    """Print rows of a real arm."""
    train, test = parts(case)
    arm, limit = case.arm, limits(case.arm, test)
    result = armdyn.identify(arm, train, holdout=0.0)
    observers = {
        "result": MomentumObserver(result),
        "free": MomentumObserver(result.arm, free=train[0]),
        "arm": MomentumObserver(result.arm),
    }
    for model, observer in observers.items():
        row(case.key, model, 0.0, Score(false=len(observer.run(test).contacts)))
    for share in SHARES:
        scores = {model: Score() for model in (*observers, "self")}
        for seed in range(many):
            log, pushes = pushed(test, limit, share, seed)
            own = model_for(arm, log, identified=True)
            every = {**observers, "self": MomentumObserver(own.model, free=own.free)}
            for model, observer in every.items():
                judge(scores[model], observer, log, pushes)
        for model, score in scores.items():
            row(case.key, model, share, score)


def chosen(names: set[str]) -> Iterator[Case]:
    for case in cases():
        if not names or case.key in names:
            yield case


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", default="", help="real arms by commas; all if left out")
    parser.add_argument("--logs", type=int, default=6, help="logs with pushes of each size")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    heads = f"{'push':>5} {'found':>12} {'false':>6} {'late [ms]':>9} {'90 %':>5}"
    print(f"{'log':10} {'model':7} {heads}")
    simulated(given.logs)
    for case in chosen({name for name in given.arms.split(",") if name}):
        real(case, given.logs)


if __name__ == "__main__":
    main()
