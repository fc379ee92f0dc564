"""`Event`: an event in a simulation; errors of the integration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import NumericalError

# `Event`: an event in a simulation.


@dataclass(frozen=True)
class Event:
    """An event in a simulation.

    Attributes:
        t: time [s].
        what: "passes lower limit", "passes upper limit", "stops at lower limit", "stops at upper
            limit", "leaves the stop", "sticks", "slips", or "event" for a zero of a function given
            as `events`.
        joint: the number of the joint, from 0; for an "event", the number of the function.
        arm: the number of the arm in a batch, from 0.
    """

    t: float
    what: str
    joint: int
    arm: int = 0


# Errors of the integration: which arm, which joint, when, and what to do.

SHORTER = "Take a shorter `step`."
TIGHTER = "Take a smaller `rtol`, and look at the torques."

# If a joint is faster than this [rad/s or m/s], the integration is unstable.
MAX_SPEED = 1e6

# Without drives, an arm gains energy only by errors; without friction, it loses energy only by
# errors. A larger error, as a share of the kinetic energy, is refused.
LARGEST_ERROR = 0.1
# Errors below these are rounding: a share of the energy at the beginning, and an energy [J].
ENERGY_ROUNDING, SMALLEST_ENERGY = 1e-9, 1e-12


def check_state(arm: Arm, t: float, q: Array, qd: Array, advice: str) -> None:
    """Refuse states ``(B, n)`` that are not finite, or faster than any arm."""
    # comparisons with NaN are False
    if qd.max() < MAX_SPEED and qd.min() > -MAX_SPEED and q.max() < np.inf and q.min() > -np.inf:
        return
    speed = np.where(np.isfinite(q) & np.isfinite(qd), np.abs(qd), np.inf)
    row, joint = (int(k) for k in np.unravel_index(speed.argmax(), speed.shape))
    which = f" of arm {row}" if len(q) > 1 else ""
    raise NumericalError(
        f"the simulation is unstable: at t = {t:.6g} s joint {arm.joint_names[joint]!r}{which} "
        f"has q = {q[row, joint]:.3g} and qd = {qd[row, joint]:.3g}. {advice}"
    )


def check_acceleration(arm: Arm, t: float, qdd: Array, step: float) -> None:
    """Refuse accelerations ``(n,)`` that are not finite, or that allow no first step."""
    if np.isfinite(qdd).all() and np.isfinite(step):
        return
    joint = int(np.where(np.isfinite(qdd), np.abs(qdd), np.inf).argmax())
    raise NumericalError(
        f"at t = {t:.6g} s joint {arm.joint_names[joint]!r} has the acceleration "
        f"{qdd[joint]:.3g}, from which nothing can go on. Look at the torques, and at `parameters` "
        "if they are given: every joint must move a mass."
    )


def stalled(arm: Arm, t: float, qd: Array, advice: str) -> NumericalError:
    """Return the error for steps that become shorter than the rounding of time."""
    joint = int(np.abs(qd).argmax())
    return NumericalError(
        f"the integration comes to a halt at t = {t:.6g} s: no step is short enough. The fastest "
        f"joint is {arm.joint_names[joint]!r}, qd = {qd[joint]:.3g}. {advice}"
    )


def check_energy(
    arm: Arm, t: Array, qd: Array, energy: Array, kinetic: Array, advice: str, *, kept: bool
) -> None:
    """Refuse a motion without drives if its energy grows or, without friction, changes.

    Args:
        arm: the simulated arm.
        t: times ``(N,)``.
        qd: velocities ``(N, B, n)``.
        energy: kinetic and potential ``(N, B)``.
        kinetic: the kinetic part of it.
        advice: what to do.
        kept: whether energy is conserved: nothing brakes the arm.
    """
    rounding = ENERGY_ROUNDING * np.abs(energy[0]) + SMALLEST_ENERGY
    allowed = LARGEST_ERROR * np.maximum.accumulate(kinetic) + rounding
    change = energy - energy[0]
    wrong = (np.abs(change) if kept else change) > allowed
    if wrong.any():
        k, row = (int(x) for x in np.argwhere(wrong)[0])
        joint = int(np.abs(qd[k, row]).argmax())
        which = f" {row}" if energy.shape[1] > 1 else ""
        nothing = "nothing drives or brakes" if kept else "nothing drives"
        raise NumericalError(
            f"the simulation is wrong: {nothing} the arm{which}, but by t = {t[k]:.6g} s its "
            f"energy went from {energy[0, row]:.6g} J to {energy[k, row]:.6g} J; the fastest joint "
            f"is {arm.joint_names[joint]!r}. {advice}"
        )


# Tolerances of the simulation.

# Times that differ by less than this share of the run are equal: sums of steps have rounding.
SAME_TIME = 1e-12

# Gaps between the times of a table that differ by less than this share are equal. A time closer to
# an entry than this share of the smallest gap is at the entry. Times in files have about nine
# digits.
SAME_GAP = 1e-9

# Rounding error as a share of a torque or a speed: solving with the mass matrix loses some digits
# of a double.
ROUNDED = 1e-9
