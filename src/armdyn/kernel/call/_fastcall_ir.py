"""The call of a kernel with plain arrays, as LLVM IR: a C function that Python calls directly.

It handles the most common arguments: exactly the inputs, each a plain array of one dense state of
finite doubles, or each of the same number of states; and optionally `out`, also plain and not
overlapping the inputs. It makes the result arrays, calls a kernel to fill them, and returns them if
they are finite. In all other cases it calls the slow callable with the same arguments, which
computes the results or raises the error.

The IR depends only on the numbers of inputs and outputs. The function reads everything else, such
as addresses in this process, from words of its `__self__` object; see `FastcallSlots`.
"""

from __future__ import annotations

from armdyn.kernel.call._fastcall_batch_ir import batch
from armdyn.kernel.call._fastcall_writer import FastcallWriter, Span
from armdyn.kernel.call._layout import (
    AXES,
    DATA,
    DENSE_AND_ALIGNED,
    MOST_AXES,
    N_AXES,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    UNUSUAL,
    VERSION_TAG,
    WRITEABLE,
    FastcallSlots,
    fastcall_name,
)
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._finite_check import LARGEST, finite_magnitude, largest_function


def fastcall_ir(codegen: Codegen, n_inputs: int, n_outputs: int) -> str:
    """Return a module of one function with the convention METH_FASTCALL | METH_KEYWORDS."""
    name = fastcall_name(n_inputs, n_outputs)
    head = f"ptr @{name}(ptr %self, ptr %args, i64 %n, ptr %names) nounwind"
    function = _Function(codegen, n_inputs, n_outputs).text(head)
    return largest_function(codegen, public=False) + function


