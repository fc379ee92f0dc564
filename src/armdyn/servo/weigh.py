"""`weigh`: from logs of goals and positions to the droop of an arm and a model of its servos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.blas import one_blas_thread
from armdyn.checks import checked_array, checked_per_joint, checked_positive
from armdyn.errors import InputError
from armdyn.log.log import Log
from armdyn.numerics import ratio
from armdyn.progress import Progress, reporter
from armdyn.servo.alternatives import (
    exchanges_with_weightless,
    integral_gain,
    tried_readings,
    wandering_share,
    weightless_gain,
)
from armdyn.servo.logs import checked_order, checked_servo_logs, what_to_record
from armdyn.servo.model import Model, Values, model_of
from armdyn.servo.prior import EXPECTED, Gravity, gravity_of, random_poses
from armdyn.servo.result import ServoResult
from armdyn.servo.rows import Flags, Rows, error_limits, joined, off_limits, rows_of
from armdyn.servo.servos import Servo, servo_named
from armdyn.servo.solve import TEST_POSES, TEST_SHARE, Solution, covariance, droop_errors, solve
from armdyn.servo.verdict import (
    CARRIES,
    FEWEST,
    PASSED,
    Evidence,
    answers,
    findings_of,
    held_out_errors,
    held_out_rows,
)
from armdyn.servo.words import Call

# Servos between these are looked for if neither the type nor the gain is stated [N m/rad]: from toy
# servos to industrial drives.
STIFFEST, SOFTEST = 2000.0, 0.5


def weigh(
    arm: Arm,
    logs: Log | Sequence[Log],
    *,
    kp: ArrayLike | None = None,
    servo: str | None = None,
    hung: Log | Sequence[Log] | None = None,
    hung_mass: float | None = None,
    hung_at: ArrayLike | None = None,
    flip: Sequence[int] = (),
    order: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> ServoResult:
    """Identify gravity, stiffness, friction and lag of position servos from their errors.

    The servo error q_cmd - q is a torque sensor of unknown scale. Droops need no scale; torques
    take it from a hung mass, a known gain, or the described masses.

    Args:
        arm: geometry and rough masses.
        logs: with commanded positions `q_cmd`, the goals of the servos.
        kp: stiffness of the servos [N m/rad], for all joints or one each; fixes the scale.
        servo: type of the servos, a name of `SERVOS`, such as "sts3215".
        hung: logs of the same arm with a known mass on it.
        hung_mass: this mass [kg].
        hung_at: where it hangs, ``(3,)`` in the tip frame [m]; the origin if left out.
        flip: joints, from 0, whose positions have the opposite sign in the logs.
        order: the column, from 0, that holds each joint; all of them if left out.
        progress: called with (done, total, what) during each step.

    Returns:
        Droop, stiffness, friction, lag, and a verdict on each joint.

    Raises:
        InputError: the logs have no commands, the commands are not the goals of these joints, or
            too few samples are off the joint limits.
    """
    report = reporter(progress)
    source = checked_order(arm, order)
    plain = checked_servo_logs(arm, logs, "logs", flip, source)
    weighted = [] if hung is None else checked_servo_logs(arm, hung, "hung", flip, source)
    kind = None if servo is None else servo_named(servo)
    gains = None if kp is None else checked_per_joint(kp, "kp", arm.n, least=1e-3)
    natural = _hung_parameters(arm, hung is not None, hung_mass, hung_at)
    with one_blas_thread():
        gravity = gravity_of(arm)
        nominal_torque = _torque_size(arm, gravity)
        everywhere = nominal_torque > 0.02 * float(nominal_torque.max(initial=0.0))
        parts = [rows_of(arm, log, everywhere) for log in plain]
        parts += [rows_of(arm, log, everywhere, hung=True) for log in weighted]
        rows = joined(parts, [len(log.episodes or (0,)) for log in (*plain, *weighted)])
        if kind is not None:
            rows = rows.where(np.abs(rows.error) < kind.saturation)
        _check_enough(arm, rows, everywhere, [*plain, *weighted])
        nominal, common, single = _stiffness_prior(arm, rows, everywhere, kind, gains, natural)
        loaded = nominal_torque * nominal > CARRIES

        def make(some: Rows) -> Model:
            return model_of(arm, gravity, some, nominal, common, single, natural)

        report(0, 4, "fit")
        model = make(rows)
        heavy = model.part(loaded[rows.joint])
        # which rows are outliers may differ between starts, and each choice is an optimum
        base = _best(heavy, None, np.zeros(model.layout.size))
        solution = _best(model, None, base.x)
        sigma = covariance(model, solution)
        size, deviation = droop_errors(arm, model, solution, sigma)
        report(1, 4, "validation")
        held_out, trained = held_out_errors(model, solution, size)
        report(2, 4, "signs and order of joints")
        others = tried_readings(make, heavy.rows, loaded, base.likelihood)
        if np.max(held_out[loaded], initial=0.0) > PASSED:
            others += exchanges_with_weightless(make, rows, loaded, solution.likelihood)
            others.sort(key=lambda reading: -reading.gain)
        report(3, 4, "controllers")
        evidence = Evidence(
            loaded=loaded,
            rows=np.bincount(rows.joint, minlength=arm.n).astype(np.float64),
            size=size,
            deviation=deviation,
            held_out=held_out,
            readings=tuple(others),
            integral=integral_gain(heavy, base.x, base.likelihood),
            weightless=weightless_gain(heavy, base.x, base.likelihood) / max(len(heavy.rows), 1),
            wandering=np.array([wandering_share(model, solution.x, j) for j in range(arm.n)]),
        )
    findings = findings_of(arm, evidence)
    scale = "mass" if natural.any() else "kp" if gains is not None else (
        "servo" if kind is not None and kind.stiffness else "description"
    )  # fmt: skip
    delay = 0.5 / min(log.rate for log in plain)
    spread = model.common * float(np.sqrt(sigma[model.layout.common, model.layout.common]))
    off = np.concatenate([off_limits(arm, log.q)[:, everywhere].all(axis=1) for log in plain])
    return ServoResult(
        arm=identified_arm(arm, gravity, model.values(solution.x), delay),
        trained_arm=identified_arm(arm, gravity, model.values(trained), delay),
        trained=trained,
        left_out=_left_out(arm, plain, rows, everywhere),
        delay=delay,
        described=arm,
        model=model,
        solution=solution,
        covariance=sigma,
        evidence=evidence,
        findings=findings,
        verdicts=answers(evidence, findings),
        scale=scale,
        scale_std=spread,
        servo=kind,
        seconds=sum(log.duration for log in (*plain, *weighted)),
        off_stops=float(off.mean()),
        notes=_notes(arm, loaded, scale, np.min([error_limits(log) for log in plain], axis=0)),
        call=Call(
            logs=tuple(log.source or "LOG" for log in plain),
            hung=tuple(log.source or "HUNG_LOG" for log in weighted),
            mass=hung_mass,
            at=None if hung_at is None else tuple(np.ravel(hung_at).tolist()),
            kp=None if gains is None else tuple(gains.tolist()),
            servo=servo,
            order=source,
            flip=tuple(flip),
        ),
    )


def _best(model: Model, *starts: Array | None) -> Solution:
    """Return the most likely of the solutions from some starts."""
    return max((solve(model, x) for x in starts), key=lambda s: s.likelihood)


def _check_enough(arm: Arm, rows: Rows, loaded: Flags, logs: Sequence[Log]) -> None:
    """Refuse logs without rows of joints that carry weight."""
    counts = np.bincount(rows.joint, minlength=arm.n)[loaded]
    if counts.max(initial=0) >= FEWEST:
        return
    off = np.concatenate([off_limits(arm, log.q)[:, loaded].all(axis=1) for log in logs])
    raise InputError(
        f"too little can be weighed: at most {counts.max(initial=0)} rows of a joint that carries "
        f"gravity, {FEWEST} are needed; {off.mean():.0%} of the samples are off the joint limits. "
        f"{what_to_record(arm)}",
        argument="logs",
    )


def _hung_parameters(arm: Arm, hung: bool, mass: float | None, at: ArrayLike | None) -> Array:
    """Return the natural parameters ``(4n,)`` of a hung mass; zero without one."""
    made = np.zeros(4 * arm.n)
    if not hung and mass is None:
        return made
    if not hung or mass is None:
        missing, there = ("hung_mass", "hung") if hung else ("hung", "hung_mass")
        raise InputError(
            f"`{missing}` is missing: `{there}` fixes the scale of torques together with it, a "
            "known mass [kg] on the arm and a log of it.",
            argument=missing,
        )
    m = checked_positive(mass, "hung_mass", what="a mass [kg]")
    place = (0.0, 0.0, 0.0) if at is None else at
    point = checked_array(place, "hung_at", (3,), what="a point of the tip frame [m]")
    tool = np.asarray(arm.robot.tool, dtype=np.float64)
    made[-4:] = m * np.array([1.0, *(tool[:3, :3] @ point + tool[:3, 3])])
    return made


def _torque_size(arm: Arm, gravity: Gravity) -> Array:
    """Return root mean squares of described gravity torques over the ranges ``(n,)`` [N m]."""
    q = random_poses(arm, TEST_POSES, 1, TEST_SHARE)
    return np.sqrt(np.mean(gravity.torques(q, gravity.mean, np.zeros(2)) ** 2, axis=0))


def _stiffness_prior(
    arm: Arm, rows: Rows, loaded: Flags, servo: Servo | None, gains: Array | None, hung: Array
) -> tuple[Array, float, float]:
    """Return expected 1/k ``(n,)``, and standard deviations of log k, common and single."""
    e = EXPECTED
    if gains is not None:
        return 1.0 / gains, e.weighed if hung.any() else e.known, e.known
    if servo is not None and servo.stiffness:
        common = e.weighed if hung.any() else e.common
        return np.full(arm.n, 1.0 / servo.stiffness), common, e.single
    torque = arm.gravity(rows.q)[np.arange(len(rows)), rows.joint]
    mine = loaded[rows.joint]
    slope = float(ratio(torque[mine] @ rows.error[mine], torque[mine] @ torque[mine], np.inf))
    slope = min(max(slope, 1.0 / STIFFEST), 1.0 / SOFTEST)
    return np.full(arm.n, slope), e.weighed, e.single if servo is not None else e.mixed


def identified_arm(arm: Arm, gravity: Gravity, values: Values, delay: float) -> Arm:
    """Return the nearest arm with the fitted gravity, on its tilted mount, with its drives.

    Args:
        arm: as described.
        gravity: its parameters.
        values: fitted values.
        delay: part of the lag that is no damping [s]: a goal holds until the next one, which
            delays it by half a period.
    """
    natural = gravity.nearest(values.z).reshape(-1, 4)
    k = 1.0 / values.compliance
    joints = list(arm.robot.joints)
    for j, joint in enumerate(joints):
        mass, *moment = natural[j].tolist()
        factor = mass / joint.mass if joint.mass else 1.0
        joints[j] = replace(
            joint,
            mass=mass,
            com=tuple(x / mass for x in moment) if mass else joint.com,
            inertia=tuple(factor * x for x in joint.inertia),
            rotor_inertia=max(float(k[j] * values.inertia[j]), 0.0),
            viscous=max(float(k[j] * (values.lag[j] - delay)), 0.0),
            coulomb=float(k[j] * values.moving[j]),
            load_friction=float(min(values.load[j], 0.9)),
        )
    direction = gravity.directions[0] + values.tilt @ gravity.directions[1:]
    return Arm(arm.robot.with_joints(joints, gravity=tuple(direction.tolist())))


def _left_out(
    arm: Arm, logs: Sequence[Log], rows: Rows, loaded: Flags
) -> tuple[tuple[Log, Flags], ...]:
    """Return the parts of logs whose rows are held out, and which samples are off the limits."""
    test = held_out_rows(rows)
    episodes = [(log, part) for log in logs for part in log.episodes or [slice(0, len(log))]]
    chosen: list[int] = np.unique(rows.episode[test]).tolist()
    made = list[tuple[Log, Flags]]()
    for number in chosen:
        log, part = episodes[number]
        first, end = part.start, part.stop
        if len(chosen) == len(np.unique(rows.episode[~rows.hung])):
            first = int(np.searchsorted(log.t, float(rows.time[test].min())))
        one = log.part(first, end)
        free: Flags = np.all(off_limits(arm, one.q)[:, loaded], axis=1, keepdims=True)[:, 0]
        made.append((one, free))
    return tuple(made)


def _notes(arm: Arm, loaded: Flags, scale: str, clipped: Array) -> tuple[str, ...]:
    """Return what is left out and what a servo error can never show, a sentence each."""
    made = [
        f"Goals of {name} are at most {np.degrees(limit):.1f}° from its positions, as a limit of "
        "relative targets (max_relative_target) makes them; samples at this limit are left out."
        for name, limit in zip(arm.joint_names, clipped.tolist(), strict=True)
        if np.isfinite(limit)
    ]
    if scale not in ("mass", "kp"):
        made.append(
            "The scale of torques and masses needs one known force: hang a known mass, or state "
            "kp. Droops, offsets and replays in simulation do not need it."
        )
    still = [name for name, on in zip(arm.joint_names, loaded, strict=True) if not on]
    if still:
        made.append(f"{', '.join(still)}: gravity, zero and stiffness do not show in servo errors "
                    "without load; friction and lag do.")  # fmt: skip
    made.append(
        "Zero offsets of joints with parallel axes change nothing but the fitted moments: they are "
        "neither identified nor needed."
    )
    return tuple(made)
