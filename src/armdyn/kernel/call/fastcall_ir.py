"""The call of a kernel with plain arrays, as LLVM IR: a C function that Python calls directly.

It handles the most common arguments: exactly the inputs, each a plain array of one dense state of
finite numbers of the element type; or each of the same number of states, of any strides, or of one
state that serves for all; and optionally `out`, dense and not overlapping the inputs. It makes the
result arrays, calls a kernel to fill them, and returns them if they are finite. In all other cases
it calls the slow callable with the called object and the same arguments, which computes the results
or raises the error; if the class of the owner has changed, it calls another one, which finds out
what to do.

The IR depends only on the element type and the numbers of inputs and outputs. The function reads
everything else, such as addresses in this process, from words of its state; see `FastcallSlots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from armdyn.kernel.call.fastcall_writer import (
    FLAGGED_CALL,
    OWN,
    PASS_ON_FUNCTION,
    FastcallWriter,
    Span,
)
from armdyn.kernel.call.layout import (
    ALIGNED,
    AXES,
    DATA,
    DENSE_AND_ALIGNED,
    FLAGS,
    MOST_AXES,
    N_AXES,
    STATE,
    STRIDES,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    UNUSUAL,
    VERSION_TAG,
    WRITEABLE,
    CallWords,
    FastcallSlots,
    StateItems,
    batch_name,
    vectorcall_name,
)
from armdyn.kernel.gather import GATHERED, gather_code
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.finite_check import EXCEEDS, exceeds_function, finite_magnitude
from armdyn.kernel.ir.writer import RARE

# Bytes before the function that Python calls. They place it in the last quarter of a page: in the
# first quarter, calls of some long kernels (Coriolis matrix of a Panda, derivatives of a PUMA 560)
# took 10 % longer on an AMD Zen 5 (`benchmarks/calls.py`), and calls of short ones as long as here.
PADDING = 3264

# The address of some numbers, and how many there are.
Numbers = tuple[str, str]


def fastcall_ir(codegen: Codegen, n_inputs: int, n_outputs: int) -> str:
    """Return a module of a function of the vectorcall protocol.

    Its first argument is the object that is called, which has the state in a field; the highest bit
    of the number of arguments is a flag.
    """
    name = vectorcall_name(n_inputs, n_outputs)
    one = _OneState(codegen, CallWords(n_inputs, n_outputs))
    return "".join([
        exceeds_function(codegen),
        PASS_ON_FUNCTION,
        one.text(
            f"ptr @{name}({FLAGGED_CALL}) nounwind prefix [{PADDING} x i8] zeroinitializer"
        ),
        RARE,
    ])  # fmt: skip


def fastcall_batch_ir(codegen: Codegen, n_inputs: int, n_outputs: int) -> str:
    """Return a module of the function to which the function of `fastcall_ir` leaves batches.

    It is compiled at the first batch: many programs never compute one.
    """
    name = batch_name(n_inputs, n_outputs)
    batch = _Batch(codegen, CallWords(n_inputs, n_outputs))
    return "".join([
        PASS_ON_FUNCTION,
        gather_code(codegen, public=False),
        batch.text(f"ptr @{name}({OWN}, ptr %out) nounwind"),
        RARE,
    ])  # fmt: skip


class Shape(NamedTuple):
    """The shape of a result: number of axes, address of their lengths, how many numbers."""

    n_axes: str
    axes: str
    numbers: str


class _Call(FastcallWriter):
    """What the functions for one state and for many have in common."""

    def __init__(self, codegen: Codegen, words: CallWords, *first: str) -> None:
        super().__init__(codegen, *first)
        self.places = words

    def spans(self) -> list[Span]:
        """Return the memory of the inputs."""
        raise NotImplementedError

    def shape(self, k: int) -> Shape:
        """Return the shape of result k."""
        axes = self.field(self.words, 8 * self.places.axes[k])
        size = self.word("i64", self.places.counts[k])
        return Shape(self.word("i32", self.places.n_axes[k]), axes, size)

    def make(self, k: int, held: list[str]) -> str:
        """Return a new array for result k."""
        n_axes, axes, _ = self.shape(k)
        return self.new_array(n_axes, axes, held)

    def check(self, k: int, out: str) -> Span:
        """Require that an array is laid out like result k and does not overlap the inputs."""
        self.array(out)
        n_axes, axes, count = self.shape(k)
        unlike = self.unlike(out, n_axes, DENSE_AND_ALIGNED | WRITEABLE, UNUSUAL)
        self.require("eq i32", unlike, 0)
        lengths, seen = self.load_field("ptr", out, AXES), self.new_label("axes")
        for j in range(1 + MOST_AXES):
            self.require("sgt i32", n_axes, j, seen)
            length = self.load_field("i64", axes, 8 * j)
            self.require("eq i64", self.load_field("i64", lengths, 8 * j), length)
        self.jump(seen)
        self.begin(seen)
        span = self.span(self.load_field("ptr", out, DATA), count)
        for numbers in self.spans():
            self.require_apart(span, numbers)
        return span

    def finish(self, results: list[str]) -> None:
        """Emit the return of the results, and what follows if they are not finite."""
        self.emit_return(results)
        self.begin("not_finite")
        self.decref_all(results)
        self.jump("slow")
        self.pass_on("slow", StateItems.SLOW)


class _OneState(_Call):
    """The function for one state. It leaves batches to another one."""

    def __init__(self, codegen: Codegen, words: CallWords) -> None:
        super().__init__(
            codegen, words,
            f"%state.p = getelementptr i8, ptr %called, i64 {STATE}",
            "%self = load ptr, ptr %state.p",
            f"%n = and i64 %flagged, {2**63 - 1}",
        )  # fmt: skip
        self._magnitude = codegen.element.integer
        self._same_class()
        self.require("eq i64", "%n", len(words.lengths))
        out = self._keyword()
        given = [self._input(k) for k in range(len(words.lengths))]
        sure = self._test_inputs(given)
        self._given = given
        results = self.results(out, len(words.n_axes), self.make, self.check)
        self._compute(given, results, sure)
        self.finish(results)
        self.begin("many")
        rows = self.word("ptr", FastcallSlots.ROWS)
        self.require("ne ptr", rows, "null", "first_batch")
        self.do(f"ret ptr {self.new(f'tail call ptr {rows}({OWN}, ptr {out})')}")
        self.pass_on("first_batch", StateItems.FIRST_BATCH)
        self.pass_on("changed", StateItems.CHANGED)

    def _same_class(self) -> None:
        """Require that the owner's class has not changed: it may have another method now."""
        owner = self.word("ptr", FastcallSlots.OWNER)
        version = self.load_field("i32", self.load_field("ptr", owner, TYPE), VERSION_TAG)
        self.require("eq i32", version, self.word("i32", FastcallSlots.VERSION), "changed")

    def _keyword(self) -> str:
        """Return the argument `out`; null if it is missing or None."""
        without = self.block
        self.do("%named = icmp ne ptr %names, null")
        self.branch("%named", "keywords", "inputs", rare=True)
        self.begin("keywords")
        self.require("eq i64", self.load_field("i64", "%names", TUPLE_SIZE), 1)
        name = self.load_field("ptr", "%names", TUPLE_ITEMS)
        self.require("eq ptr", name, self.word("ptr", FastcallSlots.OUT))
        value = self.load_field("ptr", "%args", 8 * len(self.places.lengths))
        no = self.new(f"icmp eq ptr {value}, {self.word('ptr', FastcallSlots.NONE)}")
        some = self.new(f"select i1 {no}, ptr null, ptr {value}")
        before = self.block
        self.jump("inputs")
        self.begin("inputs")
        return self.phi("ptr", ("null", without), (some, before))

    def _input(self, k: int) -> str:
        """Return the address of an input's numbers."""
        array = self.load_field("ptr", "%args", 8 * k)
        self.array(array)
        self.require("eq i32", self.unlike(array, 1, DENSE_AND_ALIGNED), 0, "many")
        length = self.load_field("i64", self.load_field("ptr", array, AXES), 0)
        self.require("eq i64", length, self._length(k))
        return self.load_field("ptr", array, DATA)

    def _length(self, k: int) -> str:
        """Return the length of input k, loaded again where it is used: registers are scarce."""
        return self.word("i64", self.places.lengths[k])

    def spans(self) -> list[Span]:
        """Return the memory of the inputs, computed again where it is used."""
        return [self.span(begin, self._length(k)) for k, begin in enumerate(self._given)]

    def _require_within(self, numbers: Sequence[Numbers], most: str, otherwise: str) -> None:
        """Require that no magnitude of some numbers exceeds a threshold."""
        kind = self._magnitude
        found = [
            self.new(f"call i1 @{EXCEEDS}(ptr {begin}, i64 {n}, {kind} {most})")
            for begin, n in numbers
        ]
        some = reduce(lambda a, b: self.new(f"or i1 {a}, {b}"), found)
        within = self.new_label("within")
        self.branch(some, otherwise, within, rare=True)
        self.begin(within)

    def _test_inputs(self, given: list[str]) -> str:
        """Require inputs that are not too large; return whether results are certainly finite."""
        large, tested = self.new_label("large"), self.new_label("tested")

        def require(slot: FastcallSlots, otherwise: str) -> None:
            numbers = [(begin, self._length(k)) for k, begin in enumerate(given)]
            self._require_within(numbers, self.word(self._magnitude, slot), otherwise)

        require(FastcallSlots.USUAL, large)
        sure, usually = self.word("i1", FastcallSlots.SURE), self.block
        self.jump(tested)
        self.begin(large)
        require(FastcallSlots.LARGEST, "slow")
        rarely = self.block
        self.jump(tested)
        self.begin(tested)
        return self.phi("i1", (sure, usually), ("false", rarely))

    def _compute(self, given: list[str], results: list[str], sure: str) -> None:
        numbers = [self.load_field("ptr", result, DATA) for result in results]
        pointers = ", ".join(f"ptr {x}" for x in given + numbers)
        self.do(f"call void {self.word('ptr', FastcallSlots.KERNEL)}({pointers})")
        judge, judged = self.new_label("judge"), self.new_label("judged")
        self.branch(sure, judged, judge)
        self.begin(judge)
        sizes = [self.word("i64", self.places.counts[k]) for k in range(len(numbers))]
        finite = str(finite_magnitude(self.codegen.element))
        self._require_within([*zip(numbers, sizes, strict=True)], finite, "not_finite")
        self.jump(judged)
        self.begin(judged)


