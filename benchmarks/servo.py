"""How well servo errors weigh an arm: SO-101 truths of `servo_truths.py`.

    python benchmarks/servo.py [--a 40] [--b 30] [--c 30] [--spoiled 12] [--hung 16] [--runs 10]
                               [--first SEED] [--cache FOLDER]

Prints median (90th percentile) errors of droops at new poses, errors over error bars, verdicts on
good and spoiled logs, torque errors with a hung mass, and goal offsets simulated on truths. Logs
are simulated once and kept in the cache.
"""

from __future__ import annotations

import argparse
import math
import pickle
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import armdyn
import servo_truths as truths
from armdyn.servo.result import ServoResult
from armdyn.servo.weigh import weigh

JOINTS = ("lift", "elbow", "wrist")
LOADED = list(truths.LOADED)
HUNG, HUNG_AT = 0.1, np.array([0.0, 0.0, 0.02])
WRONG = 0.2  # a larger droop error is wrong
MOTIONS = ("poses", "teleop")
ALL_MOTIONS = (*MOTIONS, "static")


def main() -> None:
    """Run all tables."""
    parser = argparse.ArgumentParser()
    for name, count in (
        ("a", 40),
        ("b", 30),
        ("c", 30),
        ("spoiled", 12),
        ("hung", 16),
        ("runs", 10),
    ):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--first", type=int, default=0, help="seed of the first truth")
    parser.add_argument("--motions", nargs="+", choices=ALL_MOTIONS, default=MOTIONS)
    parser.add_argument("--cache", type=Path, default=Path("servo_cache"))
    options = parser.parse_args()
    options.cache.mkdir(exist_ok=True, parents=True)
    logs, first = Logs(options.cache), options.first
    counts = {"A": options.a, "B": options.b, "C": options.c}
    tried = {kind: seeds(first, count) for kind, count in counts.items()}
    kept = good_logs(logs, tried, options.motions)
    spoiled_logs(logs, seeds(first, options.spoiled))
    hung_masses(logs, seeds(first, options.hung))
    compensation(kept, seeds(first, options.runs))


def seeds(first: int, count: int) -> range:
    """Return the seeds of some truths."""
    return range(first, first + count)


class Logs:
    """Simulated logs, kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, kind: str, seed: int, motion: str, tag: str = "") -> armdyn.Log:
        """Return a log of a truth; tag "I" has an integral term, "H" the hung mass."""
        path = self.folder / f"{kind}{seed}{motion}{tag}.pkl"
        if not path.exists():
            truth = truths.truth(kind, seed, integral=0.7 if tag == "I" else math.inf)
            if tag == "H":
                truth = truths.with_mass(truth, HUNG, HUNG_AT)
                log = truths.poses(truth, count=9, seed=5)
            else:
                log = getattr(truths, motion)(truth)
            path.write_bytes(pickle.dumps(log))
        return pickle.loads(path.read_bytes())


def relative(found: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return relative errors of the joints that carry weight."""
    return np.sqrt(np.mean((found - true) ** 2, 0) / np.mean(true**2, 0))[LOADED]


def words(errors: np.ndarray) -> str:
    """Return median (90th percentile) of every joint in per cent."""
    middle, high = 100 * np.median(errors, 0), 100 * np.percentile(errors, 90, 0)
    return "  ".join(f"{m:5.1f} ({h:4.1f})" for m, h in zip(middle, high, strict=True))


def good_logs(
    logs: Logs, tried: dict[str, range], motions: Sequence[str]
) -> dict[tuple[str, int], ServoResult]:
    """Print droop errors, error bars and verdicts of logs that nothing is wrong with."""
    kept = {}
    for kind, numbers in tried.items():
        for motion in motions:
            errors, bars, seconds, judged, named = [], [], [], Counter(), Counter()
            measures = []
            for seed in numbers:
                truth = truths.truth(kind, seed)
                log = logs.get(kind, seed, motion)
                start = time.process_time()
                result = weigh(truth.described, log, servo="sts3215")
                seconds.append(time.process_time() - start)
                q = truths.new_poses(truth.described)
                error = relative(result.droop(q), truth.droop(q))
                errors.append(error)
                bars.append(result.droop_error[LOADED])
                measures.append(result.evidence.measure[LOADED])
                judged.update(verdicts(result, error))
                named.update(finding.kind for finding in result.findings)
                if motion == "poses":
                    kept[kind, seed] = result
            if errors:
                rms = np.sqrt(np.mean((np.array(errors) / np.array(bars)) ** 2, 0))
                print(f"{kind} {motion:6} ({len(numbers)}) droop %: {words(np.array(errors))}   "
                      f"error/bar {np.round(rms, 2)}  CPU {np.median(seconds):.1f} s, at most "
                      f"{max(seconds):.1f}")  # fmt: skip
                print(f"   {dict(sorted(judged.items()))} findings {dict(named)} "
                      f"largest measure {np.max(measures, 0).round(3)}", flush=True)  # fmt: skip
    return kept


def verdicts(result: ServoResult, error: np.ndarray) -> list[str]:
    """Return verdicts on lift and elbow together, and on the wrist, with whether they are wrong."""
    answers = [result.verdicts[j] for j in LOADED]
    order = ("not passed", "usable", "passed")
    both = min(answers[:2], key=order.index)
    made = [f"lift+elbow {both}", f"wrist {answers[2]}"]
    if both != "not passed" and max(error[:2]) > WRONG:
        made.append(f"lift+elbow WRONG {both}")
    if answers[2] != "not passed" and error[2] > WRONG:
        made.append(f"wrist WRONG {answers[2]}")
    return made


