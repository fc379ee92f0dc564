"""How much to trust the balls that stand for links without masses: a choice on synthetic arms.

    python benchmarks/undescribed.py [--arms N] [--seed S] [--trust T ...]

The arms of `errorbars.py` are identified from 5 to 15 s of motion, by a description without masses.
Each line has the errors of torques without noise on another motion, in per cent, for each bound of
the trust; the last line their geometric means. No measured log takes part.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

import armdyn
from armdyn.identification import physical as _physical
from errorbars import described, motion, recorded, replace_joints, truth


def bare(arm: armdyn.Arm) -> armdyn.Arm:
    """The arm without masses."""
    nothing = {"mass": 0.0, "com": (0.0, 0.0, 0.0), "inertia": (0.0,) * 6}
    return armdyn.Arm(replace_joints(arm, [replace(j, **nothing) for j in arm.robot.joints]))


def errors(seed: int, trusts: list[float]) -> list[float]:
    rng = np.random.default_rng([seed, 20261117])
    known = described(seed)
    arm = truth(rng, known)
    log = recorded(rng, arm)
    log = log.part(0, int(rng.uniform(5.0, 15.0) * log.rate))
    states = motion(rng, arm, np.arange(0.0, 20.0, 0.01))
    tau = arm.inverse_dynamics(*states)
    found = []
    for trust in trusts:
        _physical.SETTINGS = replace(_physical.SETTINGS, most_undescribed=trust)
        result = armdyn.identify(bare(known), log)
        off = result.predict(*states) - tau
        found.append(100.0 * float(np.linalg.norm(off) / np.linalg.norm(tau)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=12)
    parser.add_argument("--seed", type=int, default=7300)
    parser.add_argument("--trust", type=float, nargs="+", default=[1.0, 0.1])
    given = parser.parse_args()
    print("seed ", *(f"{trust:8g}" for trust in given.trust))
    rows = []
    for seed in range(given.seed, given.seed + given.arms):
        rows.append(errors(seed, given.trust))
        print(f"{seed:5d}", *(f"{x:8.2f}" for x in rows[-1]), flush=True)
    print(" mean", *(f"{x:8.2f}" for x in np.exp(np.mean(np.log(rows), axis=0))))


if __name__ == "__main__":
    main()
