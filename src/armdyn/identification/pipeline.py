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
from armdyn.errors import ArmdynError, InputError
from armdyn.findings import Finding
from armdyn.identification.arguments import about
from armdyn.identification.conic import need_solver
from armdyn.identification.error_bars import error_covariance
from armdyn.identification.fit.choice import Terms, Tilt, curve_rows
from armdyn.identification.fit.columns import Column, Model, friction_columns
from armdyn.identification.fit.coupling import CoupledMinimal
from armdyn.identification.fit.fit import Fitted, Selected, Settings, fit_model
from armdyn.identification.fit.gram import gram_root
from armdyn.identification.fit.gravity import Turned
from armdyn.identification.fit.prior import link_prior, nearest_parameters
from armdyn.identification.fit.rows import FilteredSegment, Rows, filtered_segments
from armdyn.identification.judge.bias import bias_check
from armdyn.identification.judge.box import excitation, gravity_errors
from armdyn.identification.judge.holdout import Errors, Series, compare
from armdyn.identification.judge.judge import Judged, judge
from armdyn.identification.judge.judgement import Improvement
from armdyn.identification.judge.rollout import windows_of
from armdyn.identification.judge.verdict import CLEAR, LIMITS, WORTH_TELLING
from armdyn.identification.physical import (
    WHY,
    Problem,
    Solution,
    arm_with,
    impossible_links,
    physical,
)
from armdyn.identification.remedies import Task, remedied
from armdyn.identification.result import Result
from armdyn.identification.signals.band import Band, find_band, retried_cutoff
from armdyn.identification.signals.prepared import Data, prepared, signals_of
from armdyn.identification.signals.torque_scale import described_in, torque_scale
from armdyn.log.health import RESTING, constant_columns, moved
from armdyn.log.log import Log
from armdyn.log.rows import blocks
from armdyn.log.trim import AT_REST, with_gain
from armdyn.minimal.parameters import MinimalParameters
from armdyn.progress import Progress, silent

# A joint slower than this [rad/s or m/s] is at rest.
STANDING = 1e-4

# More of a tilt is searched for at most so often, in case it does not settle.
MORE_TILTS = 3


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
    gain: Array | None
    ignored: tuple[int, ...]  # joints (from 0) whose torques do not count


