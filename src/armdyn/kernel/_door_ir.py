"""The way in for one plain state, as LLVM IR: a C function that Python calls without detours.

It takes what is most common and leaves the rest to Python: exactly the inputs, each a plain array
of one dense state of finite doubles, and perhaps `out`, as plain and apart from the inputs. It
makes the results, has the kernel for one state fill them, and returns them if they are finite.
Whatever else it is given, or comes out, it calls the slow way with the same arguments, which does
the work or says what is wrong.

The text depends only on how many inputs and outputs there are. All else, addresses of this process
among it, is read from words that belong to the function object; see `Words`.
"""

from __future__ import annotations

from enum import IntEnum, auto

DOOR = "armdyn_door"
MOST_AXES = 4


class Words(IntEnum):
    """What the words in front are; behind them are those of each input and each output.

    An input has one, its length; an output has its number of axes, its size, and `MOST_AXES`
    lengths of axes.
    """

    ARRAY_TYPE = 0
    OUT = auto()
    NONE = auto()
    VECTORCALL = auto()
    ARRAY_NEW = auto()
    TUPLE_NEW = auto()
    INCREF = auto()
    DECREF = auto()
    KERNEL = auto()


# Where things are in objects of CPython on machines of 64 bits.
TYPE = 8
TUPLE_SIZE = 16
TUPLE_ITEMS = 24
BYTES_ITEMS = 32
# ... and in arrays of NumPy, and in their descriptions of numbers.
DATA, N_AXES, AXES, DESCRIPTION, FLAGS = 16, 24, 32, 56, 64
BYTE_ORDER, TYPE_NUMBER = 26, 28

NATIVE = ord("=")
DOUBLE = 12
DENSE_AND_ALIGNED = 0x101
WRITEABLE = 0x400
# Arrays that warn when written to, or that are a copy to be written back, are left to NumPy.
UNUSUAL = 0x80002000

# Whether numbers are all finite: four by four, the last four overlapping those before.
_FINITE = """\
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare double @llvm.fabs.f64(double)
declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)

define internal i1 @finite(ptr %x, i64 %n) nounwind {
entry:
  %last = sub i64 %n, 4
  %few = icmp slt i64 %last, 0
  br i1 %few, label %one, label %four
four:
  %i = phi i64 [ 0, %entry ], [ %i3, %four ]
  %bad = phi <4 x i1> [ zeroinitializer, %entry ], [ %bad2, %four ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load <4 x double>, ptr %p, align 8
  %a = call <4 x double> @llvm.fabs.v4f64(<4 x double> %v)
  %b = fcmp uge <4 x double> %a, splat (double 0x7FF0000000000000)
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
  %fine = fcmp olt double %c, 0x7FF0000000000000
  %j2 = add i64 %j, 1
  br i1 %fine, label %one, label %wrong
good:
  ret i1 true
wrong:
  ret i1 false
}
"""


def door_ir(n_inputs: int, n_outputs: int) -> str:
    """Return a module whose function `DOOR` is called as METH_FASTCALL | METH_KEYWORDS."""
    return _FINITE + "\n".join(_Function(n_inputs, n_outputs).lines) + "\n"


