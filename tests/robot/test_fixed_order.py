"""Readers and writers of robot files compute in a fixed order: the same digits on every machine."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from armdyn.robot import formats
from armdyn.robot.formats.bodies import principal_axes
from armdyn.robot.formats.geometry import norm, product

SOURCES = sorted(Path(formats.__path__[0]).rglob("*.py"))
# What BLAS, LAPACK and the C library compute. `hypot` decides only whether a vector is too short.
THEIRS = {"linalg", "dot", "matmul", "einsum", "atan2", "sin", "cos", "tan", "acos", "asin", "exp"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_is_left_to_libraries_that_depend_on_the_processor(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not isinstance(node, ast.MatMult)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert node.value.id not in ("np", "math") or node.attr not in THEIRS, node.lineno


def test_sums_have_the_order_of_their_terms() -> None:
    a, b, c = 1.0, 2.0**-53, 2.0**-53  # (a + b) + c = 1, a + (b + c) > 1
    A, B = np.array([[a, b, c]]), np.ones((3, 2))
    assert (product(A, B) == 1.0).all() and (product(B.T, A.T) == 1.0).all()
    assert (product(A[:, ::-1], B) > 1.0).all()
    assert product(A[0], B[:, 0]) == 1.0 and product(A, B[:, 0]).shape == (1,)


def test_products_are_numpys_but_for_rounding() -> None:
    rng = np.random.default_rng(0)
    A, B, C = rng.normal(size=(3, 4, 4))
    np.testing.assert_allclose(product(A, B, C), A @ B @ C, rtol=1e-12)
    np.testing.assert_allclose(product(A, B, C[0]), A @ B @ C[0], rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e300])
def test_lengths_neither_overflow_nor_vanish(scale: float) -> None:
    assert norm(scale * np.array([3.0, -4.0, 12.0])) == pytest.approx(13.0 * scale, rel=1e-15)
    assert norm(np.zeros(3)) == 0.0


@pytest.mark.parametrize("moments", [(1.0, 2.0, 2.9), (1.0, 1.0, 1.9), (2.0, 2.0, 2.0), (0, 1, 1)])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e6])
def test_principal_axes_make_the_tensor(moments: tuple[float, ...], scale: float) -> None:
    turn, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    tensor = scale * (turn * moments) @ turn.T
    tensor = (tensor + tensor.T) / 2
    found, axes = principal_axes(tensor)
    np.testing.assert_allclose(np.sort(found), scale * np.array(moments), atol=1e-14 * scale)
    np.testing.assert_allclose((axes * found) @ axes.T, tensor, atol=1e-14 * scale)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) > 0.0
