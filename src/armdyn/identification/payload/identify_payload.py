"""`identify_payload`: the load of a known arm, from the torques that the load adds.

A load is part of the last link: its ten parameters about the tip have the columns of that link in
the regressor. The torques without load are subtracted. They come from the model alone, or from a
log of the same motion without load, which is aligned in time. With such a log, the model at the
measured positions is first subtracted from each log; then errors of the model and friction cancel.
`estimate` has the other unknowns and the error bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_flag, checked_number
from armdyn.errors import InputError
from armdyn.identification.arguments import checked_cutoff, checked_logs
from armdyn.identification.conic import need_solver
from armdyn.identification.fit.columns import Column, Function, Model, friction_columns
from armdyn.identification.fit.fit import Fitted, Settings, fitted
from armdyn.identification.fit.prior import POWERS, TRUST, LinkPrior, link_length
from armdyn.identification.fit.rows import FilteredSegment, Rows, filtered_segments
from armdyn.identification.fit.solver import STRONGEST, Prior
from armdyn.identification.payload.alignment import aligned, interpolated
from armdyn.identification.payload.estimate import (
    LOAD,
    Estimate,
    LoadColumns,
    Unknowns,
    estimate,
    jackknife,
    model_of,
    visible,
)
from armdyn.identification.payload.payload import UNKNOWN, Load, Payload, from_tip, loaded
from armdyn.identification.physical import Problem, physical
from armdyn.identification.signals.prepared import Data, prepared
from armdyn.log.log import Log
from armdyn.log.signals import Prepared
from armdyn.motion.trajectory import checked_arm
from armdyn.numerics import ratio, scaled_inverse, scaled_solve
from armdyn.progress import Progress, reporter

# Relative standard deviation of the gains of drives that nobody verified: uniform errors of up to
# 10 %, as data sheets allow for motor constants and gears (`benchmarks/payload.py`).
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
        most_off: the load fails if the joints show gain errors larger than those assumed by this
            factor. Of 60 cases of `benchmarks/payload.py`, gains within 5 % fail in 0 to 2, gains
            within 10 % in 1 to 10, gains within 40 % one by one in nearly all.
        possible: range of measured per modelled torque; outside of it a sign, a unit or a joint is
            wrong.
        shown: largest standard deviation of that ratio, as a share, for it to count.
        blocks: of time, for that standard deviation.
        worst: largest condition of the normal equations of the ratio.
    """

    strength: float = 0.03
    lightest: float = 1e-12
    dead_band: float = 0.01
    load_friction: float = 0.1
    friction: float = 10.0
    arm_error: float = 0.05
    worst_arm: float = 0.5
    rounds: int = 2
    most_off: float = 1.75
    possible: tuple[float, float] = (0.5, 1.6)
    shown: float = 0.15
    blocks: int = 20
    worst: float = 1e10


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
    if empty and np.array_equal(np.asarray(held[0].tau), np.asarray(empty[0].tau)):
        raise InputError(
            "the logs with and without load have the same torques; is one given as the other?"
        )
    need_solver("identifying a physically consistent load")
    data = prepared(held, empty, checked_cutoff(cutoff), None, tell)
    starts = [float(log.t[0]) for log in (*held, *empty)]
    plain = model_of(arm, LoadColumns(arm), friction_columns(arm) if refit else [])
    parts, shift = _added_torques(arm, data, starts, plain)
    prior = _link_prior(arm, parts)
    settings = Settings(np.full(arm.n, SETTINGS.dead_band), True, None, SETTINGS.strength)
    first = fitted(Rows(plain, parts), prior, settings, tell)
    tell(0, 1, "error bars")

    def with_gains(gain_error: float, load: Array, rounds: int = SETTINGS.rounds) -> Estimate:
        found = estimate(first, _unknowns(first, load, prior, not empty), gain_error, load)
        return found if rounds == 1 else with_gains(gain_error, found.load, rounds - 1)

    estimated = shown = with_gains(gains, first.fit.values[:LOAD])
    if gains < SETTINGS.arm_error:  # joints that contradict each other show it nevertheless
        shown = with_gains(SETTINGS.arm_error, estimated.load, 1)
    body, covariance = _physical_load(estimated, prior), estimated.covariance
    reasons = [*_implausible_torques(arm, data, body), *_disagreement(arm, shown, gains)]
    notes = [*data.notes, *_notes(shift, refit, gains, estimated.gain_error)]
    std, can = np.sqrt(np.diag(covariance)), visible(arm)
    if not std[0] <= UNKNOWN * body.mass:
        reasons.append(f"the mass is not known: its standard deviation is {std[0]:.2g} kg.")
    poor = std > UNKNOWN * body.mass * (prior.spread / prior.spread[0])
    blind = ", ".join(name for name, seen in can.items() if not seen)
    weak = ", ".join(name for name, bad in zip(can, poor, strict=True) if bad and can[name])
    notes += [f"torques of this arm do not show {blind} of a load."] * bool(blind)
    notes += [f"this motion hardly shows {weak} of the load."] * bool(weak)
    toward = np.column_stack([-np.array(body.com), np.eye(3)])
    variance = np.maximum(np.diag(toward @ covariance[:4, :4] @ toward.T), 0.0)
    return Payload(
        load=body, arm=loaded(arm, body), parameters=estimated.load, std=std,
        covariance=covariance, identifiable=can, mass_std=float(std[0]),
        com_std=ratio(np.sqrt(variance), body.mass, np.inf), sigma=estimated.sigma,
        gains=estimated.gains, gains_std=estimated.gains_std, shift=shift,
        gain_error=estimated.gain_error, reasons=tuple(reasons), notes=tuple(notes),
    )  # fmt: skip


