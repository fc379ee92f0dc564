"""Kernels of floats: their sines and cosines, and the same bits however a state comes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest

import armdyn
from armdyn.graph.program import Program
from armdyn.kernel.batch import Batch
from armdyn.kernel.element import BAD_INPUT, DOUBLE, FLOAT, STREAMING, ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.operations import Fused, fused
from armdyn.kernel.kernel import Kernel, compile_program, object_code, program_ir
from armdyn.kernel.streaming import StreamPoints
from armdyn.kernel.targets import x86
from armdyn.kernel.targets.target import Host, Target
from armdyn.robot.library import generic
from armdyn.scalar import Op
from support.kernels import TARGETS, as_tuple, program_of, sincos_kernel, target_name

RNG = np.random.default_rng(16)
# Sixteen lanes on every machine: LLVM splits vectors that are longer than a register.
SIXTEEN = replace(
    TARGETS[0], vector_bytes=64, value_registers=26, tile_assembly=False, stream_assembly=False
)


def _states(program: Program, count: int) -> list[np.ndarray]:
    return [RNG.uniform(-3, 3, (count, s.size)).astype(np.float32) for s in program.inputs]


@cache
def _kernel(quantity: str, machine: Target) -> Kernel:
    return compile_program(program_of(generic(6), quantity), target=machine, element=FLOAT)


def _ulps(got: np.ndarray, x: np.ndarray, exact: np.ufunc) -> float:
    expected = exact(x.astype(np.float64))
    return float((np.abs(got - expected) / np.spacing(np.abs(expected).astype(np.float32))).max())


def _angles() -> np.ndarray:
    """Angles of every size, and next to multiples of pi/2, where a sine or cosine vanishes."""
    near = np.arange(-63661, 63662) * (np.pi / 2)
    near = near.astype(np.float32)
    sizes = 10.0 ** RNG.uniform(-30, 5, 20_000) * RNG.choice([-1, 1], 20_000)
    return np.concatenate(
        [near, np.nextafter(near, np.float32(np.inf)), sizes.astype(np.float32),
         RNG.uniform(-4, 4, 60_000).astype(np.float32),
         RNG.uniform(-1e5, 1e5, 60_000).astype(np.float32),
         np.float32([0.0, -0.0, 1e5, -1e5, 1e-45])]
    )  # fmt: skip


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_sine_and_cosine_of_floats_are_within_one_ulp(machine: Target) -> None:
    x = _angles()
    s, c = as_tuple(sincos_kernel(machine, FLOAT)(x))
    assert s.dtype == c.dtype == np.float32
    assert _ulps(s, x, np.sin) < 0.87
    assert _ulps(c, x, np.cos) < 0.87


def test_the_doubles_that_floats_are_compared_with_are_exact_enough() -> None:
    """Next to a multiple of pi/2 too, compared with sines of 200 bits."""
    close = np.float32([k * np.pi / 2 for k in (1, 2, 3, 710, 31416, 63660, 63661)])
    with mpmath.workprec(200):
        for x in close:
            for exact, double in ((mpmath.sin, np.sin), (mpmath.cos, np.cos)):
                true = exact(mpmath.mpf(float(x)))
                assert abs(mpmath.mpf(float(double(float(x)))) - true) <= 1e-15 * abs(true)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_large_angles_of_floats_are_correct_and_leave_their_neighbours_alone(
    machine: Target,
) -> None:
    kernel = sincos_kernel(machine, FLOAT)
    far = np.float32([1.00001e5, -2e6, 3.5e9, 1e22, -3.4e38, np.nextafter(np.float32(1e5), 1e6)])
    s, c = as_tuple(kernel(far))
    assert _ulps(s, far, np.sin) <= 0.5001 and _ulps(c, far, np.cos) <= 0.5001
    x = RNG.uniform(-9, 9, 5 * kernel.width + 3).astype(np.float32)
    alone = as_tuple(kernel(x))
    places = RNG.permutation(len(x))[:6]
    mixed = x.copy()
    mixed[places] = far
    for got, near, large in zip(as_tuple(kernel(mixed)), alone, (s, c), strict=True):
        expected = near.copy()
        expected[places] = large
        assert np.array_equal(got, expected)
    with np.errstate(invalid="ignore"):
        assert np.isnan(kernel(np.float32([np.inf, -np.inf, np.nan]))).all()


@pytest.mark.parametrize("machine", [*TARGETS, SIXTEEN], ids=lambda m: f"{target_name(m)}-float")
@pytest.mark.parametrize("quantity", ["mass_matrix", "forward_dynamics"])
def test_bits_of_floats_do_not_depend_on_how_a_state_comes(quantity: str, machine: Target) -> None:
    kernel = _kernel(quantity, machine)
    n = 2 * kernel.width + 5
    states = _states(kernel.program, n)
    alone = [kernel(*(x[i] for x in states)) for i in range(n)]
    whole = kernel(*states)
    assert whole.dtype == np.float32 and np.array_equal(whole, alone)
    for count in (1, kernel.width - 1, kernel.width, kernel.width + 1, 2 * kernel.width - 1):
        for start in (0, 1, 3):
            part = slice(start, start + count)
            assert np.array_equal(kernel(*(x[part] for x in states)), whole[part])
    spread = [np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3] for x in states]
    assert np.array_equal(kernel(*spread), whole)
    assert np.array_equal(kernel(*(x[::-1] for x in states)), whole[::-1])
    odd = [np.empty(x.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(x.shape) for x in states]
    for place, x in zip(odd, states, strict=True):
        place[...] = x
        assert not place.flags.aligned
    assert np.array_equal(kernel(*odd), whole)
    shared = [states[0], *(x[0] for x in states[1:])]
    expected = kernel(*(np.broadcast_to(x, s.shape) for x, s in zip(shared, states, strict=True)))
    assert np.array_equal(kernel(*shared), expected)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_streamed_floats_have_the_same_bits_wherever_they_go(
    machine: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = _kernel("mass_matrix", machine)
    for count in (1, 15, 16, 33, 700):
        (q,) = _states(kernel.program, count)
        expected = kernel(q)
        for most in (2**62, 0):
            monkeypatch.setattr(kernel.checked_loop, "most_unstreamed", most)
            for offset in range(0, 64, 12):
                space = np.full(expected.size + 64, 7.0, np.float32)
                begin = 16 + (offset - space.ctypes.data) % 64 // 4
                out = space[begin : begin + expected.size].reshape(expected.shape)
                batch = Batch(kernel, [q], [out], (count,), 2)
                batch.compute()
                assert batch.inputs_within and batch.results_finite
                assert np.array_equal(out, expected)
                assert (space[:begin] == 7.0).all()
                assert (space[begin + expected.size :] == 7.0).all()


def _send_without_assembly(points: StreamPoints) -> None:
    """Emit what the assembly of AVX-512 does, in instructions that every machine has."""
    w, together = points._w, points._together
    some, points._lines = points._lines[:together], points._lines[together:]
    for j, at in some:
        send, on = w.new_label("send"), w.new_label("on")
        w.branch(w.new(f"icmp ne ptr %from{j}, null"), send, on)
        w.begin(send)
        w.store(w.load(w.field(f"%from{j}", at), 0), w.field(f"%to{j}", at), 0)
        w.jump(on)
        w.begin(on)


@pytest.mark.parametrize("element", [DOUBLE, FLOAT], ids=lambda e: e.name)
def test_kernels_as_wide_as_a_line_stream_floats_between_their_steps(
    element: ElementType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As AVX-512 does, on every machine."""
    monkeypatch.setattr(StreamPoints, "_send", _send_without_assembly)
    machine = replace(SIXTEEN, stream_assembly=True)
    program = program_of(generic(6), "udu")
    kernel = compile_program(program, target=machine, element=element)
    size, width = element.bytes, kernel.width
    assert size * width == 64 and f"define void @{STREAMING}(" in kernel.ir
    monkeypatch.setattr(kernel.checked_loop, "most_unstreamed", 0)
    for count in (1, width, width + 1, 3 * width - 1, 5 * width, 41 * width + 7):
        q = RNG.uniform(-3, 3, (count, 6)).astype(element.code)
        expected = as_tuple(kernel(q))
        for offset in (0, size, 64 - size, 32 + size):
            outs, spaces = [], []
            for x in expected:
                space = np.full(x.size + 128 // size, 7.0, element.code)
                begin = 64 // size + (offset - space.ctypes.data) % 64 // size
                begin -= 64 // size * (begin >= 2 * 64 // size)
                outs.append(space[begin : begin + x.size].reshape(x.shape))
                spaces += [space[:begin], space[begin + x.size :]]
            compute = kernel.checked_loop.of([q, *outs])
            half = count // (2 * width) * width
            assert compute(half, count) == compute(0, half) == 0
            assert all(np.array_equal(x, y) for x, y in zip(outs, expected, strict=True))
            assert all((rest == 7.0).all() for rest in spaces)
        q[count // 2, 3] = np.nan
        assert compute(0, count) == BAD_INPUT
        assert all((rest == 7.0).all() for rest in spaces)


@pytest.mark.parametrize("quantity", ["mass_matrix", "forward_dynamics"])
def test_every_vector_width_has_the_same_bits(quantity: str) -> None:
    machines = [machine for machine in (*TARGETS, SIXTEEN) if machine.fma]
    states = _states(_kernel(quantity, machines[0]).program, 37)
    results = [_kernel(quantity, machine)(*states) for machine in machines]
    assert len(results) >= 2
    assert all(np.array_equal(x, results[0]) for x in results[1:])


def _nearest(exact: Fraction) -> float:
    """Return the nearest float; of two, the one whose last bit is 0."""
    guess = np.float32(float(exact))
    found = [guess, np.nextafter(guess, np.float32(np.inf)), np.nextafter(guess, -np.float32(9e37))]
    last_bit = [int(x.view(np.int32)) & 1 for x in found]
    off = [abs(Fraction(float(x)) - exact) for x in found]
    return float(found[min(range(3), key=lambda k: (off[k], last_bit[k]))])


@pytest.mark.parametrize("quantity", ["mass_matrix", "inverse_dynamics"])
def test_a_float_kernel_is_its_graph_each_step_rounded_once(quantity: str) -> None:
    machine = TARGETS[0]
    program = program_of(generic(3), quantity)
    kernel = compile_program(program, target=machine, element=FLOAT)
    sincos = sincos_kernel(machine, FLOAT)
    states = _states(program, 5)
    rows = np.asarray(kernel(*states)).reshape(5, -1)
    for i in range(5):
        row = [float(v) for x in states for v in x[i]]
        values: list[float] = []
        for step in fused(program, machine.fma):
            args = [Fraction(values[k]) for k in step.args] if step else []
            if step is None:
                values.append(0.0)  # inside a fused step
            elif isinstance(step, Fused):
                product = args[0] * args[1] * (-1 if step.minus_product else 1)
                values.append(_nearest(product + args[2] * (-1 if step.minus_addend else 1)))
            elif step.op is Op.INPUT:
                values.append(row[int(step.value)])
            elif step.op is Op.CONST:
                values.append(float(np.float32(step.value)))
            elif step.op in (Op.SIN, Op.COS):
                pair = as_tuple(sincos(np.float32(values[step.args[0]])))
                values.append(float(pair[step.op is Op.COS]))
            else:
                how = {
                    Op.ADD: lambda a, b: a + b,
                    Op.SUB: lambda a, b: a - b,
                    Op.MUL: lambda a, b: a * b,
                    Op.NEG: lambda a: -a,
                }[step.op]
                values.append(_nearest(how(*args)))
        assert np.array_equal(rows[i], [values[k] for k in program.results])


def test_avx512_code_of_floats_compiles_and_streams_whole_lines() -> None:
    """On every machine, also on one that cannot run it."""
    able = Host("x86_64", "any", dict.fromkeys(x86.AVX512.needs, True))
    codegen = Codegen(x86.levels(able)["x86-64-v4"], FLOAT)
    program = program_of(generic(6), "mass_matrix")
    text = program_ir(program, codegen)
    assert codegen.width == 16 and "<16 x float>" in text
    assert f"define void @{STREAMING}(" in text and text.count("vmovntpd") == 36
    if TARGETS[0].family == "x86":
        assert len(object_code(program, codegen)) > 1000


def test_long_arms_have_kernels_of_floats() -> None:
    """Sweeps along the joints: the same bits alone and in a batch, close to double."""
    robot = generic(30)
    single, double = armdyn.Arm(robot, dtype=np.float32), armdyn.Arm(robot)
    q, qd, qdd = RNG.uniform(-1, 1, (3, 21, 30)).astype(np.float32)
    f = single.function("inverse_dynamics", "rolled")
    tau = f(q, qd, qdd)
    assert np.array_equal(tau, [f(q[i], qd[i], qdd[i]) for i in range(len(q))])
    exact = double.function("inverse_dynamics", "rolled")(q, qd, qdd)
    assert np.abs(tau - exact).max() < 2e-5 * np.abs(exact).max()
