"""Advice for better data or settings, from the numbers of a result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.judge.box import OUTSIDE
from armdyn.identification.judge.verdict import LIMITS, WORTH_TELLING
from armdyn.log.health import RESTING
from armdyn.numerics import ratio

if TYPE_CHECKING:
    from armdyn.identification.result import Result

# Joints are named that use a smaller share of their limits, or of whose rows a larger one is slow.
LITTLE = 0.25

# Larger shares are told: of the rows of a joint that are outliers or outside the training range,
# and of the width of that range by which they are outside.
NOTABLE_SHARE = 0.05

# The held-out error is told if it is this many times that of the fit.
WORSE_HELD_OUT = 1.5

# Ranges that held-out data leave: so many are named, the farthest first.
MOST_NAMED = 3

# Residuals that last this many rows are no noise.
LONG_MEMORY = 4.0

# Fewer independent rows for each parameter are few: a rule of thumb of regression.
ROWS_PER_PARAMETER = 10.0

# The remedy of a friction curve that a model lacks.
AUTO_FRICTION = "--friction auto"

# A larger share of parameters that stay near the description is told.
LEANS_ON_DESCRIPTION = 0.15


def advice(result: Result) -> tuple[str, ...]:
    """Return advice for a better result, a sentence each, the most important first."""
    return (*_motion(result), *_data(result), *_model(result), *_description(result))


def _motion(result: Result) -> Iterator[str]:
    about, joints = result.about, result.described.robot.joints
    uncertain = _above(result, result.excitation.per_joint, LIMITS["expected"].refusal)
    if uncertain:
        yield (
            f"torques on other motions are uncertain: {uncertain}. Move these joints and their "
            "successors through other poses and at other speeds."
        )
    ranges = np.array([joint.upper - joint.lower for joint in joints])
    narrow = _shares(result, about.highest - about.lowest, ranges, "")
    if narrow:
        yield f"some joints use little of their range: {narrow}. Move them further."
    slow = _shares(result, about.fastest, np.array([joint.velocity for joint in joints]), "/s")
    if slow:
        yield f"some joints stay far below their velocity limit: {slow}. Move them faster."
    rows = max(sum(len(s.t) for s in result.train), 1)
    # an ignored joint has no rows at all
    left_out = np.where(np.isfinite(about.dead_band), 1.0 - np.array(result.counts) / rows, 0.0)
    resting = _above(result, left_out, LITTLE)
    if resting:
        yield (
            f"many rows are slower than the dead band and not in the fit: {resting}. Avoid rests "
            "and slow reversals."
        )


def _above(result: Result, shares: Array, limit: float) -> str:
    """Return as text the joints whose share is above a limit."""
    pairs = zip(result.arm.joint_names, shares.tolist(), strict=True)
    return ", ".join(f"{name} ({x:.0%})" for name, x in pairs if x > limit)


def _shares(result: Result, used: Array, limits: Array, per: str) -> str:
    """Return as text the joints that use a small share of their limits."""
    return ", ".join(
        f"{joint.name} {x:.2g} {'rad' if joint.is_revolute else 'm'}{per} ({x / limit:.0%})"
        for joint, x, limit in zip(result.described.robot.joints, used, limits, strict=True)
        if np.isfinite(limit) and x < LITTLE * limit
    )


def beyond_training(result: Result) -> tuple[str, ...]:
    """Return where held-out data leave the range of the training data, the farthest first.

    Rows of the fit that leave the range by as much are deducted: noise of accelerations does.
    """
    if not any(len(s.t) for s in result.test):
        return ()
    box = result.box
    ranges = {
        "position": (box.lower, box.upper, ""),
        "velocity": (-box.speed, box.speed, "/s"),
        "acceleration": (-box.acceleration, box.acceleration, "/s^2"),
    }
    phrases: list[tuple[float, str]] = []
    for quantity, (lower, upper, per) in ranges.items():
        train = np.concatenate([getattr(s, quantity) for s in result.train])
        test = np.concatenate([getattr(s, quantity) for s in result.test])
        margin = np.maximum(NOTABLE_SHARE * (upper - lower), RESTING)
        inside = [((x >= lower - margin) & (x <= upper + margin)).mean(0) for x in (train, test)]
        low, high = np.quantile(test, [0.5 * OUTSIDE, 1.0 - 0.5 * OUTSIDE], axis=0)
        for j in np.flatnonzero(inside[0] - inside[1] > NOTABLE_SHARE):
            joint = result.arm.robot.joints[j]
            unit = ("rad" if joint.is_revolute else "m") + per
            above = high[j] - upper[j] > lower[j] - low[j]
            reached, limit = (high[j], upper[j]) if above else (low[j], lower[j])
            far = abs(float(ratio(reached - limit, upper[j] - lower[j], np.inf)))
            words = (
                f"{joint.name} reaches {reached:.3g} {unit}, trained {'up' if above else 'down'} "
                f"to {limit:.3g} {unit}"
            )
            phrases.append((-far, words))
    return tuple(words for _, words in sorted(phrases))


def _data(result: Result) -> Iterator[str]:
    held, fit = result.errors.total, result.train_errors.total
    beyond = beyond_training(result)
    if beyond:
        more = len(beyond) - MOST_NAMED
        rest = f"; and {more} more" if more > 0 else ""
        yield (
            "held-out data leave the range of the training data: "
            f"{'; '.join(beyond[:MOST_NAMED])}{rest}. Train on motions of the same range."
        )
    if not result.held_out:
        yield (
            "no data were held out: the error on other motions is not tested. Hold out a share, or "
            "test with another log."
        )
    elif held > WORSE_HELD_OUT * fit and held > WORTH_TELLING:
        times = float(ratio(held, fit, np.inf))
        yield (
            f"the held-out error, {held:.1%}, is {times:.2g} times that of the fit, {fit:.1%}: "
            "record longer and more varied motions; test with the same load and temperature."
        )
    worth = float(np.sum(np.array(result.counts) / np.maximum(result.correlation, 1.0)))
    needed = ROWS_PER_PARAMETER * len(result.values)
    if worth < needed:
        yield (
            f"the fit has {worth:.0f} independent rows for {len(result.values)} parameters. Record "
            f"{needed / max(worth, 1.0):.2g} times as much data for narrower error bars."
        )
    outliers = _above(result, result.clipped, NOTABLE_SHARE)
    if outliers:
        yield (
            f"many torques were down-weighted as outliers: {outliers}. Look for contacts, sensor "
            "faults, or stick-slip friction."
        )
    if not result.bias.small:
        yield (
            "noise of the positions biases the parameters, or the model lacks an effect: try a "
            f"cut-off of {result.cutoff / 2.0:.2g} Hz in place of {result.cutoff:.2g} Hz; if the "
            "held-out error stays, it is the model."
        )


def _model(result: Result) -> Iterator[str]:
    rate = min(result.rate, default=1.0)
    long = ", ".join(
        f"{name} ({worth / rate:.2g} s)"
        for name, worth in zip(result.arm.joint_names, result.correlation, strict=True)
        if worth > LONG_MEMORY
    )
    if long:
        yield (
            f"residuals are correlated longer than noise: {long}. The model lacks an effect, such "
            "as friction that depends on load or temperature, cables, or joint elasticity."
        )
    bent = [f.what for f in result.findings if f.option.startswith(AUTO_FRICTION)]
    if bent and not _chose_friction(result):
        yield f"{'; '.join(bent)}: try `friction='auto'` (`--friction auto`)."


def _chose_friction(result: Result) -> bool:
    """Whether the data have chosen the terms of friction already."""
    return any(trial.term != "rotor" for trial in result.trials)


def _description(result: Result) -> Iterator[str]:
    p = len(result.values)
    if not any(joint.mass for joint in result.described.robot.joints):
        yield (
            "the arm is described without masses. Rough values from CAD or a data sheet help where "
            "the data say little."
        )
    elif p - result.determined > LEANS_ON_DESCRIPTION * p:
        yield (
            f"the data determine {result.determined:.0f} of {p} parameters; the others stay near "
            "the description. `armdyn excite` computes a motion that excites more."
        )


def _again(result: Result, option: str) -> str:
    """Return an option with those of this run on signs, gains and joints without torque."""
    settings, n = result.about.settings, result.arm.n
    flip, ignored = ({j + 1 for j in settings[name]} for name in ("flip", "ignored"))
    gain = np.ones(n) * (1.0 if settings["gain"] is None else settings["gain"])
    name, _, value = option.replace("=", " ", 1).partition(" ")
    others = ""
    if name == "--flip":
        flip ^= {int(word) for word in value.split(",")}
    elif name == "--ignore-torque":
        ignored |= {int(word) for word in value.split(",")}
    elif name == "--gain":
        gain = gain * [float(word) for word in value.split(",")]
    else:
        others = option
    options = [others]
    if flip:
        options.append(f"--flip {','.join(map(str, sorted(flip)))}")
    if ignored:
        options.append(f"--ignore-torque {','.join(map(str, sorted(ignored)))}")
    if (gain != 1.0).any() or name == "--gain":
        values = gain[:1] if (gain == gain[0]).all() else gain
        words = ",".join(f"{x:.4g}" for x in values.tolist())
        joint = "=" if words.startswith("-") or option.startswith("--gain=") else " "
        options.append(f"--gain{joint}{words}")
    return " ".join(filter(None, options))


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
            # at the cut-off at which it was tried
            again = _again(result, f"--gain {','.join(gains)}")
            return f"{same} {again} --cutoff {result.cutoff:.4g} -o identified"
        if cause.kind == "scale":
            return f"armdyn gains {robot} HELD --empty {logs or 'LOG'} --mass KG"
        if option.startswith(AUTO_FRICTION) and _chose_friction(result):
            return f"armdyn excite {robot} -o excite.csv"
        if option.startswith("--") and not {"FILE", "...", "or", "with"} & {*option.split()}:
            return f"{same} {_again(result, option)} -o identified"
    if result.passed:
        return "armdyn codegen identified/identified.toml --functions inverse_dynamics --out c"
    return f"armdyn excite {robot} -o excite.csv"
