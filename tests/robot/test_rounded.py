"""Cosines and sines of constant angles, and angles of vectors, beside many digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from armdyn.robot.chain import exact_cos_sin, rounded_atan2, rounded_cos_sin


@pytest.mark.parametrize("scale", [1e-10, 1e-3, 4.0, 1e5, 1e12])
def test_constants_of_an_arm_are_correctly_rounded(scale: float) -> None:
    angles = np.random.default_rng(0).uniform(-scale, scale, 200).tolist()
    with mpmath.workprec(300):
        exact = [(float(mpmath.cos(x)), float(mpmath.sin(x))) for x in angles]
    assert [rounded_cos_sin(x) for x in angles] == exact


@pytest.mark.parametrize("k", range(-3, 9))
def test_close_to_right_angles_too(k: int) -> None:
    angles = [k * math.pi / 2 + d for d in (1.1e-12, -3e-11, 2e-7)]
    with mpmath.workprec(300):
        exact = [(float(mpmath.cos(x)), float(mpmath.sin(x))) for x in angles]
    assert [exact_cos_sin(x) for x in angles] == exact


def test_an_angle_too_large_for_any_digits_is_still_on_the_circle() -> None:
    c, s = rounded_cos_sin(1e300)
    assert math.isclose(c * c + s * s, 1.0, rel_tol=1e-15)


@pytest.mark.parametrize("scale", [1e-300, 1e-40, 1e-13, 1e-11, 1e-3, 1.0, 1e9])
def test_angles_of_vectors_are_correctly_rounded(scale: float) -> None:
    vectors = np.random.default_rng(1).uniform(-1.0, 1.0, (200, 2)) * [scale, 1.0]
    with mpmath.workprec(300):
        exact = [float(mpmath.atan2(y, x)) for y, x in vectors.tolist()]
    assert [rounded_atan2(y, x) for y, x in vectors.tolist()] == exact


def test_angle_is_right_however_the_c_library_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(2).uniform(-1.0, 1.0, (200, 2)).tolist()
    here = [rounded_atan2(y, x) for y, x in vectors]
    atan2 = math.atan2
    monkeypatch.setattr(math, "atan2", lambda y, x: math.nextafter(atan2(y, x), 9.0))
    assert [rounded_atan2(y, x) for y, x in vectors] == here


def test_axes_have_the_angles_of_the_c_library() -> None:
    zeros = [(0.0, 1.0), (-0.0, 1.0), (0.0, -1.0), (-0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)]
    assert [str(rounded_atan2(y, x)) for y, x in zeros] == [str(math.atan2(*v)) for v in zeros]
