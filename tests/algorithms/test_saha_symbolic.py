"""The three-link planar robot of [Saha1999] section 6: its closed forms, proved by SymPy.

The algorithms run on unknown lengths, masses, inertias and angles. With t = tan(theta/2) for the
unknown, cos(theta) = (1 - t^2)/(1 + t^2) and sin(theta) = 2t/(1 + t^2), every result is a rational
function, and SymPy's field of fractions keeps it in lowest terms: two are equal for all robots and
angles if and only if they are the same. The inverse is proved from its factors, taken as unknowns.

The closed forms are those of the paper; where one is misprinted the line says so.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from sympy import QQ
from sympy.polys.fields import field

from armdyn.algorithms.denoc import mass_matrix
from armdyn.algorithms.denoc_inverse import (
    inverse_from_factors,
    inverse_mass_matrix,
    unit_upper_inverse,
)
from armdyn.algorithms.denoc_udu import udu
from armdyn.graph.interpret import evaluate
from armdyn.graph.program import Slot
from armdyn.graph.trace import record
from armdyn.robot.chain import Chain, Link
from armdyn.robot.model import IDENTITY
from armdyn.scalar import Op

K, t1, t2, t3, l1, l2, l3, m1, m2, m3, I1, I2, I3 = field("t1,t2,t3,l1,l2,l3,m1,m2,m3,I1,I2,I3", QQ)


def exact(x: Any) -> Any:
    """A float constant as the rational number it is."""
    if isinstance(x, float):
        f = Fraction(x)
        return K(QQ(f.numerator, f.denominator))
    return x


def cosine(t: Any) -> Any:
    return (1 - t**2) / (1 + t**2)


def sine(t: Any) -> Any:
    return 2 * t / (1 + t**2)


RULES: dict[Op, Callable[..., Any]] = {
    Op.ADD: lambda a, b: exact(a) + exact(b),
    Op.SUB: lambda a, b: exact(a) - exact(b),
    Op.MUL: lambda a, b: exact(a) * exact(b),
    Op.DIV: lambda a, b: exact(a) / exact(b),
    Op.NEG: lambda a: -exact(a),
    Op.COS: cosine,
    Op.SIN: sine,
}


def planar_robot(parameters: list[Any]) -> Chain:
    """Three bars in the plane that turn about z, centres of mass half way along them."""
    l, m, I = parameters[:3], parameters[3:6], parameters[6:]
    links = [
        Link(
            rotational=True, Cb=1.0, Sb=0.0, b=l[k - 1] if k else 0.0, theta=0.0, C0=1.0, S0=0.0,
            d=0.0, m=m[k], c=(0.5 * l[k], 0.0, 0.0), I=(0.0, 0.0, 0.0, 0.0, 0.0, I[k]),
        )
        for k in range(3)
    ]  # fmt: skip
    return Chain(tuple(links), (0.0, -9.81, 0.0), IDENTITY, IDENTITY)


def computed(
    function: Callable[..., Any], *outputs: Slot, inertias: tuple[Any, ...] = (I1, I2, I3)
) -> list[Any]:
    """Flat results of a function of a chain and q, for the planar robot with nothing known."""
    program = record(
        lambda q, parameters: function(planar_robot(parameters), q),
        [Slot("q", (3,)), Slot("parameter", (9,))],
        outputs,
    )
    inputs = [t1, t2, t3, l1, l2, l3, m1, m2, m3, *inertias]
    return [exact(x) for x in evaluate(program, inputs, RULES)]


def dot(a: tuple[Any, Any], b: tuple[Any, Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1]


def along(t: Any, length: Any, start: tuple[Any, Any] = (0, 0)) -> tuple[Any, Any]:
    """The point at a length from `start` in the direction of the angle whose half has tangent t."""
    return (start[0] + length * cosine(t), start[1] + length * sine(t))


def tangent_of_sum(a: Any, b: Any) -> Any:
    return (a + b) / (1 - a * b)


t12 = tangent_of_sum(t1, t2)
t13 = tangent_of_sum(t12, t3)
t23 = tangent_of_sum(t2, t3)
d1, d2, d3 = along(t1, l1 / 2), along(t12, l2 / 2), along(t13, l3 / 2)
rho12 = along(t12, l2 / 2, along(t1, l1))
rho23 = along(t13, l3 / 2, along(t12, l2))  # printed with cos(theta_23) for cos(theta_12)
rho13 = along(t13, l3 / 2, along(t12, l2, along(t1, l1)))

i11 = I1 + m1 * dot(d1, d1) + I2 + m2 * dot(rho12, rho12) + I3 + m3 * dot(rho13, rho13)  # (43a)
i21 = I2 + m2 * dot(d2, rho12) + I3 + m3 * dot(rho23, rho13)  # (43b)
i22 = I2 + m2 * dot(d2, d2) + I3 + m3 * dot(rho23, rho23)  # (43c)
i31 = I3 + m3 * dot(d3, rho13)  # (43d)
i32 = I3 + m3 * dot(d3, rho23)  # (43e)
i33 = I3 + m3 * dot(d3, d3)  # (43f)

mh3 = i33
mh2 = i22 - i32**2 / mh3
alpha13, alpha23 = i31 / mh3, i32 / mh3
alpha12 = (i21 - i31 * i32 / mh3) / mh2  # printed with l_2 for I_2, the first term of i21


@cache
def mh1() -> Any:
    return i11 - i31**2 / mh3 - (i21 - i31 * i32 / mh3) ** 2 / mh2


def test_inertia_matrix_is_the_vector_form_of_43() -> None:
    assert computed(mass_matrix, Slot("I", (3, 3))) == [
        i11, i21, i31,
        i21, i22, i32,
        i31, i32, i33,
    ]  # fmt: skip


def test_inertia_matrix_of_slender_bars_is_the_expanded_form_of_43() -> None:
    bars = (m1 * l1**2 / 12, m2 * l2**2 / 12, m3 * l3**2 / 12)
    C2, C3, C23 = cosine(t2), cosine(t3), cosine(t23)
    expanded = {
        (0, 0): m1 * l1**2 / 3
        + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * C2)
        + m3 * (l1**2 + l2**2 + l3**2 / 3 + 2 * l1 * l2 * C2 + l1 * l3 * C23 + l2 * l3 * C3),
        (1, 0): m2 * (l2**2 / 3 + l1 * l2 * C2 / 2)
        + m3 * (l1 * l2 * C2 + l2**2 + l2 * l3 * C3 + l1 * l3 * C23 / 2 + l3**2 / 3),
        (1, 1): m2 * l2**2 / 3 + m3 * (l2**2 + l3**2 / 3 + l2 * l3 * C3),
        (2, 0): m3 * (l1 * l3 * C23 / 2 + l2 * l3 * C3 / 2 + l3**2 / 3),
        (2, 1): m3 * (l2 * l3 * C3 / 2 + l3**2 / 3),
        (2, 2): m3 * l3**2 / 3,
    }
    I = computed(mass_matrix, Slot("I", (3, 3)), inertias=bars)
    assert {(i, j): I[3 * i + j] for i, j in expanded} == expanded


def test_factors_are_those_of_45() -> None:
    U_and_D = computed(udu, Slot("U", (3, 3)), Slot("D", (3,)))
    assert U_and_D == [
        1, alpha12, alpha13,
        0, 1, alpha23,
        0, 0, 1,
        mh1(), mh2, mh3,
    ]  # fmt: skip


def test_inverse_of_U_has_the_primed_alphas() -> None:
    """(47), printed with plus signs; alpha'_13 printed without the factor of its last bracket."""
    primed13 = (i31 - alpha12 * i32) / mh3
    assert primed13 == (i31 * i22 - i21 * i32) / (i22 * i33 - i32**2)
    V = computed(lambda chain, q: unit_upper_inverse(udu(chain, q)[0]), Slot("V", (3, 3)))
    assert V == [
        1, -alpha12, -primed13,
        0, 1, -alpha23,
        0, 0, 1,
    ]  # fmt: skip


