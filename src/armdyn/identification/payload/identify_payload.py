"""`identify_payload`: the load of a known arm, from the torques that the load adds.

A load is part of the last link: its ten parameters about the tip have the columns of that link in
the regressor. The torques without load are subtracted. They come either from the model alone, or
from a log of the same motion without load, which is aligned in time. With such a log, the model at
the measured positions is first subtracted from each log; then errors of the model and friction
cancel. `_columns` says what else is unknown, and `_estimate` how it enters the error bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_flag, checked_number
from armdyn.errors import InputError
from armdyn.identification.arguments import checked_arm, checked_cutoff, checked_logs
from armdyn.identification.conic import need_solver
from armdyn.identification.fit.columns import Column
from armdyn.identification.fit.fit import Fitted, Settings, fitted
from armdyn.identification.fit.prior import POWERS, SPREAD, LinkPrior, link_length
from armdyn.identification.fit.problem import Problem
from armdyn.identification.fit.rows import FilteredSegment, Rows
from armdyn.identification.fit.solver import STRONGEST, Prior
from armdyn.identification.payload.alignment import aligned, interpolated
from armdyn.identification.payload.columns import (
    Columns,
    LoadColumns,
    load_columns,
    plain_model,
    visible,
)
from armdyn.identification.payload.estimate import Estimate, estimate, gain_prior
from armdyn.identification.payload.load import Load, loaded
from armdyn.identification.payload.payload import UNKNOWN, Payload
from armdyn.identification.payload.plausible import impossible_gains, model_gains
from armdyn.identification.physical import physical
from armdyn.identification.signals.prepared import Data, prepared
from armdyn.log.log import Log
from armdyn.log.signals import Prepared
from armdyn.numerics import ratio, scaled_inverse
from armdyn.progress import Progress, reporter

WHY = "identifying a load that can exist"

# Weight of the prior. It is weak: the load is expected within thirty times the size that its
# torques suggest.
STRENGTH = 0.03

# The smallest expected mass of a load [kg]; it is a divisor.
LIGHTEST = 1e-12

# Slower rows are left out [rad/s or m/s]: at rest, friction may be anything.
DEAD_BAND = 0.01

# What is believed of drives nobody has calibrated: gains off by up to 10 %, evenly.
GAIN_ERROR = 0.06

# Standard deviation of the share of friction that grows with the load, and of changes of friction,
# as a multiple of the torques.
LOAD_FRICTION = 0.1
FRICTION = 10.0

# The masses of the arm are never believed to be better known than this, nor less than the other;
# the data tell what lies between.
ARM_ERROR = 0.05
WORST_ARM = 0.5

# The joints do not agree if a gain is off by more than this many of the standard deviations that
# gains are believed to have, and by more than this many of its own.
MOST_OFF = 4.0
SURE = 5.0
LEAST_GAIN_ERROR = 0.02

# Rounds for friction that grows with the load: it needs the load, and the load needs it.
ROUNDS = 2


def identify_payload(
    arm: Arm,
    logs: Log | Sequence[Log],
    *,
    without: Log | None = None,
    friction: bool | None = None,
    gain_error: float = GAIN_ERROR,
    cutoff: float | None = None,
    progress: Progress | None = None,
) -> Payload:
    """Identify the load that an arm holds.

    Args:
        arm: the arm without load, identified as well as possible; it is not changed.
        logs: of torques with the load.
        without: a log of the same motion without load, whose torques are subtracted. It need not
            start at the same moment of the motion: it is aligned in time.
        friction: fit friction again; default is True unless `without` is given.
        gain_error: standard deviation of the drives' gains, relative: 0.06 if they may be wrong by
            up to 10 %. It is part of the error bars; 0 if torques are calibrated.
        cutoff: of the low-pass of positions [Hz]; chosen from their spectrum if left out.
        progress: called with (done, total, what) during each step.

    Raises:
        InputError: an argument is wrong, or at no shift of time do the two logs show one motion.
        MissingExtraError: Clarabel is not installed.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> found = armdyn.identify_payload(arm, armdyn.Log.read("held.csv"), friction=False)
        >>> round(found.load.mass, 1)
        1.5
    """
    arm = checked_arm(arm)
    tell = reporter(progress)
    held = checked_logs(arm, logs, "logs")
    empty = [] if without is None else checked_logs(arm, without, "without")
    anew = not empty if friction is None else checked_flag(friction, "friction")
    gains = checked_number(gain_error, "gain_error", least=0.0, below=1.0)
    if empty and len(held) > 1:
        raise InputError(
            "`without` is one log, but `logs` are several; give one of each.", argument="without"
        )
    if not empty and not any(joint.mass for joint in arm.robot.joints):
        raise InputError(
            f"{arm.name} has no masses, so all that it weighs would count as the load. Identify it "
            "first, or give a log `without` the load.",
            argument="arm",
        )
    torques = [log.tau for log in (*held, *empty) if log.tau is not None]
    if empty and len(torques) == 2 and np.array_equal(torques[0], torques[1]):
        raise InputError(
            "the logs with and without load have the same torques; is one given as the other?"
        )
    need_solver(WHY)
    data = prepared(held, empty, checked_cutoff(cutoff), None, tell)
    starts = [float(log.t[0]) for log in (*held, *empty)]
    measured = _measured(arm, data, starts)
    natural = _expected(arm, measured.parts)
    plain = plain_model(arm, friction=anew)
    settings = Settings(np.full(arm.n, DEAD_BAND), True, None, STRENGTH)
    first = fitted(Rows(plain, measured.parts), natural, settings, tell)
    tell(0, 1, "error bars")
    found = _estimated(arm, measured.parts, first, natural, anew, not empty, gains)
    load = _body(found, natural)
    reasons = _reasons(arm, data, load, found, gains)
    notes = [*data.notes, *_told(measured.shift, anew, gains)]
    return _payload(arm, found, load, natural, measured.shift, reasons, notes)


@dataclass(frozen=True)
class _Measured:
    """The torques that the load adds, in segments; and the shift of the log without load."""

    parts: list[FilteredSegment]
    shift: float | None


def _measured(arm: Arm, data: Data, starts: Sequence[float]) -> _Measured:
    listed: list[FilteredSegment] = []
    shift = None
    for number, (log, band) in enumerate(zip(data.train, data.train_bands, strict=True)):
        target = _residuals(arm, log)
        kept = np.ones(len(log), dtype=np.bool_)
        if data.test:
            other = data.test[0]
            found = aligned(log, other, (starts[0], starts[1]))
            shift, kept = found.shift, found.common
            target = target - interpolated(found.times, other.t, _residuals(arm, other))
        for a, b in log.bounds:
            at = a + np.flatnonzero(kept[a:b])
            if not len(at):
                continue
            a, b = int(at[0]), int(at[-1]) + 1
            one = FilteredSegment(
                number, log.t[a:b], log.q[a:b], log.qd[a:b], log.qdd[a:b], target[a:b], band
            )
            if len(one.centres):
                listed.append(one)
    if not listed:
        raise InputError("the logs are too short: nothing is left after filtering. Record longer.")
    return _Measured(listed, shift)


def _residuals(arm: Arm, log: Prepared) -> Array:
    """Return measured torques minus those of the arm without load."""
    assert log.tau is not None
    return log.tau - arm.inverse_dynamics(log.q, log.qd, log.qdd)


def _expected(arm: Arm, parts: Sequence[FilteredSegment]) -> LinkPrior:
    """Return a prior around zero; its spread is that of a mass at one link length."""
    length = link_length(arm)
    mass = max(float(_rms(parts).max()) / (9.81 * length), LIGHTEST)
    return LinkPrior(np.zeros(10), SPREAD * mass * length**POWERS, False)


def _rms(parts: Sequence[FilteredSegment]) -> Array:
    count = sum(len(part.t) for part in parts)
    return np.sqrt(np.sum([np.sum(part.tau**2, axis=0) for part in parts], axis=0) / count)


def _estimated(
    arm: Arm,
    parts: Sequence[FilteredSegment],
    first: Fitted,
    natural: LinkPrior,
    anew: bool,
    alone: bool,
    gain_error: float,
) -> Estimate:
    load, found = first.fit.values[:10].copy(), None
    for _ in range(ROUNDS):
        columns = load_columns(arm, alone=alone, friction=anew, gains=gain_error > 0.0, load=load)
        prior = _prior(arm, columns, natural, _rms(parts), gain_error)
        rows = Rows(columns.model, parts)
        found = estimate(rows, first.targets, first.kept, prior, gain_error, load)
        load = found.load
    assert found is not None
    return found


def _prior(
    arm: Arm, columns: Columns, natural: LinkPrior, torque: Array, gain_error: float
) -> Prior:
    """Return what is believed of all columns before the data are used."""
    model = columns.model
    p, k = len(model.columns), model.k
    scaled, fixed = np.zeros((2, p, p))
    if k > 10:
        masses = np.maximum([joint.mass for joint in arm.robot.joints], LIGHTEST)
        spread = ARM_ERROR * STRONGEST * np.outer(masses, link_length(arm) ** POWERS).reshape(-1)
        P = arm.minimal.matrix
        scaled[10:k, 10:k] = scaled_inverse((P * spread**2) @ P.T)
    fixed[:10, :10] = np.diag((STRENGTH / natural.spread) ** 2)
    if columns.gains:
        root = gain_prior(arm.n, gain_error)
        fixed[np.ix_(columns.gains, columns.gains)] = root.T @ root
    for i in columns.load_friction:
        fixed[i, i] = LOAD_FRICTION**-2
    for i in columns.friction:
        size = float(torque[model.columns[i].joint])
        fixed[i, i] = (FRICTION * max(size, LIGHTEST)) ** -2.0
    return Prior(np.zeros(p), scaled, fixed, STRONGEST * ARM_ERROR / WORST_ARM, k - 10)


def _reasons(arm: Arm, data: Data, load: Load, found: Estimate, gain_error: float) -> list[str]:
    """Return why the load is not to be relied on: torques that cannot be right."""
    names, said = arm.joint_names, list[str]()
    if any(joint.mass for joint in arm.robot.joints):
        known, log = (arm, data.test[0]) if data.test else (loaded(arm, load), data.train[0])
        said += impossible_gains(names, *model_gains(known, log), "those of the arm's model")
    if said or not data.test:
        return said
    off = np.abs(found.alone - 1.0)
    apart = (off > MOST_OFF * max(gain_error, LEAST_GAIN_ERROR)) & (off > SURE * found.alone_std)
    if apart.any():
        each = zip(names, found.alone.tolist(), found.alone_std.tolist(), apart, strict=True)
        listed = ", ".join(f"{name} {g:.2f} +- {s:.2g}" for name, g, s, wrong in each if wrong)
        said.append(
            "the joints do not agree on one load: torque that a joint shows per torque of the load "
            f"is {listed}, farther from 1 than drives are wrong by; is the gain or the sign of a "
            "drive wrong?"
        )
    return said


def _payload(
    arm: Arm,
    found: Estimate,
    load: Load,
    natural: LinkPrior,
    shift: float | None,
    reasons: list[str],
    notes: list[str],
) -> Payload:
    std = np.sqrt(np.diag(found.covariance))
    can = visible(LoadColumns(arm), arm.n)
    blind = [name for name, seen in can.items() if not seen]
    if blind:
        notes.append(f"torques of this arm do not show {', '.join(blind)} of a load.")
    size = load.mass * (natural.spread / natural.spread[0])
    weak = [
        name
        for name, s, m in zip(PARAMETER_NAMES, std, size, strict=True)
        if s > UNKNOWN * m and can[name]
    ]
    if weak:
        notes.append(f"this motion hardly shows {', '.join(weak)} of the load.")
    toward = np.column_stack([-np.array(load.com), np.eye(3)])
    variance = np.maximum(np.diag(toward @ found.covariance[:4, :4] @ toward.T), 0.0)
    com_std = ratio(np.sqrt(variance), load.mass, np.inf)
    if not std[0] <= UNKNOWN * load.mass:
        reasons = [*reasons, f"the mass is not known: its standard deviation is {std[0]:.2g} kg."]
    return Payload(
        load=load, arm=loaded(arm, load), parameters=found.load.copy(), std=std,
        covariance=found.covariance.copy(), identifiable=can, mass_std=float(std[0]),
        com_std=com_std, sigma=found.sigma, gains=found.gains, gains_std=found.gains_std,
        shift=shift, reasons=tuple(reasons), notes=tuple(notes),
    )  # fmt: skip


def _body(found: Estimate, natural: LinkPrior) -> Load:
    """Return the body that can exist and is nearest to the estimate."""
    columns = tuple(Column(name, "", "base", -1) for name in PARAMETER_NAMES)
    rows = np.column_stack([found.root, found.root @ found.load])
    problem = Problem(
        1, columns, rows, np.eye(10), natural.mean, natural.spread, STRENGTH, False, found.load,
    )  # fmt: skip
    return Load.of_parameters(physical(problem).parameters)


def _told(shift: float | None, anew: bool, gain_error: float) -> list[str]:
    if shift is None:
        said = (
            "torques of the model of the arm were subtracted; its masses are taken as known to "
            f"{ARM_ERROR:.0%} at the best, which is part of the error bars"
        )
    else:
        said = (
            "torques of the log without load were subtracted, each less the model of the arm; the "
            f"motion comes {abs(shift):.4g} s {'later' if shift >= 0.0 else 'earlier'} in it, and "
            "it was aligned"
        )
    gains = (
        f"gains of the drives are taken as right to {gain_error:.1%} (one standard deviation, two "
        "thirds of its square common to all), which is part of the error bars"
        if gain_error > 0.0
        else "gains of the drives are taken as right"
    )
    return [f"{said}; friction was {'fitted anew' if anew else 'taken as it is'}.", f"{gains}."]
