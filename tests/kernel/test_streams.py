"""Results that are too many for the caches: sent to memory while others are computed."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.kernel import batch as _batch
from armdyn.kernel import streaming as _streams
from armdyn.kernel.batch_ir import STREAMING_THRESHOLD_BYTES
from armdyn.kernel.element import BAD_INPUT, BAD_RESULT, DOUBLE, STREAMING
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.kernel import Kernel, compile_program
from armdyn.kernel.strided_loop import MOST_SCRATCH
from armdyn.kernel.targets.target import Target
from support.kernels import TARGETS, as_tuple, target_name, width_of
from support.says import facts

RNG = np.random.default_rng(8)
PUMA = armdyn.load("puma560")
COUNTS = (1, 7, 8, 9, 15, 16, 17, 24, 41, 1000)
GUARD = 24
# A target with vectors as long as a cache line, whatever this machine is.
WIDE = Codegen(Target("x86", "any", "", 64, 26, True, stream_assembly=True), DOUBLE)


@pytest.fixture(autouse=True)
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_batch, "PART", 2**18)


@cache
def _kernel(quantity: str, machine: Target) -> Kernel:
    return compile_program(_program(quantity), target=machine)


def _program(quantity: str) -> Program:
    if quantity in ("ratio", "few ratios"):  # inputs do not vouch for a quotient
        many = 16 if quantity == "ratio" else 1
        return trace(
            lambda x, y: [[x[0] / y[0], x[1]], [x[0]] * many],
            [Slot("x", (2,)), Slot("y", (1,))],
            [Slot("r", (2,)), Slot("s", (many,))],
        )
    program = PUMA.function(quantity, friction=False).program
    assert isinstance(program, Program)
    return program


class _Outs:
    """Arrays whose rows begin some bytes behind a line of the caches, with guards around them."""

    def __init__(self, like: tuple[np.ndarray, ...], offsets: tuple[int, ...]) -> None:
        self._spaces = [np.full(x.size + GUARD, 7.0) for x in like]
        self.arrays: list[np.ndarray] = []
        self._rests: list[np.ndarray] = []
        for space, x, offset in zip(self._spaces, like, offsets, strict=True):
            begin = 8 + (offset - space.ctypes.data) % 64 // 8
            self.arrays.append(space[begin : begin + x.size].reshape(x.shape))
            self._rests += [space[:begin], space[begin + x.size :]]

    def nothing_else_was_touched(self) -> bool:
        return all((rest == 7.0).all() for rest in self._rests)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize(
    ("quantity", "offset"),
    [
        *product(["mass_matrix", "forward_dynamics", "udu"], range(0, 64, 8)),
        *product(["ratio", "few ratios"], range(0, 64, 8)),
        *product(["regressor"], [0, 24, 56]),  # rows of whole lines
    ],
)
def test_streamed_results_have_the_same_bits_wherever_they_go(
    quantity: str, offset: int, machine: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results whose rows begin anywhere within a line of the caches, and end anywhere."""
    kernel = _kernel(quantity, machine)
    monkeypatch.setattr(kernel.checked_loop, "most_unstreamed", 0)
    for count in COUNTS:
        inputs = [RNG.uniform(1, 2, (count, slot.size)) for slot in kernel.program.inputs]
        expected = as_tuple(kernel(*inputs))
        outs = _Outs(expected, tuple((offset + 24 * j) % 64 for j in range(len(expected))))
        assert outs.arrays[0].ctypes.data % 64 == offset
        compute = kernel.checked_loop.of([*inputs, *outs.arrays])
        half = count // 16 * 8
        assert compute(half, count) == compute(0, half) == 0  # as two threads may
        for out, x in zip(outs.arrays, expected, strict=True):
            assert np.array_equal(out, x)
        assert outs.nothing_else_was_touched()
        inputs[0][count // 2, 0] = np.nan
        assert compute(0, count) == BAD_INPUT
        assert outs.nothing_else_was_touched()


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize(
    ("quantity", "numbers"), [("mass_matrix", 36), ("ratio", 18), ("few ratios", 0), ("bias", 0)]
)
def test_kernels_as_wide_as_a_line_send_many_results_themselves(
    quantity: str, numbers: int, machine: Target
) -> None:
    kernel = _kernel(quantity, machine)
    sends = width_of(machine) == 8 and numbers > 0
    assert _streams.streams(kernel.program, Codegen(machine, DOUBLE)) == sends
    assert (f"define void @{STREAMING}(" in kernel.ir) == sends
    # every line of a block is sent from one place
    assert kernel.ir.count("vmovntpd") == (numbers if sends else 0)


def test_sweeps_do_not_send_results() -> None:
    rolled = armdyn.Arm(armdyn.generic(40)).function("mass_matrix").program
    assert not _streams.streams(rolled, WIDE)


def test_results_too_many_for_scratch_rows_are_not_streamed() -> None:
    size = MOST_SCRATCH // (2 * WIDE.target.line_bytes)

    def streams(n: int) -> bool:
        slot = Slot("x", (n,))
        return _streams.streams(trace(lambda x: x, [slot], [slot]), WIDE)

    assert streams(size - 1) and not streams(size)


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
@pytest.mark.parametrize("quantity", ["ratio", "few ratios"])
def test_every_streamed_result_is_looked_at(
    quantity: str, machine: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = _kernel(quantity, machine)
    monkeypatch.setattr(kernel.checked_loop, "most_unstreamed", 0)
    count = 45
    x, y = RNG.uniform(1, 2, (count, 2)), RNG.uniform(1, 2, (count, 1))
    r, s = (np.zeros((count, *slot.shape)) for slot in kernel.program.outputs)
    compute = kernel.checked_loop.of([x, y, r, s])
    for k in range(count):
        kept = y[k, 0]
        y[k] = 0.0
        assert compute(0, count) == BAD_RESULT
        assert np.isinf(r[k, 0]) and np.isfinite(np.delete(r, k, axis=0)).all()
        assert compute(0, k) == compute(k + 1, count) == 0
        y[k] = np.nan
        assert compute(0, count) == BAD_INPUT
        y[k] = kept
        assert compute(0, count) == 0 and np.array_equal(r[:, 0], x[:, 0] / y[:, 0])


@pytest.mark.parametrize("quantity", ["bias", "coriolis_matrix"])
def test_streamed_results_of_large_inputs_are_looked_at(
    quantity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs usually vouch for these results; results have to be seen where they do not."""
    kernel = PUMA.function(quantity).kernel
    assert kernel is not None and kernel.checked_loop.safe_magnitude > 0
    monkeypatch.setattr(kernel.checked_loop, "most_unstreamed", 0)
    count = 45
    q, qd = RNG.uniform(-1, 1, (2, count, 6))
    (expected,) = as_tuple(kernel(q, qd))
    for k in range(count):
        fast = qd.copy()
        fast[k] = 1e18
        out = np.zeros_like(expected)
        assert kernel.checked_loop.of([q, fast, out])(0, count) == 0
        assert np.array_equal(np.delete(out, k, axis=0), np.delete(expected, k, axis=0))
        assert np.array_equal(out[k], kernel(q[k], fast[k]))
        fast[k] = np.finfo(float).max
        assert kernel.checked_loop.of([q, fast, out])(0, count) == BAD_RESULT


def test_many_results_are_streamed_and_few_are_not() -> None:
    assert (
        _kernel("few ratios", TARGETS[0]).checked_loop.most_unstreamed
        == STREAMING_THRESHOLD_BYTES // 24
    )
    f = PUMA.function("mass_matrix")
    q = RNG.uniform(-1, 1, (STREAMING_THRESHOLD_BYTES // 288 + 1001, 6))
    expected = np.concatenate([f(part) for part in np.array_split(q, 5)])
    for threads in (1, 2):
        assert np.array_equal(f(q, threads=threads), expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_streamed_batches_are_looked_at_to_the_last_state(threads: int) -> None:
    f = PUMA.function("inverse_dynamics_derivatives")
    assert f.kernel is not None
    count = f.kernel.checked_loop.most_unstreamed + 9
    q, qd, qdd = RNG.uniform(-1, 1, (3, count, 6))
    expected = as_tuple(f.kernel(q, qd, qdd))
    for k in (count - 1, count // 2):
        kept = qd[k].copy()
        qd[k] = 1e200
        outs = tuple(np.zeros_like(x) for x in expected)
        with pytest.raises(armdyn.NumericalError, match=rf"index \({k},\)"):
            f(q, qd, qdd, out=outs, threads=threads)
        for out, wanted in zip(outs, expected, strict=True):
            assert np.array_equal(np.delete(out, k, axis=0), np.delete(wanted, k, axis=0))
        qd[k] = kept
    qdd[-1, 5] = np.nan
    with pytest.raises(armdyn.InputError, match=facts("`qdd`", "nan", f"({count - 1}, 5)")):
        f(q, qd, qdd, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_streamed_results_of_shared_states_have_the_same_bits(threads: int) -> None:
    f = PUMA.function("inverse_dynamics_derivatives")
    assert f.kernel is not None
    count = f.kernel.checked_loop.most_unstreamed + 9
    q, qd, qdd = RNG.uniform(-1, 1, (3, count, 6))
    expected = as_tuple(f.kernel(q, np.tile(qd[3], (count, 1)), qdd))
    room = [np.zeros(8 * x.size + 4, dtype=np.uint8) for x in expected]
    odd = tuple(
        r[4:].view(np.float64).reshape(x.shape) for r, x in zip(room, expected, strict=True)
    )
    assert not odd[0].flags.aligned
    for out in (None, odd):
        given = f(q, qd[3], qdd, out=out, threads=threads)
        assert all(np.array_equal(a, b) for a, b in zip(as_tuple(given), expected, strict=True))
