"""`Result`: what an identification found, how sure it is, and what was done to the data."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_choice, checked_path
from armdyn.errors import InputError, shown
from armdyn.findings import Answer, Finding
from armdyn.identification.arguments import About, checked_states
from armdyn.identification.files import plain_data, texts
from armdyn.identification.fit.columns import Model, short_name
from armdyn.identification.fit.fit import TermTrial
from armdyn.identification.judge.advice import advice, next_command
from armdyn.identification.judge.bias import Bias
from armdyn.identification.judge.box import Box, Excitation
from armdyn.identification.judge.holdout import Errors, Series
from armdyn.identification.judge.judgement import Judgement
from armdyn.identification.judge.rollout import Rollout, Windows, rollout
from armdyn.identification.judge.verdict import REFUSED, gravity_answer
from armdyn.identification.page.page import report_html
from armdyn.identification.signals.prepared import Signals
from armdyn.identification.tables import headline, torque_errors, verdict_lines
from armdyn.numerics import ratio
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.writing import write_together, write_whole

# A parameter is not known if its standard deviation exceeds this share of its value.
USABLE = 0.3

# Share of the variance by uncertain parameters that other motions show beside errors on data left
# out, which have part of it: random states in the box are farther from the data than motions are
# (UR10 and LWR4+, each fitted to one log and tested on others, `benchmarks/real_logs.py`).
PARAMETER_SHARE = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """An identified arm.

    Attributes:
        arm: the arm with the parameters that were found, friction and rotors included.
        described: the arm before identification.
        model: the columns of the regression.
        values: their parameters ``(p,)``, by `names`.
        std: standard deviations ``(p,)``.
        covariance: of the parameters ``(p, p)``; that of friction columns also gives the standard
            deviation of a joint's friction at any speed.
        trials: terms of friction and rotors that were tried, of all joints.
        parameters: natural parameters ``(10n,)`` of the links of `arm`, see `Arm.parameters`.
        sigma: standard deviation of the filtered residuals of every joint ``(n,)``.
        correlation: number of filtered rows that carry as much as one independent row ``(n,)``.
        counts: number of filtered rows of every joint in the fit.
        clipped: share of the samples of every joint that were pulled in as outliers ``(n,)``.
        prior_strength: weight of the description; 1 trusts its masses to 50 %.
        determined: number of parameters that the data, not the description, determine.
        excitation: how well the data determine the model.
        bias: least squares against instrumental variables.
        train: torques of the data of the fit; `train_errors`: their relative errors.
        test: torques of data not used for the fit; empty if none were held out.
        errors: relative errors on `test`, or on `train` if no data were held out.
        held_out: whether `errors` are of data not used for the fit.
        rate: filtered rows per second, of every log of the fit.
        judgement: the verdict, why, and the measures behind it.
        notes: data processing steps and other findings, a sentence each.
        about: the logs, how the arm moved in them, and the settings.
        signals: the logs as recorded and as used, without those longer than memory.
        windows: parts of the data held out, which `rollout` simulates; None if they are too short.
        torque_scale: factor of the logged torques beside those of the description, a power of ten;
            1 if units agree. The result is in the unit of the log.
        gravity_error: standard deviation of the torques of gravity within `box`, relative ``(n,)``,
            of a joint that carries little to a tenth of the largest one.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
        >>> result.passed
        True
        >>> bool((result.torque_error < 0.01).all())
        True
        >>> result.arm.mass_matrix([0.0, 0.0]).round(2)
        array([[2.67, 0.83],
               [0.83, 0.33]])
    """

    arm: Arm
    described: Arm
    model: Model
    values: Array
    std: Array
    covariance: Array
    trials: tuple[TermTrial, ...]
    parameters: Array
    sigma: Array
    correlation: Array
    counts: tuple[int, ...]
    clipped: Array
    prior_strength: float
    determined: float
    excitation: Excitation
    bias: Bias
    train: tuple[Series, ...]
    train_errors: Errors
    test: tuple[Series, ...]
    errors: Errors
    held_out: bool
    rate: tuple[float, ...]
    judgement: Judgement
    notes: tuple[str, ...]
    about: About
    signals: tuple[Signals, ...]
    windows: Windows | None
    torque_scale: float
    gravity_error: Array

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters: minimal ones, then friction, then extra columns."""
        return self.model.names

    @property
    def units(self) -> tuple[str, ...]:
        """Their units."""
        return tuple(column.unit for column in self.model.columns)

    @property
    def verdict(self) -> Answer:
        """The verdict: "passed", "usable" (with `reservations`) or "not passed"."""
        return self.judgement.answer

    @property
    def verdicts(self) -> tuple[Answer, ...]:
        """The verdict on every joint, in their order."""
        return self.judgement.joints

    @property
    def passed(self) -> bool:
        """Whether the model can be relied on within `box`, without reservations."""
        return self.verdict == "passed"

    @property
    def usable(self) -> bool:
        """Whether the model can be used within `box`, perhaps with reservations."""
        return self.verdict != "not passed"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the model is not to be relied on, a sentence each."""
        return self.judgement.reasons

    @property
    def reservations(self) -> tuple[str, ...]:
        """The weaknesses of a usable model, a sentence each."""
        return self.judgement.reservations

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What explains the data better than the model, each with the option that mends it."""
        return self.judgement.findings

    @property
    def parameter_error(self) -> Array:
        """Error that uncertain parameters add on other motions, relative to the torques, ``(n,)``.

        The motions are random states within the ranges of the data. NaN for an ignored joint.
        """
        return self.excitation.per_joint

    @property
    def expected_error(self) -> Array:
        """Honest expectation of `torque_error` on other motions within `box`, ``(n,)``.

        It contains the noise of the torques, the error of the model (on parts of the data that were
        left out of fits) and the error of the parameters.
        """
        measures = self.judgement.measures
        left_out = ratio(np.maximum(measures.blocked, measures.delivered) * measures.size,
                         measures.torque, 1.0)  # fmt: skip
        expected = np.sqrt(left_out**2 + PARAMETER_SHARE * self.parameter_error**2)
        return np.where(np.isnan(self.parameter_error), np.nan, expected)

    @property
    def expected_total(self) -> float:
        """The same of all joints together, as `total_error`."""
        size = np.where(np.isnan(self.expected_error), 0.0, self.judgement.measures.torque)
        wrong = np.nansum((self.expected_error * size) ** 2)
        return float(np.sqrt(ratio(wrong, np.sum(size**2), 1.0)))

    @property
    def gravity_verdict(self) -> Answer:
        """The verdict on gravity alone: "passed", "usable" or "not passed"."""
        return gravity_answer(self.gravity_error, self.findings)

    @property
    def cause(self) -> Finding | None:
        """The most likely cause of a verdict other than "passed", or of an odd unit; else None."""
        told = [f for f in self.findings if not self.passed or f.kind == "unit"]
        wrong = [f for f in told if f.kind in REFUSED and (f.joints or f.applied)]
        lacking = [f for f in told if not f.applied]
        return next(iter((*wrong, *lacking, *told)), None)

    @property
    def next_command(self) -> str:
        """The command that should come next."""
        return next_command(self)

    @property
    def box(self) -> Box:
        """The positions, speeds and accelerations that the verdict speaks for."""
        return self.judgement.box

    @property
    def verdict_text(self) -> str:
        """The verdict as a sentence, with its reasons and reservations."""
        return " ".join([headline(self), *self.reasons, *self.reservations])

    @property
    def torque_error(self) -> Array:
        """Relative error of every joint while it moves, ``|tau - predicted| / |tau|``, ``(n,)``.

        NaN for a joint that never moves; see `errors`.
        """
        return self.errors.per_joint

    @property
    def cutoff(self) -> float:
        """Cut-off of the low-pass of positions [Hz]."""
        return self.about.cutoff

    @property
    def delay(self) -> float:
        """Time by which torques lagged behind positions in the logs [s]; they were shifted back."""
        return self.about.delay

    @property
    def tilt(self) -> float:
        """Angle by which gravity of `arm` is turned against the description [rad]; mostly 0."""
        return self.about.tilt

    @property
    def torque_error_at_rest(self) -> Array:
        """Distance of the torques of every joint at rest from its stiction band, ``(n,)``.

        Relative to the joint's torques; NaN for a joint that is never at rest. See `errors`.
        """
        return self.errors.at_rest

    @property
    def total_error(self) -> float:
        """Relative error of the torques of all joints together, while they move."""
        return self.errors.total

    @property
    def torque_error_total(self) -> float:
        """The same as `total_error`."""
        return self.errors.total

    @cached_property
    def rollout(self) -> Rollout | None:
        """The identified arm simulated under measured torques; None without `windows`.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
            >>> bool(result.rollout.deviation.max() < 0.01)  # rad
            True
        """
        if self.windows is None:
            return None

        return rollout(self.arm, self.windows, self.predict, self.model.coupling)

    @property
    def friction_terms(self) -> dict[str, tuple[str, ...]]:
        """The terms of friction of every joint, by its name."""
        kinds = self.model.indices(*FRICTION_TERMS)
        return {
            name: tuple(
                short_name(self.model.columns[i].kind)
                for i in kinds
                if self.model.columns[i].joint == j
            )
            for j, name in enumerate(self.arm.joint_names)
        }

    def predict(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the torques that the model expects, ``(..., n)``.

        They are what the log would measure: friction, rotors, couplings of the drives and extra
        columns are in them.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
            >>> result.predict([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(1)
            array([19.6,  4.9])
        """
        n = self.arm.n
        x = np.broadcast_arrays(
            *(checked_states(a, name, n) for a, name in ((q, "q"), (qd, "qd"), (qdd, "qdd")))
        )
        shape = x[0].shape
        flat = [np.ascontiguousarray(a.reshape(-1, n)) for a in x]
        torque = self.model.predicted(self.values, *flat)
        if self.model.knows:
            torque = torque + self.model.known(*flat)
        return torque.reshape(shape)

    def expression(self, name: str) -> str:
        """Return the meaning of a parameter as text.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
            >>> result.expression("k2_x")
            'k2_x = mx_2 [kg m]: ...'
        """
        checked_choice(name, "name", (*self.model.base.names, *self.names), what="parameter")
        if name in self.model.base.names:
            return self.model.base.expression(name)
        column = next(column for column in self.model.columns if column.name == name)
        joints = ", ".join(str(j + 1) for j in column.joints)
        return f"{name} [{column.unit}]: {column.kind} of joint {joints}"

    @property
    def weak(self) -> tuple[str, ...]:
        """Parameters whose individual values are uncertain.

        Their standard deviations are above 30 % of their values. Torques may still be right.
        """
        wide = self.std > USABLE * np.abs(self.values)
        return tuple(name for name, w in zip(self.names, wide, strict=True) if w)

    @property
    def not_identifiable(self) -> tuple[str, ...]:
        """Link properties that no torque shows, and why, a sentence each."""
        return tuple(str(hidden) for hidden in self.model.base.invisible)

    @property
    def advice(self) -> tuple[str, ...]:
        """What would make the result better, a sentence each."""
        return advice(self)

    def summary(self) -> str:
        """Return the errors of torques, the verdict and advice as text.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
            >>> print(result.summary())
            Errors of torques, planar2
            joint   error held out  of the fit  expected  by parameters  rms residual
            joint1          0.06 %      0.05 %    0.05 %         0.01 %       ...
            ...
        """
        listed = [f"- {words}" for words in self.advice]
        return "\n".join([torque_errors(self).text(), "", *verdict_lines(self), *listed])

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
            >>> result.to_dict()["parameters"][0]["name"]
            'U1_33'
        """
        return plain_data(self)

    def files(self, *, made: datetime | None = None) -> dict[str, str]:
        """Return the texts that `save` writes, by the names of their files.

        They are result.json, identified.toml, identified.urdf (if URDF can express the arm),
        parameters.csv and report.html, which carries the date `made` if it is given.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
            >>> sorted(result.files())
            ['identified.toml', 'identified.urdf', 'parameters.csv', 'report.html', 'result.json']
        """
        if made is not None and not isinstance(made, datetime):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"`made` is {shown(made)}, expected a datetime.", argument="made")
        return texts(self, made)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a report as one self-contained HTML file; on failure, write nothing.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
            >>> result.report("report.html")
        """
        write_whole(checked_path(path), report_html(self, datetime.now()))

    def save(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `files` into a folder: all of them or, on failure, none.

        A missing folder is made, and existing files of these names are replaced.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.identify(arm, "run.csv", friction=False, physical=False)
            >>> [path.name for path in result.save("identified")]
            ['result.json', 'identified.toml', 'parameters.csv', 'report.html', 'identified.urdf']
        """
        target = checked_path(folder, "folder", what="the path of a folder")
        return write_together(target, self.files(), None)

    def _repr_html_(self) -> str:
        from armdyn.identification.tables import result_card

        return result_card(self)

    def __repr__(self) -> str:
        return f"<Result: {self.arm.name!r}, {self.verdict_text}>"
