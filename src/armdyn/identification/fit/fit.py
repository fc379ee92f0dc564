"""A fit whose terms of friction and rotors the data choose.

First a fit with the common terms of friction; it finds outliers, weights and the load of the gears.
Then one pass over the rows with the columns of all terms, from which terms are chosen. Residuals
without the right terms are alike for longer and hide weak terms, so the choice takes their
correlation from a fit with all terms. The final fit has the chosen terms; if friction grows with
the load, it is repeated with the load that it found.

Outliers are clipped in the samples of the log, before the filter spreads them over several rows. If
the residual of a sample exceeds `CLIP` median residuals, it is clipped to them, and the fit is
repeated. This is Huber's estimate, by pseudo-values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit import choice
from armdyn.identification.fit.columns import Model, rotor_rows
from armdyn.identification.fit.correlation import correlation_lengths, noise_shares
from armdyn.identification.fit.folds import Folds
from armdyn.identification.fit.gram import Gram, gram_of
from armdyn.identification.fit.prior import LinkPrior, nearest_parameters, prior_of
from armdyn.identification.fit.rows import FilteredSegment, Rows, Work, sample
from armdyn.identification.fit.solver import Fit, Group, Prior, Solver
from armdyn.numerics import ratio
from armdyn.progress import Progress
from armdyn.robot.friction import FRICTION_TERMS

Mask = NDArray[np.bool_]

# Residuals beyond this many times their median size are outliers: 4 standard deviations, of normal
# ones one in 16,000.
CLIP = 4.0 * 1.4826

# A smaller share of outliers changes nothing that matters.
FEWEST_CLIPPED = 0.005

# Rounds of finding outliers, how many rows are worth one, and the load of the gears, at most.
ROUNDS = 3

# Change of load coefficients that ends these rounds; a coefficient that still changes by the second
# share of itself has not settled, and its term is left out.
LOAD_SETTLED, LOAD_UNSETTLED = 1e-3, 0.1

# Relative change of weights and strength that ends the rounds of a final fit.
EXACT = 1e-4


@dataclass(frozen=True)
class Settings:
    """How to fit.

    Attributes:
        dead_band: rows of a joint slower than this do not count, ``(n,)``.
        robust: clip outliers.
        weights: fixed weights of the joints, or None to find them.
        strength: fixed strength of the prior, or None to find it.
    """

    dead_band: Array
    robust: bool
    weights: Array | None
    strength: float | None


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fit and its data.

    Attributes:
        rows: of the model.
        fit: the solution.
        solver: the rows as Gram matrices, and the prior.
        clipped: share of the samples of every joint that were clipped.
        targets: filtered torques of every segment, outliers clipped.
        kept: which rows count, of every segment ``(M, n)``.
        noise: share of white noise in the residuals of every joint, ``(n,)``.
    """

    rows: Rows
    fit: Fit
    solver: Solver
    clipped: Array
    targets: list[Array]
    kept: list[Mask]
    noise: Array

    @property
    def model(self) -> Model:
        """The columns."""
        return self.rows.model

    @property
    def counts(self) -> list[int]:
        """Numbers of rows of every joint."""
        return [int(x) for x in self.solver.counts]

    @property
    def correlation(self) -> Array:
        """Numbers of rows that are worth one independent row, of every joint."""
        return self.solver.correlation

    @property
    def gram(self) -> Array:
        """X^T X ``(p + 1, p + 1)`` of all weighted rows, without the prior."""
        return np.tensordot(self.fit.weights**-2.0, self.solver.squares, axes=1)

    @property
    def fixed_rotors(self) -> tuple[int, ...]:
        """Joints (from 0) whose rotors are not in the fit: they are as described."""
        fitted = set(self.fit.columns.tolist())
        return tuple(j for j, i in rotor_rows(self.model.base).items() if i not in fitted)


def fitted(
    rows: Rows,
    natural: LinkPrior,
    settings: Settings,
    progress: Progress,
    without: Sequence[int] = (),
) -> Fitted:
    """Fit the parameters of a model to rows, but for the columns `without`."""
    model, parts = rows.model, rows.parts
    kept = [
        np.abs(model.of_drives(part.at_centres(part.qd))) > settings.dead_band for part in parts
    ]
    targets = [part.filtered(part.tau) for part in parts]
    clipped = np.zeros(model.n)
    solver, fit = _weighted(rows, targets, kept, natural, settings, without, progress)
    for _ in range(ROUNDS if settings.robust else 0):
        reach, share = _reach(model, parts, fit.values)
        progress(1, 1, "outliers")
        if not (share > FEWEST_CLIPPED).any() or np.allclose(share, clipped, rtol=0.02):
            break
        clipped = share
        targets = rows.collected(_clipped, (fit.values, reach))
        solver, fit = _weighted(rows, targets, kept, natural, settings, without, progress)
    noise = noise_shares(_residuals(rows, targets, fit.values), kept)
    return Fitted(rows, fit, solver, clipped, targets, kept, noise)


