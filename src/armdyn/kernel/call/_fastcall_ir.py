"""The call of a kernel with plain arrays, as LLVM IR: a C function that Python calls directly.

It handles the most common arguments: exactly the inputs, each a plain array of one dense state of
finite numbers of the element type, or each of the same number of states; and optionally `out`, also
plain and not overlapping the inputs. It makes the result arrays, calls a kernel to fill them, and
returns them if they are finite. In all other cases it calls the slow callable with its owner and
the same arguments, which computes the results or raises the error; if the class of the owner has
changed, it calls another one, which finds out what to do.

The IR depends only on the element type and the numbers of inputs and outputs. The function reads
everything else, such as addresses in this process, from words of its `__self__` object; see
`FastcallSlots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from armdyn.kernel.call._fastcall_batch_ir import BATCH, batch_function
from armdyn.kernel.call._fastcall_writer import (
    CALL,
    OWN,
    PASS_ON_FUNCTION,
    FastcallWriter,
    Span,
)
from armdyn.kernel.call._layout import (
    AXES,
    DATA,
    DENSE_AND_ALIGNED,
    MOST_AXES,
    N_AXES,
    STATE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    UNUSUAL,
    VERSION_TAG,
    WRITEABLE,
    FastcallSlots,
    StateItems,
    fastcall_name,
    vectorcall_name,
)
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._finite_check import EXCEEDS, exceeds_function, finite_magnitude
from armdyn.kernel.ir._function_writer import RARE, FunctionWriter

BODY = "armdyn_call"

# The address of some numbers, and how many there are.
Numbers = tuple[str, str]


def fastcall_ir(codegen: Codegen, n_inputs: int, n_outputs: int) -> str:
    """Return a module of a function in two calling conventions.

    A method is called as METH_FASTCALL | METH_KEYWORDS: its first argument is the state of the
    fastcall. In the vectorcall protocol the first argument is the object that is called, which has
    the state in a field, and the highest bit of the number of arguments is a flag.
    """
    shape = n_inputs, n_outputs
    method, call = FunctionWriter(), FunctionWriter()
    method.begin("entry")
    owner = method.load_field("ptr", "%self", TUPLE_ITEMS + 8 * StateItems.OWNER)
    _jump_to_body(method, owner, "%n", "%self")
    call.begin("entry")
    state = call.load_field("ptr", "%owner", STATE)
    _jump_to_body(call, "%owner", call.new(f"and i64 %n, {2**63 - 1}"), state)
    return "".join([
        exceeds_function(codegen),
        PASS_ON_FUNCTION,
        batch_function(codegen, *shape),
        _OneState(codegen, *shape).text(f"internal ptr @{BODY}({OWN}) nounwind"),
        method.text(f"ptr @{fastcall_name(*shape)}(ptr %self, {CALL}) nounwind"),
        call.text(f"ptr @{vectorcall_name(*shape)}(ptr %owner, {CALL}) nounwind"),
        RARE,
    ])  # fmt: skip


def _jump_to_body(f: FunctionWriter, owner: str, n: str, state: str) -> None:
    arguments = f"ptr {owner}, ptr %args, i64 {n}, ptr %names, ptr {state}"
    f.do(f"ret ptr {f.new(f'tail call ptr @{BODY}({arguments})')}")


class _OneState(FastcallWriter):
    """The function for one state. It leaves batches to another one."""

    def __init__(self, codegen: Codegen, n_inputs: int, n_outputs: int) -> None:
        super().__init__(codegen)
        self._n_inputs = n_inputs
        self._magnitude = codegen.element.integer
        self._sure = "false"
        self._same_class()
        self.require("eq i64", "%n", n_inputs)
        out = self._keyword()
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
        first = self.load_field("ptr", "%args", 0)
        self.require("eq i32", self.load_field("i32", first, N_AXES), 2)
        self.do(f"ret ptr {self.new(f'tail call ptr @{BATCH}({OWN}, ptr {out})')}")
        self.pass_on("slow", StateItems.SLOW)
        self.pass_on("changed", StateItems.CHANGED)

    def _same_class(self) -> None:
        """Require that the owner's class has not changed: it may have another method now."""
        version = self.load_field("i32", self.load_field("ptr", "%owner", TYPE), VERSION_TAG)
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
        value = self.load_field("ptr", "%args", 8 * self._n_inputs)
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
        self.require("eq i32", self.plain(array, 1, DENSE_AND_ALIGNED), 0, "slow" if k else "many")
        length = self.load_field("i64", self.load_field("ptr", array, AXES), 0)
        self.require("eq i64", length, self._size(k))
        return self.load_field("ptr", array, DATA)

    def _size(self, k: int) -> str:
        """Return the length of input k, loaded again where it is used: registers are scarce."""
        return self.word("i64", len(FastcallSlots) + k)

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

    def _test_inputs(self, given: list[str]) -> None:
        """Require inputs that are not too large, and find whether results are certainly finite."""
        large, tested = self.new_label("large"), self.new_label("tested")

        def require(slot: FastcallSlots, otherwise: str) -> None:
            numbers = [(begin, self._size(k)) for k, begin in enumerate(given)]
            self._require_within(numbers, self.word(self._magnitude, slot), otherwise)

        require(FastcallSlots.USUAL, large)
        sure, usually = self.word("i1", FastcallSlots.SURE), self.block
        self.jump(tested)
        self.begin(large)
        require(FastcallSlots.LARGEST, "slow")
        rarely = self.block
        self.jump(tested)
        self.begin(tested)
        self._sure = self.phi("i1", (sure, usually), ("false", rarely))

    def _output_word(self, k: int, which: int) -> int:
        return len(FastcallSlots) + self._n_inputs + (2 + MOST_AXES) * k + which

    def _make(self, k: int, before: list[str]) -> str:
        axes = self.field(self.words, 8 * self._output_word(k, 2))
        return self.new_array(self.word("i32", self._output_word(k, 0)), axes, before)

    def _check(self, k: int, out: str, given: list[str]) -> Span:
        """Require that an array is laid out like result k and does not overlap the inputs."""
        self.array(out)
        n_axes = self.word("i32", self._output_word(k, 0))
        unlike = self.plain(out, n_axes, DENSE_AND_ALIGNED | WRITEABLE, UNUSUAL)
        self.require("eq i32", unlike, 0)
        axes, seen = self.load_field("ptr", out, AXES), self.new_label("axes")
        for j in range(MOST_AXES):
            self.require("sgt i32", n_axes, j, seen)
            length = self.word("i64", self._output_word(k, 2 + j))
            self.require("eq i64", self.load_field("i64", axes, 8 * j), length)
        self.jump(seen)
        self.begin(seen)
        begin = self.load_field("ptr", out, DATA)
        span = self.span(begin, self.word("i64", self._output_word(k, 1)))
        for j, numbers in enumerate(given):
            self.require_apart(span, self.span(numbers, self._size(j)))
        return span

    def _compute(self, given: list[str], results: list[str]) -> None:
        numbers = [self.load_field("ptr", result, DATA) for result in results]
        pointers = ", ".join(f"ptr {x}" for x in given + numbers)
        self.do(f"call void {self.word('ptr', FastcallSlots.KERNEL)}({pointers})")
        judge, judged = self.new_label("judge"), self.new_label("judged")
        self.branch(self._sure, judged, judge)
        self.begin(judge)
        sizes = [self.word("i64", self._output_word(k, 1)) for k in range(len(numbers))]
        finite = str(finite_magnitude(self.codegen.element))
        self._require_within([*zip(numbers, sizes, strict=True)], finite, "not_finite")
        self.jump(judged)
        self.begin(judged)
