"""Quotients and linear systems of degenerate data."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.errors import NumericalError
from armdyn.numerics import ratio, scaled_inverse, scaled_pinv, scaled_root, scaled_solve

SIZES = 10.0 ** np.array([-9.0, 0.0, 9.0, 4.0])


def well_posed(seed: int = 0) -> np.ndarray:
    """A matrix of condition 10 or so, in units of very different sizes."""
    A = np.random.default_rng(seed).normal(size=(40, 4))
    return SIZES[:, None] * (A.T @ A) * SIZES


def test_quotients_are_defined_where_denominators_vanish() -> None:
    found = ratio([6.0, 0.0, 2.0, -1e300, np.nan, 1.0], [2.0, 0.0, 0.0, 1e-300, 1.0, np.inf], 7.0)
    assert np.array_equal(found, [3.0, 0.0, 7.0, 7.0, np.nan, 0.0], equal_nan=True)


def test_sizes_of_unknowns_do_not_matter() -> None:
    H, x = well_posed(), np.array([1.0, -2.0, 3.0, 0.5]) / SIZES
    assert np.allclose(scaled_solve(H, H @ x), x, rtol=1e-9, atol=0.0)
    unit = SIZES[:, None] * (scaled_inverse(H) @ H) / SIZES
    assert np.allclose(unit, np.eye(4), atol=1e-9)
    R = scaled_root(H, 1e-12)
    assert np.allclose(R @ R.T, scaled_inverse(H), rtol=1e-9, atol=0.0)
    pseudo = scaled_pinv(H, SIZES, SIZES)
    assert np.allclose(pseudo, scaled_inverse(H), rtol=1e-9, atol=0.0)
    assert np.linalg.matrix_rank(np.linalg.pinv(H)) < 4  # unscaled, directions are lost


@pytest.mark.parametrize("seen", [3, 1, 0])
def test_directions_that_are_not_seen_stay_zero_and_are_uncertain(seen: int) -> None:
    B = np.random.default_rng(1).normal(size=(seen, 4)) * SIZES
    H, g = B.T @ B, B.T @ np.ones(seen)
    x = scaled_solve(H, g)
    assert np.isfinite(x).all()
    assert np.allclose(B @ x, 1.0)
    variance = np.diag(scaled_inverse(H)) * SIZES**2
    assert np.isfinite(variance).all() and variance.max() > 1e10
    assert (scaled_solve(np.zeros((2, 2)), np.zeros(2)) == 0.0).all()


def test_weak_directions_may_be_left_out() -> None:
    H = np.array([[1.0, 1.0 - 1e-6], [1.0 - 1e-6, 1.0]])
    assert np.allclose(scaled_solve(H, np.array([1.0, -1.0])), [1e6, -1e6])
    assert np.allclose(scaled_solve(H, np.array([1.0, -1.0]), 1e-5), 0.0)


@pytest.mark.parametrize("solve", [scaled_inverse, scaled_pinv, lambda H: scaled_solve(H, H[0])])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_an_error(solve, wrong: float) -> None:
    H = well_posed()
    H[1, 2] = wrong
    with pytest.raises(NumericalError, match="not finite"):
        solve(H)
