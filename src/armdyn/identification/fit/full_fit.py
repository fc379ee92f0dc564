"""A fit whose terms of friction and rotors the data choose, with error bars.

First a fit with the common terms of friction; it finds outliers, weights and the load of the gears.
Then one pass over the rows with the columns of all terms, from which terms are chosen. Residuals
without the right terms are alike for longer and hide weak terms, so the choice takes their
correlation from a fit with all terms. The final fit has the chosen terms; if friction grows with
the load, it is repeated with the load that it found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.blocks import Blocks, Normal, block_sums
from armdyn.identification.fit.choice.evidence import Evidence, Group, Sums
from armdyn.identification.fit.choice.ladder import Rung, ladders
from armdyn.identification.fit.choice.relevance import everything, relevant
from armdyn.identification.fit.choice.tilt import Tilt, tilt_of
from armdyn.identification.fit.choice.wide import TILT, Terms, Wide, wide_model
from armdyn.identification.fit.columns import Model, rotor_rows
from armdyn.identification.fit.error_bars import error_covariance
from armdyn.identification.fit.fit import Fitted, Settings, fitted, prior_from_sizes
from armdyn.identification.fit.prior import Expected, nearest_parameters, with_rotors_held
from armdyn.identification.fit.problem import Solution
from armdyn.identification.fit.regression import Prior
from armdyn.identification.fit.segments import Rows
from armdyn.numerics import scaled_root
from armdyn.progress import Progress
from armdyn.robot.friction import FRICTION_TERMS

# Fits with the load of the fit before, at most, and the change of load coefficients that ends it.
LOAD_ROUNDS = 4
SETTLED = 1e-3

# Least eigenvalue of the scaled prior: regular where parameters are tied to each other.
ROUNDING = 1e-10

# If a load coefficient still changes by this share of itself, the term is left out.
UNSETTLED = 0.1


@dataclass(frozen=True, eq=False)
class FullFit:
    """A fit with chosen terms.

    Attributes:
        model: the columns of the fit.
        rows: their rows.
        found: the fit.
        natural: the prior of natural parameters; rotors that were not chosen are held.
        ladder: groups of terms that were tried for every joint; empty if there was no choice.
        wide: the columns of all terms.
        blocks: their sums.
        normal: the weighted normal equations of the blocks.
        prior: of the wide model.
        top: highest speed of every drive, ``(n,)``.
        tilt: of gravity, if the data show one; the arm is not turned yet.
    """

    model: Model
    rows: Rows
    found: Fitted
    natural: Expected
    ladder: tuple[tuple[Rung, ...], ...]
    wide: Wide
    blocks: Blocks
    normal: Normal
    prior: Prior
    top: Array
    tilt: Tilt | None

    def covariance(self, solution: Solution) -> Array:
        """Return the covariance ``(p, p)`` of the values of a solution."""
        prior, strength, normal = self.prior, self.found.fit.strength, self.normal
        if solution.prior is not None and solution.expected is not None:
            prior = _prior_of(self.wide.model, prior, solution.prior, solution.expected)
            strength, normal = 1.0, self.blocks.normal(self.found.fit.weights, prior, 1.0)
        return error_covariance(
            self.blocks, normal, self.wide.members, prior, strength, self.model, solution.values,
            self.top,
        )  # fmt: skip


def full_fit(
    narrow: Rows,
    natural: Expected,
    settings: Settings,
    terms: Terms,
    choose_rotors: bool,
    tilt: bool | None,
    top: Array,
    progress: Progress,
) -> FullFit:
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
    first = fitted(model, narrow, natural, settings, progress)
    links = nearest_parameters(model, first.fit.values, natural)
    wide = wide_model(model, terms, top, choose_rotors, first.fit.values, links, tilt)
    blocks = block_sums(narrow.of(wide.model, once=True), first.targets, first.kept, progress)
    total, counts = blocks.squares.sum(axis=0), blocks.counts.sum(axis=0)
    prior = prior_from_sizes(wide.model, natural, total, counts)
    rows, found, held = narrow, first, natural
    turned, chosen = None, list[Group]()
    if wide.groups:
        sums = Sums(total, counts, first.correlation, settings.weights, settings.strength)
        others = [g for g in wide.groups if g.what != TILT]
        full = everything(Evidence(sums, prior, wide.always), others)
        *_, widest = _refitted(wide, full.groups, narrow, natural, settings, progress)
        sums = replace(sums, correlation=widest.correlation)
        evidence = Evidence(sums, prior, wide.always)
        picked = relevant(evidence, wide.groups)
        gravity = np.asarray(model.arm.robot.gravity, dtype=np.float64)
        turned = tilt_of(evidence, picked, blocks, gravity, links[: 10 * model.n])
        if turned is None and any(g.what == TILT for g in picked.groups):
            picked = relevant(evidence, others)
        chosen = picked.groups
        if turned is None:
            held, rows, found = _refitted(wide, chosen, narrow, natural, settings, progress)
    normal = blocks.normal(found.fit.weights, prior, found.fit.strength)
    steps = ladders(blocks, normal, wide.always, wide.groups, chosen, prior.mean)
    return FullFit(
        rows.model, rows, found, held, steps, wide, blocks, normal, prior, top, turned
    )  # fmt: skip


def _refitted(
    wide: Wide,
    groups: Sequence[Group],
    narrow: Rows,
    natural: Expected,
    settings: Settings,
    progress: Progress,
) -> tuple[Expected, Rows, Fitted]:
    """Fit some groups of columns; return the prior with the other rotors held, rows and fit."""
    model, columns = wide.model, {*wide.always, *(i for g in groups for i in g.columns)}
    held = with_rotors_held(
        natural, [j for j, i in rotor_rows(model.base).items() if i not in columns]
    )
    gone = {*range(model.k, len(model.columns))} - columns | {*model.indices(TILT)}
    return held, *_with_load(model.without(sorted(gone)), narrow, held, settings, progress)


def _prior_of(model: Model, prior: Prior, spread: Array, mean: Array) -> Prior:
    """Return a prior of the columns with other natural parameters."""
    P, k = model.base.matrix, model.k
    root = np.zeros((k, len(prior.mean)))
    root[:, :k] = scaled_root(P @ spread @ P.T, ROUNDING).T
    centre = prior.mean.copy()
    centre[:k] = P @ mean
    return replace(prior, root=root, mean=centre)


def _with_load(
    model: Model, narrow: Rows, natural: Expected, settings: Settings, progress: Progress
) -> tuple[Rows, Fitted]:
    """Fit until the load of the gears is that of the fit; drop what does not settle."""
    rows = narrow.of(model)
    found = fitted(model, rows, natural, settings, progress)
    loaded = [i for i, c in enumerate(model.columns) if _of_load(c.kind)]
    if not loaded:
        return rows, found
    change = np.full(len(loaded), np.inf)
    for _ in range(LOAD_ROUNDS - 1):
        before = found.fit.values[loaded]
        model = model.with_load(found.fit.values)
        rows = narrow.of(model)
        found = fitted(model, rows, natural, settings, progress)
        change = np.abs(found.fit.values[loaded] - before)
        if (change <= SETTLED).all():
            break
    value = found.fit.values[loaded]
    most = np.array([FRICTION_TERMS[model.columns[i].kind].below for i in loaded])
    unsettled = change > np.maximum(UNSETTLED * np.abs(value), SETTLED)
    bad = unsettled | (value <= 0.0) | (value >= most)
    if not bad.any():
        return rows, found
    dropped = [i for i, b in zip(loaded, bad.tolist(), strict=True) if b]
    return _with_load(model.without(dropped), narrow, natural, settings, progress)


def _of_load(kind: str) -> bool:
    return kind in FRICTION_TERMS and FRICTION_TERMS[kind].load