def spoiled_logs(logs: Logs, numbers: range) -> None:
    """Print verdicts and findings of spoiled logs of class A."""
    spoils = {"I term 0.7 s": "integral", "wandering action 3 deg": "command",
              "elbow's sign": "sign", "elbow and wrist exchanged": "order"}  # fmt: skip
    for name, kind in spoils.items():
        judged, named = Counter(), Counter()
        for motion in MOTIONS:
            for seed in numbers:
                log = logs.get("A", seed, motion, "I" if kind == "integral" else "")
                if kind == "command":
                    log = truths.wandering(log, seed=seed)
                elif kind == "sign":
                    log = truths.flipped(log)
                elif kind == "order":
                    log = truths.exchanged(log)
                try:
                    result = weigh(armdyn.load("so101"), log, servo="sts3215")
                except armdyn.InputError as error:
                    named.update([f"refused: {str(error)[:60]}"])
                    judged.update(["refused"])
                    continue
                judged.update(verdicts(result, np.zeros(3)))
                first = result.findings[0] if result.findings else None
                right = first is not None and first.kind == kind
                if right and kind == "sign":
                    right = first.joints == (3,)
                elif right and kind == "order":
                    right = set(first.joints) == {3, 4}
                text = "none" if first is None else f"{first.kind}{first.joints}"
                named.update([f"right: {text}" if right else f"other: {text}"])
        print(f"{name}: {dict(sorted(judged.items()))}\n   {dict(named)}", flush=True)


def hung_masses(logs: Logs, numbers: range) -> None:
    """Print torque errors without and with 100 g hung for a minute."""
    without, errors, stiffness, bars = [], [], [], []
    for seed in numbers:
        truth = truths.truth("A", seed)
        log, weighted = logs.get("A", seed, "poses"), logs.get("A", seed, "poses", "H")
        q = truths.new_poses(truth.described)
        true = truth.arm.gravity(q - truth.zero)
        plain = weigh(truth.described, log, servo="sts3215")
        without.append(relative(plain.arm.gravity(q), true))
        result = weigh(truth.described, log, servo="sts3215", hung=weighted, hung_mass=HUNG,
                       hung_at=HUNG_AT)  # fmt: skip
        errors.append(relative(result.arm.gravity(q), true))
        stiffness.append((result.stiffness / truth.stiffness - 1.0)[LOADED])
        bars.append((result.stiffness_std / result.stiffness)[LOADED])
    if errors:
        k = np.array(stiffness)
        ratios = np.sqrt(np.mean((k / np.array(bars)) ** 2, 0))
        print(f"torque %, no mass ({len(numbers)}): {words(np.array(without))}")
        print(f"torque %, {1000 * HUNG:g} g hung:   {words(np.array(errors))}")
        print(f"   stiffness: mean error {np.round(100 * k.mean(0), 1)} %, rms "
              f"{np.round(100 * np.sqrt((k**2).mean(0)), 1)} %, error/bar rms "
              f"{np.round(ratios, 2)}", flush=True)  # fmt: skip


def compensation(kept: dict[tuple[str, int], ServoResult], runs: range) -> None:
    """Print position errors of simulated arms with goal offsets: along the motion and at rest."""
    for kind in ("A", "B"):
        made: dict[str, list[np.ndarray]] = {}
        for seed in runs:
            if (kind, seed) not in kept:
                continue
            truth, offsets = truths.truth(kind, seed), kept[kind, seed].offsets
            for name in ("none", "gravity", "full"):
                made.setdefault(name, []).append(tracking(truth, offsets, name))
        for name, errors in made.items():
            along, rest = np.degrees(np.sqrt(np.mean(np.array(errors) ** 2, 0)))
            print(f"offsets {kind} ({len(errors)}) {name:8} along {np.round(along, 2)}  at rest "
                  f"{np.round(rest, 2)} deg", flush=True)  # fmt: skip


def tracking(truth: truths.Truth, offsets, name: str) -> np.ndarray:
    """Return position errors [rad] of all joints, along a motion and at rest ``(2, n)``."""
    rng = np.random.default_rng([truth.seed, 9])
    low, high = truths.limits(truth.described, 0.7)
    at = (low + high) / 2.0
    points, now, rests = [(0.0, at), (0.5, at)], 0.5, []
    for pose in rng.uniform(low, high, (8, 6)):
        now += 1.5 * float(np.abs(pose - at).max()) / 0.6
        points.append((now, pose))
        rests.append((now + 0.7, now + 0.95))
        now += 1.0
        points.append((now, pose))
        at = pose
    wanted = truths.through(points)
    offsets.reset()

    def goals(t: float) -> np.ndarray:
        q = wanted(t)
        if name == "none":
            return q
        if name == "gravity":
            return q + offsets.droop(q)
        return offsets(q, (wanted(t + 0.01) - wanted(t - 0.01)) / 0.02)

    log = truths.record(truth, goals, now, points[0][1], 9)
    desired = np.array([wanted(t) for t in log.t])
    error = log.q - desired
    moving = np.abs(np.gradient(desired, log.t, axis=0)).max(axis=1) > 0.05
    moving &= log.t > 1.0
    still = np.any([(log.t > a) & (log.t < b) for a, b in rests], axis=0)
    return np.array([np.sqrt(np.mean(error[rows] ** 2, 0)) for rows in (moving, still)])


if __name__ == "__main__":
    main()