@dataclass(frozen=True, eq=False)
class Delivered:
    """A fitted model and its errors, before the verdict.

    Attributes:
        band: cut-off, delay and source of velocities.
        data: the filtered logs.
        settings: of the fit.
        selected: the fit.
        solution: natural parameters and values of the columns.
        model: the columns, with the weight of the links that were found.
        tilt: by which gravity was turned.
        train: torques of the data of the fit, and
        train_errors: their errors.
        test: torques of data held out, and
        errors: their errors; None without any.
        free_errors: of free parameters there, if the delivered ones are physically consistent.
    """

    band: Band
    data: Data
    settings: Settings
    selected: Selected
    solution: Solution
    model: Model
    tilt: Tilt | None
    train: list[Series]
    train_errors: Errors
    test: list[Series]
    errors: Errors | None
    free_errors: Errors | None


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
    torques = [log.tau for log in train_logs if log.tau is not None]
    constant = tuple(sorted({*constant_columns(torques)} - {*options.ignored}))
    if len(constant) + len(options.ignored) == arm.n:
        raise InputError("no torque of the logs ever changes: they were not measured.")
    scale = torque_scale(arm, train_logs, (*options.ignored, *constant))
    described = described_in(arm, scale.common)
    ignored = tuple(sorted({*options.ignored, *constant, *scale.odd}))
    task = Task(described, train_logs, test_logs, replace(options, ignored=ignored))
    if scale.flipped:
        task = task.with_logs(lambda log: with_gain(log, scale.signs))
    made = delivered(task, progress, cluster)
    bias = bias_check(made.selected.found)
    while options.cutoff is None and not (bias.small and _fits(made.train_errors)):
        lower = retried_cutoff(described, task.train, made.band, options.coupling, options.extra)
        if lower is None:
            break
        made = delivered(task, progress, cluster, lower)
        bias = bias_check(made.selected.found)
    progress(0, 1, "verdict")
    found, solution, model = made.selected.found, made.solution, made.model
    identified, remarks = arm_with(model, solution.values, solution.parameters)
    notes = [*made.data.notes, *made.band.notes, *_fit_notes(arm, found, made.settings)]
    inconsistent = impossible_links(identified)
    if inconsistent:
        notes.append(
            f"links of {', '.join(inconsistent)} are physically inconsistent; torques are right "
            "all the same, simulators may refuse them."
        )
    if made.errors is not None:
        notes += _cost_note(made.errors, made.free_errors)

    def improvement(finding: Finding) -> Improvement | None:
        """Return errors on data held out without and with a finding mended, if it can be."""
        other = remedied(task, finding, arm)
        if other is None or made.errors is None:
            return None
        # errors of two bands cannot be compared
        other = replace(other, options=replace(other.options, cutoff=made.band.cutoff))
        try:
            after = delivered(other, silent, cluster).errors
        except ArmdynError:
            return None
        assert after is not None
        own, mean = made.errors.of(finding.joints), made.errors.mean
        return Improvement((own, after.of(finding.joints)), (mean, after.mean))

    judged = excitation(found, made.selected.natural.described, ignored)
    judgement = judge(
        Judged(
            found, solution, task.train, judged, made.errors, ignored, constant, scale, improvement,
        ),
        progress,
    )  # fmt: skip
    turned = made.tilt
    if turned is not None:
        judgement = judgement.with_finding(_tilt_finding(turned))
    fit, covariance = found.fit, error_covariance(made.selected, solution)
    data, errors = made.data, made.errors
    return Result(
        arm=identified, described=arm, model=model, values=solution.values,
        std=np.sqrt(np.maximum(np.diag(covariance), 0.0)), covariance=covariance,
        trials=made.selected.trials, parameters=solution.parameters[: 10 * arm.n].copy(),
        sigma=fit.sigma, correlation=found.correlation, counts=tuple(found.counts),
        clipped=found.clipped, prior_strength=fit.strength, determined=fit.determined,
        excitation=judged, bias=bias, train=tuple(made.train), train_errors=made.train_errors,
        test=tuple(made.test), errors=errors or made.train_errors, held_out=errors is not None,
        rate=tuple(p.rate / b.factor for p, b in zip(data.train, data.train_bands, strict=True)),
        judgement=judgement, notes=(*notes, *solution.notes, *remarks, bias.words),
        about=about(
            train_logs, test_logs, data.train, options, made.settings.dead_band, made.band.delay,
            0.0 if turned is None else turned.angle,
        ),
        signals=signals_of(task.train, task.test, data),
        windows=windows_of(data.test or data.train), torque_scale=scale.common,
        gravity_error=gravity_errors(model, solution.values, covariance, judgement.box),
    )  # fmt: skip


def _fits(errors: Errors) -> bool:
    """Whether the torques of no joint that moves are far from the model."""
    return not (errors.per_joint > LIMITS["delivered"].refusal).any()


def delivered(
    task: Task,
    progress: Progress,
    cluster: Cluster | None,
    retried: tuple[float, str] | None = None,
) -> Delivered:
    """Return the model of a task, and its errors; `retried` is a cut-off with its reason."""
    arm, options = task.arm, task.options
    cutoff, why = retried or (options.cutoff, "")
    band = find_band(
        arm, task.train, task.test, cutoff=cutoff, why=why, delay=options.delay,
        coupling=options.coupling, extra=options.extra, progress=progress,
    )  # fmt: skip
    data = prepared(
        task.train, task.test, band.cutoff, options.decimate, progress, why=band.why,
        delay=band.delay, measured=band.measured, cluster=cluster,
    )  # fmt: skip
    selected, settings = _selected(arm, data, options, None, progress, cluster)
    turned = selected.tilt
    if turned is not None:
        # links were fitted without the tilt: again with it, while there is more of it
        for _ in range(MORE_TILTS):
            more = _selected(arm, data, options, turned, progress, cluster, options.tilt)[0].tilt
            if more is None:
                break
            turned = turned.and_then(more, np.asarray(arm.robot.gravity, dtype=np.float64))
        selected, settings = _selected(arm, data, options, turned, progress, cluster)
    found = selected.found
    progress(0, 1, "links")
    solution, model = _solution(selected, options), found.model
    if model.turned is not None:
        # the weight of the links that were found
        model = model.with_turned(replace(model.turned, links=solution.parameters[: 10 * arm.n]))
    ignored = options.ignored
    train, train_errors = compare(found.rows, solution.values, ignored=ignored)
    unseen = Rows(model, filtered_segments(data.test, data.test_bands, model), cluster=cluster)
    fastest = np.max([np.abs(model.of_drives(s.velocity)).max(axis=0) for s in train], axis=0)
    test, errors = compare(unseen, solution.values, fastest, ignored)
    free = None
    if options.physical and errors is not None:
        free = compare(unseen, found.fit.values, fastest, ignored)[1]
    assert train_errors is not None
    return Delivered(
        band, data, settings, selected, solution, model, turned, train, train_errors, test, errors,
        free,
    )  # fmt: skip


