"""The graph: every rule of the simplifier, the law, the interpreters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armdyn import GraphError
from armdyn.graph.count import Operations, count
from armdyn.graph.interpret import evaluate, interpret
from armdyn.graph.program import Instruction, Program, Slot
from armdyn.graph.program import verify as verify_law
from armdyn.graph.show import show
from armdyn.graph.simplify import simplify
from armdyn.graph.trace import record, trace
from armdyn.scalar import Node, Op, cos, sign, sin, sqrt, symbol

XY = [Slot("x", (3,))]
ONE = [Slot("f", ())]


def program(function, outputs=ONE):
    return trace(lambda x: function(*x), XY, outputs)


def body(function, outputs=ONE) -> list[str]:
    """The lines of the printed program, without its head."""
    return [line.strip() for line in show(program(function, outputs)).splitlines()[4:]]


@pytest.mark.parametrize(
    ("rule", "function", "expected"),
    [
        ("x + 0 -> x", lambda x, y, z: x + 0.0, "x[0]"),
        ("0 + x -> x", lambda x, y, z: 0.0 + x, "x[0]"),
        ("x - x -> 0", lambda x, y, z: (x + y) - (y + x), "0.0"),
        ("x * 0 -> 0", lambda x, y, z: (x * y) * 0.0, "0.0"),
        ("x * 1 -> x", lambda x, y, z: 1.0 * x, "x[0]"),
        ("-(-x) -> x", lambda x, y, z: -(0.0 - x), "x[0]"),
        ("x / x -> 1", lambda x, y, z: x / x, "1.0"),
        ("x / -x -> -1", lambda x, y, z: x / -x, "-1.0"),
        ("0 / x -> 0", lambda x, y, z: 0.0 / x, "0.0"),
        ("c1 + c2", lambda x, y, z: (x * 0.0 + 2.0) + 3.0, "5.0"),
        ("c1 * c2", lambda x, y, z: (x * 0.0 + 2.0) * -3.0, "-6.0"),
        ("sin c", lambda x, y, z: sin(x * 0.0), "0.0"),
        ("cos c", lambda x, y, z: cos(x * 0.0), "1.0"),
        ("sqrt c", lambda x, y, z: sqrt(x * 0.0 + 4.0), "2.0"),
        ("sign c", lambda x, y, z: sign(x * 0.0 - 4.0), "-1.0"),
        ("-0 -> 0", lambda x, y, z: -(x * 0.0), "0.0"),
    ],
)
def test_rule_leaves_no_operation(rule, function, expected) -> None:
    assert body(function) == [f"return {expected}"], rule


@pytest.mark.parametrize(
    ("rule", "function", "expected"),
    [
        ("c1*(c2*x) -> (c1*c2)*x", lambda x, y, z: 2.0 * (3.0 * x), "6.0 * x[0]"),
        ("(x*c1)*c2, signs", lambda x, y, z: (x * -2.0) * -3.0, "6.0 * x[0]"),
        ("(x+c1)+c2 -> x+(c1+c2)", lambda x, y, z: (x + 1.0) + 2.0, "x[0] + 3.0"),
        ("(x-c1)+c2", lambda x, y, z: (x - 1.0) + 3.0, "x[0] + 2.0"),
        ("x / c -> (1/c)*x", lambda x, y, z: x / 4.0, "0.25 * x[0]"),
        ("x + (-y) -> x - y", lambda x, y, z: x + (-y), "x[0] - x[1]"),
        ("(-x)*(-y) -> x*y", lambda x, y, z: (-x) * (-y), "x[0] * x[1]"),
        ("cos(-x) -> cos(x)", lambda x, y, z: cos(-x), "cos(x[0])"),
        ("x + x is one addition", lambda x, y, z: x + x, "x[0] + x[0]"),
    ],
)
def test_rule_leaves_one_operation(rule, function, expected) -> None:
    lines = body(function)
    assert len(lines) == 2 and lines[0].split(" = ")[1] == expected, (rule, lines)


PAIR = [Slot("f", (2,))]


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y, z: [x + y, y + x],
        lambda x, y, z: [x * y, y * x],
        lambda x, y, z: [x - y, y - x],
        lambda x, y, z: [x * y, -x * y],
        lambda x, y, z: [x / y, (-x) / y],
        lambda x, y, z: [-x - y, x + y],
        lambda x, y, z: [3.0 * x, x * -3.0],
        lambda x, y, z: [1.0 - x, x - 1.0],
    ],
)
def test_equal_up_to_sign_is_computed_once(function) -> None:
    counted = count(program(function, PAIR))
    assert counted.mul + counted.add + counted.div == 1


def test_sines_share_their_sign() -> None:
    assert count(program(lambda x, y, z: [sin(x), sin(-x)], PAIR)) == Operations(trig=1)
    assert count(program(lambda x, y, z: [sign(x), sign(-x)], PAIR)) == Operations()


def test_dead_code_is_dropped() -> None:
    def function(x, y, z):
        unused = (x * y) * z
        return x + y + 0.0 * unused

    assert count(program(function)) == Operations(add=1)


def test_counts_every_operation_by_its_kind() -> None:
    counted = count(program(lambda x, y, z: sqrt(x * y) / z + sin(x) - cos(y)))
    assert counted == Operations(mul=1, add=2, div=1, sqrt=1, trig=2)
    assert counted.multiplications == 2 and counted.additions == 2
    assert str(counted) == "2M 2A 1 sqrt"


# Random expressions: a tree of operations on three inputs and constants that the rules look for.
LEAVES = st.sampled_from(["x", "y", "z", 0.0, 1.0, -1.0, 2.0, -0.5, 3.0])
TREES = st.recursive(
    LEAVES,
    lambda t: st.tuples(st.sampled_from("+-*"), t, t) | st.tuples(st.sampled_from("nsc"), t),
    max_leaves=25,
)


def build(tree, env):
    if isinstance(tree, str):
        return env[tree]
    if isinstance(tree, float):
        return tree
    args = [build(t, env) for t in tree[1:]]
    match tree[0]:
        case "+":
            return args[0] + args[1]
        case "-":
            return args[0] - args[1]
        case "*":
            return args[0] * args[1]
        case "n":
            return -args[0]
        case "s":
            return sin(args[0])
        case _:
            return cos(args[0])


@given(st.lists(TREES, min_size=1, max_size=4), st.tuples(*[st.floats(-2, 2)] * 3))
def test_simplified_program_has_the_same_value(trees, point) -> None:
    def function(x):
        env = dict(zip("xyz", x, strict=True))
        return [build(t, env) for t in trees]

    outputs = [Slot("f", (len(trees),))]
    raw = verify_law(record(function, XY, outputs))
    expected = function(point)
    assert evaluate(raw, point) == expected
    simple = verify_law(simplify(raw))
    scale = max(1.0, *map(abs, expected))
    # sums of up to 25 products of numbers up to 3 may cancel: the bound is absolute
    assert np.allclose(evaluate(simple, point), expected, rtol=0, atol=1e-9 * scale**2)
    assert len(simple.code) <= len(raw.code) + len(trees)  # never more but a sign per result
    assert simplify(simple) == simple  # nothing is left to do


def test_printed_program_runs() -> None:
    p = trace(
        lambda x: (x[0] / x[1], [sin(x[0]), sqrt(x[2]), sign(x[1]), -x[2], 2.5]),
        XY,
        [Slot("a", ()), Slot("b", (5,))],
        name="f",
    )
    scope: dict = {}
    exec(show(p), scope)
    point = [0.3, -2.0, 1.7]
    a, b = scope["f"](point)
    assert [a, *b] == evaluate(p, point)
    assert [a, *b] == [0.3 / -2.0, math.sin(0.3), math.sqrt(1.7), -1.0, -1.7, 2.5]


@pytest.mark.parametrize("lead", [(), (1,), (0,), (5,), (2, 3), (1025,), (2, 0, 3)])
def test_interpreter_takes_any_leading_shape(lead) -> None:
    p = trace(
        lambda x, y: ([[x[0] * y[0], 1.0], [x[1], y[0]]], x[0] + x[1]),
        [Slot("x", (2,)), Slot("y", (1,))],
        [Slot("m", (2, 2)), Slot("s", ())],
    )
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(*lead, 2)), rng.normal(size=(*lead, 1))
    m, s = interpret(p, x, y)
    assert m.shape == (*lead, 2, 2) and s.shape == lead
    assert np.array_equal(m[..., 0, 0], x[..., 0] * y[..., 0])
    assert np.array_equal(m[..., 0, 1], np.ones(lead))
    assert np.array_equal(s, x[..., 0] + x[..., 1])


@pytest.mark.parametrize(
    ("rule", "function", "x"),
    [
        ("c1*(c2*x), c1*c2 is zero", lambda x, y, z: 1e-200 * (1e-200 * x), 1e300),
        ("c1*(c2*x), c1*c2 has few digits", lambda x, y, z: 3e-160 * (3e-160 * x), 1e300),
        ("c1*(c2*x), c1*c2 overflows", lambda x, y, z: 1e200 * (1e200 * x), 1e-300),
        ("(x+c1)+c2, c1+c2 overflows", lambda x, y, z: (x + 1e308) + 1e308, -1.5e308),
        ("x/c, 1/c overflows", lambda x, y, z: x / -1e-310, 1e-300),
        ("x/c, 1/c has few digits", lambda x, y, z: x / 1.7e308, 1e300),
    ],
)
def test_constants_are_not_merged_beyond_the_range_of_floats(rule, function, x) -> None:
    simple = program(function)
    assert evaluate(simple, [x, 0.0, 0.0]) == [function(x, 0.0, 0.0)], rule
    assert simplify(simple) == simple, rule


def test_deep_programs_need_no_recursion() -> None:
    def function(x, y, z):
        for _ in range(5000):
            x = x * y + z
        return x

    deep = program(function)
    assert count(deep) == Operations(mul=5000, add=5000)
    scope: dict = {}
    exec(show(deep), scope)
    point = [0.3, 0.9, -0.2]
    assert scope["program"](point) == evaluate(deep, point)[0] == function(*point)


def test_algorithm_may_not_branch_on_an_unknown() -> None:
    with pytest.raises(TypeError, match="may not branch"):
        record(lambda x: x[0] if x[0] else x[1], XY, ONE)


def test_numpy_scalars_make_nodes() -> None:
    node = np.float64(2.0) * symbol("x")
    assert isinstance(node, Node) and node.op is Op.MUL


@pytest.mark.parametrize(
    ("code", "results", "text"),
    [
        ([Instruction(Op.INPUT), Instruction(Op.ADD, (0,))], (1,), "takes 2"),
        ([Instruction(Op.SIN, (0,))], (0,), "not there yet"),
        ([Instruction(Op.CONST, (), math.nan)], (0,), "not finite"),
        ([Instruction(Op.INPUT, (), 7.0)], (0,), "only 3 inputs"),
        ([Instruction(Op.INPUT), Instruction(Op.INPUT)], (0,), "read twice"),
        ([Instruction(Op.INPUT)], (0, 0), "2 results for 1 outputs"),
        ([Instruction(Op.INPUT)], (4,), "no instruction"),
    ],
)
def test_the_law_names_what_breaks_it(code, results, text) -> None:
    with pytest.raises(GraphError, match=text):
        verify_law(Program("p", tuple(XY), tuple(ONE), tuple(code), results))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: x[0] / (x[1] * 0.0), "divides by a constant zero"),
        (lambda x: x[0] * math.inf, "constant inf"),
        (lambda x: sqrt(x[0] * 0.0 - 4.0), "square root of the constant -4.0"),
        (lambda x: x[0] * symbol("other"), "not one of its inputs"),
        (lambda x: [x[0], x[1]], "has 2 scalars"),
    ],
)
def test_impossible_programs_are_refused(function, text) -> None:
    with pytest.raises(GraphError, match=text):
        trace(function, XY, ONE)


def test_node_of_a_deep_graph_is_shown_shortly() -> None:
    node = symbol("x")
    for _ in range(5000):
        node = node + 1.0
    assert repr(node) == "add(...)" and repr(symbol("x")) == "x"
