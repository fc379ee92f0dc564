"""The estimate of a load with error bars that include wrong drive gains.

The columns of the regression:

    tau_held - tau_empty = (1 + d_j) Y_load x  +  Fl_j (|L + Y_load x| - |L|) sign(qd)

x are the ten parameters of the load, d_j is the gain error of drive j, and L is the torque that the
gear transmits without load: load-dependent friction grows with the load. Without a log of the empty
arm its model is subtracted, and more is unknown:

    tau_held - tau_model = ...  +  e_j L  +  Y_arm y  +  f_j(qd)

with y, the errors of the arm's own parameters (those of the last link look like a load), e_j, the
mismatch of the gains and the model, and f_j, the change of friction.

The fit uses Gram matrices of the rows, one for each joint and block of time. The gains make the
problem bilinear: Gauss-Newton steps rescale the load's columns.

The error bar has two parts. Noise and unmodelled effects show when blocks of time are left out in
turn (a jackknife): residuals of real arms are not independent, as the least-squares formula
assumes. Errors that are the same all the time come from the priors: gains, and the arm's own model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.fit.columns import Column, Function, Model
from armdyn.identification.fit.correlation import correlation_lengths
from armdyn.identification.fit.fit import EXACT, Fitted
from armdyn.identification.fit.gram import gram_of
from armdyn.identification.fit.prior import POWERS, LinkPrior, link_length
from armdyn.identification.fit.rows import FilteredSegment, Rows
from armdyn.identification.fit.solver import STRONGEST, Fit, Prior, Solver, solution
from armdyn.identification.payload.payload import from_tip
from armdyn.minimal.parameters import MinimalParameters
from armdyn.numerics import RANK, ROUNDING, scaled_inverse, scaled_root
from armdyn.progress import silent

Mask = NDArray[np.bool_]

# Parameters of a load, the first columns of the regression.
LOAD = len(PARAMETER_NAMES)


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
        common: share of the variance of the gains that is common to all drives: a wrong unit, one
            wrong constant.
        gain_rounds: most Gauss-Newton steps of the gains.
        settled: relative change of the load that ends them.
        moving_blocks: least number of blocks of time with motion, for a jackknife over them.
        most_off: the load fails if the joints show gain errors larger than those assumed by this
            factor. Of 60 cases of `benchmarks/payload.py`, gains within 5 % fail in 0 to 2, gains
            within 10 % in 1 to 10, gains within 40 % one by one in nearly all.
        possible: range of measured per modelled torque; outside of it a sign, a unit or a joint is
            wrong.
        heaviest: no load makes torques of all joints so many times those of the arm alone.
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
    common: float = 2.0 / 3.0
    gain_rounds: int = 8
    settled: float = 1e-6
    moving_blocks: int = 4
    most_off: float = 1.75
    possible: tuple[float, float] = (0.5, 1.6)
    heaviest: float = 30.0
    shown: float = 0.15
    blocks: int = 20
    worst: float = 1e10


SETTINGS = PayloadSettings()


class LoadColumns:
    """The parameters of a load about the tip; replaces minimal parameters in `Model`.

    Minimal parameters of the arm may follow.
    """

    rotor = False

    def __init__(self, arm: Arm, base: MinimalParameters | None = None) -> None:
        self._arm, self._from_tip, self._base = arm, from_tip(arm), base
        names, units = ((), ()) if base is None else (base.names, base.units)
        self.names: tuple[str, ...] = (*(f"{name}_load" for name in PARAMETER_NAMES), *names)
        self.units: tuple[str, ...] = ("kg", *["kg m"] * 3, *["kg m^2"] * 6, *units)
        self.matrix: Array = np.eye(len(self.names))

    def regressor(self, q: Array, qd: Array, qdd: Array, *, out: Array | None = None) -> Array:
        """Return the torques ``(N, n, k)`` for a unit of every parameter."""
        Y = np.empty((len(q), self._arm.n, len(self.names))) if out is None else out
        np.matmul(self._arm.regressor(q, qd, qdd)[..., -LOAD:], self._from_tip, out=Y[..., :LOAD])
        if self._base is not None:
            Y[..., LOAD:] = self._base.regressor(q, qd, qdd)
        return Y


def visible(arm: Arm) -> dict[str, bool]:
    """Return which parameters of a load are identifiable individually."""
    states = np.random.default_rng(0).uniform(-2.0, 2.0, (3, 60, arm.n))
    Y = LoadColumns(arm).regressor(*states).reshape(-1, LOAD)
    _, size, V = np.linalg.svd(Y, full_matrices=False)
    alone = np.linalg.norm(V[size > RANK * size[0]], axis=0) > 1.0 - RANK
    return dict(zip(PARAMETER_NAMES, alone.tolist(), strict=True))


def model_of(arm: Arm, base: LoadColumns, own: list[Column]) -> Model:
    """Return a model whose first columns are those of a load."""
    # `Model` uses no other attributes of minimal parameters
    return Model(arm, cast(MinimalParameters, base), own, known_rotors=np.zeros(arm.n))


@dataclass(frozen=True)
class Estimate:
    """An estimated load.

    Attributes:
        load: its ten parameters.
        covariance: their uncertainty, all causes included ``(10, 10)``.
        root: W ``(10, 10)``; W^T W is the inverse of their covariance by the formula of least
            squares.
        gains: torque that every drive shows per torque of the load, ``(n,)``.
        gains_std: their standard deviations ``(n,)``.
        mismatch: torque that every drive shows per torque of the arm's model, ``(n,)``; empty with
            a log of the empty arm.
        gain_error: relative standard deviation of the gains: as assumed, or larger if the joints
            show it.
        sigma: standard deviation of the residuals of every joint ``(n,)``.
    """

    load: Array
    covariance: Array
    root: Array
    gains: Array
    gains_std: Array
    mismatch: Array
    gain_error: float
    sigma: Array


def moving_blocks(
    rows: Rows, targets: Sequence[Array], kept: Sequence[Mask]
) -> tuple[Array, Array]:
    """Return X^T X of the rows X = [columns | torque], and the numbers of rows of every joint.

    The former is ``(B, n, p + 1, p + 1)``: of the blocks of time in which joints move.
    """
    gram = gram_of(rows, targets, kept, silent)
    moving = np.flatnonzero(gram.counts.sum(axis=1)).tolist()
    if len(moving) < SETTINGS.moving_blocks:
        raise InputError(
            "the joints hardly move in the logs: stiction hides the load at rest. Record a motion."
        )
    blocks = np.stack([gram.part(slice(b, b + 1)).squares() for b in moving])
    return blocks, gram.counts.sum(axis=0)


@dataclass(frozen=True)
class GainPrior:
    """The prior of relative gain errors, which come in sets of one for each joint.

    Attributes:
        sets: their columns ``(m, n)``: the d_j last, before them the e_j, if any.
        common: variance along the direction in which all joints are alike.
        own: variances along every other direction, of every set ``(m,)``.
    """

    sets: NDArray[np.int64]
    common: float
    own: Array

    @property
    def std(self) -> float:
        """The largest standard deviation of a gain."""
        n = self.sets.shape[1]
        return float(np.sqrt(self.own.max() * (1.0 - 1.0 / n) + self.common / n))

    def added_to(self, prior: Prior) -> Prior:
        """Return a prior of all columns with that of the gains."""
        fixed, n = prior.fixed.copy(), self.sets.shape[1]
        alike = np.full((n, n), 1.0 / n)
        for at, own in zip(self.sets, self.own, strict=True):
            fixed[np.ix_(at, at)] = alike / self.common + (np.eye(n) - alike) / own
        return replace(prior, fixed=fixed)

    def widened(self, fit: Fit, least: GainPrior) -> GainPrior:
        """Return the variances under which the gains of a fit are most probable [MacKay1992].

        They are not smaller than `least`. What the d_j have in common is no different from the mass
        of the load, so the e_j alone show a common error.
        """
        n, common, own = self.sets.shape[1], least.common, least.own.copy()
        for k, at in enumerate(self.sets):
            d, C = fit.values[at], fit.covariance[np.ix_(at, at)]
            alike, variance = float(d.sum()) ** 2 / n, float(C.sum()) / n
            determined = n - 1.0 - (float(np.trace(C)) - variance) / self.own[k]
            own[k] = max(own[k], (float(d @ d) - alike) / max(determined, ROUNDING))
            if k + 1 < len(self.sets):
                common = max(common, alike / max(1.0 - variance / self.common, ROUNDING))
        return replace(self, common=common, own=own)


def estimate(
    first: Fitted, link: LinkPrior, alone: bool, gain_error: float, start: Array
) -> Estimate:
    """Return the load.

    Args:
        first: a fit of the load and, if it is fitted again, of friction, with the rows that count.
        link: prior of the load.
        alone: whether the model of the arm is subtracted, rather than a log without load.
        gain_error: standard deviation of the relative gains of the drives; 0: they are exact.
        start: a first guess of the load's ten parameters.
    """
    model, prior, sets = _unknowns(first, link, alone, start)
    rows = first.rows.of(model)
    blocks, counts = moving_blocks(rows, first.targets, first.kept)
    n, p = model.n, len(model.columns)
    variance = max(gain_error, ROUNDING) ** 2
    own = (1.0 - SETTINGS.common) * variance
    common = own + n * SETTINGS.common * variance
    expected = gains = GainPrior(sets, common, np.full(len(sets), own))
    x: Array = start
    d: Array = np.zeros(n)
    solver: Solver = Solver(blocks.sum(axis=0), counts, prior, tuple(range(p + n)), np.ones(n))
    fit: Fit | None = None
    for _ in range(SETTINGS.gain_rounds):
        squares = _scaled(blocks, x, d).sum(axis=0)
        solver = replace(solver, squares=squares, prior=gains.added_to(prior))
        fit = solver.fit(settled=EXACT)
        moved = float(np.linalg.norm(fit.values[:LOAD] - x)) / max(float(np.linalg.norm(x)), 1e-9)
        x, d, before = fit.values[:LOAD], fit.values[p:], gains.std
        if gain_error > 0.0:
            gains = gains.widened(fit, expected)
        only = np.concatenate([x, np.zeros(p - LOAD)])
        both = zip(first.targets, rows.torques(fit.values[:p]), rows.torques(only), strict=True)
        residuals = [tau - ours - d * load for tau, ours, load in both]
        solver = replace(solver, correlation=correlation_lengths(residuals, first.kept))
        if max(moved, abs(gains.std / before - 1.0)) < SETTINGS.settled:
            break
    assert fit is not None
    spread = block_jackknife(_scaled(blocks, x, d), fit.weights, solver.prior, fit.strength)
    P = solver.prior.precision(fit.strength)
    covariance = spread + fit.covariance @ P @ fit.covariance
    return Estimate(
        load=x, covariance=covariance[:LOAD, :LOAD],
        root=scaled_root(fit.covariance[:LOAD, :LOAD], ROUNDING).T,
        gains=1.0 + d, gains_std=np.sqrt(np.diag(covariance)[p:]),
        mismatch=1.0 + fit.values[sets[:-1].ravel()],
        gain_error=gains.std if gain_error > 0.0 else 0.0, sigma=fit.sigma,
    )  # fmt: skip


def _unknowns(
    first: Fitted, link: LinkPrior, alone: bool, load: Array
) -> tuple[Model, Prior, NDArray[np.int64]]:
    """Return the columns of the load and of all unknowns, their prior, and sets of gain errors.

    The d_j have no columns of their own, and follow all others. The gains are not in the prior.

    Args:
        first: the fit of the load and, if it is fitted again, of friction.
        link: prior of the load.
        alone: whether the model of the arm is subtracted, rather than a log without load.
        load: the current estimate of the load ``(10,)``, for load-dependent friction.
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
    torque = np.maximum(rms_torques(first.rows.parts), SETTINGS.lightest)
    # inverse standard deviations; those of the arm and of the gains follow
    p = len(model.columns)
    roots = np.zeros(p + n)
    roots[:LOAD] = SETTINGS.strength / link.spread
    roots[k : k + n] = 1.0 / SETTINGS.load_friction
    roots[k + len(own) : p] = 1.0 / (SETTINGS.friction * torque[[c.joint for c in friction]])
    scaled, gains = np.zeros((p + n, p + n)), [range(p, p + n)]
    if alone:
        masses = np.maximum([joint.mass for joint in arm.robot.joints], SETTINGS.lightest)
        expected = np.outer(masses, link_length(arm) ** POWERS).ravel()
        spread, P = SETTINGS.arm_error * STRONGEST * expected, arm.minimal.matrix
        scaled[LOAD:k, LOAD:k] = scaled_inverse((P * spread**2) @ P.T)
        gains.insert(0, range(k + n, k + 2 * n))
    weakest = STRONGEST * SETTINGS.arm_error / SETTINGS.worst_arm
    prior = Prior(np.zeros(p + n), scaled, np.diag(roots**2), weakest, k - LOAD)
    return model, prior, np.array(gains)