class _Function(FastcallWriter):
    """The function, and its code for one state."""

    def __init__(self, codegen: Codegen, n_inputs: int, n_outputs: int) -> None:
        super().__init__(codegen)
        self._n_inputs = n_inputs
        self._magnitude = codegen.element.integer
        self._sure = "false"
        self.require("eq i64", "%n", n_inputs)
        self._same_class()
        out = self._keyword()
        first = self.load_field("ptr", "%args", 0)
        self.require("eq ptr", self.load_field("ptr", first, TYPE), self.array_type)
        many = self.new(f"icmp eq i32 {self.load_field('i32', first, N_AXES)}, 2")
        self.branch(many, "many", "single")
        self.begin("single")
        given = [self._input(k) for k in range(n_inputs)]
        self._test_inputs(given)
        results = self.results(
            out, n_outputs, self._make, lambda k, array: self._check(k, array, given)
        )
        self._compute(given, results)
        self.give(results)
        self.begin("not_finite")
        self.let_go(results)
        self.jump("slow")
        self.begin("many")
        batch(self, out, n_inputs, n_outputs)
        self.begin("slow")
        slow = self.load_field("ptr", "%self", TUPLE_ITEMS + 8)
        call = self.word("ptr", FastcallSlots.VECTORCALL)
        theirs = self.new(f"call ptr {call}(ptr {slow}, ptr %args, i64 %n, ptr %names)")
        self.do(f"ret ptr {theirs}")

    def _same_class(self) -> None:
        """Require that the owner's class has not changed: it may have another method now."""
        owner = self.load_field("ptr", "%self", TUPLE_ITEMS + 16)
        version = self.load_field("i32", self.load_field("ptr", owner, TYPE), VERSION_TAG)
        expected = self.word("i32", FastcallSlots.VERSION)
        same = self.new(f"icmp eq i32 {version}, {expected}")
        any_version = self.new(f"icmp eq i32 {expected}, 0")
        self.require_true(self.new(f"or i1 {same}, {any_version}"))

    def _keyword(self) -> str:
        """Return the argument `out`; null if it is missing or None."""
        without = self.block
        self.do("%plain = icmp eq ptr %names, null")
        self.branch("%plain", "inputs", "keywords")
        self.begin("keywords")
        self.require("eq i64", self.load_field("i64", "%names", TUPLE_SIZE), 1)
        name = self.load_field("ptr", "%names", TUPLE_ITEMS)
        self.require("eq ptr", name, self.word("ptr", FastcallSlots.OUT))
        value = self.load_field("ptr", "%args", 8 * self._n_inputs)
        no = self.new(f"icmp eq ptr {value}, {self.word('ptr', FastcallSlots.NONE)}")
        some = self.new(f"select i1 {no}, ptr null, ptr {value}")
        before = self.block
        self.jump("inputs")
        self.begin("inputs")
        return self.phi("ptr", ("null", without), (some, before))

    def _input(self, k: int) -> Span:
        """Return the memory of an input's numbers."""
        array = self.load_field("ptr", "%args", 8 * k)
        self.plain_array(array, DENSE_AND_ALIGNED)
        self.require("eq i32", self.load_field("i32", array, N_AXES), 1)
        n = self.word("i64", len(FastcallSlots) + k)
        self.require("eq i64", self.load_field("i64", self.load_field("ptr", array, AXES), 0), n)
        return self.span(array, n)

    def _largest(self, begin: str, n: str) -> str:
        """Return the greatest magnitude of n numbers."""
        return self.new(f"call {self._magnitude} @{LARGEST}(ptr {begin}, i64 {n})")

    def _require_finite(self, magnitude: str, otherwise: str = "slow") -> None:
        finite = finite_magnitude(self.codegen.element)
        self.require(f"sle {self._magnitude}", magnitude, finite, otherwise)

    def _test_inputs(self, given: list[Span]) -> None:
        """Require inputs that are not too large, and check whether results are certainly finite."""
        kind = self._magnitude
        largest = ""
        for k, span in enumerate(given):
            size = self.word("i64", len(FastcallSlots) + k)
            found = self._largest(span.begin, size)
            smax = f"call {kind} @llvm.smax.{kind}({kind} {largest}, {kind} {found})"
            largest = self.new(smax) if largest else found
        most = self.word(kind, FastcallSlots.LARGEST)
        self.require_true(self.new(f"icmp sle {kind} {largest}, {most}"))
        ordinary = self.word(kind, FastcallSlots.ORDINARY)
        self._sure = self.new(f"icmp sle {kind} {largest}, {ordinary}")

    def _output_word(self, k: int, which: int) -> int:
        return len(FastcallSlots) + self._n_inputs + (2 + MOST_AXES) * k + which

    def _make(self, k: int, before: list[str]) -> str:
        axes = self.field(self.words, 8 * self._output_word(k, 2))
        return self.new_array(self.word("i32", self._output_word(k, 0)), axes, before)

    def _check(self, k: int, out: str, given: list[Span]) -> Span:
        """Require that an array is laid out like result k and does not overlap the inputs."""
        self.plain_array(out, DENSE_AND_ALIGNED | WRITEABLE, UNUSUAL)
        n_axes = self.word("i32", self._output_word(k, 0))
        self.require("eq i32", self.load_field("i32", out, N_AXES), n_axes)
        axes, seen = self.load_field("ptr", out, AXES), self.new_label("axes")
        for j in range(MOST_AXES):
            self.require("sgt i32", n_axes, j, seen)
            length = self.word("i64", self._output_word(k, 2 + j))
            self.require("eq i64", self.load_field("i64", axes, 8 * j), length)
        self.jump(seen)
        self.begin(seen)
        span = self.span(out, self.word("i64", self._output_word(k, 1)))
        for numbers in given:
            self.require_apart(span, numbers)
        return span

    def _compute(self, given: list[Span], results: list[str]) -> None:
        numbers = [self.load_field("ptr", result, DATA) for result in results]
        pointers = ", ".join(f"ptr {x}" for x in [span.begin for span in given] + numbers)
        self.do(f"call void {self.word('ptr', FastcallSlots.KERNEL)}({pointers})")
        judge, judged = self.new_label("judge"), self.new_label("judged")
        self.branch(self._sure, judged, judge)
        self.begin(judge)
        for k, begin in enumerate(numbers):
            size = self.word("i64", self._output_word(k, 1))
            self._require_finite(self._largest(begin, size), "not_finite")
        self.jump(judged)
        self.begin(judged)