def _weighted(
    rows: Rows,
    targets: Sequence[Array],
    kept: Sequence[Mask],
    natural: LinkPrior,
    settings: Settings,
    without: Sequence[int],
    progress: Progress,
) -> tuple[Solver, Fit]:
    """Return a fit whose weights contain the correlation of its residuals."""
    gram = gram_of(rows, targets, kept, progress, blocks=8)
    always = tuple(i for i in range(len(rows.model.columns)) if i not in set(without))
    solver = _solver(gram, rows.model, natural, settings, always)
    fit = solver.fit(settled=EXACT)
    for _ in range(ROUNDS):
        c = correlation_lengths(_residuals(rows, targets, fit.values), kept)
        solver = replace(solver, correlation=c)
        # from the start each time: the evidence may have a second maximum near an earlier fit
        fit = solver.fit(settled=EXACT)
    return solver, fit


def _solver(
    gram: Gram, model: Model, natural: LinkPrior, settings: Settings, always: tuple[int, ...]
) -> Solver:
    squares, counts = gram.squares(), gram.counts.sum(axis=0)
    prior = prior_of(model, natural, squares, counts)
    c = np.ones(model.n)
    return Solver(squares, counts, prior, always, c, settings.weights, settings.strength)


def _residuals(rows: Rows, targets: Sequence[Array], values: Array) -> list[Array]:
    return [tau - ours for tau, ours in zip(targets, rows.torques(values), strict=True)]


def _reach(model: Model, parts: Sequence[FilteredSegment], values: Array) -> tuple[Array, Array]:
    """Return the allowed distance of samples from the model, and the share beyond it."""
    size = np.concatenate(
        [np.abs(x.tau - model.predicted(values, x.q, x.qd, x.qdd)) for x in sample(parts)]
    )
    reach = CLIP * np.median(size, axis=0)
    return reach, (size > reach).mean(axis=0)


def _clipped(work: Work, values: Array, reach: Array) -> Array:
    """Return the rows of torques with outliers clipped."""
    ours = ((work.model.predicted(values, x.q, x.qd, x.qdd), x.tau) for _, x in work.blocks())
    return work.filtered(torque + np.clip(tau - torque, -reach, reach) for torque, tau in ours)


# A fit with chosen terms.


@dataclass(frozen=True)
class TermTrial:
    """A term of friction, or a rotor, of a joint that was tried.

    Attributes:
        term: its name, e.g. "root".
        joint: from 0.
        chosen: whether the joint has it.
        error_without: relative error of the joint on folds that were left out, without the term.
        error_with: the same with it, beside all chosen terms.
        deviations: the fall of the squared error in standard errors.
    """

    term: str
    joint: int
    chosen: bool
    error_without: float
    error_with: float
    deviations: float


@dataclass(frozen=True, eq=False)
class Selected:
    """A fit with chosen terms.

    Attributes:
        found: the fit.
        natural: the prior of natural parameters.
        trials: terms that were tried, of all joints.
        wide: the columns of all terms.
        gram: their Gram matrices.
        prior: of the wide model.
        top: highest speed of every drive, ``(n,)``.
        tilt: of gravity, if the data show one; the arm is not turned yet.
    """

    found: Fitted
    natural: LinkPrior
    trials: tuple[TermTrial, ...]
    wide: choice.Wide
    gram: Gram
    prior: Prior
    top: Array
    tilt: choice.Tilt | None


