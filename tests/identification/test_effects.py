"""Effects beside a model: fits from Gram matrices, against least squares on all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armdyn.identification.fit.columns import Model, friction_columns
from armdyn.identification.fit.fit import Fitted, Settings, fitted
from armdyn.identification.fit.gram import FOLDS, Exchange, Gram, gram_of
from armdyn.identification.fit.prior import link_prior
from armdyn.identification.fit.rows import FilteredSegment, Rows
from armdyn.identification.judge.box import box_of
from armdyn.identification.judge.effects import EFFECTS, Effect, Hypothesis, Layout, Reference
from armdyn.identification.judge.faults import exchange_errors, only_model
from armdyn.identification.judge.hypotheses import (
    EffectTests,
    effect_findings,
    precision_in_tests,
    weights_in_tests,
)
from armdyn.identification.signals.decimation import decimation
from armdyn.progress import silent
from support.identification import motion, small_arm

EVERY = slice(None)


class Made:
    """A fit of the small arm on plain rows, effects, and their tests."""

    def __init__(self, effects=EFFECTS, more=lambda q, qd, qdd: 0.0, noise: float = 1.0) -> None:
        arm = small_arm()
        t = np.arange(2000) / 100.0
        q, qd, qdd = motion(3, t, 0)
        tau = arm.inverse_dynamics(q, qd, qdd) + more(q, qd, qdd)
        tau += noise * np.random.default_rng(0).normal(size=q.shape)
        self.part = FilteredSegment(0, t, q, qd, qdd, tau, decimation(1))
        model = Model(arm, arm.minimal, friction_columns(arm), known_rotors=np.zeros(3))
        rows = Rows(model, [self.part])
        self.size = np.sqrt(np.mean(tau**2, axis=0))
        settings = Settings(np.full(3, 0.02), False, None, None)
        prior = link_prior(arm, False, self.size)
        self.found: Fitted = fitted(rows, prior, settings, silent)
        box = box_of([self.part])
        reference = Reference(model, self.found.fit.values, arm.parameters, box.speed)
        self.layout = Layout(reference, effects)
        self.gram: Gram = gram_of(
            rows, [tau], self.found.kept, silent, blocks=FOLDS, more=self.layout.more
        )
        self.tester = EffectTests(self.found, self.layout, self.gram, self.size, box)

    def hypothesis(self, kind: str, joint: int = -1, other: int = -1) -> Hypothesis:
        asked = (kind, joint, other)
        return next(h for h in self.layout.hypotheses if (h.kind, h.joint, h.other) == asked)

    def stacked(self, chosen: list[int], use, order=(0, 1, 2), signs=(1, 1, 1)):
        """All weighted rows of some samples, with the prior, as one system; and those per joint."""
        fit, prior, model = self.found.fit, self.found.solver.prior, self.found.model
        part, p = self.part, len(model.columns)
        A = model.rows(part.q, part.qd, part.qdd)
        more = self.layout.columns(part.q, part.qd, part.qdd, part.tau, part.step)
        ends = np.cumsum([0, *(len(at) for at in self.layout.places)])
        systems = []
        for j, places in enumerate(self.layout.places):
            wide = np.zeros((len(A), p + self.layout.count))
            wide[:, model.active[j]] = A[:, model.part(j)]
            wide[:, p + places] = more[:, ends[j] : ends[j + 1]]
            wide = wide[:, [*range(p), *(p + i for i in chosen)]]
            rows = use & self.found.kept[0][:, j]
            weight = weights_in_tests(fit)[j]
            systems.append((wide[rows], signs[j] * part.tau[rows, order[j]], weight))
        root = np.linalg.cholesky(precision_in_tests(fit, prior)).T
        right = root @ prior.mean
        root = np.column_stack([root, np.zeros((p, len(chosen)))])
        X = np.vstack([*(x / w for x, _, w in systems), root])
        y = np.concatenate([*(b / w for _, b, w in systems), right])
        return X, y, systems


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


@pytest.mark.parametrize("chosen", [
    [], [("gain", 1)], [("coupling", 2, 0)], [("tilt",)], [("spring", 0), ("speed", 2)],
    [("zero", 1)], [("delay",)], [("elastic",)],
])  # fmt: skip
def test_fits_with_effects_are_least_squares(made: Made, chosen: list[tuple]) -> None:
    columns = [i for one in chosen for i in made.hypothesis(*one).columns]
    X, y, _ = made.stacked(columns, np.ones(len(made.part.t), bool))
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    p = len(made.found.model.columns)
    trial = made.tester.folds.trial([p + i for i in columns])
    ours = [*trial.values[:p], *(trial.values[p + i] for i in columns)]
    np.testing.assert_allclose(X @ ours, X @ best, atol=1e-5 * np.abs(y).max())


def test_errors_are_of_folds_left_out(made: Made) -> None:
    fold = np.arange(len(made.part.t)) * FOLDS // len(made.part.t)
    columns = list(made.hypothesis("spring", 1).columns)
    p = len(made.found.model.columns)
    trial = made.tester.folds.trial([p + i for i in columns])
    for b in (0, 5):
        X, y, _ = made.stacked(columns, fold != b)
        best = np.linalg.lstsq(X, y, rcond=None)[0]
        _, _, left = made.stacked(columns, fold == b)
        squares = [float(np.sum((tau - A @ best) ** 2)) for A, tau, _ in left]
        np.testing.assert_allclose(trial.squares[b], squares, rtol=1e-4)


def test_exchanged_torques_are_fitted_as_exchanged(made: Made) -> None:
    what = Exchange((0, 2, 1), (-1.0, 1.0, 1.0))
    gram = only_model(made.gram, len(made.found.model.columns))
    squares = exchange_errors(gram, made.found, np.ones(3), what, rounds=1)
    fold = np.arange(len(made.part.t)) * FOLDS // len(made.part.t)
    X, y, _ = made.stacked([], fold != 3, what.order, what.signs)
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    _, _, left = made.stacked([], fold == 3, what.order, what.signs)
    brute = [float(np.sum((tau - A @ best) ** 2)) for A, tau, _ in left]
    np.testing.assert_allclose(squares[3], brute, rtol=1e-6)


@pytest.mark.parametrize(("kind", "joint", "more", "words"), [
    ("spring", 1, lambda q, qd, qdd: 8.0 * q * [0, 1, 0], "a spring of"),
    ("position friction", 2, lambda q, qd, qdd: np.sin(q) * np.sign(qd) * [0, 0, 3.0], "position"),
])  # fmt: skip
def test_an_effect_that_is_there_is_told(kind, joint, more, words) -> None:
    case = Made(more=more, noise=0.05)
    tests = [t for t in map(case.tester.test, case.layout.offered()) if t is not None]
    first = effect_findings(case.tester, tests, np.zeros(3))[0]
    assert first.kind == kind and first.joints == (joint + 1,) and words in first.what


def test_a_new_effect_is_a_row_and_a_function() -> None:
    """A toy: a torque with the fifth harmonic of the angle, as a bad gear would make."""
    toy = Effect(
        "toy", "joint", lambda x: np.sin(5 * x.q)[:, :, None], 1,
        lambda name, c, j, other: (f"gear ripple of {float(c[0]):.2g} N m on {name}", "--extra"),
    )  # fmt: skip
    case = Made((*EFFECTS, toy), lambda q, qd, qdd: np.sin(5 * q) * [0, 2.0, 0], noise=0.05)
    tests = [t for t in map(case.tester.test, case.layout.offered()) if t is not None]
    first = effect_findings(case.tester, tests, np.zeros(3))[0]
    assert (first.kind, first.joints) == ("toy", (2,))
    assert first.what.startswith("gear ripple of 2 N m")
    assert first.error_after < 0.5 * first.error_before


def test_every_effect_has_columns_of_its_size() -> None:
    case = Made()
    q, qd, qdd = case.part.q[:50], case.part.qd[:50], case.part.qdd[:50]
    columns = case.layout.columns(q, qd, qdd, case.part.tau[:50], case.part.step)
    assert columns.shape == (50, sum(len(at) for at in case.layout.places))
    assert np.isfinite(columns).all()
    places = [i for h in case.layout.hypotheses for i in h.columns]
    assert sorted(places) == list(range(case.layout.count))
    assert {h.kind for h in case.layout.hypotheses} == {e.kind for e in EFFECTS}


def test_a_model_does_not_lack_what_it_has() -> None:
    case = Made()
    kinds = {h.kind for h in case.layout.offered()}
    assert "stribeck" in kinds and "rotor" in kinds
    model = case.found.model
    reference = replace(
        case.layout.reference,
        model=Model(model.arm, model.arm.minimal_with(rotor=True), model.columns[model.k :],
                    known_rotors=np.zeros(3)),
    )  # fmt: skip
    assert "rotor" not in {h.kind for h in Layout(reference).offered()}