class Rows(NamedTuple):
    """The rows of an input: where they begin, how many, bytes between rows and columns.

    The lowest bit of `flags` is set if they are dense; `two` is whether there are two axes.
    """

    begin: str
    states: str
    down: str
    right: str
    flags: str
    two: str


class _Batch(_Call):
    """The function for many states.

    It computes batches that are small enough for one thread, with a loop that checks numbers as it
    goes (see `CheckedBatchLoop`). It releases the GIL meanwhile. The parameter `%out` is null if it
    is not given.
    """

    def __init__(self, codegen: Codegen, words: CallWords) -> None:
        super().__init__(codegen, words)
        given = [self._input(k) for k in range(len(words.lengths))]
        self._states = self._common_count(given)
        self._given = given
        results = self.results("%out", len(words.n_axes), self.make, self.check)
        self._compute(given, results)
        self.finish(results)

    def _input(self, k: int) -> Rows:
        """Require an array of the right length with one or two axes, and no negative strides."""
        array = self.load_field("ptr", "%args", 8 * k)
        self.array(array)
        self.require("eq i32", self.unlike(array, None, ALIGNED), 0)
        last = self.new(f"sub i32 {self.load_field('i32', array, N_AXES)}, 1")
        self.require("ult i32", last, 2)
        two = self.new(f"icmp eq i32 {last}, 1")
        axes, strides = self.load_field("ptr", array, AXES), self.load_field("ptr", array, STRIDES)
        at = self.new(f"zext i32 {last} to i64")
        length, right = (
            self.new(f"load i64, ptr {self.new(f'getelementptr i64, ptr {x}, i64 {at}')}")
            for x in (axes, strides)
        )
        self.require("eq i64", length, self.word("i64", self.places.lengths[k]))
        count = self.new(f"select i1 {two}, i64 {self.load_field('i64', axes, 0)}, i64 1")
        alone = self.new(f"icmp eq i64 {count}, 1")
        down = self.new(f"select i1 {alone}, i64 0, i64 {self.load_field('i64', strides, 0)}")
        self.require("sge i64", self.new(f"or i64 {down}, {right}"), 0)
        flags = self.load_field("i32", array, FLAGS)
        return Rows(self.load_field("ptr", array, DATA), count, down, right, flags, two)

    def _common_count(self, given: list[Rows]) -> str:
        """Require that every input has as many rows as the others, or one; return how many."""
        self.require_true(reduce(lambda a, b: self.new(f"or i1 {a}, {b}"), [x.two for x in given]))
        states = given[0].states
        for rows in given[1:]:
            alone = self.new(f"icmp eq i64 {rows.states}, 1")
            states = self.new(f"select i1 {alone}, i64 {states}, i64 {rows.states}")
        if len(given) > 1:
            for rows in given:
                alone = self.new(f"icmp eq i64 {rows.states}, 1")
                same = self.new(f"icmp eq i64 {rows.states}, {states}")
                self.require_true(self.new(f"or i1 {alone}, {same}"))
        self.require("sgt i64", states, 0)
        self.require("sle i64", states, self.word("i64", FastcallSlots.MOST_STATES))
        return states

    def spans(self) -> list[Span]:
        """Return the memory of the inputs."""
        return [self._span(k, rows) for k, rows in enumerate(self._given)]

    def _span(self, k: int, rows: Rows) -> Span:
        """Return the memory from the first number of an input to the last."""
        length = self.word("i64", self.places.lengths[k])
        below = self.new(f"mul i64 {self.new(f'sub i64 {rows.states}, 1')}, {rows.down}")
        beside = self.new(f"mul i64 {self.new(f'sub i64 {length}, 1')}, {rows.right}")
        last = self.new(
            f"getelementptr i8, ptr {rows.begin}, i64 {self.new(f'add i64 {below}, {beside}')}"
        )
        return Span(rows.begin, self.field(last, self.codegen.element.bytes))

    def shape(self, k: int) -> Shape:
        """Return the shape of result k, of all states."""
        n_axes, lengths, size = super().shape(k)
        axes = self.new(f"alloca i64, i64 {1 + MOST_AXES}")
        self.do(f"store i64 {self._states}, ptr {axes}")
        for j in range(MOST_AXES):
            self.store_field("i64", self.load_field("i64", lengths, 8 * j), axes, 8 + 8 * j)
        count = self.new(f"mul i64 {size}, {self._states}")
        return Shape(self.new(f"add i32 {n_axes}, 1"), axes, count)

    def make(self, k: int, held: list[str]) -> str:
        """Return a new array for result k, aligned to a cache line."""
        return self.new_rows(*self.shape(k), held)

    def _compute(self, given: list[Rows], results: list[str]) -> None:
        numbers = [self.load_field("ptr", result, DATA) for result in results]
        bases = self._listed("ptr", [rows.begin for rows in given] + numbers)
        flags = [self.new(f"trunc i32 {rows.flags} to i1") for rows in given]
        full = [self.new(f"icmp eq i64 {rows.states}, {self._states}") for rows in given]
        dense = reduce(lambda a, b: self.new(f"and i1 {a}, {b}"), flags + full)
        magnitude, i64, ptr = self.codegen.element.integer, "i64", "ptr"
        operands = len(self.places.lengths) + len(self.places.n_axes)
        slots = FastcallSlots
        arguments = [
            (ptr, self.word(ptr, slots.LOOP)),
            (ptr, bases),
            (ptr, self.field(self.words, 8 * self.places.sizes)),
            (ptr, self.field(self.words, 8 * self.places.steps)),
            (i64, len(self.places.lengths)),
            (i64, operands),
            (i64, 0),  # the first state
            (i64, self._states),
            (i64, self.word(i64, slots.NEAR)),
            (magnitude, self.word(magnitude, slots.ORDINARY)),
            (i64, 0),  # no results are streamed
            (magnitude, self.word(magnitude, slots.LARGEST)),
        ]
        plain, gather, computed = (self.new_label(x) for x in ("plain", "gather", "computed"))
        self.branch(dense, plain, gather)
        self.begin(plain)
        seen = [(self._without_gil(self.word(ptr, slots.BATCH), arguments), plain)]
        self.jump(computed)
        self.begin(gather)
        self.require("sle i64", self._states, self.word(i64, slots.MOST_GATHERED), "not_finite")
        more = [
            (ptr, self.word(ptr, slots.BATCH)),
            (i64, self.word(i64, slots.NUMBERS)),
            (ptr, self._listed(i64, [rows.down for rows in given])),
            (ptr, self._listed(i64, [rows.right for rows in given])),
        ]
        seen += [(self._without_gil(f"@{GATHERED}", [*more, *arguments]), self.block)]
        self.jump(computed)
        self.begin(computed)
        self.require("eq i32", self.phi("i32", *seen), 0, "not_finite")

    def _listed(self, kind: str, values: list[str]) -> str:
        """Return the address of some values of eight bytes."""
        begin = self.new(f"alloca {kind}, i64 {len(values)}")
        for k, value in enumerate(values):
            self.store_field(kind, value, begin, 8 * k)
        return begin

    def _without_gil(self, function: str, arguments: Sequence[tuple[str, str | int]]) -> str:
        """Call a function while other threads may run Python; return its result, an i32."""
        thread = self.new(f"call ptr {self.word('ptr', FastcallSlots.SAVE_THREAD)}()")
        given = ", ".join(f"{kind} {x}" for kind, x in arguments)
        result = self.new(f"call i32 {function}({given})")
        self.do(f"call void {self.word('ptr', FastcallSlots.RESTORE_THREAD)}(ptr {thread})")
        return result
