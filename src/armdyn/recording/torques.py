"""Checks of torques: missing, constant, cut off, of another joint, sign, unit or clock.

A joint's own friction and rotor inertia follow its own motion, so its torque is explained best by
its own velocity, direction and acceleration together with the torque of the described links. A
torque that the motion of another joint explains better is that of the other joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.signals.delay import SEARCH as DELAYS
from armdyn.identification.signals.delay import measured_delays
from armdyn.identification.signals.quick_fit import Windows, windows_of
from armdyn.identification.signals.torque_scale import SEARCH as SCALES
from armdyn.identification.signals.torque_scale import described_in
from armdyn.log.health import SATURATION, constant_columns, share_at_extremes
from armdyn.log.log import Log
from armdyn.log.rows import extremes
from armdyn.log.trim import flipped
from armdyn.numerics import ratio, scaled_solve
from armdyn.recording.fault import Finding
from armdyn.recording.recording import HIGHEST_SHARE, Recording, TorqueRows, band_of

# A torque is cut off at a value that is this many times as frequent as the next one.
DISTINCT = 20.0

# Torques of two joints are exchanged if both leave this share, or less, of what is unexplained, in
# each half of the recording.
EXCHANGE_SHARE = 0.6

# Scales of joints beside their median have this rms of their logarithms, or more, if torques are
# currents of drives of different gears; rough descriptions have 0.1 to 0.3.
CURRENT_SPREAD = 0.5

# A delay of torques is a fault from this time on [s], and a remark from the second one on: filters
# of drives have some milliseconds, and `identify` corrects both.
LEAST_DELAY, REMARKED_DELAY = 0.02, 0.004
# Delays up to this are looked for [s].
LONGEST_DELAY = 0.3
# Torques are shifted, and the delay measured again, beyond this share of the search's bound.
NEAR_DELAY = 0.5
# Least share by which a delay lowers the sum of squared residuals. On real logs without one it is
# up to 0.02 (`benchmarks/recordings.py --real`).
DELAY_GAIN = 0.1


def constant_torque(rec: Recording) -> Iterator[Finding]:
    """Find torques that were not measured, or never change."""
    if rec.log.tau is None:
        return
    joints = tuple(constant_columns([rec.log.tau]))
    if joints:
        low, _ = extremes([rec.log.tau])
        each = ", ".join(f"{rec.names[j]} ({float(low[j]):.3g})" for j in joints)
        numbers = ",".join(str(j + 1) for j in joints)
        yield Finding(
            f"the {rec.log.effort} never changes: {each}. It was not measured, or the column is "
            "the wrong one.",
            joints,
            f"--ignore-torque {numbers}",
        )


def saturation(rec: Recording) -> Iterator[Finding]:
    """Find torques that are cut off."""
    if rec.log.tau is None:
        return
    share = share_at_extremes([rec.log.tau], DISTINCT)
    for j in np.flatnonzero(share > SATURATION.share).tolist():
        low, high = (float(x[j]) for x in extremes([rec.log.tau]))
        tau = rec.log.tau[:, j]
        yield Finding(
            f"the {rec.log.effort} of {rec.names[j]} stands at its extreme value in {share[j]:.1%} "
            "of the rows: it is cut off.",
            (j,),
            "leave these motions out, or make them slower",
            rec.spans((tau == low) | (tau == high)),
        )


def exchange(rec: Recording) -> Iterator[Finding]:
    """Find torques of two joints that are exchanged."""
    rows = rec.torque_rows
    if rows is None:
        return
    half = len(rows.tau) // 2
    parts = [_unexplained(rows, slice(0, half)), _unexplained(rows, slice(half, None))]
    whole = _unexplained(rows, slice(None))
    live = np.flatnonzero(rec.moves & (np.ptp(rows.tau, axis=0) > 0.0)).tolist()
    found: list[tuple[float, int, int]] = []
    for i in live:
        for k in live:
            if i < k:
                worst = max(
                    float(ratio(R[a, b], R[a, a], 1.0)) for R in parts for a, b in ((i, k), (k, i))
                )
                if worst < EXCHANGE_SHARE:
                    gain = whole[i, k] / whole[i, i] * whole[k, i] / whole[k, k]
                    found.append((float(gain), i, k))
    taken: set[int] = set()
    for _, i, k in sorted(found):
        if taken & {i, k}:
            continue
        taken |= {i, k}
        yield Finding(
            f"the {rec.log.effort}s of {rec.names[i]} and {rec.names[k]} are exchanged: the motion "
            f"of the other joint explains {1.0 - whole[i, k]:.0%} and {1.0 - whole[k, i]:.0%} of "
            f"them, their own {1.0 - whole[i, i]:.0%} and {1.0 - whole[k, k]:.0%}.",
            (i, k),
            f"--columns tau=... with tau{i + 1} and tau{k + 1} exchanged",
        )


def sign(rec: Recording) -> Iterator[Finding]:
    """Find torques of the wrong sign."""
    scale = rec.scale
    if scale is None or not scale.flipped:
        return
    numbers = ",".join(str(j + 1) for j in scale.flipped)
    names = ", ".join(rec.names[j] for j in scale.flipped)
    whose = "all joints" if len(scale.flipped) == rec.log.n else names
    yield Finding(
        f"the {rec.log.effort} of {whose} has the wrong sign: friction adds energy, or gravity "
        "acts upwards.",
        scale.flipped,
        f"--flip {numbers}",
    )


def torque_unit(rec: Recording) -> Iterator[Finding]:
    """Find torques in another unit: of all joints, or of one."""
    scale = rec.scale
    if scale is None or rec.log.effort != "torque" or not np.isfinite(scale.median):
        return
    alike = np.isfinite(scale.factors)
    if len(scale.odd) == 1:  # currents are unlike at several joints
        alike[list(scale.odd)] = False
    logs = np.log(np.abs(scale.factors[alike]))
    # without the most unlike joint, whose links may be described wrong
    each = np.sort(np.abs(logs - np.median(logs)))[:-1] if len(logs) > 2 else np.zeros(1)
    apart = float(np.sqrt(np.mean(each**2)))
    if apart > CURRENT_SPREAD:
        yield Finding(
            "torques are another multiple of those of the described arm at every joint: they are "
            "currents, or torques of motors before their gears.",
            option="--signal current, or --gain with the torque constants",
        )
        return
    for j in scale.odd:
        yield Finding(
            f"the torque of {rec.names[j]} is {abs(float(scale.factors[j])):.2g} times what the "
            "description and the other joints say: it has another unit.",
            (j,),
            f"--gain {j + 1}=X, or --ignore-torque {j + 1}",
        )
    far = abs(np.log(scale.median / scale.common)) > np.log(SCALES.near)
    if scale.common != 1.0 and not far:
        yield Finding(
            f"torques are {scale.common:g} times those of the described arm: their unit is "
            f"{scale.unit}.",
            option=f"--gain {1.0 / scale.common:g}",
        )
    elif far:
        yield Finding(
            f"torques are {scale.median:.2g} times those of the described arm: they have another "
            "unit, or masses are described wrong.",
            option="--torque-unit, or --gain with what they have",
            is_remark=scale.common == 1.0,
        )


def torque_delay(rec: Recording) -> Iterator[Finding]:
    """Find torques whose clock is not that of the positions."""
    seconds = measured_delay(rec)
    if abs(seconds) < REMARKED_DELAY:
        return
    way = "late" if seconds > 0.0 else "early"
    yield Finding(
        f"torques are {abs(1e3 * seconds):.0f} ms {way} beside positions.",
        option=f"--delay {seconds:.4f}, or stamp all channels by one clock",
        is_remark=abs(seconds) < LEAST_DELAY,
    )


def measured_delay(rec: Recording) -> float:
    """Return the delay of torques behind positions [s]; 0 if there is none, or none is known.

    `measured_delays` looks near 0: torques are shifted until the best delay is near.
    """
    if rec.arm is None or rec.log.tau is None or not rec.moves.any():
        return 0.0
    scale = rec.scale
    arm = rec.arm if scale is None else described_in(rec.arm, scale.common)
    log = rec.log if scale is None else flipped(rec.log, scale.flipped)
    shift, gain = 0.0, 0.0
    while abs(shift) <= LONGEST_DELAY:
        parts = windows_of([_earlier(log, shift)])
        windows = Windows(arm, parts, HIGHEST_SHARE * log.rate, None, ())
        try:
            found = measured_delays(windows, band_of(parts))
        except InputError:
            return 0.0
        if found is None:
            return 0.0
        gain = max(gain, found.gain)
        if abs(found.whole) > NEAR_DELAY * DELAYS.most:
            shift += found.whole
            continue
        whole, halves = shift + found.whole, [shift + half for half in found.halves]
        agree = abs(halves[0] - halves[1]) <= DELAYS.agreement * abs(whole)
        clear = abs(whole) >= DELAYS.significant * found.error and gain >= DELAY_GAIN
        joints = bool(shift) or found.joints > DELAYS.agreement
        return whole if agree and clear and joints else 0.0
    return 0.0


def _earlier(log: Log, seconds: float) -> Log:
    """Return a log with torques that come earlier by some seconds."""
    if seconds == 0.0 or log.tau is None:
        return log
    tau = np.empty_like(log.tau)
    for j in range(log.n):
        tau[:, j] = np.interp(log.t + seconds, log.t, log.tau[:, j])
    return replace(log, tau=tau)


def _unexplained(rows: TorqueRows, part: slice) -> Array:
    """Return the shares of torques i that the motion of joint k leaves unexplained ``(n, n)``."""
    n = rows.tau.shape[1]
    tau = rows.tau[part] - rows.tau[part].mean(axis=0)
    squares = (tau**2).sum(axis=0)
    made = np.ones((n, n))
    for k in range(n):
        Z = rows.columns(k)[part]
        values = scaled_solve(Z.T @ Z, Z.T @ tau, 1e-9)
        made[:, k] = ratio(((tau - Z @ values) ** 2).sum(axis=0), squares, 1.0)
    return np.maximum(made, 1e-12)
