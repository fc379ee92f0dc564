"""The unit of positions, by the steps of encoders and by the range of motion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import LogError
from armdyn.log.recognition.names import GRIPPER
from armdyn.log.recognition.units import ANGLES, COUNTS, COUNTS_PER_TURN, NORMALISED

# An encoder counts whole steps, so all differences of positions are multiples of one step. Its size
# tells the unit: servo drives of Feetech and Dynamixel divide a turn into 4096. LeRobot normalises
# the range of each joint to -100 ... 100, or 0 ... 100 for grippers; a step then differs by joint,
# and tells the angle of a unit.

# Steps of known encoders [rad]: 4096 steps a turn, and 0.001 degrees of AgileX Piper.
SERVO_STEP = math.tau / COUNTS_PER_TURN
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

SAY = 'Say units="deg", units="rad" or units="m100_100".'

# The sample that shows the unit of a file [rows].
SAMPLE_ROWS = 1 << 15


@dataclass
class FoundUnits:
    """Units of positions.

    Attributes:
        unit: the option that says the same: "rad", "deg", "m100_100" or "counts".
        factors: to radians by joint, where the unit is certain.
        notes: the evidence.
        doubts: assumptions.
    """

    unit: str = "rad"
    factors: dict[str, float] = field(default_factory=dict[str, float])
    notes: list[str] = field(default_factory=list[str])
    doubts: list[str] = field(default_factory=list[str])


def found_units(
    path: Path,
    positions: Mapping[str, Array | None],
    *,
    is_normalised: bool = False,
    is_rounded: bool = False,
) -> FoundUnits:
    """Return the unit of positions by joint.

    Args:
        path: of the log, for messages.
        positions: a sample of each joint.
        is_normalised: whether it is known that positions are normalised to -100 ... 100.
        is_rounded: whether digits may have been cut off, so that a decimal step shows nothing.

    Raises:
        LogError: nothing tells the unit.
    """
    found = FoundUnits()
    steps = {name: None if x is None else encoder_step(x) for name, x in positions.items()}
    if is_rounded:
        steps = {name: None if k and _is_decimal(k) else k for name, k in steps.items()}
    kinds: dict[str, str] = {}
    for name, step in steps.items():
        kind = _kind(positions[name], step)
        if is_normalised:  # larger steps are several of the encoder
            kind = NORMALISED if step and step < NORMALISED_STEPS[1] else None
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


def units_by_steps(positions: Mapping[str, Array], *, is_register: bool) -> FoundUnits | None:
    """Return the unit of positions of any file if the steps of servo drives show it.

    Only degrees and radians are told apart, and whole numbers by the name of a register. Other
    steps are those of gears or digits, and show nothing.

    Args:
        positions: a sample of each joint that turns.
        is_register: whether the columns are called as the position register of servo drives.
    """
    if is_register and all(map(_is_whole, positions.values())):
        found = FoundUnits(COUNTS, dict.fromkeys(positions, SERVO_STEP))
        low = min(float(np.nanmin(x, initial=0.0)) for x in positions.values())
        high = max(float(np.nanmax(x, initial=0.0)) for x in positions.values())
        found.doubts.append(
            f"positions are whole numbers from {low:.6g} to {high:.6g} of a position register: "
            f"taken as counts, {COUNTS_PER_TURN} a turn, with zero at {COUNTS_PER_TURN // 2}. That "
            f"need not be the zero of the arm's file. {_fix(COUNTS)}"
        )
        return found
    kinds = {name: _servo_unit(x) for name, x in positions.items()}
    shown = {unit for unit in kinds.values() if unit}
    if len(shown) != 1:
        return None
    (unit,) = shown
    names = [name for name, kind in kinds.items() if kind]
    step = SERVO_STEP / ANGLES[unit]
    note = (
        f"positions are taken as {unit}: those of {', '.join(names)} are multiples of {step:.5g}, "
        f"the step of servo drives of {COUNTS_PER_TURN} a turn. {_fix(unit)}"
    )
    return FoundUnits(unit, dict.fromkeys(positions, ANGLES[unit]), [note])


def _is_whole(values: Array) -> bool:
    there = values[np.isfinite(values)]
    return bool(len(there)) and bool((there == np.round(there)).all())


def _servo_unit(values: Array) -> str | None:
    """Return "deg" or "rad" if all differences are multiples of the step of a servo drive."""
    there = values[np.isfinite(values)].astype(np.float64)
    differences = np.diff(np.unique(there))
    if len(there):
        rounding = ROUNDINGS * float(np.finfo(np.float32).eps) * float(np.abs(there).max())
        differences = differences[differences > rounding]
    if len(differences) < LEAST_DIFFERENCES or not np.isfinite(differences).all():
        return None
    for unit in ("deg", "rad"):
        counts = differences / (SERVO_STEP / ANGLES[unit])
        misfit = math.sqrt(float(np.mean((counts - np.round(counts)) ** 2)))
        # smaller differences than a step are those of digits, or of another encoder
        if counts.min() > 0.5 and misfit < LARGEST_MISFIT:
            return unit
    return None


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


def _is_decimal(step: float) -> bool:
    """Whether a step is one of digits: 1, 2, 2.5 or 5 times a power of ten."""
    digits = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    return any(abs(digits / one - 1.0) < STEP_TOLERANCE for one in (1.0, 2.0, 2.5, 5.0))


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
                f"calibrated range.{fix}"
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
    return f'To say so: units="{unit}".'
