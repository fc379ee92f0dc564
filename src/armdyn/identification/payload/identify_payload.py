"""`identify_payload`: the load of a known arm, from the torques that the load adds.

A load is part of the last link: its ten parameters about the tip have the columns of that link in
the regressor. The torques without load are subtracted. They come from the model alone, or from a
log of the same motion without load, which is aligned in time. With such a log, the model at the
measured positions is first subtracted from each log; then errors of the model and friction cancel.
`estimate` has the other unknowns and the error bars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_flag, checked_number
from armdyn.errors import InputError
from armdyn.identification.arguments import checked_cutoff, checked_logs
from armdyn.identification.conic import need_solver
from armdyn.identification.fit.columns import Column, Model, friction_columns
from armdyn.identification.fit.fit import Settings, fitted
from armdyn.identification.fit.prior import POWERS, TRUST, LinkPrior, link_length
from armdyn.identification.fit.rows import FilteredSegment, Rows, filtered_segments
from armdyn.identification.payload.alignment import aligned, interpolated
from armdyn.identification.payload.estimate import (
    LOAD,
    SETTINGS,
    Estimate,
    LoadColumns,
    estimate,
    jackknife,
    model_of,
    rms_torques,
    visible,
)
from armdyn.identification.payload.payload import UNKNOWN, Load, Payload, loaded
from armdyn.identification.physical import Problem, physical
from armdyn.identification.signals.prepared import Data, prepared
from armdyn.identification.signals.torque_scale import torque_scale
from armdyn.log.log import Log
from armdyn.log.signals import Prepared
from armdyn.motion.trajectory import checked_arm
from armdyn.numerics import ratio, scaled_solve
from armdyn.progress import Progress, reporter

# Relative standard deviation of the gains of drives that nobody verified: uniform errors of up to
# 10 %, as data sheets allow for motor constants and gears (`benchmarks/payload.py`).
GAIN_ERROR = 0.06


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
    arm = checked_arm(arm, "Payloads")
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
        found = estimate(first, prior, not empty, gain_error, load)
        return found if rounds == 1 else with_gains(gain_error, found.load, rounds - 1)

    estimated = shown = with_gains(gains, first.fit.values[:LOAD])
    if gains < SETTINGS.arm_error:  # joints that contradict each other show it nevertheless
        shown = with_gains(SETTINGS.arm_error, estimated.load, 1)
    body, covariance = _physical_load(estimated, prior, plain.columns[:LOAD]), estimated.covariance
    reasons = [*_implausible_torques(arm, data, body), *_disagreement(arm, shown, gains)]
    if reasons:
        reasons = _unit_or_sign(arm, empty or held) or reasons
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
    mass = max(float(rms_torques(parts).max()) / (9.81 * length), SETTINGS.lightest)
    return LinkPrior(np.zeros(10), TRUST.spread * mass * length**POWERS, False)


def _disagreement(arm: Arm, shown: Estimate, gain_error: float) -> list[str]:
    """Return a sentence if gains are wrong by more than was assumed, as the joints show."""
    expected = max(gain_error, SETTINGS.arm_error)
    if shown.gain_error <= SETTINGS.most_off * expected:
        return []
    measured, ratios = "the load", shown.gains
    if len(shown.mismatch):
        measured, ratios = "the arm's model", shown.mismatch
    each = ", ".join(f"{name} {x:.3g}" for name, x in zip(arm.joint_names, ratios, strict=True))
    return [
        "the joints do not agree on one load: their gains are wrong by about "
        f"{shown.gain_error:.0%}, expected {expected:.0%}. Measured torque per torque of "
        f"{measured}: {each}. Check gains and signs of these drives and the masses of the arm, or "
        f"state the error of the gains: --gain-error {shown.gain_error:.2f}."
    ]


def _physical_load(estimated: Estimate, prior: LinkPrior, columns: tuple[Column, ...]) -> Load:
    """Return the physically consistent load nearest to the estimate."""
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


def _unit_or_sign(arm: Arm, logs: Sequence[Log]) -> list[str]:
    """Return sentences on a wrong unit or sign of all torques."""
    scale = torque_scale(arm, logs)
    wrong: list[str] = []
    times = f"torques are {scale.median:.3g} times those of the arm's model: their unit is"
    if scale.in_another_unit:
        wrong.append(f"{times} {scale.unit}. Multiply them by {1.0 / scale.common:g}.")
    elif abs(np.log(scale.median)) > np.log(SETTINGS.heaviest):
        wrong.append(f"{times} not N m. Convert them.")
    if len(scale.flipped) == arm.n:
        wrong.append("all torques have the wrong sign. Reverse them.")
    return wrong


def _implausible_torques(arm: Arm, data: Data, load: Load) -> list[str]:
    """Return a sentence on every joint whose torques contradict the model of the arm.

    Measured torque per torque of the model is fitted beside friction, with a jackknife. A ratio
    that the log does not show contradicts nothing.
    """
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
            f"the torques of {name} are {gain:.3g} +- {bar:.2g} times those of the arm's model: "
            f"{why}, or they are of another joint."
        )
    return reasons
