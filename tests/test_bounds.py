"""How large the steps of a program can become."""

from __future__ import annotations

import pytest

from armdyn.graph import Program, Slot, trace
from armdyn.kernel._bounds import stays_finite
from armdyn.scalar import cos, sign, sin, sqrt


def _program(function) -> Program:
    return trace(lambda x: function(*x), [Slot("x", (3,))], [Slot("f", ())])


@pytest.mark.parametrize(
    ("function", "largest"),
    [
        (lambda x, y, z: x + y, 0.5e300),
        (lambda x, y, z: x - y, 0.5e300),
        (lambda x, y, z: -(x * y * z), 1e100),
        (lambda x, y, z: (x * 1e50 + 1e200) * sign(y), 1e250),
        (lambda x, y, z: x * y / 1e-100, 1e100),
        (lambda x, y, z: sin(x * y) * cos(z) * 1e300, 1e150),
    ],
)
def test_bound_is_where_the_program_leaves_the_range(function, largest: float) -> None:
    bounded = _program(function)
    assert stays_finite(bounded, 0.99 * largest)
    assert not stays_finite(bounded, 1e9 * largest)


def test_what_divides_or_has_a_root_may_be_no_number() -> None:
    assert not stays_finite(_program(lambda x, y, z: x / y), 1.0)
    assert not stays_finite(_program(lambda x, y, z: sqrt(x)), 1.0)
