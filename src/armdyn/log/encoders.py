"""The unit of positions, by the steps of encoders and by the range of motion."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import LogError
from armdyn.log.columns import ANGLES, NORMALISED

# An encoder counts whole steps, so all differences of positions are multiples of one step. Its size
# tells the unit: servo drives of Feetech and Dynamixel divide a turn into 4096. LeRobot normalises
# the range of each joint to -100 ... 100, or 0 ... 100 for grippers; a step then differs by joint,
# and tells the angle of a unit.

# Steps of known encoders [rad]: 4096 steps a turn, and 0.001 degrees of AgileX Piper.
SERVO_STEP = math.tau / 4096
STEPS = (SERVO_STEP, math.radians(0.001))
# A step is a known one if it is that by this share: the mean of many has an error of 1e-4.
STEP_TOLERANCE = 1e-3
# Rms distance of differences from whole steps, in steps: 1e-4 by single precision, 0.29 by chance.
LARGEST_MISFIT = 0.01
# Fewer differences between distinct positions show no step.
LEAST_DIFFERENCES = 8
# Differences of less than so many rounding errors of single precision are none.
ROUNDINGS = 8.0

# Normalised positions end here; calibrated ranges may be left by a little.
NORMALISED_END = 105.0
# Steps of normalised positions: a range of a whole turn for -100 ... 100, half of it for
# 0 ... 100; and a range of 20 degrees.
NORMALISED_STEPS = (0.99 * 100.0 / 4096, 200.0 / (4096 / 18))

# Positions beyond this [rad] are not taken as radians without further evidence: a turn.
LARGEST_RADIANS = math.tau

SAY = 'Say units="deg", "rad" or "m100_100" (on the command line --units deg).'

GRIPPER = re.compile("gripper|finger|jaw|claw", re.I)


@dataclass
class FoundUnits:
    """Units of positions.

    Attributes:
        unit: the option that says the same: "rad", "deg" or "m100_100".
        factors: to radians by joint, where the unit is certain.
        notes: the evidence.
        doubts: assumptions.
    """

    unit: str = "rad"
    factors: dict[str, float] = field(default_factory=dict[str, float])
    notes: list[str] = field(default_factory=list[str])
    doubts: list[str] = field(default_factory=list[str])


def found_units(
    path: Path, positions: Mapping[str, Array | None], *, is_normalised: bool = False
) -> FoundUnits:
    """Return the unit of positions by joint.

    Args:
        path: of the log, for messages.
        positions: a sample of each joint.
        is_normalised: whether it is known that positions are normalised to -100 ... 100.

    Raises:
        LogError: nothing tells the unit.
    """
    found = FoundUnits()
    steps = {name: None if x is None else encoder_step(x) for name, x in positions.items()}
    kinds: dict[str, str] = {}
    for name, step in steps.items():
        kind = NORMALISED if step and is_normalised else _kind(positions[name], step)
        if kind is not None and step is not None:
            kinds[name] = kind
            found.factors[name] = ANGLES.get(kind, SERVO_STEP / step)
    if is_normalised and not kinds:
        raise LogError(
            path, "positions show no steps of an encoder, which tell the angle of a unit; convert "
            'them to degrees and say units="deg".',
        )  # fmt: skip
    body = {kind for name, kind in kinds.items() if not GRIPPER.search(name)}
    if NORMALISED in body:
        kinds, body = dict.fromkeys(kinds, NORMALISED), {NORMALISED}
        found.factors = {k: SERVO_STEP / step for k, step in steps.items() if step and k in kinds}
    _tell(found, kinds, steps, is_said=is_normalised)
    unclear = [name for name in positions if name not in kinds]
    if not unclear:
        return found
    if not kinds:
        return _by_range(path, found, positions)
    if len(body) == 1 and NORMALISED not in body:
        (unit,) = body
        found.factors |= dict.fromkeys(unclear, ANGLES[unit])
        found.notes.append(f"{', '.join(unclear)} show no step; {unit} is taken as for the others.")
        return found
    found.factors |= dict.fromkeys(unclear, ANGLES["deg"])
    found.doubts.append(
        f"the unit of {', '.join(unclear)} is not known, since positions hardly change: a degree "
        f"is assumed. {SAY}"
    )
    return found


def encoder_step(values: Array) -> float | None:
    """Return the step that all differences of positions are multiples of; None if there is none."""
    there = values[np.isfinite(values)].astype(np.float64)
    if not len(there):
        return None
    rounding = ROUNDINGS * float(np.finfo(np.float32).eps) * float(np.abs(there).max())
    steps = np.diff(np.unique(there))
    steps = steps[steps > rounding]
    if len(steps) < LEAST_DIFFERENCES or not np.isfinite(steps).all():
        return None
    step = float(steps.min())
    for _ in range(3):  # the mean of many steps has more digits than the smallest
        step = float(steps.sum() / np.round(steps / step).sum())
    counts = steps / step
    misfit = math.sqrt(float(np.mean((counts - np.round(counts)) ** 2)))
    return step if misfit < LARGEST_MISFIT else None


def _kind(values: Array | None, step: float | None) -> str | None:
    """Return the unit that a step shows; None if it is no known one."""
    if values is None or step is None:
        return None
    for unit in ("deg", "rad"):
        if any(abs(step * ANGLES[unit] / known - 1.0) < STEP_TOLERANCE for known in STEPS):
            return unit
    there = values[np.isfinite(values)]
    ends = float(np.abs(there).max(initial=0.0)) <= NORMALISED_END
    return NORMALISED if ends and NORMALISED_STEPS[0] < step < NORMALISED_STEPS[1] else None


def _tell(
    found: FoundUnits,
    kinds: Mapping[str, str],
    steps: Mapping[str, float | None],
    *,
    is_said: bool,
) -> None:
    """Set the unit that says the same for all joints, and add a note on each unit."""
    listed = list(kinds.values())
    if listed:  # normalised positions are converted by steps, as all others could be
        found.unit = NORMALISED if NORMALISED in listed else max(listed, key=listed.count)
    fix = "" if is_said else f" {_fix(found.unit)}"
    for unit in dict.fromkeys(listed):
        names = [name for name, kind in kinds.items() if kind == unit]
        step = steps[names[0]]
        if unit == NORMALISED:
            each = ", ".join(f"{k} {math.degrees(found.factors[k]):.4g}" for k in names)
            found.notes.append(
                f"positions are normalised (m100_100): steps of encoders differ by joint. With "
                f"4096 steps a turn, degrees per unit are: {each}. Zero is the middle of the "
                f"calibrated range, not the zero of the arm's file.{fix}"
            )
            continue
        found.notes.append(
            f"positions of {', '.join(names)} are taken as {unit}, from the step of their "
            f"encoders, {step:.5g}.{fix}"
        )


def _by_range(path: Path, found: FoundUnits, positions: Mapping[str, Array | None]) -> FoundUnits:
    """Return radians if all positions are within a turn, without factors: they stay in doubt."""
    for name, values in positions.items():
        there = np.zeros(0) if values is None else values[np.isfinite(values)]
        low, high = float(there.min(initial=0.0)), float(there.max(initial=0.0))
        if max(-low, high) > LARGEST_RADIANS:
            raise LogError(
                path,
                f"positions of {name} go from {low:.4g} to {high:.4g} and show no step of an "
                f"encoder: their unit is not clear. {SAY}",
            )
    found.notes.append(
        f"positions are taken as rad, since all are within a turn; no step of an encoder is seen. "
        f"{_fix('rad')}"
    )
    return found


def _fix(unit: str) -> str:
    return f'To say so: units="{unit}" (--units {unit}).'
