"""The part of a fastcall that evaluates a batch of plain states; see `_fastcall_ir`.

It computes batches that are small enough for one thread, with the loop that checks numbers as it
goes (see `CheckedBatchLoop`). It releases the GIL meanwhile.
"""

from __future__ import annotations

from armdyn.kernel.call._fastcall_writer import OWN, FastcallWriter, Span
from armdyn.kernel.call._layout import (
    AXES,
    DATA,
    DENSE_AND_ALIGNED,
    MOST_AXES,
    UNUSUAL,
    WRITEABLE,
    FastcallSlots,
    StateItems,
)
from armdyn.kernel.ir._codegen import Codegen

BATCH = "armdyn_call_batch"


def batch_function(codegen: Codegen, n_inputs: int, n_outputs: int) -> str:
    """Return the function for arrays of two axes.

    The first one has been found to be such an array. The parameter `%out` is null if it is not
    given.
    """
    head = f"internal ptr @{BATCH}({OWN}, ptr %out) nounwind"
    return _Batch(codegen, n_inputs, n_outputs).text(head)


class _Batch(FastcallWriter):
    def __init__(self, codegen: Codegen, n_inputs: int, n_outputs: int) -> None:
        super().__init__(codegen)
        self._n_inputs, self._n_outputs = n_inputs, n_outputs
        self._outputs = len(FastcallSlots) + n_inputs
        self._sizes = self._outputs + (2 + MOST_AXES) * n_outputs
        self._states = ""
        self._write()
        self.pass_on("slow", StateItems.SLOW)

    def _write(self) -> None:
        given = [self._input(k) for k in range(self._n_inputs)]
        results = self.results(
            "%out", self._n_outputs, self._make, lambda k, array: self._check(k, array, given)
        )
        numbers = [self.load_field("ptr", result, DATA) for result in results]
        operands = self._n_inputs + self._n_outputs
        bases = self.new(f"alloca ptr, i64 {operands}")
        for k, begin in enumerate([span.begin for span in given] + numbers):
            self.store_field("ptr", begin, bases, 8 * k)
        sizes = self.field(self.words, 8 * self._sizes)
        steps = self.field(self.words, 8 * (self._sizes + operands))
        magnitude = self.codegen.element.integer
        thread = self.new(f"call ptr {self.word('ptr', FastcallSlots.SAVE_THREAD)}()")
        bad = self.new(
            f"call i32 {self.word('ptr', FastcallSlots.BATCH)}"
            f"(ptr {self.word('ptr', FastcallSlots.LOOP)}, ptr {bases}, "
            f"ptr {sizes}, ptr {steps}, i64 {self._n_inputs}, i64 {operands}, i64 0, "
            f"i64 {self._states}, i64 {self.word('i64', FastcallSlots.NEAR)}, "
            f"{magnitude} {self.word(magnitude, FastcallSlots.ORDINARY)}, i64 0, "
            f"{magnitude} {self.word(magnitude, FastcallSlots.LARGEST)})"
        )
        self.do(f"call void {self.word('ptr', FastcallSlots.RESTORE_THREAD)}(ptr {thread})")
        self.require("eq i32", bad, 0, "not_finite")
        self.give(results)
        self.begin("not_finite")
        self.let_go(results)
        self.jump("slow")

    def _input(self, k: int) -> Span:
        """Return the memory of an input's numbers."""
        array = self.load_field("ptr", "%args", 8 * k)
        self.array(array)
        self.require("eq i32", self.plain(array, 2, DENSE_AND_ALIGNED), 0)
        axes = self.load_field("ptr", array, AXES)
        n = self.word("i64", len(FastcallSlots) + k)
        self.require("eq i64", self.load_field("i64", axes, 8), n)
        states = self.load_field("i64", axes, 0)
        if k:
            self.require("eq i64", states, self._states)
        else:
            self.require("sgt i64", states, 0)
            self.require("sle i64", states, self.word("i64", FastcallSlots.MOST_STATES))
            self._states = states
        begin = self.load_field("ptr", array, DATA)
        return self.span(begin, self.new(f"mul i64 {n}, {states}"))

    def _word(self, kind: str, k: int, which: int) -> str:
        return self.word(kind, self._outputs + (2 + MOST_AXES) * k + which)

    def _make(self, k: int, before: list[str]) -> str:
        axes = self.new(f"alloca i64, i64 {1 + MOST_AXES}")
        self.do(f"store i64 {self._states}, ptr {axes}")
        for j in range(MOST_AXES):
            self.store_field("i64", self._word("i64", k, 2 + j), axes, 8 + 8 * j)
        n_axes = self.new(f"add i32 {self._word('i32', k, 0)}, 1")
        count = self.new(f"mul i64 {self._word('i64', k, 1)}, {self._states}")
        return self.new_rows(n_axes, axes, count, before)

    def _check(self, k: int, out: str, given: list[Span]) -> Span:
        """Require that an array is laid out like result k and does not overlap the inputs."""
        self.array(out)
        n_axes = self._word("i32", k, 0)
        all_axes = self.new(f"add i32 {n_axes}, 1")
        unlike = self.plain(out, all_axes, DENSE_AND_ALIGNED | WRITEABLE, UNUSUAL)
        self.require("eq i32", unlike, 0)
        axes = self.load_field("ptr", out, AXES)
        self.require("eq i64", self.load_field("i64", axes, 0), self._states)
        seen = self.new_label("axes")
        for j in range(MOST_AXES):
            self.require("sgt i32", n_axes, j, seen)
            self.require(
                "eq i64", self.load_field("i64", axes, 8 + 8 * j), self._word("i64", k, 2 + j)
            )
        self.jump(seen)
        self.begin(seen)
        begin = self.load_field("ptr", out, DATA)
        span = self.span(begin, self.new(f"mul i64 {self._word('i64', k, 1)}, {self._states}"))
        for numbers in given:
            self.require_apart(span, numbers)
        return span