def _added_torques(
    arm: Arm, data: Data, starts: Sequence[float], model: Model
) -> tuple[list[FilteredSegment], float | None]:
    """Return the torques that the load adds, and the shift of the log without load."""
    logs: list[Prepared] = []
    shift = None
    for log in data.train:
        tau, bounds = _residuals(arm, log), log.bounds
        if data.test:
            other = data.test[0]
            shift, times, common = aligned(log, other, starts)
            tau = tau - interpolated(times, other.t, _residuals(arm, other))
            first, *_, last = np.flatnonzero(common).tolist()
            bounds = tuple((max(a, first), max(min(b, last + 1), first)) for a, b in bounds)
        logs.append(replace(log, tau=tau, bounds=bounds))
    parts = filtered_segments(logs, data.train_bands, model)
    if not parts:
        raise InputError("the logs are too short: nothing is left after filtering. Record longer.")
    return parts, shift


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


def _unknowns(first: Fitted, load: Array, link: LinkPrior, alone: bool) -> Unknowns:
    """Return the columns of the load and of all unknowns, and their prior.

    Args:
        first: the fit of the load and, if it is fitted again, of friction.
        load: the current estimate of the load ``(10,)``, for load-dependent friction.
        link: prior of the load.
        alone: whether the model of the arm is subtracted, rather than a log without load.
    """
    arm, friction = first.model.arm, first.model.columns[LOAD:]
    base, to_link = LoadColumns(arm, arm.minimal if alone else None), from_tip(arm) @ load
    k, n = len(base.names), arm.n

    def rigid(q: Array, qd: Array, qdd: Array) -> Array:
        return arm.inverse_dynamics(q, qd, qdd, friction=False)

    def load_friction(q: Array, qd: Array, qdd: Array) -> Array:
        L, more = rigid(q, qd, qdd), arm.regressor(q, qd, qdd)[..., -LOAD:] @ to_link
        return (np.abs(L + more) - (0.0 if alone else np.abs(L))) * np.sign(qd)

    own = _of_each_joint(arm, "Fl", load_friction)
    if alone:
        own += _of_each_joint(arm, "gain", rigid)
    model = model_of(arm, base, [*own, *friction])
    torque = np.maximum(_rms(first.rows.parts), SETTINGS.lightest)
    # inverse standard deviations; those of the arm and of the gains follow
    p = len(model.columns)
    roots = np.zeros(p + n)
    roots[:LOAD] = SETTINGS.strength / link.spread
    roots[k : k + n] = 1.0 / SETTINGS.load_friction
    roots[k + len(own) : p] = 1.0 / (SETTINGS.friction * torque[[c.joint for c in friction]])
    scaled, gains = np.zeros((p + n, p + n)), [range(p, p + n)]
    if alone:
        masses = np.maximum([joint.mass for joint in arm.robot.joints], SETTINGS.lightest)
        error = SETTINGS.arm_error * STRONGEST
        spread = error * np.outer(masses, link_length(arm) ** POWERS).reshape(-1)
        P = arm.minimal.matrix
        scaled[LOAD:k, LOAD:k] = scaled_inverse((P * spread**2) @ P.T)
        gains.insert(0, range(k + n, k + 2 * n))
    weakest = STRONGEST * SETTINGS.arm_error / SETTINGS.worst_arm
    prior = Prior(np.zeros(p + n), scaled, np.diag(roots**2), weakest, k - LOAD)
    return Unknowns(model, prior, np.array(gains))


