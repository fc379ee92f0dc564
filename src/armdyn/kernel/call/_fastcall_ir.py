"""The call of a kernel with plain arrays, as LLVM IR: a C function that Python calls directly.

It takes the most common arguments: exactly the inputs, each a plain array of one dense state of
finite doubles, or each of as many states; and perhaps `out`, as plain and apart from the inputs. It
makes the results, has a kernel fill them, and returns them if they are finite. In all other cases
it calls the slow callable with the same arguments, which does the work or says what is wrong.

The text depends only on the numbers of inputs and outputs. The function reads all else, such as
addresses of this process, from words that belong to its object; see `FastcallSlots`.
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

# The largest number that is finite.
LARGEST = "0x7FEFFFFFFFFFFFFF"

# Are all numbers at most this large? Four by four; the last four overlap those before.
_FINITE = """\
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare double @llvm.fabs.f64(double)
declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

define internal i1 @within(ptr %x, i64 %n, double %most) nounwind {
entry:
  %one.most = insertelement <4 x double> poison, double %most, i64 0
  %all.most = shufflevector <4 x double> %one.most, <4 x double> poison, <4 x i32> zeroinitializer
  %last = sub i64 %n, 4
  %few = icmp slt i64 %last, 0
  br i1 %few, label %one, label %four
four:
  %i = phi i64 [ 0, %entry ], [ %i3, %four ]
  %bad = phi <4 x i1> [ zeroinitializer, %entry ], [ %bad2, %four ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load <4 x double>, ptr %p, align 8
  %a = call <4 x double> @llvm.fabs.v4f64(<4 x double> %v)
  %b = fcmp ugt <4 x double> %a, %all.most
  %bad2 = or <4 x i1> %bad, %b
  %i2 = add i64 %i, 4
  %over = icmp sgt i64 %i2, %last
  %i3 = select i1 %over, i64 %last, i64 %i2
  %end = icmp eq i64 %i, %last
  br i1 %end, label %four_done, label %four
four_done:
  %some = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %bad2)
  %none = xor i1 %some, true
  ret i1 %none
one:
  %j = phi i64 [ 0, %entry ], [ %j2, %next ]
  %done = icmp eq i64 %j, %n
  br i1 %done, label %good, label %next
next:
  %q = getelementptr double, ptr %x, i64 %j
  %w = load double, ptr %q, align 8
  %c = call double @llvm.fabs.f64(double %w)
  %fine = fcmp ole double %c, %most
  %j2 = add i64 %j, 1
  br i1 %fine, label %one, label %wrong
good:
  ret i1 true
wrong:
  ret i1 false
}
"""


def fastcall_ir(codegen: Codegen, n_inputs: int, n_outputs: int) -> str:
    """Return a module of one function, which is called as METH_FASTCALL | METH_KEYWORDS."""
    name = fastcall_name(n_inputs, n_outputs)
    head = f"ptr @{name}(ptr %self, ptr %args, i64 %n, ptr %names) nounwind"
    return _FINITE + _Function(codegen, n_inputs, n_outputs).text(head)


class _Function(FastcallWriter):
    """The function, and what it does with one state."""

    def __init__(self, codegen: Codegen, n_inputs: int, n_outputs: int) -> None:
        super().__init__(codegen)
        self._n_inputs = n_inputs
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
        self._look(given)
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
        """Require that the owner's class has not changed: it may have another method by now."""
        owner = self.load_field("ptr", "%self", TUPLE_ITEMS + 16)
        version = self.load_field("i32", self.load_field("ptr", owner, TYPE), VERSION_TAG)
        expected = self.word("i32", FastcallSlots.VERSION)
        same = self.new(f"icmp eq i32 {version}, {expected}")
        any_version = self.new(f"icmp eq i32 {expected}, 0")
        self.require_true(self.new(f"or i1 {same}, {any_version}"))

    def _keyword(self) -> str:
        """Return what is given as `out`; null for nothing, or None."""
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

    def _within(self, begin: str, n: str, most: str) -> str:
        return self.new(f"call i1 @within(ptr {begin}, i64 {n}, double {most})")

    def _look(self, given: list[Span]) -> None:
        """Require finite inputs, and see whether all results will be finite because of them."""
        looked, look = self.new_label("looked"), self.new_label("look")
        ordinary = self.word("double", FastcallSlots.ORDINARY)
        sizes = [self.word("i64", len(FastcallSlots) + k) for k in range(self._n_inputs)]
        # below zero where nothing is known of the results
        self.require_true(self.new(f"fcmp oge double {ordinary}, 0.0"), look)
        for span, n in zip(given, sizes, strict=True):
            self.require_true(self._within(span.begin, n, ordinary), look)
        known = self.block
        self.jump(looked)
        self.begin(look)
        for span, n in zip(given, sizes, strict=True):
            self.require_true(self._within(span.begin, n, LARGEST))
        unknown = self.block
        self.jump(looked)
        self.begin(looked)
        self._sure = self.phi("i1", ("true", known), ("false", unknown))

    def _output_word(self, k: int, which: int) -> int:
        return len(FastcallSlots) + self._n_inputs + (2 + MOST_AXES) * k + which

    def _make(self, k: int, before: list[str]) -> str:
        axes = self.field(self.words, 8 * self._output_word(k, 2))
        return self.new_array(self.word("i32", self._output_word(k, 0)), axes, before)

    def _check(self, k: int, out: str, given: list[Span]) -> Span:
        """Require that an array is as result k would be, and apart from the inputs."""
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
            self.require_true(self._within(begin, size, LARGEST), "not_finite")
        self.jump(judged)
        self.begin(judged)
