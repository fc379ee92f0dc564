"""Checks of channels beside positions: measured velocities, commands, and droop under gravity."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.log.clock import MIN_CORRELATION, Velocities, velocity_causes
from armdyn.log.filters import choose_cutoff
from armdyn.log.segments import segments
from armdyn.log.signals import prepare
from armdyn.numerics import ratio
from armdyn.recording.fault import Finding
from armdyn.recording.recording import Recording, band_of

# Velocities of another joint explain the slopes of a joint if they correlate by this much more
# (as 1 - r^2) than its own.
CLEARLY_BETTER = 4.0

# A command comes after the motion that it causes if the lag is below this [s], or this share of a
# time step; and drives follow within this time [s].
LATE_COMMAND, LATE_STEPS, LONGEST_LAG = -0.004, -0.35, 0.35
# Commands of joints with lags that differ by more than this [s], or so many steps, have
# different clocks.
LAG_SPREAD, LAG_STEPS = 0.05, 2.0

# Droop is compared with gravity at this rate [Hz], in so many parts of the recording: those that
# show it, at least two, have to agree on its sign.
DROOP_RATE, PARTS, LEAST_PARTS = 20.0, 4, 2
# The sign of droop is known if gravity explains this share of what friction and lag leave.
DROOP_SHARE = 0.4
# Gravity of a joint counts if its standard deviation is this share of the largest.
GRAVITY_SHARE = 0.05


def velocity(rec: Recording) -> Iterator[Finding]:
    """Find measured velocities that are not the slopes of positions: sign, unit, order, clock."""
    if rec.log.qd is None:
        return
    try:
        cutoff = min(choose_cutoff(rec.log)[0], band_of([rec.log]))
        slopes = prepare(rec.log, cutoff=cutoff)
        measured = prepare(rec.log, cutoff=slopes.cutoff, velocity="measured")
    except InputError:
        return
    a, b = np.asarray(slopes.qd), np.asarray(measured.qd)
    seen = Velocities.none(rec.log.n)
    seen.add(a, b)
    causes = velocity_causes(seen)
    alike = np.abs(_correlations(a, b))  # (n, n): slope i, measured k
    moves = np.flatnonzero(rec.moves).tolist()
    for why, listed in causes.items():
        joints = [j for j in listed if j in moves]
        others: dict[int, int] = {}
        for j in joints:
            k = int(alike[j].argmax())
            worse = 1.0 - alike[j, j] ** 2 > CLEARLY_BETTER * (1.0 - alike[j, k] ** 2)
            if k != j and alike[j, k] >= MIN_CORRELATION and worse:
                others[j] = k
        if others:
            said = ", ".join(
                f"{rec.names[j]} has that of {rec.names[k]}" for j, k in others.items()
            )
            yield Finding(
                f"measured velocities are those of other joints: {said}.",
                tuple(others),
                "--columns qd=... in the order of the arm",
            )
        left = tuple(j for j in joints if j not in others)
        if left:
            yield Finding(
                f"measured velocities of {', '.join(rec.names[j] for j in left)} are not the "
                f"slopes of positions; perhaps {why}.",
                left,
                "velocities are taken from positions",
            )


def command(rec: Recording) -> Iterator[Finding]:
    """Find commands that are not the goals of these joints."""
    goals = rec.goals
    if goals is None or not goals.judged.any() or goals.is_goal:
        return
    exchanged = {j for cycle in goals.exchanged for j in cycle}
    for cycle in goals.exchanged:
        names = " and ".join(rec.names[j] for j in cycle)
        yield Finding(
            f"the commands of {names} are exchanged: {rec.names[cycle[0]]}: {goals.why(cycle[0])}.",
            cycle,
            "--columns q_cmd=... in the order of the arm",
        )
    wrong = tuple(
        j for j in np.flatnonzero(goals.judged & ~goals.matches).tolist() if j not in exchanged
    )
    if wrong:
        each = "; ".join(f"{rec.names[j]}: {goals.why(j)}" for j in wrong)
        yield Finding(
            f"the command is not the goal of these joints: {each}.",
            wrong,
            "--columns q_cmd=... with the goals of the joints",
        )


def command_delay(rec: Recording) -> Iterator[Finding]:
    """Find commands whose clock is not that of the positions."""
    goals = rec.goals
    if goals is None or not goals.is_goal:
        return
    at = np.flatnonzero(goals.matches)
    lags = goals.lag[at]
    middle = float(np.median(lags))
    late = min(LATE_COMMAND, LATE_STEPS * goals.step)
    if middle < late:
        yield Finding(
            f"the command comes {-1e3 * middle:.0f} ms after the motion that it causes: its "
            "clock is late, or positions are stamped early.",
            option="stamp commands when they are sent",
        )
        return
    if middle > LONGEST_LAG:
        yield Finding(
            f"positions follow the command after {1e3 * middle:.0f} ms: drives are faster; the "
            "clocks of both differ.",
            option="stamp positions when they are measured",
        )
        return
    apart = np.abs(lags - middle) > max(LAG_SPREAD, LAG_STEPS * goals.step)
    for j, lag in zip(at[apart].tolist(), lags[apart].tolist(), strict=True):
        yield Finding(
            f"{rec.names[j]} follows its command after {1e3 * lag:.0f} ms, the other joints after "
            f"{1e3 * middle:.0f} ms.",
            (j,),
            is_remark=lag > late,
        )


def droop(rec: Recording) -> Iterator[Finding]:
    """Find droop of position-controlled joints that acts against the described gravity."""
    found = droop_slopes(rec)
    if found is None:
        return
    with np.errstate(invalid="ignore"):
        against, along = found < 0.0, found > 0.0
    wrong = against[-1] & (against[:-1].sum(axis=0) >= LEAST_PARTS) & ~along.any(axis=0)
    for j in np.flatnonzero(wrong).tolist():
        yield Finding(
            f"{rec.names[j]} hangs against the gravity of the description: the sign of the joint, "
            "its zero, or the order of joints differs.",
            (j,),
            "--columns in the order of the arm, or another robot file",
        )


def droop_slopes(rec: Recording) -> Array | None:
    """Return the slopes of droop on described gravity ``(PARTS + 1, n)``; NaN where unknown.

    The last row is that of the whole recording.

    The servo error e of a joint, without its lag, is c g(q) + v qd + h sign(qd) + b with c > 0.
    """
    log, arm, goals = rec.log, rec.arm, rec.goals
    if arm is None or not rec.has_masses or goals is None or log.q_cmd is None:
        return None
    rows = _slow_rows(rec, goals.lag)
    if rows is None:
        return None
    q, qd, e = rows
    g = arm.gravity(q)
    size = g.std(axis=0)
    made = np.full((PARTS + 1, log.n), np.nan)
    ends = [round(k * len(q) / PARTS) for k in range(PARTS + 1)]
    parts = [*(slice(*pair) for pair in pairwise(ends)), slice(None)]
    for j in np.flatnonzero(goals.matches & (size > GRAVITY_SHARE * size.max())).tolist():
        for k, at in enumerate(parts):
            others = np.stack([qd[at, j], np.sign(qd[at, j]), np.ones_like(qd[at, j])], axis=1)
            pair = np.stack([g[at, j], e[at, j]], axis=1)
            left = pair - others @ np.linalg.lstsq(others, pair)[0]
            product, squares = float(left[:, 0] @ left[:, 1]), (left**2).sum(axis=0)
            share = float(ratio(product**2, float(squares.prod()), 0.0))
            if share > DROOP_SHARE and squares[0] > 1e-4 * float((pair[:, 0] ** 2).sum()):
                made[k, j] = product / squares[0]
    return made


def _slow_rows(rec: Recording, lag: Array) -> tuple[Array, Array, Array] | None:
    """Return positions, velocities and servo errors ``(M, n)`` at `DROOP_RATE`.

    Commands are taken before the lag of each drive: the error is then droop, without the motion.
    """
    log, parts = rec.log, list[tuple[Array, Array, Array]]()
    assert log.q_cmd is not None
    every = max(round(log.rate / DROOP_RATE), 1)
    for piece in segments(log):
        count = len(piece) // every
        if count < 4:
            continue
        rows = slice(piece.start, piece.start + count * every)
        t, goal = log.t[rows], np.array(log.q_cmd[rows])
        for j in np.flatnonzero(np.isfinite(lag)).tolist():
            goal[:, j] = np.interp(t - lag[j], t, goal[:, j])
        q, e = (x.reshape(count, every, -1).mean(axis=1) for x in (log.q[rows], goal - log.q[rows]))
        t = t.reshape(count, every).mean(axis=1)
        parts.append((q, np.gradient(q, t, axis=0), e))
    if not parts:
        return None
    q, qd, e = (np.concatenate(x) for x in zip(*parts, strict=True))
    return q, qd, e


def _correlations(a: Array, b: Array) -> Array:
    """Return the correlations of columns of a with those of b ``(n, n)``."""
    sizes = np.sqrt(np.outer((a**2).sum(axis=0), (b**2).sum(axis=0)))
    return ratio(a.T @ b, sizes, 0.0)
