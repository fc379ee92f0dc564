"""The choice of groups of columns by evidence, on plain regressions whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.identification.fit.blocks import Blocks, Normal
from armdyn.identification.fit.choice.evidence import Evidence, Group, Sums
from armdyn.identification.fit.choice.ladder import ladders
from armdyn.identification.fit.choice.relevance import relevant
from armdyn.identification.fit.error_bars import _deviations
from armdyn.identification.fit.regression import Prior

ROWS, OWN, MORE, NOISE = 400, 3, 6, 0.1


def regression(seed: int, effects: dict[int, float]) -> Evidence:
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
    root = np.zeros((OWN, p))
    root[:, :OWN] = np.eye(OWN)
    fixed = np.zeros((MORE, p))
    fixed[:, OWN:] = np.eye(MORE) / 9.0
    prior = Prior(np.zeros(p), root, fixed, 0.03)
    return Evidence(Sums(squares, np.full(2, float(ROWS)), np.ones(2)), prior, range(OWN))


def single(i: int, **more: float) -> Group:
    return Group((OWN + i,), f"term {i}", 0, **more)


@pytest.mark.parametrize("seed", range(8))
def test_true_terms_stay_and_others_go(seed: int) -> None:
    evidence = regression(seed, {1: 0.05, 4: -0.3})
    found = relevant(evidence, [single(i) for i in range(MORE)])
    assert {g.what for g in found.groups} == {"term 1", "term 4"}
    assert found.values[OWN + 4] == pytest.approx(-0.3, abs=0.03)
    assert found.values[OWN] == 0.0  # not in the fit: the mean of the prior
    assert found.weights == pytest.approx(np.full(2, NOISE), rel=0.15)


def test_impossible_values_are_dropped() -> None:
    evidence = regression(1, {0: -0.3, 1: 1.4, 2: 0.4})
    groups = [single(0, least=0.0), single(1, least=0.0, most=1.0), single(2, least=0.0, most=1.0)]
    assert [g.what for g in relevant(evidence, groups).groups] == ["term 2"]


def test_one_shape_is_left_of_a_term_in_several() -> None:
    evidence = regression(2, {3: 0.2})
    shapes = Group(tuple(OWN + i for i in (2, 3, 4)), "shape", 1)
    (left,) = relevant(evidence, [shapes, single(0)]).groups
    assert left.columns == (OWN + 3,) and left.what == "shape"


def test_a_term_that_makes_a_common_one_negative_is_dropped() -> None:
    evidence = regression(2, {3: 0.2})
    # the second column of every fit is -2: a fit with zero in its place would be far worse
    crowding = Group((OWN + 3,), "crowding", 0, beside=(1,))
    assert relevant(evidence, [crowding]).groups == []
    beside = Group((OWN + 3,), "beside", 0, beside=(0, 2))
    assert [g.what for g in relevant(evidence, [beside]).groups] == ["beside"]


def test_a_common_term_is_zero_if_that_costs_less_than_another_term() -> None:
    plain = regression(2, {3: 0.2, 5: -0.01})
    evidence = Evidence(plain.sums, plain.prior, (*range(OWN), OWN + 5))
    found = relevant(evidence, [Group((OWN + 3,), "beside", 0, beside=(OWN + 5,))])
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
    evidence = Evidence(
        Sums((X.T @ X)[None], np.full(1, float(ROWS)), np.ones(1)), plain.prior, (0,)
    )
    shapes = Group((OWN + 3, OWN + 5), "shape", 0)
    other = Group((OWN + 4,), "other", 0, most=0.1)  # it comes out larger beside column 5
    found = relevant(evidence, [shapes, other])
    assert [g.columns for g in found.groups] == [(OWN + 3,)]


def test_forced_groups_stay() -> None:
    found = relevant(regression(3, {}), [Group((OWN,), "asked", 0, forced=True), single(1)])
    assert [g.what for g in found.groups] == ["asked"]


def test_significance_is_the_square_of_standard_deviations() -> None:
    evidence = regression(4, {0: 0.1})
    found = relevant(evidence, [single(0)])
    z = evidence.significance(found, found.groups[0])
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
        normal = Normal(np.einsum("bri,brj->bij", X, X), np.zeros((p, p)), np.zeros(p))
        beta, off = _deviations(normal, np.arange(p))
        values.append(beta)
        variance += np.sum(off**2, axis=0) / 300
    # leaving blocks out in turn would give some 6 % more, no correction some 6 % less
    assert np.mean(variance / np.var(values, axis=0)) == pytest.approx(1.0, abs=0.04)


def test_rungs_say_how_much_lower_an_error_is() -> None:
    rng = np.random.default_rng(5)
    A = rng.normal(size=(20, 30, 3))
    tau = A @ [1.0, 0.5, 0.0] + 0.1 * rng.normal(size=(20, 30))
    X = np.concatenate([A, tau[:, :, None]], axis=2)
    squares = np.einsum("bri,brj->bij", X, X)[:, None]
    blocks = Blocks(None, squares, np.full((20, 1), 30.0))
    normal = Normal(squares[:, 0], 1e-9 * np.eye(3), np.zeros(3))
    term, idle = Group((1,), "term", 0), Group((2,), "idle", 0)
    (rungs,) = ladders(blocks, normal, [0], [term, idle], [term], np.zeros(3))
    without, chosen, more = rungs
    assert (without.terms, chosen.terms, more.terms) == ((), ("term",), ("term", "idle"))
    assert chosen.chosen and not without.chosen and not more.chosen
    assert without.error > 0.3 and chosen.error == pytest.approx(0.09, rel=0.1)
    assert chosen.gain == pytest.approx(1.0 - chosen.error / without.error)
    assert chosen.deviations > 5.0 and more.error == pytest.approx(chosen.error, rel=0.01)
