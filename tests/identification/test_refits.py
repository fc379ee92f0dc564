"""Fits with further terms from small matrices, against least squares on all rows."""

from __future__ import annotations

import numpy as np

from armdyn.identification.data.decimation import decimation
from armdyn.identification.fit.columns import Model, friction_columns
from armdyn.identification.fit.fit import Settings, fitted
from armdyn.identification.fit.prior import expected
from armdyn.identification.fit.segments import FilteredSegment, Rows
from armdyn.identification.judge.box import box_of
from armdyn.identification.judge.hypotheses.exchange import Exchange, errors_with
from armdyn.identification.judge.hypotheses.refits import WEAK, Refits, weights_of
from armdyn.identification.judge.hypotheses.terms import Term, Terms
from armdyn.identification.judge.hypotheses.time_blocks import BLOCKS, time_blocks
from support.identification import motion, small_arm


def made() -> tuple:
    """A fit of the small arm on plain rows, its terms, and the refits."""
    arm = small_arm()
    t = np.arange(2000) / 100.0
    q, qd, qdd = motion(3, t, 0)
    tau = arm.inverse_dynamics(q, qd, qdd) + np.random.default_rng(0).normal(size=q.shape)
    part = FilteredSegment(0, t, q, qd, qdd, tau, decimation(1))
    model = Model(arm, arm.minimal, friction_columns(arm), known_rotors=np.zeros(3))
    rows = Rows(model, [part])
    size = np.sqrt(np.mean(tau**2, axis=0))
    settings = Settings(np.full(3, 0.02), False, None, None)
    found = fitted(model, rows, expected(arm, False, size), settings, lambda *x: None)
    box = box_of([part])
    terms = Terms(model, found.fit.values, arm.parameters, box.speed)
    data = time_blocks(rows, found, terms)
    return part, model, found, terms, data, Refits(data, found.fit, np.ones(3))


def stacked(part, model, found, terms, chosen: list[Term], use, order=(0, 1, 2), signs=(1, 1, 1)):
    """All weighted rows of some samples, with the prior, as one system; and those per joint."""
    fit = found.fit
    A = model.rows(part.q, part.qd, part.qdd)
    more = terms.columns(part.q, part.qd, part.qdd, part.tau, 0.01)
    systems = []
    for j in range(3):
        wide = np.zeros((len(A), len(model.columns) + len(chosen)))
        wide[:, model.active[j]] = A[:, model.part(j)]
        for i, term in enumerate(chosen):
            if term.kind == "coupling":
                if term.joint == j:
                    wide[:, len(model.columns) + i] = part.tau[:, term.other]
            elif term.joint in (-1, j):
                at = list(terms.of_joint(j)).index(term)
                wide[:, len(model.columns) + i] = more[:, j * terms.single + at]
        rows = use & found.kept[0][:, j]
        systems.append((wide[rows], signs[j] * part.tau[rows, order[j]], weights_of(fit)[j]))
    prior = np.vstack([fit.strength * fit.prior.root, np.sqrt(WEAK) * fit.prior.fixed])
    right = prior @ fit.prior.mean
    prior = np.column_stack([prior, np.zeros((len(prior), len(chosen)))])
    X = np.vstack([*(x / w for x, _, w in systems), prior])
    y = np.concatenate([*(b / w for _, b, w in systems), right])
    return X, y, systems


def test_fits_with_terms_are_least_squares() -> None:
    part, model, found, terms, _, refits = made()
    everything = np.ones(len(part.t), bool)
    for chosen in (
        [],
        [Term("gain", 1)],
        [Term("coupling", 2, 0)],
        [Term("tilt", other=0), Term("tilt", other=1)],
        [Term("spring", 0), Term("v^3", 2)],
    ):
        X, y, _ = stacked(part, model, found, terms, chosen, everything)
        best = np.linalg.lstsq(X, y, rcond=None)[0]
        trial = refits.trial([terms.place[term] for term in chosen])
        p = len(model.columns)
        ours = [*trial.values[:p], *(trial.values[p + terms.place[term]] for term in chosen)]
        np.testing.assert_allclose(X @ ours, X @ best, atol=1e-5 * np.abs(y).max())


def test_errors_are_of_blocks_left_out() -> None:
    part, model, found, terms, _, refits = made()
    block = np.arange(len(part.t)) * BLOCKS // len(part.t)
    chosen = [Term("spring", 1)]
    trial = refits.trial([terms.place[term] for term in chosen])
    for b in (0, 5):
        X, y, _ = stacked(part, model, found, terms, chosen, block != b)
        best = np.linalg.lstsq(X, y, rcond=None)[0]
        _, _, left = stacked(part, model, found, terms, chosen, block == b)
        squares = [float(np.sum((tau - A @ best) ** 2)) for A, tau, _ in left]
        np.testing.assert_allclose(trial.squares[b], squares, rtol=1e-4)


def test_exchanged_torques_are_fitted_as_exchanged(monkeypatch) -> None:
    part, model, found, terms, data, _ = made()
    monkeypatch.setattr("armdyn.identification.judge.hypotheses.exchange.ROUNDS", 1)
    what = Exchange((0, 2, 1), (-1.0, 1.0, 1.0))
    squares = errors_with(data, found.fit, np.ones(3), what)
    block = np.arange(len(part.t)) * BLOCKS // len(part.t)
    X, y, _ = stacked(part, model, found, terms, [], block != 3, what.order, what.signs)
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    _, _, left = stacked(part, model, found, terms, [], block == 3, what.order, what.signs)
    brute = [float(np.sum((tau - A @ best) ** 2)) for A, tau, _ in left]
    np.testing.assert_allclose(squares[3], brute, rtol=1e-6)