class _Function:
    """The lines of the function, written from top to bottom."""

    def __init__(self, n_inputs: int, n_outputs: int) -> None:
        self._n_inputs, self._n_outputs = n_inputs, n_outputs
        self._count = 0
        self._block = ""
        self.lines = [f"define ptr @{DOOR}(ptr %self, ptr %args, i64 %n, ptr %names) nounwind {{"]
        self._begin("entry")
        self._words = self._place(self._load("ptr", "%self", TUPLE_ITEMS), BYTES_ITEMS)
        self._array_type = self._word("ptr", Words.ARRAY_TYPE)
        self._require("eq i64", "%n", n_inputs)
        out = self._keyword()
        given = [self._input(k) for k in range(n_inputs)]
        results = self._results(out, given)
        self._compute(given, results)
        self._return(results)
        self._begin("slow")
        slow = self._load("ptr", "%self", TUPLE_ITEMS + 8)
        call = self._word("ptr", Words.VECTORCALL)
        theirs = self._new(f"call ptr {call}(ptr {slow}, ptr %args, i64 %n, ptr %names)")
        self._do(f"ret ptr {theirs}")
        self.lines.append("}")

    def _do(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def _new(self, expression: str) -> str:
        self._count += 1
        self._do(f"%v{self._count} = {expression}")
        return f"%v{self._count}"

    def _begin(self, label: str) -> None:
        self._block = label
        self.lines.append(f"{label}:")

    def _place(self, base: str, offset: int) -> str:
        return self._new(f"getelementptr i8, ptr {base}, i64 {offset}")

    def _load(self, kind: str, base: str, offset: int) -> str:
        return self._new(f"load {kind}, ptr {self._place(base, offset)}")

    def _word(self, kind: str, k: int) -> str:
        return self._load(kind, self._words, 8 * k)

    def _require(self, comparison: str, a: str, b: str | int, otherwise: str = "slow") -> None:
        """Go on only if a comparison holds."""
        self._require_true(self._new(f"icmp {comparison} {a}, {b}"), otherwise)

    def _require_true(self, condition: str, otherwise: str = "slow") -> None:
        self._count += 1
        self._do(f"br i1 {condition}, label %b{self._count}, label %{otherwise}")
        self._begin(f"b{self._count}")

    def _keyword(self) -> str:
        """Return what is given as `out`; null for nothing, or None."""
        without = self._block
        self._do("%plain = icmp eq ptr %names, null")
        self._do("br i1 %plain, label %inputs, label %keywords")
        self._begin("keywords")
        self._require("eq i64", self._load("i64", "%names", TUPLE_SIZE), 1)
        name = self._load("ptr", "%names", TUPLE_ITEMS)
        self._require("eq ptr", name, self._word("ptr", Words.OUT))
        value = self._load("ptr", "%args", 8 * self._n_inputs)
        no = self._new(f"icmp eq ptr {value}, {self._word('ptr', Words.NONE)}")
        some = self._new(f"select i1 {no}, ptr null, ptr {value}")
        before = self._block
        self._do("br label %inputs")
        self._begin("inputs")
        return self._new(f"phi ptr [ null, %{without} ], [ {some}, %{before} ]")

    def _plain_array(self, array: str, flags: int, no_flags: int = 0) -> None:
        """Require a plain array of doubles with some flags and without some others."""
        self._require("eq ptr", self._load("ptr", array, TYPE), self._array_type)
        description = self._load("ptr", array, DESCRIPTION)
        self._require("eq i32", self._load("i32", description, TYPE_NUMBER), DOUBLE)
        self._require("eq i8", self._load("i8", description, BYTE_ORDER), NATIVE)
        has = self._new(f"and i32 {self._load('i32', array, FLAGS)}, {flags | no_flags}")
        self._require("eq i32", has, flags)

    def _input(self, k: int) -> tuple[str, str]:
        """Return where the numbers of an input begin, and how many they are."""
        array = self._load("ptr", "%args", 8 * k)
        self._plain_array(array, DENSE_AND_ALIGNED)
        self._require("eq i32", self._load("i32", array, N_AXES), 1)
        n = self._word("i64", len(Words) + k)
        self._require("eq i64", self._load("i64", self._load("ptr", array, AXES), 0), n)
        begin = self._load("ptr", array, DATA)
        self._require_true(self._new(f"call i1 @finite(ptr {begin}, i64 {n})"))
        return begin, n

    def _output_word(self, k: int, which: int) -> int:
        return len(Words) + self._n_inputs + (2 + MOST_AXES) * k + which

    def _results(self, out: str, given: list[tuple[str, str]]) -> list[str]:
        """Return the arrays for the results, each with a reference that is ours."""
        none = self._new(f"icmp eq ptr {out}, null")
        if self._n_outputs > 1:
            self._require_true(none)
            results: list[str] = []
            for k in range(self._n_outputs):
                results.append(self._make(k, results))
            return results
        self._do(f"br i1 {none}, label %make, label %take")
        self._begin("take")
        self._take(out, given)
        taken = self._block
        self._do("br label %compute")
        self._begin("make")
        made = self._make(0, [])
        before = self._block
        self._do("br label %compute")
        self._begin("compute")
        return [self._new(f"phi ptr [ {out}, %{taken} ], [ {made}, %{before} ]")]

    def _make(self, k: int, before: list[str]) -> str:
        axes = self._place(self._words, 8 * self._output_word(k, 2))
        n_axes = self._word("i32", self._output_word(k, 0))
        result = self._new(
            f"call ptr {self._word('ptr', Words.ARRAY_NEW)}(ptr {self._array_type}, i32 {n_axes}, "
            f"ptr {axes}, i32 {DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        self._unless_null(result, before)
        return result

    def _unless_null(self, new: str, held: list[str]) -> None:
        """Let go of what is held and fail if a new object could not be made."""
        self._count += 1
        there, missing = f"there{self._count}", f"missing{self._count}"
        none = self._new(f"icmp eq ptr {new}, null")
        self._do(f"br i1 {none}, label %{missing}, label %{there}")
        self._begin(missing)
        self._let_go(held)
        self._do("ret ptr null")
        self._begin(there)

    def _let_go(self, held: list[str]) -> None:
        for x in held:
            self._do(f"call void {self._word('ptr', Words.DECREF)}(ptr {x})")

    def _take(self, out: str, given: list[tuple[str, str]]) -> None:
        """Require that `out` is as the result would be, and apart from the inputs."""
        self._plain_array(out, DENSE_AND_ALIGNED | WRITEABLE, UNUSUAL)
        n_axes = self._word("i32", self._output_word(0, 0))
        self._require("eq i32", self._load("i32", out, N_AXES), n_axes)
        axes = self._load("ptr", out, AXES)
        for k in range(MOST_AXES):
            self._require("sgt i32", n_axes, k, "axes")
            length = self._word("i64", self._output_word(0, 2 + k))
            self._require("eq i64", self._load("i64", axes, 8 * k), length)
        self._do("br label %axes")
        self._begin("axes")
        begin = self._load("ptr", out, DATA)
        size = self._word("i64", self._output_word(0, 1))
        end = self._new(f"getelementptr double, ptr {begin}, i64 {size}")
        for numbers, n in given:
            behind = self._new(f"getelementptr double, ptr {numbers}, i64 {n}")
            before = self._new(f"icmp ule ptr {end}, {numbers}")
            after = self._new(f"icmp ule ptr {behind}, {begin}")
            self._require_true(self._new(f"or i1 {before}, {after}"))
        self._do(f"call void {self._word('ptr', Words.INCREF)}(ptr {out})")

    def _compute(self, given: list[tuple[str, str]], results: list[str]) -> None:
        numbers = [self._load("ptr", result, DATA) for result in results]
        pointers = ", ".join(f"ptr {x}" for x in [begin for begin, _ in given] + numbers)
        self._do(f"call void {self._word('ptr', Words.KERNEL)}({pointers})")
        for k, begin in enumerate(numbers):
            size = self._word("i64", self._output_word(k, 1))
            good = self._new(f"call i1 @finite(ptr {begin}, i64 {size})")
            self._require_true(good, "not_finite")

    def _return(self, results: list[str]) -> None:
        if len(results) == 1:
            self._do(f"ret ptr {results[0]}")
        else:
            new = self._word("ptr", Words.TUPLE_NEW)
            together = self._new(f"call ptr {new}(i64 {len(results)})")
            self._unless_null(together, results)
            for k, result in enumerate(results):
                self._do(f"store ptr {result}, ptr {self._place(together, TUPLE_ITEMS + 8 * k)}")
            self._do(f"ret ptr {together}")
        self._begin("not_finite")
        self._let_go(results)
        self._do("br label %slow")
