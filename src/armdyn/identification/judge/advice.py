"""Advice for better data or settings, from the numbers of a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.judge.verdict import LIMITS, WORTH_TELLING
from armdyn.numerics import ratio
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Joints that use a smaller share of their limits are named, and joints of which a larger share of
# the rows is left out.
LITTLE = 0.25

# A larger share of outliers is told.
OUTLIERS = 0.05

# The error on data held out is told if it is this many times that of the fit.
WORSE_HELD_OUT = 1.5

# Residuals that last this many rows are no noise.
LONG_MEMORY = 4.0

# Fewer independent rows for each parameter are little.
ROWS_A_PARAMETER = 10.0

# A larger share of parameters that stay near the description is told.
LEANS_ON_DESCRIPTION = 0.15


def rows_left_out(result: Result) -> Array:
    """Return the share of rows of every joint that are slower than its dead band, ``(n,)``."""
    rows = sum(len(s.t) for s in result.train)
    return 1.0 - np.array(result.counts, dtype=np.float64) / max(rows, 1)


def advice(result: Result) -> tuple[str, ...]:
    """Return advice for a better result, a sentence each, the most important first."""
    return (*_motion(result), *_data(result), *_model(result), *_description(result))


def _motion(result: Result) -> Iterator[str]:
    about, joints = result.about, result.described.robot.joints
    judged = result.excitation.per_joint
    open_ones = [
        f"{joint.name} ({judged[j]:.0%})"
        for j, joint in enumerate(joints)
        if judged[j] > LIMITS["expected"].refusal
    ]
    if open_ones:
        yield (
            f"the data leave much of the torques of {', '.join(open_ones)} on other motions open. "
            "Move them, and the joints after them, through other poses and at other speeds."
        )
    width = about.highest - about.lowest
    whole = np.array([joint.upper - joint.lower for joint in joints])
    narrow = _shares(joints, width, whole, LITTLE, ("rad", "m"))
    if narrow:
        yield f"some joints use little of their ranges: {narrow}. Let them swing further."
    slow = _shares(
        joints, about.fastest, np.array([j.velocity for j in joints]), LITTLE,
        ("rad/s", "m/s"),
    )  # fmt: skip
    if slow:
        yield (
            f"some joints are slow beside what they can do: {slow}. Move them faster: inertias "
            "show in accelerations."
        )
    left_out = rows_left_out(result)
    used = np.isfinite(result.about.dead_band)  # of ignored joints no row counts
    resting = [
        f"{joint.name} ({x:.0%})"
        for joint, x, counts in zip(joints, left_out, used, strict=True)
        if x > LITTLE and counts
    ]
    if resting:
        yield (
            f"many rows of {', '.join(resting)} are slower than the dead band and are left out. "
            "Avoid rests and slow turns of these joints."
        )


def _shares(
    joints: Sequence[Joint], used: Array, whole: Array, little: float, units: tuple[str, str]
) -> str:
    """Return as text the joints that use a small share of their limits."""
    return ", ".join(
        f"{joint.name} {x:.2g} {units[0] if joint.is_revolute else units[1]} ({x / y:.0%})"
        for joint, x, y in zip(joints, used.tolist(), whole.tolist(), strict=True)
        if np.isfinite(y) and x < little * y
    )


def _data(result: Result) -> Iterator[str]:
    held, fit = result.errors.total, result.train_errors.total
    if not result.held_out:
        yield (
            "no data were held out, so that nothing tells how well torques of other motions are "
            "predicted. Hold out a share, or test with another log."
        )
    elif held > WORSE_HELD_OUT * fit and held > WORTH_TELLING:
        times = float(ratio(held, fit, np.inf))
        yield (
            f"the error on data held out, {held:.1%}, is {times:.2g} times that of the fit, "
            f"{fit:.1%}: record longer and more varied motions, and test under the same "
            "conditions (load, temperature)."
        )
    worth = float(np.sum(np.array(result.counts) / np.maximum(result.correlation, 1.0)))
    needed = ROWS_A_PARAMETER * len(result.values)
    if worth < needed:
        times = needed / max(worth, 1.0)
        yield (
            f"the rows of the fit are worth {worth:.0f} independent ones, for "
            f"{len(result.values)} parameters. {times:.2g} times as much data would make error "
            "bars narrower."
        )
    outliers = [
        f"{name} ({share:.0%})"
        for name, share in zip(result.arm.joint_names, result.clipped, strict=True)
        if share > OUTLIERS
    ]
    if outliers:
        yield (
            f"many torques of {', '.join(outliers)} are far from the model: look for contacts, "
            "faults of sensors, or friction that sticks and slips."
        )
    if not result.bias.small:
        lower = result.about.cutoff / 2.0
        yield (
            "noise of the positions biases the parameters, or the model leaves something out: try "
            f"a cut-off of {lower:.2g} Hz in place of {result.about.cutoff:.2g} Hz; if the error "
            "held out stays, it is the model."
        )


def _model(result: Result) -> Iterator[str]:
    names, rate = result.arm.joint_names, min(result.rate, default=1.0)
    long = [
        f"{name} ({worth / rate:.2g} s)"
        for name, worth in zip(names, result.correlation, strict=True)
        if worth > LONG_MEMORY
    ]
    if long:
        yield (
            f"residuals of {', '.join(long)} last longer than noise would: the model leaves "
            "something out there, such as friction that depends on load or temperature, cables, "
            "or elasticity."
        )
    bent = [f.what for f in result.findings if f.option.startswith("--friction auto")]
    if bent:
        yield f"{'; '.join(bent)}: try `friction='auto'` (`--friction auto`)."


def _description(result: Result) -> Iterator[str]:
    p = len(result.values)
    if not any(joint.mass for joint in result.described.robot.joints):
        yield (
            "the arm is described without masses. Rough ones of a CAD model or a data sheet would "
            "help where the data say little."
        )
    elif p - result.determined > LEANS_ON_DESCRIPTION * p:
        yield (
            f"the data determine {result.determined:.0f} of {p} parameters; the others stay near "
            "the description. A motion that excites more would replace it: `armdyn excite` "
            "makes one."
        )


def next_command(result: Result, robot: str = "") -> str:
    """Return the command that should come next: the remedy, a better log, or the model's use.

    Args:
        result: of an identification.
        robot: the robot as the user called it; its name if left out.
    """
    robot = robot or result.described.name
    logs = " ".join(s.file or "LOG" for s in result.about.sources if not s.held_out)
    same = f"armdyn identify {robot} {logs or 'LOG'}"
    cause = result.cause
    if cause is not None:
        option = cause.option
        if cause.kind == "load":
            return f"armdyn payload {robot} {logs}"
        if cause.kind == "scale" and len(cause.values) == 1:
            gains = ["1"] * result.arm.n
            gains[cause.joints[0] - 1] = f"{1.0 / cause.values[0]:.4g}"
            return f"{same} --gain {','.join(gains)} -o identified"
        if option.startswith("--") and not {"FILE", "...", " or", "with"} & {*option.split()}:
            return f"{same} {option} -o identified"
    if result.passed:
        return "armdyn codegen identified/identified.toml --functions inverse_dynamics --out c"
    return f"armdyn excite {robot} -o excite.csv"