def _selected(
    arm: Arm,
    data: Data,
    options: Options,
    tilt: Tilt | None,
    progress: Progress,
    cluster: Cluster | None,
    search: bool | None = None,
) -> tuple[Selected, Settings]:
    """Return the fit of an arm with the terms that the data show, and how it was made.

    With a tilt, `search` looks for more of it.
    """
    model = _model(arm, options, None if tilt is None else Turned(tilt.change, tilt.links))
    parts = filtered_segments(data.train, data.train_bands, model)
    _check_enough(parts, model)
    torque, top = _sizes(parts, model)
    settings = Settings(_dead_band(options, top), options.robust, options.weights, options.prior)
    selected = fit_model(
        Rows(model, parts, cluster=cluster), link_prior(arm, model.base.rotor, torque), settings,
        options.friction or Terms(()), options.rotor is None,
        options.tilt if tilt is None else search, top, progress,
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
        arm, base, own, known_rotors=rotors, known_friction=not options.friction,
        coupling=options.coupling, turned=turned,
    )  # fmt: skip


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
    """Return the dead band of every joint; none without friction to fit: rows at rest help then.

    It is infinite for a joint whose torques do not count.
    """
    if options.dead_band is not None:
        band = options.dead_band.copy()
    elif not options.friction:
        band = np.full(len(top), -1.0)
    else:
        band = np.maximum(2.0 * AT_REST * top, STANDING)
    band[list(options.ignored)] = np.inf
    return band


def _fit_notes(arm: Arm, found: Fitted, settings: Settings) -> list[str]:
    notes: list[str] = []
    band = settings.dead_band
    if (band[np.isfinite(band)] > 0.0).any():
        speeds = ", ".join(f"{x:.2g}" if np.isfinite(x) else "(ignored)" for x in band)
        notes.append(f"rows of a joint slower than {speeds} (joint by joint) are left out.")
    for name, share in zip(arm.joint_names, found.clipped, strict=True):
        if share > WORTH_TELLING:
            notes.append(
                f"{share:.1%} of the torques of {name} are far from the model (outliers, or what "
                "it leaves out) and were down-weighted."
            )
    return notes


def _cost_note(errors: Errors, freely: Errors | None) -> list[str]:
    """Return what physically consistent links cost on data held out, if it is much."""
    if freely is None or not errors.total > (1.0 + CLEAR) * freely.total:
        return []
    return [
        "physically consistent links predict data held out less well than free parameters: an "
        f"error of {errors.total:.2%} in place of {freely.total:.2%}. `physical` set to False "
        "keeps the free ones, which simulators refuse and which are less reliable on other motions."
    ]


def _tilt_finding(tilt: Tilt) -> Finding:
    angle, bar, first, second = np.degrees([tilt.angle, tilt.deviation, *tilt.halves])
    words = (
        f"gravity points {angle:.2g} +- {bar:.1g} degrees away from the described direction "
        f"({first:.2g} and {second:.2g} degrees in the halves of the data) and was turned: the "
        "mount is tilted, or `base` in the robot file is not level"
    )
    option = "gravity in the robot file, or `tilt` set to False to keep it as described"
    return Finding("tilt", words, *tilt.errors, option, applied=True)


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
