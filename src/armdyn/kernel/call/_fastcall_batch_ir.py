"""The part of a fastcall that evaluates a batch of plain states; see `_fastcall_ir`.

It computes batches that are small enough for one thread, with the loop that checks numbers as it
goes (see `CheckedBatchLoop`). It releases the GIL meanwhile.
"""

from __future__ import annotations

from armdyn.kernel.call._fastcall_writer import FastcallWriter, Span
from armdyn.kernel.call._layout import (
    AXES,
    DATA,
    DENSE_AND_ALIGNED,
    MOST_AXES,
    N_AXES,
    UNUSUAL,
    WRITEABLE,
    FastcallSlots,
)


def batch(f: FastcallWriter, out: str, n_inputs: int, n_outputs: int) -> None:
    """Emit the code for arrays of two axes; `out` is null if it is not given."""
    _Batch(f, n_inputs, n_outputs).write(out)


class _Batch:
    def __init__(self, f: FastcallWriter, n_inputs: int, n_outputs: int) -> None:
        self._f = f
        self._n_inputs, self._n_outputs = n_inputs, n_outputs
        self._outputs = len(FastcallSlots) + n_inputs
        self._sizes = self._outputs + (2 + MOST_AXES) * n_outputs
        self._states = ""

    def write(self, out: str) -> None:
        f = self._f
        given = [self._input(k) for k in range(self._n_inputs)]
        results = f.results(
            out, self._n_outputs, self._make, lambda k, array: self._check(k, array, given)
        )
        numbers = [f.load_field("ptr", result, DATA) for result in results]
        operands = self._n_inputs + self._n_outputs
        bases = f.new(f"alloca ptr, i64 {operands}")
        for k, begin in enumerate([span.begin for span in given] + numbers):
            f.store_field("ptr", begin, bases, 8 * k)
        sizes = f.field(f.words, 8 * self._sizes)
        steps = f.field(f.words, 8 * (self._sizes + operands))
        thread = f.new(f"call ptr {f.word('ptr', FastcallSlots.SAVE_THREAD)}()")
        bad = f.new(
            f"call i32 {f.word('ptr', FastcallSlots.BATCH)}"
            f"(ptr {f.word('ptr', FastcallSlots.LOOP)}, ptr {bases}, "
            f"ptr {sizes}, ptr {steps}, i64 {self._n_inputs}, i64 {operands}, i64 0, "
            f"i64 {self._states}, i64 {f.word('i64', FastcallSlots.NEAR)}, "
            f"i64 {f.word('i64', FastcallSlots.ORDINARY)}, i64 0, "
            f"i64 {f.word('i64', FastcallSlots.LARGEST)})"
        )
        f.do(f"call void {f.word('ptr', FastcallSlots.RESTORE_THREAD)}(ptr {thread})")
        f.require("eq i32", bad, 0, "batch_not_finite")
        f.give(results)
        f.begin("batch_not_finite")
        f.let_go(results)
        f.jump("slow")

    def _input(self, k: int) -> Span:
        """Return the memory of an input's numbers."""
        f = self._f
        array = f.load_field("ptr", "%args", 8 * k)
        f.plain_array(array, DENSE_AND_ALIGNED)
        f.require("eq i32", f.load_field("i32", array, N_AXES), 2)
        axes = f.load_field("ptr", array, AXES)
        n = f.word("i64", len(FastcallSlots) + k)
        f.require("eq i64", f.load_field("i64", axes, 8), n)
        states = f.load_field("i64", axes, 0)
        if k:
            f.require("eq i64", states, self._states)
        else:
            f.require("sgt i64", states, 0)
            f.require("sle i64", states, f.word("i64", FastcallSlots.MOST_STATES))
            self._states = states
        return f.span(array, f.new(f"mul i64 {n}, {states}"))

    def _word(self, kind: str, k: int, which: int) -> str:
        return self._f.word(kind, self._outputs + (2 + MOST_AXES) * k + which)

    def _make(self, k: int, before: list[str]) -> str:
        f = self._f
        axes = f.new(f"alloca i64, i64 {1 + MOST_AXES}")
        f.do(f"store i64 {self._states}, ptr {axes}")
        for j in range(MOST_AXES):
            f.store_field("i64", self._word("i64", k, 2 + j), axes, 8 + 8 * j)
        n_axes = f.new(f"add i32 {self._word('i32', k, 0)}, 1")
        count = f.new(f"mul i64 {self._word('i64', k, 1)}, {self._states}")
        return f.new_rows(n_axes, axes, count, before)

    def _check(self, k: int, out: str, given: list[Span]) -> Span:
        """Require that an array is laid out like result k and does not overlap the inputs."""
        f = self._f
        f.plain_array(out, DENSE_AND_ALIGNED | WRITEABLE, UNUSUAL)
        n_axes = self._word("i32", k, 0)
        f.require("eq i32", f.load_field("i32", out, N_AXES), f.new(f"add i32 {n_axes}, 1"))
        axes = f.load_field("ptr", out, AXES)
        f.require("eq i64", f.load_field("i64", axes, 0), self._states)
        seen = f.new_label("axes")
        for j in range(MOST_AXES):
            f.require("sgt i32", n_axes, j, seen)
            f.require("eq i64", f.load_field("i64", axes, 8 + 8 * j), self._word("i64", k, 2 + j))
        f.jump(seen)
        f.begin(seen)
        span = f.span(out, f.new(f"mul i64 {self._word('i64', k, 1)}, {self._states}"))
        for numbers in given:
            f.require_apart(span, numbers)
        return span
