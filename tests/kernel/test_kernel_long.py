"""Kernels of long programs and wide results: other code, the same bits."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn.graph.interpret import interpret
from armdyn.graph.program import Instruction, Program, Slot, verify
from armdyn.kernel.element import DOUBLE
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.operations import fused
from armdyn.kernel.ir.writer import Writer
from armdyn.kernel.kernel import compile_program
from armdyn.kernel.straight import emit as _emit
from armdyn.kernel.straight.order import Round, early, min_live, read_times, rounds
from armdyn.kernel.straight.spill import SpillAllocator
from armdyn.kernel.straight.store import WIDE_OUTPUT_COLUMNS, Stores
from armdyn.kernel.targets.target import Target
from armdyn.robot.library import generic
from armdyn.scalar import Op
from support.kernels import (
    TARGETS,
    as_tuple,
    odd_kernel,
    program_of,
    states_of,
    target_name,
    width_of,
)
from support.robots import relative_error

LONG_QUANTITIES = ("coriolis_matrix", "regressor", "inverse_dynamics_derivatives")


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("quantity", LONG_QUANTITIES)
def test_long_programs_equal_the_graph_alone_and_in_a_batch(quantity: str, machine: Target) -> None:
    given = program_of(generic(7), quantity)
    kernel = compile_program(given, target=machine)
    assert kernel.ir.count(f"define internal void @{_emit.BLOCK}") == 1
    states = states_of(given, 2 * width_of(machine) + 1)
    got = as_tuple(kernel(*states))
    for a, b in zip(got, interpret(given, *states), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())
    for i in (0, width_of(machine), 2 * width_of(machine)):
        for one, all_ in zip(as_tuple(kernel(*(x[i] for x in states))), got, strict=True):
            assert np.array_equal(one, all_[i])


def test_the_longest_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given = program_of(generic(4), "mass_matrix")
    (q,) = states_of(given, 21)
    twice = compile_program(given)
    text_of_two = twice.ir
    monkeypatch.setattr(_emit, "LONGEST_TWICE", 10)
    once = compile_program(given)
    for text, calls in ((text_of_two, False), (once.ir, True)):
        body = text.split(f"@{_emit.ONE}(")[1].split("\n}")[0]
        assert (f"call void @{_emit.BLOCK}(" in body) == calls
        assert ("fmul" in body) == (not calls)
    assert np.array_equal(once(q), twice(q))
    for state in q:
        assert np.array_equal(once(state), twice(state))


@pytest.mark.parametrize("room", (0, 1, 3, 9, 40))
@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_bits_do_not_depend_on_the_room_in_registers(
    room: int, machine: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [program_of(generic(3), "forward_dynamics"), odd_kernel(machine).program]
    expected = [compile_program(given, target=machine) for given in cases]
    monkeypatch.setattr(_emit, "SPILL_THRESHOLD", 5)
    monkeypatch.setattr(_emit, "STEPS_BETWEEN_CUTS", 7)
    machine = replace(machine, value_registers=room)
    for given, plain in zip(cases, expected, strict=True):
        kernel = compile_program(given, target=machine)
        assert ("%waiting" in kernel.ir) == (room < 40)
        assert "\ncut.1:" in kernel.ir
        states = states_of(given, 2 * width_of(machine) + 1)
        for a, b in zip(as_tuple(kernel(*states)), as_tuple(plain(*states)), strict=True):
            assert np.array_equal(a, b)
        one = [x[1] for x in states]
        for a, b in zip(as_tuple(kernel(*one)), as_tuple(plain(*one)), strict=True):
            assert np.array_equal(a, b)


def test_values_read_last_go_to_memory_once_and_leave_their_place() -> None:
    w = Writer(1, Codegen(TARGETS[0], DOUBLE))
    values = SpillAllocator(w, {0: [5, 9], 1: [3], 2: [4, 8], 3: [6]}, 2)
    for k in range(3):
        values.define(k, f"%v{k}")
    assert w.lines == ["  store double %v0, ptr %waiting, align 8"]
    assert values.read([1]) == ["%v1"]
    assert values.read([2, 2]) == ["%v2", "%v2"]
    (loaded,) = values.read([0])
    assert w.lines[1:] == [f"  {loaded} = load double, ptr %waiting, align 8"]
    values.define(3, "%v3")  # the first is read last and is in memory already
    assert len(w.lines) == 2
    assert values.read([3, 2])[0] == "%v3"
    values.read([0])
    assert values.memory() == ["%waiting = alloca [1 x double], align 64"]


@pytest.mark.parametrize("order_by", ["program", "stores", "waiting"])
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "mass_matrix", "regressor"])
def test_read_times_follow_what_the_kernel_does(quantity: str, order_by: str) -> None:
    """Every value is made before it is read, and read as often as steps, angles and stores say."""
    given = program_of(generic(3), quantity)
    steps = fused(given, fma=True)
    stores = Stores(given, 4).all
    arrange = {"program": None, "stores": early(stores), "waiting": min_live}[order_by]
    order = rounds(steps, arrange)
    made = [k for batch in order for k in batch.steps]
    assert sorted(made) == [k for k, step in enumerate(steps) if step is not None]
    reads = read_times(steps, order, stores)
    when = {k: at for at, k in enumerate(made)}
    assert all(times == sorted(times) and times[0] >= when[k] for k, times in reads.items())
    by_steps = sum(len(set(steps[k].args)) for k in made if not _is_trig(steps[k]))
    by_angles = sum(len(batch.angles) for batch in order)
    by_stores = sum(len(set(store.results)) for store in stores)
    assert sum(map(len, reads.values())) == by_steps + by_angles + by_stores


def test_tiles_are_stored_before_all_results_are_there() -> None:
    """Every tile of a symmetric matrix has an entry that the recursion would reach last."""
    given = program_of(generic(6), "mass_matrix")
    steps = fused(given, fma=True)
    stores = Stores(given, 8).all

    def stored(order: list[Round]) -> list[float]:
        made = [k for batch in order for k in batch.steps]
        when = {k: at / len(made) for at, k in enumerate(made)}
        return sorted(max(when[k] for k in store.results) for store in stores)

    usual, soon = stored(rounds(steps)), stored(rounds(steps, early(stores)))
    assert usual[0] > soon[0] and sum(usual) > sum(soon)


@pytest.mark.parametrize("seed", range(20))
def test_every_order_has_what_a_step_needs_before_it(seed: int) -> None:
    """Constants too, wherever the program has them and however soon a step could be done."""
    given = _odd_program(seed)
    steps = fused(given, fma=seed % 2 == 0)
    for arrange in (None, early(Stores(given, 8).all), min_live):
        order = rounds(steps, arrange)
        known: set[int] = set()
        for made, angles in order:
            for k in made:
                step = steps[k]
                assert step is not None and k not in known
                assert _is_trig(step) or known.issuperset(step.args)
                known.add(k)
            assert known.issuperset(angles)
        assert known == {k for k, step in enumerate(steps) if step is not None}


def _odd_program(seed: int) -> Program:
    """Sines, constants in between, and values that are read once, often or never."""
    pick = random.Random(seed)
    code = [Instruction(Op.INPUT, (), float(k)) for k in range(3)]
    code += [Instruction(Op.SIN, (k,)) for k in range(3)]
    for _ in range(60):
        if pick.random() < 0.3:
            code.append(Instruction(Op.CONST, (), pick.uniform(1, 2)))
        else:
            recent = range(max(0, len(code) - pick.choice([3, 60])), len(code))
            op = pick.choice([Op.ADD, Op.SUB, Op.MUL, Op.MUL])
            code.append(Instruction(op, (pick.choice(recent), pick.choice(recent))))
    results = tuple(pick.choices(range(len(code)), k=12))
    return Program(f"odd{seed}", (Slot("x", (3,)),), (Slot("y", (12,)),), tuple(code), results)


@pytest.mark.parametrize(
    "quantity", ["inverse_dynamics_derivatives", "forward_dynamics_derivatives"]
)
def test_fewer_values_go_to_memory_in_the_order_for_it(quantity: str) -> None:
    given = program_of(generic(6), quantity)
    steps = fused(given, fma=True)
    stores = Stores(given, 8).all

    def sent(order: list[Round]) -> int:
        w = Writer(8, Codegen(TARGETS[0], DOUBLE))
        values = SpillAllocator(w, read_times(steps, order, stores), 26)
        missing = [(set(store.results), store.results) for store in stores]
        for made, angles in order:
            for k in made:
                step = steps[k]
                assert step is not None
                if isinstance(step, Instruction) and step.op is Op.CONST:
                    values.constant(k, "c")
                else:
                    values.read([] if _is_trig(step) else step.args)
                    values.define(k, f"%v{k}")
                for left, results in missing:
                    if left == {k}:
                        values.read(results)
                    left.discard(k)
            values.read(angles)
        return sum("store" in line for line in w.lines)

    usual, better = sent(rounds(steps)), sent(rounds(steps, min_live))
    assert 300 < better < usual


def _is_trig(step: object) -> bool:
    return isinstance(step, Instruction) and step.op in (Op.SIN, Op.COS)


def _wide_program(seed: int) -> Program:
    """Wide results: runs of constants, long and short, between columns that are computed."""
    pick = random.Random(seed)
    code = [Instruction(Op.INPUT, (), 0.0), Instruction(Op.INPUT, (), 1.0)]
    constants = [Instruction(Op.CONST, (), value) for value in (0.0, -2.5)]
    code += constants
    computed = [0, 1]
    for _ in range(30):
        code.append(Instruction(Op.ADD, (pick.choice(computed), pick.choice(computed))))
        computed.append(len(code) - 1)
    outputs = (Slot("wide", (WIDE_OUTPUT_COLUMNS + pick.randrange(60),)), Slot("narrow", (11,)))
    results: list[int] = []
    n = sum(slot.size for slot in outputs)
    while len(results) < n:
        length = pick.choice([1, 1, 2, 7, 8, 9, 20])
        same = pick.random() < 0.5
        value = pick.choice([2, 3])
        results += [value if same else pick.choice(computed) for _ in range(length)]
    inputs = (Slot("x", (2,)),)
    return verify(Program(f"wide{seed}", inputs, outputs, tuple(code), tuple(results[:n])))


@pytest.mark.parametrize("seed", range(12))
def test_wide_results_are_all_there_and_nothing_else_is_touched(seed: int) -> None:
    given = _wide_program(seed)
    kernel = compile_program(given, target=TARGETS[seed % len(TARGETS)])
    count = 2 * kernel.width + 1
    (x,) = states_of(given, count, seed)
    wide, narrow = (np.full((count + 2, *slot.shape), -1.0) for slot in given.outputs)
    kernel(x, out=(wide[1:-1], narrow[1:-1]))
    for got, expected in zip((wide, narrow), interpret(given, x), strict=True):
        assert np.array_equal(got[1:-1], np.broadcast_to(expected, got[1:-1].shape))
        assert (got[0] == -1.0).all() and (got[-1] == -1.0).all()
    for a, b in zip(as_tuple(kernel(x[0])), (wide[1], narrow[1]), strict=True):
        assert np.array_equal(a, b)


def test_an_arm_of_500_joints_is_compiled_and_agrees_with_itself() -> None:
    arm = armdyn.Arm(generic(500, seed=1))
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, width_of(TARGETS[0]) + 1, 500))
    tau = arm.inverse_dynamics(q, qd, qdd)
    M = arm.mass_matrix(q)
    expected = (M @ qdd[..., None])[..., 0] + arm.bias(q, qd)
    assert relative_error(tau, expected) < 1e-12
    assert relative_error(arm.forward_dynamics(q, qd, tau), qdd) < 1e-6  # M is badly conditioned
    for k in (0, len(q) - 1):
        assert np.array_equal(arm.mass_matrix(q[k]), M[k])
        assert np.array_equal(arm.inverse_dynamics(q[k], qd[k], qdd[k]), tau[k])
