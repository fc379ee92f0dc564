"""Checks of positions: units, limits, stops, steps of encoders, rest, and excitation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import LogError
from armdyn.log.recognition.encoders import NORMALISED_END, found_units
from armdyn.log.rows import extremes
from armdyn.log.stamps import DEGREE, MOST_TURNS, SLACK
from armdyn.log.trim import AT_REST, REST
from armdyn.numerics import ratio
from armdyn.recording.fault import Finding
from armdyn.recording.recording import Mask, Recording

# Positions may leave the described limits by this share of their range, plus this angle [rad] or
# length [m]: calibrations differ, and drives overshoot.
LIMIT_SHARE, LIMIT_SLACK = 0.03, 0.02

# A joint stands at its extreme position within this share of its range, or a step of its encoder.
STOP_DEPTH = 1e-4
# It ran into a stop there if it came, over the time before [s], with this share of its rms speed
# and of its speed before that time, and stays so long that it would have gone this many times as
# deep. It leans on a limit of the description if it stays there for this time [s]. Fewer rows than
# this share are no fault.
IMPACT_TIME, IMPACT, STEADY, STOP_FACTOR, LEAN_TIME, STOP_ROWS = 0.03, 0.4, 0.6, 5.0, 0.3, 0.005

# A position is at a limit within this [rad or m], besides a step of its encoder.
AT_LIMIT = 1e-3

# An encoder is coarse if the range of its joint has fewer steps.
FEWEST_STEPS = 50

# An arm at rest for more than this share of the time shows little.
MOST_REST = 0.7

# Ranges [rad or m] and speeds [rad/s or m/s] below which gravity or friction hardly change, for
# all joints; friction of most drives is settled above some degrees a second.
LEAST_RANGE, LEAST_SPEED = 0.2, 0.1
# Two joints move together if their velocities correlate by more than this.
TOGETHER = 0.98


def position_unit(rec: Recording) -> Iterator[Finding]:
    """Find positions of turning joints that are not in radians."""
    names, q = rec.names, np.asarray(rec.log.q)
    turns = _turning(rec)
    lower, upper = _limits(rec)
    low, high = extremes([q])
    slack = SLACK * (1.0 + np.where(np.isfinite(upper - lower), upper - lower, 0.0))
    out = (low < lower - slack) | (high > upper + slack) | (np.maximum(-low, high) > MOST_TURNS)
    far = turns & out
    if not far.any():
        return
    fits = (low * DEGREE >= lower - slack) & (high * DEGREE <= upper + slack)
    if not fits[turns].all() or np.median(np.maximum(-low, high)[turns]) < MOST_TURNS:
        largest = np.maximum(-low, high)[far].max()
        if largest <= MOST_TURNS:
            return  # `limits` tells it
    joints = tuple(np.flatnonzero(far).tolist())
    j = joints[0]
    words = f"positions of {names[j]} go from {low[j]:.4g} to {high[j]:.4g}"
    if np.isfinite([lower[j], upper[j]]).all():
        words += f", its limits are {lower[j]:.3g} to {upper[j]:.3g} rad"
    whole = (q[:, turns] == np.round(q[:, turns])).all()
    try:
        at = np.flatnonzero(turns).tolist()
        unit = found_units(Path("log"), {names[i]: q[:, i] for i in at}).unit
    except LogError:
        unit = ""
    largest = float(np.maximum(-low, high)[turns].max())
    if whole and (largest > 360.0 or unit != "deg"):
        yield Finding(f"{words}: all are whole numbers, counts of encoders.", joints,
                      "--units counts")  # fmt: skip
    elif unit == "m100_100":
        yield Finding(f"{words}: steps of encoders differ by joint, so they are normalised to "
                      "-100 ... 100.", joints, "--units m100_100")  # fmt: skip
    elif unit == "deg" or fits[turns].all():
        also = " (or normalised to -100 ... 100)" if largest <= NORMALISED_END and not unit else ""
        yield Finding(f"{words}: they are in degrees{also}.", joints, "--units deg")
    else:
        yield Finding(f"{words}: they are not in radians.", joints, "--units")


def limits(rec: Recording) -> Iterator[Finding]:
    """Find positions beyond the limits of the description."""
    lower, upper = _limits(rec)
    low, high = extremes([rec.log.q])
    slack = LIMIT_SLACK + LIMIT_SHARE * np.where(np.isfinite(upper - lower), upper - lower, 0.0)
    for j in np.flatnonzero((low < lower - slack) | (high > upper + slack)).tolist():
        q = rec.log.q[:, j]
        yield Finding(
            f"positions of {rec.names[j]} go from {low[j]:.4g} to {high[j]:.4g}, beyond the limits "
            f"of the description, {lower[j]:.4g} to {upper[j]:.4g}: its zero, its sign or the "
            "order of joints may differ.",
            (j,),
            "--columns q=... in the order of the arm, or another robot file",
            rec.spans((q < lower[j] - slack[j]) | (q > upper[j] + slack[j])),
        )


def stops(rec: Recording) -> Iterator[Finding]:
    """Find joints that lean on a mechanical stop, or whose positions are clipped.

    A joint that turns round slows down before: it spends a time D within a depth of v D / 4 if it
    enters it with the speed v. Positions that end suddenly are far less deep.
    """
    low, high = extremes([rec.log.q])
    lower, upper = _limits(rec)
    for j in np.flatnonzero(rec.moves).tolist():
        q = rec.log.q[:, j]
        depth = max(STOP_DEPTH * float(rec.range[j]), 1.01 * (rec.steps[j] or 0.0))
        back = max(round(IMPACT_TIME * rec.log.rate), 1)
        time = rec.log.t[back:] - rec.log.t[:-back]
        speed = np.abs(q[back:] - q[:-back]) / time
        speed[time > 2.0 * back * rec.log.median_step] = 0.0  # across a gap nothing is known
        rms = float(np.sqrt(np.mean(speed**2)))
        for end, limit, side in ((low[j], lower[j], -1.0), (high[j], upper[j], 1.0)):
            at = side * (q - end) >= -depth
            edges = np.flatnonzero(np.diff(at.astype(np.int8), prepend=0, append=0))
            first, last = edges[::2], edges[1::2] - 1
            lasting = (last - first) * rec.log.median_step  # without gaps
            v = speed[np.maximum(first - back, 0)]
            before = speed[np.maximum(first - 2 * back, 0)]
            sudden = (v > IMPACT * rms) & (v > STEADY * before)
            sudden &= v * lasting > 4.0 * STOP_FACTOR * depth
            leans = (lasting > LEAN_TIME) & (abs(end - limit) <= depth + AT_LIMIT)
            hits = (sudden & (first > 2 * back)) | leans
            share = float((last - first + 1)[hits].sum()) / len(q)
            if share < STOP_ROWS:
                continue
            where = f"its limit, {limit:.4g}" if leans.any() else "where positions end suddenly"
            yield Finding(
                f"{rec.names[j]} stands at {end:.4g}, {where}, in {share:.1%} of the rows: it "
                "leans on a stop, or positions are clipped. The stop carries its load.",
                (j,),
                "leave these rows out (--trim), or keep clear of the stop",
                rec.spans(at),
            )


def encoders(rec: Recording) -> Iterator[Finding]:
    """Remark on coarse encoders."""
    for j, step in enumerate(rec.steps):
        if step and rec.moves[j] and rec.range[j] < FEWEST_STEPS * step:
            yield Finding(
                f"{rec.names[j]} moves by {rec.range[j] / step:.0f} steps of its encoder "
                f"({step:.3g}): velocities and accelerations are rough.",
                (j,),
                is_remark=True,
            )


def rest(rec: Recording) -> Iterator[Finding]:
    """Find a recording at rest, and remark on joints that never move."""
    if not rec.moves.any():
        yield Finding("no joint moves.", option="record a motion: armdyn excite")
        return
    still = tuple(np.flatnonzero(~rec.moves).tolist())
    if still:
        names = ", ".join(rec.names[j] for j in still)
        yield Finding(
            f"{names}: at rest all the time. Friction and inertia that only this motion shows "
            "cannot be identified.",
            still,
            "armdyn excite",
            is_remark=True,
        )
    share = rest_share(rec)
    if share > MOST_REST:
        yield Finding(f"the arm is at rest in {share:.0%} of the rows.", is_remark=True)


def excitation(rec: Recording) -> Iterator[Finding]:
    """Remark on motions that leave parameters undetermined."""
    if not rec.moves.any():
        return
    speed = np.quantile(_speeds(rec), 0.98, axis=0)
    widest, fastest = float(rec.range.max()), float(speed[rec.moves].max())
    if widest < LEAST_RANGE:
        yield Finding(
            f"motions are small, {widest:.2g} rad at most: gravity hardly changes, and masses "
            "cannot be told from offsets.",
            option="armdyn excite",
            is_remark=True,
        )
    elif fastest < LEAST_SPEED:
        yield Finding(
            f"motions are slow, {fastest:.2g} rad/s at most: gravity shows, inertia and viscous "
            "friction do not.",
            option="armdyn excite",
            is_remark=True,
        )
    v = np.diff(rec.log.q[:: max(round(0.05 * rec.log.rate), 1)], axis=0)[:, rec.moves]
    at, v = np.flatnonzero(rec.moves).tolist(), v - v.mean(axis=0) if len(v) else v
    size = np.sqrt((v**2).sum(axis=0))
    alike = ratio(v.T @ v, np.outer(size, size), 0.0)
    left = list(range(len(at)))
    while left:
        group = [k for k in left if abs(alike[left[0], k]) > TOGETHER or k == left[0]]
        left = [k for k in left if k not in group]
        if len(group) < 2:
            continue
        joints = tuple(at[k] for k in group)
        least = float(np.abs(alike[np.ix_(group[:1], group)]).min())
        yield Finding(
            f"{', '.join(rec.names[j] for j in joints)} always move together (correlation of "
            f"velocities at least {least:.3f}): their parameters cannot be told apart.",
            joints,
            "armdyn excite",
            is_remark=True,
        )


def rest_share(rec: Recording) -> float:
    """Return the share of the rows in which no joint moves."""
    if len(rec.log) < 2:
        return 1.0
    speed = _speeds(rec)
    top = speed.max(axis=0)
    moving: Mask = (speed > AT_REST * top)[:, rec.moves].any(axis=1)
    return 1.0 - float(moving.mean()) if len(moving) else 1.0


def _speeds(rec: Recording) -> Array:
    """Return speeds ``(N, n)``, means over a tenth of a second or two samples."""
    log, wide = rec.log, _reach(rec)
    before = np.maximum(np.arange(len(log)) - wide, 0)
    after = np.minimum(np.arange(len(log)) + wide, len(log) - 1)
    time = np.maximum(log.t[after] - log.t[before], log.median_step)
    return np.abs(log.q[after] - log.q[before]) / time[:, None]


def _reach(rec: Recording) -> int:
    """Return the samples on both sides that a speed is the mean of."""
    return max(round(0.5 * REST.span * rec.log.rate), 1)


def _turning(rec: Recording) -> Mask:
    if rec.arm is None:
        return np.ones(rec.log.n, dtype=np.bool_)
    return np.array([joint.is_revolute for joint in rec.arm.robot.joints])


def _limits(rec: Recording) -> tuple[Array, Array]:
    """Return lower and upper limits of the description ``(n,)``; infinite if there are none."""
    n = rec.log.n
    if rec.arm is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    joints = rec.arm.robot.joints
    return np.array([x.lower for x in joints]), np.array([x.upper for x in joints])
