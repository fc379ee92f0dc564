"""Operations that choose: abs, max, select, copysign, and atan2 made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armdyn.graph.derive import MODES, jacobian_at
from armdyn.graph.interpret import evaluate, interpret
from armdyn.graph.program import Slot
from armdyn.graph.show import show
from armdyn.graph.trace import record, trace
from armdyn.robot.chain import rounded_atan2
from armdyn.scalar import Node, Op, atan2, copysign, max, min, select, sqrt, symbol
from support.choices import choosing, choosing_arrays, choosing_program, points

X = [Slot("x", (3,))]


def expression(function) -> str:
    """The printed program: one expression, or the last of several."""
    text = show(trace(lambda x: function(*x), X, [Slot("f", ())])).splitlines()
    return " | ".join(line.strip().removeprefix("return ") for line in text[4:])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, y, z: abs(-x), "v1 = abs(x[0]) | v1"),
        (lambda x, y, z: abs(abs(x)), "v1 = abs(x[0]) | v1"),
        (lambda x, y, z: abs(x * 0.0 - 2.0), "2.0"),
        (lambda x, y, z: max(x * 0.0 - 2.0, 1.0), "1.0"),
        (lambda x, y, z: max(-x, -x), "v1 = -x[0] | v1"),
        (lambda x, y, z: max(x, -x), "v1 = abs(x[0]) | v1"),
        (lambda x, y, z: select(x * 0.0, y, z), "x[2]"),
        (lambda x, y, z: select(x * 0.0 + 1.0, y, z), "x[1]"),
        (lambda x, y, z: select(x, y, y), "x[1]"),
        (
            lambda x, y, z: select(x, -y, -z),
            "v3 = x[1] if x[0] > 0.0 else x[2] | v4 = -v3 | v4",
        ),
        (lambda x, y, z: copysign(-x, y), "v2 = copysign(x[0], x[1]) | v2"),
        (lambda x, y, z: copysign(abs(x), y), "v2 = copysign(x[0], x[1]) | v2"),
        (lambda x, y, z: -copysign(x, -y), "v2 = copysign(x[0], x[1]) | v2"),
        (lambda x, y, z: copysign(x, y * 0.0 - 1.0), "v1 = abs(x[0]) | v2 = -v1 | v2"),
        (lambda x, y, z: copysign(x * 0.0, y), "0.0"),
    ],
)
def test_rules_of_choices(function, expected: str) -> None:
    assert expression(function) == expected


def test_floats_graph_and_arrays_agree() -> None:
    recorded, simple = record(choosing, X, [Slot("f", (5,))]), choosing_program()
    x = points(500)
    expected = choosing_arrays(x)
    assert np.allclose(interpret(simple, x)[0], expected, rtol=0, atol=1e-14)
    scope: dict = {}
    exec(show(simple), scope)
    for row, want in zip(x[:50].tolist(), expected, strict=False):
        plain = choosing(row)
        assert evaluate(recorded, row) == plain
        assert np.allclose(plain, want, rtol=0, atol=1e-14)
        assert np.allclose(evaluate(simple, row), want, rtol=0, atol=1e-14)
        assert np.allclose(scope["choosing"](row), want, rtol=0, atol=1e-14)


def test_zero_and_nan_take_the_second_side() -> None:
    assert select(0.0, 1.0, 2.0) == 2.0 == select(math.nan, 1.0, 2.0)
    assert max(math.nan, 2.0) == 2.0 and math.isnan(max(2.0, math.nan))
    found = interpret(
        trace(lambda x: select(x[0], x[1], x[2]), X, [Slot("f", ())]),
        np.array([[0.0, 1.0, 2.0], [math.nan, 1.0, 2.0], [1e-300, 1.0, 2.0]]),
    )
    assert found[0].tolist() == [2.0, 2.0, 1.0]


def test_angle_has_all_digits_at_every_scale() -> None:
    rng = np.random.default_rng(1)
    angle = rng.uniform(-math.pi, math.pi, 5000)
    size = 10.0 ** rng.uniform(-8, 8, angle.size)
    x, y = size * np.cos(angle), size * np.sin(angle)
    program = trace(lambda x: atan2(x[1], x[0]), [Slot("x", (2,))], [Slot("f", ())])
    got = interpret(program, np.stack([x, y], axis=1))[0]
    exact = np.array([rounded_atan2(*v) for v in zip(y.tolist(), x.tolist(), strict=True)])
    assert np.abs(got - exact).max() < 5e-16
    assert np.abs(got / exact - 1.0).max() < 1e-15


@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -1.0])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0])
def test_angle_of_axes_and_of_nothing(x: float, y: float) -> None:
    expected = math.atan2(y, abs(x) if x == 0.0 else x)  # a zero has no sign
    assert atan2(y, x) == pytest.approx(expected, abs=1e-16)


@pytest.mark.parametrize("mode", MODES)
def test_derivatives_are_right_away_from_the_switch(mode) -> None:
    program, step = choosing_program(), 1e-6
    for row in points(40, seed=3).tolist():
        a, b, c = row
        if min(*sorted(map(abs, (a, b, c, a - b, a - c * b, a - 0.25, b + c)))[:2]) < 1e-3:
            continue
        got = np.array(jacobian_at(program, "f", ["x"], row, mode)[0])
        moved = np.array(row) + step * np.vstack([np.eye(3), -np.eye(3)])
        f = choosing_arrays(moved)
        assert np.allclose(got, (f[:3] - f[3:]).T / (2 * step), rtol=1e-6, atol=1e-7)


def test_the_side_that_is_not_chosen_may_have_an_infinite_slope() -> None:
    """Forwards always; backwards with the guard inside."""
    late = trace(lambda x: select(x[0], x[0] * x[1], sqrt(x[2])), X, [Slot("f", ())])
    slopes = jacobian_at(late, "f", ["x"], [1.0, 2.0, 1e-320], "forward")[0][0]
    assert slopes[:2] == [2.0, 1.0] and slopes[2] == 0.0
    guarded = trace(lambda x: sqrt(select(x[0], x[0], 1.0)), X, [Slot("f", ())])
    for mode in MODES:
        assert jacobian_at(guarded, "f", ["x"], [0.0, 0.0, 0.0], mode)[0][0] == [0.0, 0.0, 0.0]


def test_nodes_record_choices() -> None:
    x = symbol("x")
    ops = {Op.ABS: abs(x), Op.MAX: max(1.0, x), Op.SELECT: select(1.0, x, 2.0)}
    for op, node in {**ops, Op.COPYSIGN: copysign(1.0, x)}.items():
        assert isinstance(node, Node) and node.op is op
