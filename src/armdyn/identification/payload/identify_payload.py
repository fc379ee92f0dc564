"""`identify_payload`: the load of a known arm, from the torques that the load adds.

A load is part of the last link: its ten parameters about the tip have the columns of that link in
the regressor. The torques without load are subtracted. They come from the model alone, or from a
log of the same motion without load, which is aligned in time. With such a log, the model at the
measured positions is first subtracted from each log; then errors of the model and friction cancel.
`estimate` has the other unknowns and the error bars.
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
from armdyn.identification.arguments import checked_cutoff, checked_logs
from armdyn.identification.conic import need_solver
from armdyn.identification.fit.columns import Column, Model, friction_columns
from armdyn.identification.fit.fit import Settings, fitted
from armdyn.identification.fit.prior import POWERS, TRUST, LinkPrior, link_length
from armdyn.identification.fit.rows import FilteredSegment, Rows
from armdyn.identification.fit.solver import STRONGEST, Prior
from armdyn.identification.payload.alignment import aligned, interpolated
from armdyn.identification.payload.estimate import (
    Estimate,
    LoadColumns,
    estimate,
    gain_precision,
    jackknife,
    load_friction,
    model_of,
    rigid_torque,
    visible,
)
from armdyn.identification.payload.payload import UNKNOWN, Load, Payload, from_tip, loaded
from armdyn.identification.physical import Problem, physical
from armdyn.identification.signals.prepared import Data, prepared
from armdyn.log.log import Log
from armdyn.log.segments import scipy
from armdyn.log.signals import Prepared
from armdyn.motion.trajectory import checked_arm
from armdyn.numerics import ratio, scaled_inverse, scaled_solve
from armdyn.progress import Progress, reporter

# Relative standard deviation of the gains of uncalibrated drives: uniform errors up to 10 %.
GAIN_ERROR = 0.06


@dataclass(frozen=True)
class PayloadSettings:
    """Settings of the identification of a load.

    Attributes:
        strength: weight of the prior. It is weak: the load is expected within thirty times the size
            that its torques suggest.
        lightest: least mass of a load and of a link [kg]; it is a divisor.
        dead_band: slower rows are left out [rad/s or m/s]: stiction hides the load.
        load_friction: standard deviation of the coefficient of load-dependent friction.
        friction: standard deviation of changes of friction, in multiples of the torques.
        arm_error: least relative error of the masses of the arm, and
        worst_arm: the greatest; the data decide between them.
        rounds: load-dependent friction needs the load, and the load needs the friction.
        most_off: joints disagree if a gain is off by more prior standard deviations, and
        sure: by more of its own.
        least_gain_error: least prior standard deviation of that test.
        possible: range of measured per modelled torque; outside of it a sign, a unit or a joint is
            wrong.
        shown: largest standard deviation of that ratio, as a share, for it to count.
        blocks: of time, for that standard deviation.
        worst: largest condition of the normal equations of the ratio.
        moving: slower rows do not count for the ratio [rad/s or m/s].
    """

    strength: float = 0.03
    lightest: float = 1e-12
    dead_band: float = 0.01
    load_friction: float = 0.1
    friction: float = 10.0
    arm_error: float = 0.05
    worst_arm: float = 0.5
    rounds: int = 2
    most_off: float = 4.0
    sure: float = 5.0
    least_gain_error: float = 0.02
    possible: tuple[float, float] = (0.5, 1.6)
    shown: float = 0.15
    blocks: int = 20
    worst: float = 1e10
    moving: float = 0.02


SETTINGS = PayloadSettings()


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
        gain_error: relative standard deviation of the drives' gains: 0.06 if they may be wrong by
            up to 10 %. It is part of the error bars; 0 if torques are calibrated.
        cutoff: low-pass cut-off frequency of positions [Hz]; default is chosen from their spectrum.
        progress: called with (done, total, what) during each step.

    Returns:
        The load with its uncertainty, and the arm that holds it.

    Raises:
        InputError: an argument is wrong, or the two logs are of different motions.
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
    refit = not empty if friction is None else checked_flag(friction, "friction")
    gains = checked_number(gain_error, "gain_error", least=0.0, below=1.0)
    if empty and len(held) > 1:
        raise InputError(
            "`without` is one log, but `logs` are several; give one of each.", argument="without"
        )
    if not empty and not any(joint.mass for joint in arm.robot.joints):
        raise InputError(
            f"{arm.name} has no masses, so its own weight would count as the load. Identify it "
            "first, or give a log `without` the load.",
            argument="arm",
        )
    torques = [log.tau for log in (*held, *empty) if log.tau is not None]
    if empty and len(torques) == 2 and np.array_equal(torques[0], torques[1]):
        raise InputError(
            "the logs with and without load have the same torques; is one given as the other?"
        )
    need_solver("identifying a physically consistent load")
    data = prepared(held, empty, checked_cutoff(cutoff), None, tell)
    starts = [float(log.t[0]) for log in (*held, *empty)]
    parts, shift = _added_torques(arm, data, starts)
    prior = _link_prior(arm, parts)
    plain = model_of(arm, LoadColumns(arm), friction_columns(arm) if refit else [])
    settings = Settings(np.full(arm.n, SETTINGS.dead_band), True, None, SETTINGS.strength)
    first = fitted(Rows(plain, parts), prior, settings, tell)
    tell(0, 1, "error bars")
    unknowns = _Unknowns(arm, refit, not empty, gains)
    load, estimated = first.fit.values[:10].copy(), None
    for _ in range(SETTINGS.rounds):
        model, wide = unknowns.with_prior(load, prior, _rms(parts))
        rows = Rows(model, parts)
        estimated = estimate(rows, first.targets, first.kept, wide, gains, load)
        load = estimated.load
    assert estimated is not None
    body = _physical_load(estimated, prior)
    reasons = _reasons(arm, data, body, estimated, gains)
    notes = [*data.notes, *_notes(shift, refit, gains)]
    return _payload(arm, estimated, body, prior, shift, reasons, notes)


def _added_torques(
    arm: Arm, data: Data, starts: Sequence[float]
) -> tuple[list[FilteredSegment], float | None]:
    """Return the torques that the load adds, and the shift of the log without load."""
    listed: list[FilteredSegment] = []
    shift = None
    for number, (log, band) in enumerate(zip(data.train, data.train_bands, strict=True)):
        target = _residuals(arm, log)
        kept = np.ones(len(log), dtype=np.bool_)
        if data.test:
            other = data.test[0]
            match = aligned(log, other, (starts[0], starts[1]))
            shift, kept = match.shift, match.common
            target = target - interpolated(match.times, other.t, _residuals(arm, other))
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
    return listed, shift


def _residuals(arm: Arm, log: Prepared) -> Array:
    """Return measured torques minus those of the arm without load."""
    assert log.tau is not None
    return log.tau - arm.inverse_dynamics(log.q, log.qd, log.qdd)


def _link_prior(arm: Arm, parts: Sequence[FilteredSegment]) -> LinkPrior:
    """Return a prior around zero; its spread is that of a mass at one link length."""
    length = link_length(arm)
    mass = max(float(_rms(parts).max()) / (9.81 * length), SETTINGS.lightest)
    return LinkPrior(np.zeros(10), TRUST.spread * mass * length**POWERS, False)


def _rms(parts: Sequence[FilteredSegment]) -> Array:
    count = sum(len(part.t) for part in parts)
    return np.sqrt(np.sum([np.sum(part.tau**2, axis=0) for part in parts], axis=0) / count)


@dataclass(frozen=True)
class _Unknowns:
    """What is unknown beside the load.

    Attributes:
        arm: the arm without load.
        refit: fit friction again.
        alone: whether the model of the arm is subtracted, rather than a log without load.
        gain_error: relative standard deviation of the gains.
    """

    arm: Arm
    refit: bool
    alone: bool
    gain_error: float

    def with_prior(self, load: Array, link: LinkPrior, torque: Array) -> tuple[Model, Prior]:
        """Return the columns of the load and of all unknowns, and their prior.

        Args:
            load: the current estimate of the load ``(10,)``, for load-dependent friction.
            link: prior of the load.
            torque: rms of the torques ``(n,)``.
        """
        arm, names = self.arm, list(enumerate(self.arm.joint_names))
        base, to_link = LoadColumns(arm, arm.minimal if self.alone else None), from_tip(arm) @ load
        grows = [load_friction(arm, j, to_link, self.alone) for j in range(arm.n)]
        own = [Column(f"Fl_{name}", "", "extra", j, grows[j]) for j, name in names]
        precisions = [SETTINGS.load_friction**-2 * np.eye(arm.n)]
        if self.alone and self.gain_error > 0.0:
            own += [
                Column(f"gain_{name}", "", "extra", j, rigid_torque(arm, j)) for j, name in names
            ]
            precisions.append(gain_precision(arm.n, self.gain_error))
        if self.refit:
            friction = friction_columns(arm)
            sizes = np.maximum(torque[[column.joint for column in friction]], SETTINGS.lightest)
            own += friction
            precisions.append(np.diag((SETTINGS.friction * sizes) ** -2.0))
        k, of_load = len(base.names), np.diag((SETTINGS.strength / link.spread) ** 2)
        zeros = np.zeros((k - 10, k - 10))
        fixed: Array = scipy("linalg").block_diag(of_load, zeros, *precisions)
        scaled = np.zeros_like(fixed)
        if self.alone:
            masses = np.maximum([joint.mass for joint in arm.robot.joints], SETTINGS.lightest)
            error = SETTINGS.arm_error * STRONGEST
            spread = error * np.outer(masses, link_length(arm) ** POWERS).reshape(-1)
            P = arm.minimal.matrix
            scaled[10:k, 10:k] = scaled_inverse((P * spread**2) @ P.T)
        weakest = STRONGEST * SETTINGS.arm_error / SETTINGS.worst_arm
        prior = Prior(np.zeros(len(fixed)), scaled, fixed, weakest, k - 10)
        return model_of(arm, base, own), prior


def _reasons(arm: Arm, data: Data, load: Load, estimated: Estimate, gain_error: float) -> list[str]:
    """Return why the load fails validation: implausible torques."""
    names, reasons = arm.joint_names, list[str]()
    if any(joint.mass for joint in arm.robot.joints):
        known, log = (arm, data.test[0]) if data.test else (loaded(arm, load), data.train[0])
        reasons = _implausible_gains(known, log)
    if reasons or not data.test:
        return reasons
    off = np.abs(estimated.alone - 1.0)
    expected = max(gain_error, SETTINGS.least_gain_error)
    apart = (off > SETTINGS.most_off * expected) & (off > SETTINGS.sure * estimated.alone_std)
    if apart.any():
        bars = estimated.alone, estimated.alone_std
        each = (f"{names[j]} {bars[0][j]:.2f} +- {bars[1][j]:.2g}" for j in np.flatnonzero(apart))
        listed = ", ".join(each)
        reasons.append(
            "the joints do not agree on one load: measured torque per torque of the load is "
            f"{listed}, expected 1 +- {expected:.2g}. Check gain and sign of these drives."
        )
    return reasons


def _payload(
    arm: Arm,
    estimated: Estimate,
    load: Load,
    prior: LinkPrior,
    shift: float | None,
    reasons: list[str],
    notes: list[str],
) -> Payload:
    std = np.sqrt(np.diag(estimated.covariance))
    can = visible(LoadColumns(arm), arm.n)
    poor = std > UNKNOWN * load.mass * (prior.spread / prior.spread[0])
    blind = ", ".join(name for name, seen in can.items() if not seen)
    weak = ", ".join(name for name, bad in zip(can, poor, strict=True) if bad and can[name])
    notes += [f"torques of this arm do not show {blind} of a load."] * bool(blind)
    notes += [f"this motion hardly shows {weak} of the load."] * bool(weak)
    toward = np.column_stack([-np.array(load.com), np.eye(3)])
    variance = np.maximum(np.diag(toward @ estimated.covariance[:4, :4] @ toward.T), 0.0)
    com_std = ratio(np.sqrt(variance), load.mass, np.inf)
    if not std[0] <= UNKNOWN * load.mass:
        reasons = [*reasons, f"the mass is not known: its standard deviation is {std[0]:.2g} kg."]
    return Payload(
        load=load, arm=loaded(arm, load), parameters=estimated.load, std=std,
        covariance=estimated.covariance, identifiable=can, mass_std=float(std[0]), com_std=com_std,
        sigma=estimated.sigma, gains=estimated.gains, gains_std=estimated.gains_std, shift=shift,
        reasons=tuple(reasons), notes=tuple(notes),
    )  # fmt: skip


def _physical_load(estimated: Estimate, prior: LinkPrior) -> Load:
    """Return the physically consistent load nearest to the estimate."""
    columns = tuple(Column(name, "", "base", -1) for name in PARAMETER_NAMES)
    rows = np.column_stack([estimated.root, estimated.root @ estimated.load])
    problem = Problem(
        1, columns, rows, np.eye(10), prior.mean, prior.spread, SETTINGS.strength, False,
        estimated.load,
    )  # fmt: skip
    return Load.of_parameters(physical(problem).parameters)


def _notes(shift: float | None, refit: bool, gain_error: float) -> list[str]:
    subtracted = (
        "torques of the model of the arm were subtracted; its masses are assumed known to "
        f"{SETTINGS.arm_error:.0%} at best, which is part of the error bars"
    )
    if shift is not None:
        subtracted = (
            "torques of the log without load were subtracted, each minus the model of the arm; the "
            f"log was aligned: its motion is {abs(shift):.4g} s "
            f"{'later' if shift >= 0.0 else 'earlier'}"
        )
    gains = (
        f"known to {gain_error:.1%} (one standard deviation, two thirds of the variance common to "
        "all), which is part of the error bars"
    )
    return [
        f"{subtracted}; friction was {'fitted again' if refit else 'taken from the arm'}.",
        f"gains of the drives are assumed {gains if gain_error > 0.0 else 'exact'}.",
    ]


def _implausible_gains(arm: Arm, log: Prepared) -> list[str]:
    """Return a sentence on every joint whose torques contradict the model of the arm.

    Measured torque per torque of the model is fitted beside friction, with a jackknife. A ratio
    that the log does not show contradicts nothing.
    """
    assert log.tau is not None
    rigid = arm.inverse_dynamics(log.q, log.qd, log.qdd, friction=False)
    low, high = SETTINGS.possible
    reasons: list[str] = []
    for j, name in enumerate(arm.joint_names):
        v = log.qd[:, j]
        rows = np.column_stack([rigid[:, j], np.ones(len(v)), np.sign(v), v, log.tau[:, j]])
        rows = rows[np.abs(v) > SETTINGS.moving]
        if len(rows) < 10 * SETTINGS.blocks or not np.ptp(rows[:, 0]) > 0.0:
            continue
        grams = [part.T @ part for part in np.array_split(rows, SETTINGS.blocks)]
        total = np.sum(grams, axis=0)
        size = np.sqrt(np.diag(total)[:4])
        if np.linalg.cond(ratio(total[:4, :4], np.outer(size, size), 0.0)) > SETTINGS.worst:
            continue
        each = [scaled_solve(G[:4, :4], G[:4, 4]) for G in (total, *(total - G for G in grams))]
        gain, bar = float(each[0][0]), float(np.sqrt(jackknife(each[1:])[0, 0]))
        if low <= gain <= high or not bar < SETTINGS.shown * max(abs(gain), 1.0):
            continue
        why = "their sign is wrong" if gain < 0.0 else "their unit, or the drive's gain, is wrong"
        reasons.append(
            f"the torques of {name} are {gain:.2f} +- {bar:.2g} times those of the arm's model: "
            f"{why}, or they are of another joint."
        )
    return reasons
