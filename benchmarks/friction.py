"""What the choice of friction terms costs: beside fits that know the true terms, on synthetic arms.

    python benchmarks/friction.py [--arms N] [--seed S]

Half of the arms have further terms of friction (load, Stribeck, square root: a random set, of every
joint), half have none. Each is identified with the defaults, and by a fit that is told the terms.
Both predict the torques of another motion, without noise; the ratio of their errors is the cost.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

import numpy as np

import armdyn
import errorbars

FURTHER = {
    "load": ("load_friction",),
    "stribeck": ("stribeck", "stribeck_velocity"),
    "root": ("root_friction",),
}
COMMON = ["viscous", "coulomb", "offset"]


def with_terms(rng: np.random.Generator, arm: armdyn.Arm, terms: list[str]) -> armdyn.Arm:
    """The true arm with some terms of friction on every joint, and no others."""
    true = errorbars.truth(rng, arm, always=tuple(terms))
    gone = {field: 0.0 for name, fields in FURTHER.items() if name not in terms for field in fields}
    joints = [replace(joint, **gone) for joint in true.robot.joints]
    return armdyn.Arm(errorbars.replace_joints(arm, joints))


def case(seed: int) -> tuple[bool, float, float]:
    """Whether the arm has further terms, and the errors: with the choice, and told the terms."""
    rng = np.random.default_rng([seed, 31])
    known = errorbars.described(seed)
    further = bool(seed // 3 % 2)
    terms = [name for name in FURTHER if rng.random() < 0.5] or ["load"] if further else []
    true = with_terms(rng, known, terms)
    log = errorbars.recorded(rng, true)
    other = errorbars.motion(rng, known, np.arange(0, 20, 0.02))
    wanted = true.inverse_dynamics(*other)
    told = [*COMMON, *terms] if terms else True
    errors = [
        float(np.linalg.norm(armdyn.identify(known, log, friction=f).predict(*other) - wanted))
        for f in ("auto", told)
    ]
    size = float(np.linalg.norm(wanted))
    return further, errors[0] / size, errors[1] / size


def main() -> None:
    parser = argparse.ArgumentParser(description="The cost of choosing terms of friction.")
    parser.add_argument("--arms", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    found = []
    for seed in range(asked.seed, asked.seed + asked.arms):
        found.append(case(seed))
        if sys.stderr.isatty():
            print(f"\r{len(found)} of {asked.arms}", end="", file=sys.stderr)
    for further, name in ((True, "further terms"), (False, "common terms only")):
        ratio = np.array([a / b for f, a, b in found if f is further])
        error = np.array([a for f, a, _ in found if f is further])
        if not len(ratio):
            continue
        print(
            f"{name}: {len(ratio)} arms, error {np.median(error):.2%}; chosen over told: median "
            f"{np.median(ratio):.3f}, above 1.15: {np.mean(ratio > 1.15):.0%}, above 1.03: "
            f"{np.mean(ratio > 1.03):.0%}, worst {ratio.max():.2f}"
        )


if __name__ == "__main__":
    main()
