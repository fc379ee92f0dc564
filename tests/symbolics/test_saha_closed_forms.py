"""[Saha1999] (43)-(48) come out of the symbolic model of the three-link planar robot."""

from __future__ import annotations

from typing import Any

import pytest

import armdyn

sympy = pytest.importorskip("sympy")

l1, l2, l3, m1, m2, m3, q2, q3 = sympy.symbols("l1 l2 l3 m1 m2 m3 q2 q3")
I1, I2, I3 = sympy.symbols("I1 I2 I3")
BARS = {
    "b2": l1, "b3": l2, "c1x": l1 / 2, "c2x": l2 / 2, "c3x": l3 / 2,
    "I1zz": m1 * l1**2 / 12, "I2zz": m2 * l2**2 / 12, "I3zz": m3 * l3**2 / 12,
}  # fmt: skip


@pytest.fixture(scope="module")
def bars() -> Any:
    """The paper's robot: uniform bars of lengths l and masses m."""
    return armdyn.symbolic("planar3").subs(BARS)


def test_inertia_matrix_is_that_of_43(bars: Any) -> None:
    """(43a), (43c) and (43f) as printed; the others with a common length taken out."""
    C2, C3, C23 = sympy.cos(q2), sympy.cos(q3), sympy.cos(q2 + q3)
    M = bars.mass_matrix
    third = sympy.Rational(1, 3)
    assert M[0, 0] == (
        third * m1 * l1**2
        + m2 * (l1**2 + third * l2**2 + l1 * l2 * C2)
        + m3 * (l1**2 + l2**2 + third * l3**2 + 2 * l1 * l2 * C2 + l1 * l3 * C23 + l2 * l3 * C3)
    )
    assert M[1, 1] == third * m2 * l2**2 + m3 * (l2**2 + third * l3**2 + l2 * l3 * C3)
    assert M[2, 2] == third * m3 * l3**2
    assert M[1, 0] == (
        l2 * m2 * (third * l2 + l1 * C2 / 2)
        + m3 * (l1 * l2 * C2 + l2**2 + l2 * l3 * C3 + l1 * l3 * C23 / 2 + third * l3**2)
    )
    assert M[2, 0] == l3 * m3 * (l1 * C23 / 2 + l2 * C3 / 2 + third * l3)
    assert M[2, 1] == l3 * m3 * (l2 * C3 / 2 + third * l3)
    assert M == M.T


def test_factors_are_those_of_45_and_46(bars: Any) -> None:
    i11, i12, i13, i22, i23, i33 = sympy.symbols("M11 M12 M13 M22 M23 M33")
    h1, h2, h3, a12, a13, a23 = sympy.symbols("mh1 mh2 mh3 alpha12 alpha13 alpha23")
    U, D = bars.named("U"), bars.named("D")
    assert sympy.Matrix([[1, a12, a13], [0, 1, a23], [0, 0, 1]]) == U.matrix
    assert sympy.diag(h1, h2, h3) == D.matrix
    # printed with i_13 i_23 / mh3 for alpha_13 alpha_23 mh3, and with l_2 for I_2 in i_12
    assert D.terms[h3] == i33
    assert U.terms[a13] == i13 / h3 and U.terms[a23] == i23 / h3
    assert D.terms[h2] == i22 - a23**2 * h3
    assert U.terms[a12] == (i12 - a13 * a23 * h3) / h2
    assert D.terms[h1] == i11 - a12**2 * h2 - a13**2 * h3  # (46), entry 1, 1


def test_inverse_is_that_of_47_and_48(bars: Any) -> None:
    """Squares on the diagonal of (48), and alpha'_13 = alpha_13 - alpha'_12 alpha_23."""
    h1, h2, h3 = sympy.symbols("mh1 mh2 mh3")
    a12, a13, a23 = sympy.symbols("alpha12 alpha13 alpha23")
    p12, p13, p23 = sympy.symbols("alphap12 alphap13 alphap23")
    named = bars.named("inverse_mass_matrix")
    assert [named.terms[p] for p in (p12, p13, p23)] == [a12, a13 - p12 * a23, a23]
    lower = {
        (0, 0): 1 / h1,
        (1, 0): -p12 / h1,
        (1, 1): p12**2 / h1 + 1 / h2,
        (2, 0): -p13 / h1,
        (2, 1): p12 * p13 / h1 - p23 / h2,
        (2, 2): p13**2 / h1 + p23**2 / h2 + 1 / h3,
    }
    assert {at: named.matrix[at] for at in lower} == lower
    assert named.matrix == named.matrix.T


def test_inverse_inverts() -> None:
    """Exact: at rational cosines and sines the product with M is the unit matrix."""
    model = armdyn.symbolic("planar3").subs(
        {"b2": 1, "b3": 2, "c1x": 1, "c2x": 3, "c3x": 1, "m1": 1, "m2": 2, "m3": 5,
         "I1zz": 1, "I2zz": 1, "I3zz": 2}
    )  # fmt: skip
    corner = {"q2": sympy.pi, "q3": -sympy.pi / 2}
    M, inverse = model.mass_matrix.subs(corner), model.inverse_mass_matrix.subs(corner)
    assert M * inverse == sympy.eye(3)


def test_latex_of_the_bars_is_short(bars: Any) -> None:
    text = bars.latex("mass_matrix")
    assert len(text) <= 1500 and r"M_{33} &= \frac{l_3^{2} m_3}{3}" in text