def test_inverse_has_the_entries_of_48_and_inverts_46() -> None:
    """(48) is printed with alpha' where its diagonal has their squares."""
    L, a12, a13, a23, n1, n2, n3 = field("a12,a13,a23,n1,n2,n3", QQ)
    U = [[L(1), a12, a13], [L(0), L(1), a23], [L(0), L(0), L(1)]]
    primed13 = a13 - a12 * a23
    got = inverse_from_factors(U, [n1, n2, n3])
    assert got == [
        [1 / n1, -a12 / n1, -primed13 / n1],
        [-a12 / n1, a12**2 / n1 + 1 / n2, a12 * primed13 / n1 - a23 / n2],
        [-primed13 / n1, a12 * primed13 / n1 - a23 / n2, primed13**2 / n1 + a23**2 / n2 + 1 / n3],
    ]
    inertia = [
        [n1 + n2 * a12**2 + n3 * a13**2, n2 * a12 + n3 * a13 * a23, n3 * a13],
        [n2 * a12 + n3 * a13 * a23, n2 + n3 * a23**2, n3 * a23],
        [n3 * a13, n3 * a23, n3],
    ]
    product = [
        [sum(inertia[i][k] * got[k][j] for k in range(3)) for j in range(3)] for i in range(3)
    ]
    assert product == [[L(int(i == j)) for j in range(3)] for i in range(3)]


def test_inverse_mass_matrix_is_made_of_the_factors() -> None:
    """Joins the two halves of the proof."""
    chain = planar_robot([0.7, 0.5, 0.3, 4.0, 3.0, 2.0, 0.2, 0.1, 0.05])
    q = [0.3, -1.1, 2.0]
    assert inverse_mass_matrix(chain, q) == inverse_from_factors(*udu(chain, q))