def _of_each_joint(arm: Arm, symbol: str, torques: Function) -> list[Column]:
    """Return the columns of torques ``(N, n)``, with a parameter for each joint."""

    def of(j: int) -> Function:
        return lambda q, qd, qdd: torques(q, qd, qdd)[:, j]

    names = enumerate(arm.joint_names)
    return [Column(f"{symbol}_{name}", "", "extra", j, of(j)) for j, name in names]


def rms_torques(parts: Sequence[FilteredSegment]) -> Array:
    """Return the rms of the torques of every joint ``(n,)``."""
    return np.sqrt(np.mean(np.concatenate([part.tau for part in parts]) ** 2, axis=0))


def _scaled(blocks: Array, x: Array, d: Array) -> Array:
    """Return the blocks with the columns of the gains, linear about x and d."""
    n, p = len(d), blocks.shape[-1] - 1
    maps = np.zeros((n, p + 1, p + n + 1))
    maps[:, :p, :p] = np.eye(p)
    maps[:, :LOAD, :LOAD] *= 1.0 + d[:, None, None]
    maps[range(n), :LOAD, range(p, p + n)] = x
    maps[:, :LOAD, -1], maps[:, p, -1] = np.outer(d, x), 1.0
    return maps.mT @ blocks @ maps


def weighted(squares: Array, weights: Array) -> Array:
    """Return the sum over joints of Gram matrices ``(..., n, p, p)`` of weighted rows."""
    return np.einsum("j,...jik->...ik", weights**-2.0, squares)


def block_jackknife(blocks: Array, weights: Array, prior: Prior, strength: float) -> Array:
    """Return the covariance of all columns by fits that leave out blocks in turn.

    Args:
        blocks: Gram matrices of the rows [columns | torque] of blocks and joints.
        weights: of the joints ``(n,)``.
        prior: of all columns.
        strength: of the prior.
    """
    grams, P = weighted(blocks, weights), prior.precision(strength)
    whole = grams.sum(axis=0)
    return jackknife([solution(whole - G, P, prior.mean)[0] for G in grams])


def jackknife(estimates: Sequence[Array]) -> Array:
    """Return the covariance of estimates ``(p,)``, each with one of the blocks left out."""
    B, off = len(estimates), np.stack(estimates) - np.mean(estimates, axis=0)
    return (B - 1) / B * off.T @ off