def _of_each_joint(arm: Arm, symbol: str, torques: Function) -> list[Column]:
    """Return the columns of torques ``(N, n)``, with a parameter for each joint."""

    def of(j: int) -> Function:
        return lambda q, qd, qdd: torques(q, qd, qdd)[:, j]

    names = enumerate(arm.joint_names)
    return [Column(f"{symbol}_{name}", "", "extra", j, of(j)) for j, name in names]


def _disagreement(arm: Arm, shown: Estimate, gain_error: float) -> list[str]:
    """Return a sentence if gains are wrong by more than was assumed, as the joints show."""
    expected = max(gain_error, SETTINGS.arm_error)
    if shown.gain_error <= SETTINGS.most_off * expected:
        return []
    measured = "the load"
    ratios = shown.gains
    if len(shown.mismatch):
        measured, ratios = "the arm's model", shown.mismatch
    each = ", ".join(f"{name} {x:.2f}" for name, x in zip(arm.joint_names, ratios, strict=True))
    return [
        "the joints do not agree on one load: their gains are wrong by about "
        f"{shown.gain_error:.0%}, expected {expected:.0%}. Measured torque per torque of "
        f"{measured}: {each}. Check gains and signs of these drives and the masses of the arm, or "
        f"state the error of the gains: --gain-error {shown.gain_error:.2f}."
    ]


def _physical_load(estimated: Estimate, prior: LinkPrior) -> Load:
    """Return the physically consistent load nearest to the estimate."""
    columns = tuple(Column(name, "", "base", -1) for name in PARAMETER_NAMES)
    rows = np.column_stack([estimated.root, estimated.root @ estimated.load])
    problem = Problem(
        1, columns, rows, np.eye(10), prior.mean, prior.spread, SETTINGS.strength, False,
        estimated.load,
    )  # fmt: skip
    return Load.of_parameters(physical(problem).parameters)


def _notes(shift: float | None, refit: bool, gain_error: float, found: float) -> list[str]:
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
    notes = [f"{subtracted}; friction was {'fitted again' if refit else 'taken from the arm'}."]
    if not gain_error > 0.0:
        return [*notes, "gains of the drives are assumed exact."]
    wider = "" if found <= gain_error else f", but the joints show errors of {found:.1%}"
    return [
        *notes,
        f"gains of the drives are assumed known to {gain_error:.1%} (one standard deviation, two "
        f"thirds of the variance common to all){wider}; this is part of the error bars.",
        "the mass has the error of the torque scale, which torques do not show if the arm was "
        "identified with the same drives: weigh a known mass to verify the scale, or identify the "
        "gains from motor currents: armdyn gains ROBOT HELD --empty LOG --mass KG.",
    ]


def _implausible_torques(arm: Arm, data: Data, load: Load) -> list[str]:
    """Return a sentence on every joint whose torques contradict the model of the arm.

    Measured torque per torque of the model is fitted beside friction, with a jackknife. A ratio
    that the log does not show contradicts nothing.
    """
    if not any(joint.mass for joint in arm.robot.joints):
        return []
    known, log = (arm, data.test[0]) if data.test else (loaded(arm, load), data.train[0])
    assert log.tau is not None
    rigid = known.inverse_dynamics(log.q, log.qd, log.qdd, friction=False)
    low, high = SETTINGS.possible
    reasons: list[str] = []
    for j, name in enumerate(arm.joint_names):
        v = log.qd[:, j]
        rows = np.column_stack([rigid[:, j], np.ones(len(v)), np.sign(v), v, log.tau[:, j]])
        rows = rows[np.abs(v) > SETTINGS.dead_band]
        if len(rows) < 10 * SETTINGS.blocks:
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
