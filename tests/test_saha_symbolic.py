"""The three-link planar robot of [Saha1999] section 6: its closed forms, proved by SymPy.

The algorithms run on unknown lengths, masses, inertias and angles. With t = tan(theta/2) for unknown,
cos(theta) = (1 - t^2)/(1 + t^2) and sin(theta) = 2t/(1 + t^2), every result is a rational function, in
lowest terms as SymPy's field of fractions keeps them: two are equal for all robots and angles if and
only if they are the same.

The closed forms are those of the paper, with its misprints corrected at the line.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from sympy import QQ
from sympy.polys.fields import field

from armdyn.algorithms.denoc import mass_matrix
from armdyn.algorithms.denoc_inverse import inverse_mass_matrix, unit_upper_inverse
from armdyn.algorithms.denoc_udu import udu
from armdyn.graph import Slot, evaluate, record
from armdyn.robot import IDENTITY, Chain, Link
from armdyn.scalar import Op

K, t1, t2, t3, l1, l2, l3, m1, m2, m3, I1, I2, I3 = field(
    "t1,t2,t3,l1,l2,l3,m1,m2,m3,I1,I2,I3", QQ
)


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


def computed(function: Callable[..., Any], *outputs: Slot) -> list[Any]:
    program = record(
        lambda q, parameters: function(planar_robot(parameters), q),
        [Slot("q", (3,)), Slot("parameter", (9,))],
        outputs,
    )
    inputs = [t1, t2, t3, l1, l2, l3, m1, m2, m3, I1, I2, I3]
    return [exact(x) for x in evaluate(program, inputs, RULES)]


def rows(flat: list[Any]) -> list[list[Any]]:
    return [flat[0:3], flat[3:6], flat[6:9]]


def dot(a: tuple[Any, Any], b: tuple[Any, Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1]
