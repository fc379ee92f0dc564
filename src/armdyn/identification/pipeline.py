"""The steps of an identification, one after the other.

Prepare logs and make rows (`data`), fit (`fit`), find physically possible links (`physical`), judge
the result (`judge`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.cluster import Cluster
from armdyn.errors import InputError
from armdyn.identification.arguments import about
from armdyn.identification.band.find import find_band
from armdyn.identification.conic import need_solver
from armdyn.identification.data.prepared import Data, prepared, signals_of
from armdyn.identification.fit.choice import Terms, Tilt, curve_rows
from armdyn.identification.fit.columns import Column, Model, friction_columns
from armdyn.identification.fit.coupling import CoupledMinimal
from armdyn.identification.fit.error_bars import error_covariance
from armdyn.identification.fit.fit import Fitted, Selected, Settings, fit_model
from armdyn.identification.fit.gram import gram_root
from armdyn.identification.fit.gravity import Turned
from armdyn.identification.fit.prior import link_prior, nearest_parameters
from armdyn.identification.fit.problem import Problem, Solution
from armdyn.identification.fit.rows import FilteredSegment, Rows, filtered_segments
from armdyn.identification.judge.bias import bias_check
from armdyn.identification.judge.excitation import excitation
from armdyn.identification.judge.holdout import Errors, compare
from armdyn.identification.judge.judge import judge
from armdyn.identification.judge.judgement import Finding
from armdyn.identification.judge.rollout import windows_of
from armdyn.identification.judge.verdict import RESTING, moved
from armdyn.identification.physical import WHY, arm_with, impossible_links, physical
from armdyn.identification.result import Result
from armdyn.log.log import Log
from armdyn.log.rows import blocks
from armdyn.minimal.parameters import MinimalParameters
from armdyn.progress import Progress

# The default dead band is this share of the joint's highest speed.
DEAD_SHARE = 0.04

# A joint slower than this [rad/s or m/s] is at rest.
STANDING = 1e-4

# A larger share of outliers gets a note.
OUTLIERS = 0.01

# What links that can exist cost is told if the error on data held out grows by a larger share.
COSTLY = 0.03


@dataclass(frozen=True)
class Options:
    """The arguments of `identify`, checked."""

    friction: Terms | None  # None takes friction from the arm
    rotor: bool | None  # None leaves the choice of rotors to the data
    physical: bool
    robust: bool
    cutoff: float | None
    decimate: int | None
    dead_band: Array | None
    weights: Array | None
    prior: float | None
    extra: tuple[Column, ...]
    coupling: Array | None
    trim: tuple[float, float] | None
    delay: float | None
    tilt: bool
    flip: tuple[int, ...]


def run(
    arm: Arm,
    train_logs: Sequence[Log],
    test_logs: Sequence[Log],
    options: Options,
    progress: Progress,
    cluster: Cluster | None = None,
) -> Result:
    """Identify an arm from the training logs, and test it on the others."""
    if not any(moved(train_logs)):
        raise InputError(
            f"the arm never moves: no joint has a range of {RESTING:g} rad or m. Record a motion "
            "of all joints; `armdyn excite` makes one."
        )
    if options.physical:
        need_solver(WHY)
    band = find_band(
        arm, train_logs, test_logs, cutoff=options.cutoff, delay=options.delay,
        coupling=options.coupling, extra=options.extra, progress=progress,
    )  # fmt: skip
    data = prepared(
        train_logs, test_logs, band.cutoff, options.decimate, progress, why=band.why,
        delay=band.delay, measured=band.measured, cluster=cluster,
    )  # fmt: skip
    selected, settings = _selected(arm, data, options, None, progress, cluster)
    turned = selected.tilt
    if turned is not None:
        selected, settings = _selected(arm, data, options, turned, progress, cluster)
    found = selected.found
    model, rows = found.model, found.rows
    notes = [*data.notes, *band.notes, *_fit_notes(arm, found, settings)]
    progress(0, 1, "links")
    solution = _solution(selected, options)
    progress(0, 1, "verdict")
    if model.turned is not None:
        # the weight of the links that were found
        model = model.with_turned(replace(model.turned, links=solution.parameters[: 10 * arm.n]))
    identified, remarks = arm_with(model, solution.values, solution.parameters)
    impossible = impossible_links(identified)
    if impossible:
        notes.append(
            f"links of {', '.join(impossible)} are no bodies that can exist; torques are right all "
            "the same, simulators may refuse them."
        )
    train, train_errors = compare(rows, solution.values)
    tested = filtered_segments(data.test, data.test_bands, model)
    unseen = Rows(model, tested, cluster=cluster)
    fastest = np.max([np.abs(model.of_drives(s.velocity)).max(axis=0) for s in train], axis=0)
    test, errors = compare(unseen, solution.values, fastest)
    assert train_errors is not None
    if options.physical and errors is not None:
        _, freely = compare(unseen, found.fit.values, fastest)
        notes += _cost_note(errors, freely)
    judged = excitation(found, selected.natural.described)
    bias = bias_check(found)
    judgement = judge(
        found, solution.values, solution.parameters, train_logs, test, settings.dead_band,
        judged, errors, progress,
    )  # fmt: skip
    if turned is not None:
        notes.append(_tilt_note(turned))
        judgement = judgement.with_finding(_tilt_finding(turned))
    fit, covariance = found.fit, error_covariance(selected, solution)
    return Result(
        arm=identified, described=arm, model=model, values=solution.values,
        std=np.sqrt(np.maximum(np.diag(covariance), 0.0)), covariance=covariance,
        trials=selected.trials, parameters=solution.parameters[: 10 * arm.n].copy(),
        sigma=fit.sigma, correlation=found.correlation, counts=tuple(found.counts),
        clipped=found.clipped, prior_strength=fit.strength, determined=fit.determined,
        excitation=judged, bias=bias, train=tuple(train), train_errors=train_errors,
        test=tuple(test), errors=errors or train_errors, held_out=errors is not None,
        rate=tuple(p.rate / b.factor for p, b in zip(data.train, data.train_bands, strict=True)),
        judgement=judgement, notes=(*notes, *solution.notes, *remarks, bias.words),
        about=about(
            train_logs, test_logs, data.train, options, settings.dead_band, band.delay,
            0.0 if turned is None else turned.angle,
        ),
        signals=signals_of(train_logs, test_logs, data),
        windows=windows_of(data.test or data.train),
    )  # fmt: skip


def _selected(
    arm: Arm,
    data: Data,
    options: Options,
    tilt: Tilt | None,
    progress: Progress,
    cluster: Cluster | None,
) -> tuple[Selected, Settings]:
    """Return the fit of an arm with the terms that the data show, and how it was made."""
    model = _model(arm, options, None if tilt is None else Turned(tilt.change, tilt.links))
    parts = filtered_segments(data.train, data.train_bands, model)
    _check_enough(parts, model)
    torque, top = _sizes(parts, model)
    settings = Settings(_dead_band(options, top), options.robust, options.weights, options.prior)
    selected = fit_model(
        Rows(model, parts, cluster=cluster), link_prior(arm, model.base.rotor, torque), settings,
        options.friction or Terms(()), options.rotor is None,
        options.tilt if tilt is None else None, top, progress,
    )  # fmt: skip
    return selected, settings


def _model(arm: Arm, options: Options, turned: Turned | None) -> Model:
    terms, rotor = options.friction, options.rotor is not False
    own = [*(friction_columns(arm, terms.common) if terms else []), *options.extra]
    rotors = np.array([0.0 if rotor else j.rotor_inertia for j in arm.robot.joints])
    base = arm.minimal_with(rotor=rotor)
    if rotor and options.coupling is not None:
        base = cast(MinimalParameters, CoupledMinimal(arm, options.coupling))
    return Model(
        arm,
        base,
        own,
        known_rotors=rotors,
        known_friction=not options.friction,
        coupling=options.coupling,
        turned=turned,
    )


def _check_enough(parts: Sequence[FilteredSegment], model: Model) -> None:
    rows = sum(len(part.centres) for part in parts)
    if rows * model.n < len(model.columns):
        raise InputError(
            f"the logs give {rows} rows a joint after filtering, too few for "
            f"{len(model.columns)} parameters. Record longer, or choose a smaller `decimate`."
        )


def _sizes(parts: Sequence[FilteredSegment], model: Model) -> tuple[Array, Array]:
    """Return the rms of the torques of every drive, and its highest speed."""
    count = sum(len(part.t) for part in parts)
    torque, top = np.zeros((2, model.n))
    for part in parts:
        for a, b in blocks(len(part.t)):
            tau, v = part.tau[a:b], model.of_drives(part.qd[a:b])
            torque += np.einsum("ij,ij->j", tau, tau)
            np.maximum(top, np.abs(v).max(axis=0), out=top)
    return np.sqrt(torque / count), top


def _dead_band(options: Options, top: Array) -> Array:
    """Return the dead band of every joint; zero without friction to fit: rows at rest help then."""
    if options.dead_band is not None:
        return options.dead_band
    if not options.friction:
        return np.full(len(top), -1.0)
    return np.maximum(DEAD_SHARE * top, STANDING)


def _fit_notes(arm: Arm, found: Fitted, settings: Settings) -> list[str]:
    notes: list[str] = []
    if (settings.dead_band > 0.0).any():
        speeds = ", ".join(f"{x:.2g}" for x in settings.dead_band)
        notes.append(f"rows of a joint slower than {speeds} (joint by joint) are left out.")
    for name, share in zip(arm.joint_names, found.clipped, strict=True):
        if share > OUTLIERS:
            notes.append(
                f"{share:.1%} of the torques of {name} are far from the model (outliers, or what "
                "it leaves out) and were pulled in."
            )
    return notes


def _cost_note(errors: Errors, freely: Errors | None) -> list[str]:
    """Return what links that can exist cost on data held out, if it is much."""
    if freely is None or not errors.total > (1.0 + COSTLY) * freely.total:
        return []
    return [
        "links that can exist predict data held out less well than free parameters: "
        f"an error of {errors.total:.2%} in place of {freely.total:.2%}, "
        f"{errors.total / freely.total - 1.0:.0%} more. They were taken because free parameters "
        "are those of no bodies: simulators refuse them, and they go wrong on other motions. "
        "`physical` set to False keeps them."
    ]


def _tilt_note(tilt: Tilt) -> str:
    angle, bar, first, second = np.degrees([tilt.angle, tilt.deviation, *tilt.halves])
    return (
        f"gravity points {angle:.2g} +- {bar:.1g} degrees away from the described direction "
        f"({first:.2g} and {second:.2g} degrees in the halves of the data) and was turned: the "
        "mount is tilted, or `base` in the robot file is not level. `tilt` set to False takes "
        "gravity as described."
    )


def _tilt_finding(tilt: Tilt) -> Finding:
    words = (
        f"gravity points {np.degrees(tilt.angle):.2g} degrees away from the described direction; "
        "it was turned"
    )
    return Finding("tilt", words, *tilt.errors, "gravity in the robot file")


def _solution(selected: Selected, options: Options) -> Solution:
    found, natural = selected.found, selected.natural
    model, fit, prior = found.model, found.fit, found.solver.prior
    if not options.physical:
        return Solution(nearest_parameters(model, fit.values, natural), fit.values, ())
    # weak rows keep friction and extra columns finite where the data do not show them
    p, rows = len(model.columns), found.gram.copy()
    rows[:p, :p] += prior.fixed
    rows[:p, p] += prior.fixed @ prior.mean
    rows[p, :p] = rows[:p, p]
    rows[p, p] += prior.mean @ prior.fixed @ prior.mean
    problem = Problem(
        model.n, model.columns, gram_root(rows), model.base.matrix, natural.mean, natural.spread,
        fit.strength, natural.described, fit.values, found.fixed_rotors,
        curve_rows(model, selected.top),
    )  # fmt: skip
    return physical(problem)
