"""Emit LLVM IR of functions that access fields of Python objects and NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

from armdyn.kernel.call.layout import (
    BYTE_ORDER,
    BYTES_ITEMS,
    DATA,
    DENSE_AND_ALIGNED,
    DESCRIPTION,
    FLAGS,
    N_AXES,
    NATIVE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    TYPE_NUMBER,
    WRITEABLE,
    FastcallSlots,
    StateItems,
)
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.writer import FunctionWriter

# The arguments of a call, whose number has a flag at first; and those of all parts of a C function.
FLAGGED_CALL = "ptr %called, ptr %args, i64 %flagged, ptr %names"
CALL = "ptr %called, ptr %args, i64 %n, ptr %names"
OWN = f"{CALL}, ptr %self"

PASS_ON = "armdyn_pass_on"

# Call another callable by `PyObject_Vectorcall`, with the called object before the arguments.
PASS_ON_FUNCTION = f"""\
define internal ptr @{PASS_ON}({CALL}, ptr %callee, ptr %call) nounwind {{
entry:
  %none = icmp eq ptr %names, null
  br i1 %none, label %positional, label %named
named:
  %size.p = getelementptr i8, ptr %names, i64 {TUPLE_SIZE}
  %size = load i64, ptr %size.p
  br label %positional
positional:
  %n.names = phi i64 [ 0, %entry ], [ %size, %named ]
  %count = add i64 %n, %n.names
  %more = add i64 %count, 1
  %all = alloca ptr, i64 %more
  store ptr %called, ptr %all
  br label %next
next:
  %k = phi i64 [ 0, %positional ], [ %k2, %copy ]
  %done = icmp eq i64 %k, %count
  br i1 %done, label %pass, label %copy
copy:
  %from = getelementptr ptr, ptr %args, i64 %k
  %argument = load ptr, ptr %from
  %k2 = add i64 %k, 1
  %to = getelementptr ptr, ptr %all, i64 %k2
  store ptr %argument, ptr %to
  br label %next
pass:
  %n.all = add i64 %n, 1
  %result = call ptr %call(ptr %callee, ptr %all, i64 %n.all, ptr %names)
  ret ptr %result
}}
"""


class Span(NamedTuple):
    """A range of memory: its first address, and the address past its end."""

    begin: str
    end: str


class FastcallWriter(FunctionWriter):
    """The body of a function that accesses fields of Python objects and NumPy arrays.

    Its parameters are `OWN`. It reads its words from the state of the C function, `%self`. For
    arguments that it does not handle, it jumps to the label "slow".

    Args:
        codegen: the code generator.
        first: instructions at the beginning.
    """

    def __init__(self, codegen: Codegen, *first: str) -> None:
        super().__init__()
        self.codegen = codegen
        self.begin("entry")
        for text in first:
            self.do(text)
        self.words = self.field(self.load_field("ptr", "%self", TUPLE_ITEMS), BYTES_ITEMS)
        self.array_type = self.word("ptr", FastcallSlots.ARRAY_TYPE)

    def word(self, kind: str, k: int) -> str:
        """Return word k."""
        return self.load_field(kind, self.words, 8 * k)

    def require(self, comparison: str, a: str, b: str | int, otherwise: str = "slow") -> None:
        """Continue only if a comparison holds; else jump to `otherwise`."""
        self.require_true(self.new(f"icmp {comparison} {a}, {b}"), otherwise)

    def require_true(self, condition: str, otherwise: str = "slow") -> None:
        """Continue only if a condition holds, which is usual; else jump to `otherwise`."""
        on = self.new_label("b")
        self.branch(self.new(f"xor i1 {condition}, true"), otherwise, on, rare=True)
        self.begin(on)

    def pass_on(self, label: str, item: StateItems) -> None:
        """Emit the block that calls a callable of the state with the same arguments."""
        self.begin(label)
        callee = self.load_field("ptr", "%self", TUPLE_ITEMS + 8 * item)
        call = self.word("ptr", FastcallSlots.VECTORCALL)
        arguments = f"{CALL}, ptr {callee}, ptr {call}"
        self.do(f"ret ptr {self.new(f'tail call ptr @{PASS_ON}({arguments})')}")

    def array(self, x: str) -> None:
        """Require an array, of no subclass."""
        self.require("eq ptr", self.load_field("ptr", x, TYPE), self.array_type)

    def unlike(self, array: str, n_axes: str | int | None, flags: int, no_flags: int = 0) -> str:
        """Return 0 if an array of the element type has these axes, some flags, and not some others.

        A single test of all differences is faster than one of each.
        """
        description = self.load_field("ptr", array, DESCRIPTION)
        order = self.new(f"zext i8 {self.load_field('i8', description, BYTE_ORDER)} to i32")
        has = self.new(f"and i32 {self.load_field('i32', array, FLAGS)}, {flags | no_flags}")
        wanted: list[tuple[str, str | int]] = [
            (self.load_field("i32", description, TYPE_NUMBER), self.codegen.element.type_number),
            (order, NATIVE),
            (has, flags),
        ]
        if n_axes is not None:
            wanted.insert(0, (self.load_field("i32", array, N_AXES), n_axes))
        different = [self.new(f"xor i32 {found}, {expected}") for found, expected in wanted]
        return reduce(lambda a, b: self.new(f"or i32 {a}, {b}"), different)

    def new_array(
        self, n_axes: str, axes: str, held: list[str], numbers: str = "null", flags: int = 0
    ) -> str:
        """Return a new array; on failure release the held references and return null.

        Args:
            n_axes: number of axes.
            axes: address of their lengths.
            held: references that the function owns.
            numbers: address of existing memory for its numbers, if any.
            flags: flags of the array in that case.
        """
        kind = self.word("ptr", FastcallSlots.NUMBER_TYPE)
        # the array takes over this reference, even if it cannot be made
        self.do(f"call void {self.word('ptr', FastcallSlots.INCREF)}(ptr {kind})")
        result = self.new(
            f"call ptr {self.word('ptr', FastcallSlots.ARRAY_NEW)}"
            f"(ptr {self.array_type}, ptr {kind}, i32 {n_axes}, "
            f"ptr {axes}, ptr null, ptr {numbers}, i32 {flags}, ptr null)"
        )
        self.unless_null(result, held)
        return result

    def new_rows(self, n_axes: str, axes: str, count: str, held: list[str]) -> str:
        """Return a new array like `new_array`, aligned to a cache line.

        It is a view of another array, which it keeps alive; `count` is how many numbers it has.
        """
        line = self.codegen.target.line_bytes
        more = self.new(f"add i64 {count}, {self.codegen.line_width - 1}")
        length = self.new("alloca i64")
        self.do(f"store i64 {more}, ptr {length}")
        owner = self.new_array("1", length, held)
        number = self.new(f"ptrtoint ptr {self.load_field('ptr', owner, DATA)} to i64")
        raised = self.new(f"add i64 {number}, {line - 1}")
        begin = self.new(f"inttoptr i64 {self.new(f'and i64 {raised}, {-line}')} to ptr")
        both = [*held, owner]
        result = self.new_array(n_axes, axes, both, begin, DENSE_AND_ALIGNED | WRITEABLE)
        hold = self.word("ptr", FastcallSlots.ARRAY_BASE)
        failed = self.new(f"call i32 {hold}(ptr {result}, ptr {owner})")  # steals the reference
        based, lost = self.new_label("based"), self.new_label("lost")
        wrong = self.new(f"icmp ne i32 {failed}, 0")
        self.branch(wrong, lost, based)
        self.begin(lost)
        self.decref_all([*held, result])
        self.do("ret ptr null")
        self.begin(based)
        return result

    def results(
        self,
        out: str,
        n: int,
        make: Callable[[int, list[str]], str],
        check: Callable[[int, str], Span],
    ) -> list[str]:
        """Return the arrays for n results, each with a reference that the function owns.

        Args:
            out: the array for a single result, or the tuple for several; null if not given.
            n: number of results.
            make: emits a new array for result k, given those that are held already.
            check: requires that an array is laid out like result k; returns its memory range.
        """
        given_out = self.new(f"icmp ne ptr {out}, null")
        making, taking, ready = (self.new_label(stem) for stem in ("make", "take", "ready"))
        self.branch(given_out, taking, making, rare=True)
        self.begin(taking)
        given = [out] if n == 1 else self._items(out, n)
        spans: list[Span] = []
        for k, array in enumerate(given):
            span = check(k, array)
            for other in spans:
                self.require_apart(span, other)
            spans.append(span)
        for array in given:  # from here on no argument is refused
            self.do(f"call void {self.word('ptr', FastcallSlots.INCREF)}(ptr {array})")
        taken = self.block
        self.jump(ready)
        self.begin(making)
        made: list[str] = []
        for k in range(n):
            made.append(make(k, made))
        before = self.block
        self.jump(ready)
        self.begin(ready)
        both = zip(given, made, strict=True)
        return [self.phi("ptr", (a, taken), (b, before)) for a, b in both]

    def _items(self, out: str, n: int) -> list[str]:
        """Return the items of a tuple of length n."""
        self.require(
            "eq ptr", self.load_field("ptr", out, TYPE), self.word("ptr", FastcallSlots.TUPLE_TYPE)
        )
        self.require("eq i64", self.load_field("i64", out, TUPLE_SIZE), n)
        return [self.load_field("ptr", out, TUPLE_ITEMS + 8 * k) for k in range(n)]

    def span(self, begin: str, count: str) -> Span:
        """Return the memory range of some numbers."""
        element = self.codegen.element.name
        return Span(begin, self.new(f"getelementptr {element}, ptr {begin}, i64 {count}"))

    def unless_null(self, new: str, held: list[str]) -> None:
        """Release the held references and return null if a new object could not be made."""
        there, missing = self.new_label("there"), self.new_label("missing")
        none = self.new(f"icmp eq ptr {new}, null")
        self.branch(none, missing, there, rare=True)
        self.begin(missing)
        self.decref_all(held)
        self.do("ret ptr null")
        self.begin(there)

    def decref_all(self, held: list[str]) -> None:
        """Release references."""
        for x in held:
            self.do(f"call void {self.word('ptr', FastcallSlots.DECREF)}(ptr {x})")

    def require_apart(self, a: Span, b: Span) -> None:
        """Require that two ranges of memory do not overlap."""
        before = self.new(f"icmp ule ptr {a.end}, {b.begin}")
        after = self.new(f"icmp ule ptr {b.end}, {a.begin}")
        self.require_true(self.new(f"or i1 {before}, {after}"))

    def emit_return(self, results: list[str]) -> None:
        """Emit the return of the results: a single one, or a tuple of several."""
        if len(results) == 1:
            self.do(f"ret ptr {results[0]}")
            return
        new = self.word("ptr", FastcallSlots.TUPLE_NEW)
        together = self.new(f"call ptr {new}(i64 {len(results)})")
        self.unless_null(together, results)
        for k, result in enumerate(results):
            self.store_field("ptr", result, together, TUPLE_ITEMS + 8 * k)
        self.do(f"ret ptr {together}")
