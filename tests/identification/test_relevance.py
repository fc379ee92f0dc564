"""The choice of groups of columns by solver, on plain regressions whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armdyn.identification.error_bars import block_deviations
from armdyn.identification.fit.choice import Wide, select_terms
from armdyn.identification.fit.fit import term_trials
from armdyn.identification.fit.gram import BLOCKS, Gram
from armdyn.identification.fit.solver import Group, Prior, Solver

ROWS, OWN, MORE, NOISE = 400, 3, 6, 0.1


def regression(seed: int, effects: dict[int, float]) -> Solver:
    """Two joints with three columns always, and six that may come; `effects` are the true ones."""
    rng = np.random.default_rng(seed)
    p = OWN + MORE
    beta = np.zeros(p)
    beta[:OWN] = [1.0, -2.0, 0.5]
    for i, value in effects.items():
        beta[OWN + i] = value
    squares = np.zeros((2, p + 1, p + 1))
    for j in range(2):
        A = rng.normal(size=(ROWS, p))
        X = np.column_stack([A, A @ beta + NOISE * rng.normal(size=ROWS)])
        squares[j] = X.T @ X
    scaled = np.diag([1.0] * OWN + [0.0] * MORE)
    fixed = np.diag([0.0] * OWN + [1.0 / 81.0] * MORE)
    prior = Prior(np.zeros(p), scaled, fixed, 0.03, OWN)
    return Solver(squares, np.full(2, float(ROWS)), prior, tuple(range(OWN)), np.ones(2))


def single(i: int, **more: float) -> Group:
    return Group((OWN + i,), f"term {i}", 0, **more)


@pytest.mark.parametrize("seed", range(8))
def test_true_terms_stay_and_others_go(seed: int) -> None:
    solver = regression(seed, {1: 0.05, 4: -0.3})
    found = select_terms(solver, [single(i) for i in range(MORE)])
    assert {g.what for g in found.groups} == {"term 1", "term 4"}
    assert found.values[OWN + 4] == pytest.approx(-0.3, abs=0.03)
    assert found.values[OWN] == 0.0  # not in the fit: the mean of the prior
    assert found.weights == pytest.approx(np.full(2, NOISE), rel=0.15)


def test_impossible_values_are_dropped() -> None:
    solver = regression(1, {0: -0.3, 1: 1.4, 2: 0.4})
    groups = [single(0, least=0.0), single(1, least=0.0, most=1.0), single(2, least=0.0, most=1.0)]
    assert [g.what for g in select_terms(solver, groups).groups] == ["term 2"]


def test_one_shape_is_left_of_a_term_in_several() -> None:
    solver = regression(2, {3: 0.2})
    shapes = Group(tuple(OWN + i for i in (2, 3, 4)), "shape", 1)
    (left,) = select_terms(solver, [shapes, single(0)]).groups
    assert left.columns == (OWN + 3,) and left.what == "shape"


def test_a_term_that_makes_a_common_one_negative_is_dropped() -> None:
    solver = regression(2, {3: 0.2})
    # the second column of every fit is -2: a fit with zero in its place would be far worse
    crowding = Group((OWN + 3,), "crowding", 0, beside=(1,))
    assert select_terms(solver, [crowding]).groups == []
    beside = Group((OWN + 3,), "beside", 0, beside=(0, 2))
    assert [g.what for g in select_terms(solver, [beside]).groups] == ["beside"]


def test_a_common_term_is_zero_if_that_costs_less_than_another_term() -> None:
    plain = regression(2, {3: 0.2, 5: -0.01})
    solver = replace(plain, always=(*range(OWN), OWN + 5))
    found = select_terms(solver, [Group((OWN + 3,), "beside", 0, beside=(OWN + 5,))])
    assert [g.what for g in found.groups] == ["beside"] and found.values[OWN + 5] == 0.0


def test_the_shape_follows_when_another_term_goes() -> None:
    """Column 3 is almost the sum of 4 and 5: with 4 in the fit, 5 explains the rest."""
    rng = np.random.default_rng(7)
    p = OWN + MORE
    A = rng.normal(size=(ROWS, p))
    A[:, OWN + 3] = A[:, OWN + 4] + A[:, OWN + 5] + 0.3 * rng.normal(size=ROWS)
    tau = A[:, 0] + 0.5 * A[:, OWN + 3] + NOISE * rng.normal(size=ROWS)
    X = np.column_stack([A, tau])
    plain = regression(0, {})
    one = np.ones(1)
    solver = replace(
        plain, squares=(X.T @ X)[None], counts=ROWS * one, always=(0,), correlation=one
    )
    shapes = Group((OWN + 3, OWN + 5), "shape", 0)
    other = Group((OWN + 4,), "other", 0, most=0.1)  # it comes out larger beside column 5
    found = select_terms(solver, [shapes, other])
    assert [g.columns for g in found.groups] == [(OWN + 3,)]


def test_forced_groups_stay() -> None:
    found = select_terms(regression(3, {}), [Group((OWN,), "asked", 0, forced=True), single(1)])
    assert [g.what for g in found.groups] == ["asked"]


def test_significance_is_the_square_of_standard_deviations() -> None:
    solver = regression(4, {0: 0.1})
    found = select_terms(solver, [single(0)])
    z = solver.significance(found, found.groups[0])
    # the standard deviation of a coefficient of 2 * 400 rows of unit variance
    assert np.sqrt(z) == pytest.approx(
        abs(found.values[OWN]) / (NOISE / np.sqrt(2 * ROWS)), rel=0.2
    )


def test_scatter_of_blocks_is_that_of_repeated_fits() -> None:
    p, blocks, length = 12, 20, 30
    rng = np.random.default_rng(0)
    A = rng.normal(size=(blocks, length, p))
    variance, values = np.zeros(p), []
    for _ in range(300):
        tau = rng.normal(size=(blocks, length))
        X = np.concatenate([A, tau[:, :, None]], axis=2)
        normal = np.einsum("bri,brj->bij", A, X)
        whole = normal.sum(axis=0)
        beta, off = block_deviations(normal, (whole[:, :-1], whole[:, -1]), np.arange(p))
        values.append(beta)
        variance += np.sum(off**2, axis=0) / 300
    # leaving blocks out in turn would give some 6 % more, no correction some 6 % less
    assert np.mean(variance / np.var(values, axis=0)) == pytest.approx(1.0, abs=0.04)


def test_trials_say_how_much_lower_an_error_is() -> None:
    rng = np.random.default_rng(5)
    A = rng.normal(size=(BLOCKS, 30, 3))
    tau = A @ [1.0, 0.5, 0.0] + 0.1 * rng.normal(size=(BLOCKS, 30))
    X = np.concatenate([A, tau[:, :, None]], axis=2)
    products = np.einsum("bri,brj->bij", X, X)
    gram = Gram((np.arange(3),), (products,), np.full((BLOCKS, 1), 30.0), 3)
    prior = Prior(np.zeros(3), np.zeros((3, 3)), 1e-9 * np.eye(3), 0.03, 0)
    counts = gram.counts.sum(axis=0)
    term, idle = Group((1,), "term", 0), Group((2,), "idle", 0)
    wide = Wide(None, (0,), (term, idle), ())
    fit = Solver(gram.squares(), counts, prior, (0, 1), np.ones(1), strength=1.0).fit()
    chosen, more = term_trials(gram, prior, fit, wide, [term])
    assert (chosen.term, more.term) == ("term", "idle")
    assert chosen.chosen and not more.chosen
    assert chosen.error_without > 0.3 and chosen.error_with == pytest.approx(0.09, rel=0.1)
    assert more.error_without == pytest.approx(chosen.error_with)
    assert more.error_with == pytest.approx(chosen.error_with, rel=0.01)
    assert chosen.deviations > 5.0 > abs(more.deviations)