def fit_model(
    narrow: Rows,
    natural: LinkPrior,
    settings: Settings,
    terms: choice.Terms,
    choose_rotors: bool,
    tilt: bool | None,
    top: Array,
    progress: Progress,
) -> Selected:
    """Fit a model.

    Args:
        narrow: rows of the model with the common terms of friction.
        natural: the prior of natural parameters.
        settings: how to fit.
        terms: the terms of friction to choose from.
        choose_rotors: whether rotors are chosen, or are all in the fit.
        tilt: True looks for a tilt of gravity; None if gravity has been turned by the data, False
            if it is known.
        top: highest speed of every drive, ``(n,)``.
        progress: called with (done, total, what).
    """
    model = narrow.model
    found = first = fitted(narrow, natural, settings, progress)
    links = nearest_parameters(model, first.fit.values, natural)
    wide = choice.wide_model(model, terms, top, choose_rotors, first.fit.values, links, tilt)
    all_rows = narrow.of(wide.model, once=True)
    gram = gram_of(all_rows, first.targets, first.kept, progress)
    solver = _solver(gram, wide.model, natural, settings, wide.always)
    turned, chosen = None, list[Group]()
    if wide.groups:
        solver = replace(solver, correlation=first.correlation)
        others = [g for g in wide.groups if g.what != choice.TILT]
        full = choice.fit_all_terms(solver, others)
        widest = _refitted(wide, full.groups, narrow, natural, settings, progress)
        solver = replace(solver, correlation=widest.correlation)
        picked = choice.select_terms(solver, wide.groups)
        gravity = np.asarray(model.arm.robot.gravity, dtype=np.float64)
        turned = choice.tilt_of(solver, picked, gram, gravity, links[: 10 * model.n])
        if turned is None and any(g.what == choice.TILT for g in picked.groups):
            picked = choice.select_terms(solver, others)
        chosen = picked.groups
        if turned is None:
            found = _refitted(wide, chosen, narrow, natural, settings, progress)
    trials = tuple(term_trials(gram, solver.prior, found.fit, wide, chosen))
    return Selected(found, natural, trials, wide, gram, solver.prior, top, turned)


def _refitted(
    wide: choice.Wide,
    groups: Sequence[Group],
    narrow: Rows,
    natural: LinkPrior,
    settings: Settings,
    progress: Progress,
) -> Fitted:
    """Return the fit of some groups; with load friction, until the load is that of the fit."""
    columns = {*wide.always, *(i for g in groups for i in g.columns)}
    own = range(wide.model.k, len(wide.model.columns))
    model = wide.model.without([i for i in own if i not in columns])
    fixed = [i for i in rotor_rows(model.base).values() if i not in columns]
    while True:
        found = fitted(narrow.of(model), natural, settings, progress, fixed)
        loaded = [i for i, c in enumerate(model.columns) if _of_load(c.kind)]
        if not loaded:
            return found
        change = np.full(len(loaded), np.inf)
        for _ in range(ROUNDS):
            before = found.fit.values[loaded]
            model = model.with_load(found.fit.values)
            found = fitted(narrow.of(model), natural, settings, progress, fixed)
            change = np.abs(found.fit.values[loaded] - before)
            if (change <= LOAD_SETTLED).all():
                break
        value = found.fit.values[loaded]
        most = np.array([FRICTION_TERMS[model.columns[i].kind].below for i in loaded])
        unsettled = change > np.maximum(LOAD_UNSETTLED * np.abs(value), LOAD_SETTLED)
        bad = unsettled | (value <= 0.0) | (value >= most)
        if not bad.any():
            return found
        model = model.without([i for i, b in zip(loaded, bad.tolist(), strict=True) if b])


def _of_load(kind: str) -> bool:
    return kind in FRICTION_TERMS and FRICTION_TERMS[kind].load


def term_trials(
    gram: Gram, prior: Prior, fit: Fit, wide: choice.Wide, chosen: Sequence[Group]
) -> list[TermTrial]:
    """Return what each candidate does for its joint, on folds that were left out.

    Args:
        gram: of the wide model.
        prior: of its columns.
        fit: a fit, whose weights and strength count.
        wide: the candidates; of several shapes, the best is told.
        chosen: groups in the fit, each with one shape.
    """
    parts, precision = gram.by_folds(), prior.precision(fit.strength)
    size = [float(G.sum(axis=0)[len(at) + j, len(at) + j])
            for j, (G, at) in enumerate(zip(gram.products, gram.places, strict=True))]  # fmt: skip
    made: list[TermTrial] = []
    for group in wide.groups:
        j = group.joint
        if j < 0:
            continue
        mine = [g for g in chosen if g.joint == j and g.what == group.what]
        others = [i for g in chosen if g not in mine for i in g.columns]
        shapes = mine[0].columns if mine else group.columns
        folds = Folds(
            parts, fit.weights, precision, prior.mean, sorted({*wide.always, *others}), shapes
        )
        plain = folds.plain.squares[:, j]
        tries = (folds.trial([i]).squares[:, j] for i in shapes)
        errors = min(tries, key=lambda e: float(e.sum()))
        less = plain - errors
        spread = float(less.std(ddof=1)) / np.sqrt(len(less))
        without, with_it = (float(np.sqrt(ratio(e.sum(), size[j], 1.0))) for e in (plain, errors))
        sure = float(ratio(less.mean(), spread, 0.0))
        made.append(TermTrial(group.what, j, bool(mine), without, with_it, sure))
    return made
