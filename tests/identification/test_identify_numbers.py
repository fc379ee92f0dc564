"""The numeric core of identification: Gram matrices, filter, weights, correlated residuals."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.identification.fit.correlation import correlation_length
from armdyn.identification.fit.gram import gram_root
from armdyn.identification.fit.rows import FilteredSegment
from armdyn.identification.fit.solver import Fit, Prior, Solver
from armdyn.identification.signals.decimation import decimation, decimation_filter


def rows(count: int, columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, columns)), rng.normal(size=count)


def fit_of(
    systems: list[tuple[np.ndarray, np.ndarray]], prior: Prior | None = None, c: float = 1.0
) -> Fit:
    """The fit of rows of some joints."""
    whole = [np.column_stack(one) for one in systems]
    p, n = whole[0].shape[1] - 1, len(whole)
    none = Prior(np.zeros(p), np.zeros((p, p)), 1e-18 * np.eye(p), 0.03, 0)
    counts = np.array([float(len(X)) for X in whole])
    squares = np.stack([X.T @ X for X in whole])
    every = tuple(range(p))
    return Solver(squares, counts, prior or none, every, np.full(n, c)).fit(settled=1e-4)


def test_a_root_of_a_gram_matrix_has_columns_of_any_size() -> None:
    A, b = rows(500, 7)
    X = np.column_stack([A, b]) * 10.0 ** np.arange(-6, 10, 2)
    X[:, 3] = 0.0
    T = gram_root(X.T @ X)
    size = np.linalg.norm(X, axis=0)
    off = (T.T @ T - X.T @ X) / np.outer(size + (size == 0.0), size + (size == 0.0))
    assert len(T) == 7 and np.abs(off).max() < 1e-13


def test_the_filter_passes_the_band_and_stops_what_is_above() -> None:
    low = decimation_filter(1000.0, 4.0)
    t = np.arange(8000) / 1000.0
    at = t[low.centres(len(t))]
    whole = np.stack([np.ones(8000), np.sin(2 * np.pi * 2.0 * t), np.sin(2 * np.pi * 15 * t)], 1)
    start = int(low.centres(len(t))[0]) - low.reach
    found = low.rows(whole[start:])[: len(at)]
    np.testing.assert_allclose(found[:, 0], 1.0, atol=1e-12)
    np.testing.assert_allclose(found[:, 1], np.sin(2 * np.pi * 2.0 * at), atol=0.01)
    assert np.abs(found[:, 2]).max() < 0.02


def test_rows_of_the_filter_are_symmetric_sums_of_samples() -> None:
    low = decimation(3)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 2))
    centres = low.centres(200)
    expected = [low.taps @ x[c - low.reach : c + low.reach + 1] for c in centres]
    found = low.rows(x[centres[0] - low.reach :])[: len(centres)]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(low.taps, low.taps[::-1])


def test_a_filter_of_one_sample_a_row_changes_nothing() -> None:
    x = np.random.default_rng(2).normal(size=(10, 3))
    np.testing.assert_array_equal(decimation(1).rows(x), x)
    np.testing.assert_array_equal(decimation(1).centres(10), np.arange(10))


@pytest.mark.parametrize("a", [0.0, 0.5, 0.9])
def test_correlated_residuals_are_worth_fewer(a: float) -> None:
    rng = np.random.default_rng(3)
    r = np.zeros(20000)
    for k in range(1, len(r)):
        r[k] = a * r[k - 1] + rng.normal()
    found = correlation_length([r], [np.ones(len(r), bool)])
    assert found == pytest.approx((1 + a) / (1 - a), rel=0.2)


def test_left_out_residuals_do_not_count() -> None:
    rng = np.random.default_rng(4)
    r = rng.normal(size=4000)
    kept = np.ones(4000, bool)
    kept[1000:2000] = False
    r[1000:2000] = 100.0
    assert correlation_length([r], [kept]) < 1.2


def test_weights_of_joints_are_found() -> None:
    rng = np.random.default_rng(5)
    beta = np.array([1.0, -2.0, 0.5])
    systems = []
    for sigma in (0.1, 2.0):
        A = rng.normal(size=(2000, 3))
        systems.append((A, A @ beta + sigma * rng.normal(size=2000)))
    fit = fit_of(systems)
    np.testing.assert_allclose(fit.sigma, [0.1, 2.0], rtol=0.05)
    np.testing.assert_allclose(fit.values, beta, atol=5 * 0.1 / np.sqrt(2000))
    np.testing.assert_allclose(fit.std, 0.1 / np.sqrt(2000), rtol=0.1)


def test_correlation_widens_standard_deviations() -> None:
    one, four = (fit_of([rows(400, 4)], c=c) for c in (1.0, 4.0))
    np.testing.assert_allclose(four.std / one.std, 2.0, rtol=0.05)


def test_the_prior_stands_where_the_data_are_silent() -> None:
    rng = np.random.default_rng(6)
    A = rng.normal(size=(500, 3))
    A[:, 2] = 0.0
    tau = A @ np.array([3.0, 4.0, 5.0]) + 0.01 * rng.normal(size=500)
    prior = Prior(np.array([2.5, 4.5, 7.0]), np.eye(3), np.zeros((3, 3)), 0.03, 3)
    fit = fit_of([(A, tau)], prior)
    np.testing.assert_allclose(fit.values, [3.0, 4.0, 7.0], atol=0.01)
    assert fit.std[2] == pytest.approx(1 / fit.strength)
    assert fit.determined == pytest.approx(2.0, abs=0.01)


@pytest.mark.parametrize("width", [1.0, 2.7, 4.0, 30.0])
def test_blocks_of_a_segment_are_filtered_as_one(width: float) -> None:
    low = decimation_filter(1000.0, width)
    n = 160_000
    x = np.random.default_rng(7).normal(size=(n, 2))
    part = FilteredSegment(0, np.arange(n) / 1000.0, x, x, x, x, low)
    averages = np.ones(low.mean) / low.mean
    spread = np.zeros((len(low.taps) - 1) * low.mean + 1)
    spread[:: low.mean] = low.taps
    weights = np.convolve(spread, averages)
    assert len(weights) == 2 * low.reach + 1
    expected = [weights @ x[c - low.reach : c + low.reach + 1] for c in part.centres]
    np.testing.assert_allclose(part.filtered(x), expected, atol=1e-12)
    assert len(list(part.blocks())) > 1
