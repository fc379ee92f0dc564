"""Means of points by ranges."""

from __future__ import annotations

import numpy as np

from armdyn.present.scatter import binned


def test_no_points_have_no_means() -> None:
    assert [len(one) for one in binned(np.zeros(0), np.zeros(0), 4, 1)] == [0, 0, 0]


def test_ranges_have_the_means_of_their_points() -> None:
    x, y, count = binned(np.array([0.0, 1.0, 9.0, 10.0]), np.array([1.0, 3.0, 5.0, 7.0]), 2, 1)
    assert x.tolist() == [0.5, 9.5] and y.tolist() == [2.0, 6.0] and count.tolist() == [2, 2]
