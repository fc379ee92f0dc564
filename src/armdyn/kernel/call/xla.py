"""A handler through which XLA, the compiler of JAX, calls the machine code of a program.

XLA calls a C function with a frame: pointers to the buffers of the operands and the results. The
handler checks them and calls the inner loop of the gufunc, without Python. The layout of the frame
is that of `xla/ffi/api/c_api.h`, which comes with jaxlib; `API` is its version. A handler that gets
a frame of another version refuses it with an error.
"""

from __future__ import annotations

from enum import IntEnum
from math import prod

from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.writer import RARE, FunctionWriter

# The version of the interface, major and minor, whose layout is known here.
API = (0, 3)


HANDLER = "armdyn_xla_handler"


class Frame(IntEnum):
    """Offsets in XLA_FFI_CallFrame."""

    SIZE, EXTENSION, API, STAGE = 0, 8, 16, 32
    N_OPERANDS, OPERANDS, N_RESULTS, RESULTS = 56, 72, 96, 112
    LENGTH = 168


class Extension(IntEnum):
    """Offsets in XLA_FFI_Metadata_Extension, and its type."""

    TYPE, METADATA = 8, 24
    IS_METADATA = 1


class Metadata(IntEnum):
    """Offsets in XLA_FFI_Metadata."""

    VERSION_SIZE, VERSION_EXTENSION, MAJOR, MINOR, TRAITS = 8, 16, 24, 28, 32
    VERSION_LENGTH = 24


class Functions(IntEnum):
    """Offsets in XLA_FFI_Api."""

    MAJOR, MINOR, NEW_ERROR = 32, 36, 48


class Buffer(IntEnum):
    """Offsets in XLA_FFI_Buffer."""

    TYPE, DATA, RANK, DIMENSIONS = 16, 24, 32, 40


class NewError(IntEnum):
    """Offsets in XLA_FFI_Error_Create_Args, and a code of an error."""

    SIZE, EXTENSION, MESSAGE, CODE = 0, 8, 16, 24
    LENGTH = 28
    INVALID_ARGUMENT = 3


EXECUTE = 3
TYPES = {"double": 12, "float": 11}  # XLA_FFI_DataType
MESSAGE = "armdyn: XLA passed buffers or a version that do not belong to this program"

# How many numbers a buffer has; -1 if they are of another type.
_COUNT = f"""\
define internal i64 @armdyn_count(ptr %buffer, i32 %wanted) nounwind {{
entry:
  %type.p = getelementptr i8, ptr %buffer, i64 {Buffer.TYPE}
  %type = load i32, ptr %type.p
  %rank.p = getelementptr i8, ptr %buffer, i64 {Buffer.RANK}
  %rank = load i64, ptr %rank.p
  %dims.p = getelementptr i8, ptr %buffer, i64 {Buffer.DIMENSIONS}
  %dims = load ptr, ptr %dims.p
  %same = icmp eq i32 %type, %wanted
  br i1 %same, label %next, label %other
next:
  %k = phi i64 [ 0, %entry ], [ %k2, %axis ]
  %n = phi i64 [ 1, %entry ], [ %n2, %axis ]
  %more = icmp slt i64 %k, %rank
  br i1 %more, label %axis, label %done
axis:
  %length.p = getelementptr i64, ptr %dims, i64 %k
  %length = load i64, ptr %length.p
  %n2 = mul i64 %n, %length
  %k2 = add i64 %k, 1
  br label %next
done:
  ret i64 %n
other:
  ret i64 -1
}}
"""


def handler_ir(program: Program | Rolled, loop: int, codegen: Codegen) -> str:
    """Return the IR of a handler, named `HANDLER`.

    Args:
        program: the program.
        loop: address of its inner loop in this process.
        codegen: the target and the element type.
    """
    slots = (*program.inputs, *program.outputs)
    outer = [codegen.bytes_of(slot.size) for slot in slots]
    core = [
        codegen.bytes_of(prod(slot.shape[axis + 1 :]))
        for slot in slots
        for axis in range(len(slot.shape))
    ]
    steps = ", ".join(f"i64 {step}" for step in (*outer, *core))
    return "\n".join([
        f"@armdyn_steps = internal constant [{len(outer) + len(core)} x i64] [ {steps} ]",
        f'@armdyn_message = internal constant [{len(MESSAGE) + 1} x i8] c"{MESSAGE}\\00"',
        _COUNT,
        _Handler(program, loop, codegen).text(f"ptr @{HANDLER}(ptr %frame) nounwind"),
        RARE,
        "",
    ])  # fmt: skip


class _Handler(FunctionWriter):
    """The body of a handler."""

    def __init__(self, program: Program | Rolled, loop: int, codegen: Codegen) -> None:
        super().__init__()
        self.begin("entry")
        self._require("i64", self.load_field("i64", "%frame", Frame.SIZE), Frame.LENGTH)
        self._answer_query()
        self._require("i32", self.load_field("i32", "%frame", Frame.STAGE), EXECUTE)
        functions = self.load_field("ptr", "%frame", Frame.API)
        for field, number in zip((Functions.MAJOR, Functions.MINOR), API, strict=True):
            self._require("i32", self.load_field("i32", functions, field), number)
        self._compute(program, loop, TYPES[codegen.element.name])
        self._refuse()

    def _require(self, kind: str, found: str, wanted: int | str) -> None:
        """Continue only if two numbers are equal; else refuse the frame."""
        different, on = self.new(f"icmp ne {kind} {found}, {wanted}"), self.new_label("on")
        self.branch(different, "refuse", on, rare=True)
        self.begin(on)

    def _answer_query(self) -> None:
        """If XLA asks for the version of this handler, give it."""
        extension = self.load_field("ptr", "%frame", Frame.EXTENSION)
        self.branch(self.new(f"icmp ne ptr {extension}, null"), "extended", "execute", rare=True)
        self.begin("extended")
        kind = self.load_field("i32", extension, Extension.TYPE)
        self.branch(self.new(f"icmp eq i32 {kind}, {Extension.IS_METADATA}"), "query", "execute")
        self.begin("query")
        metadata = self.load_field("ptr", extension, Extension.METADATA)
        self.store_field("i64", str(int(Metadata.VERSION_LENGTH)), metadata, Metadata.VERSION_SIZE)
        self.store_field("ptr", "null", metadata, Metadata.VERSION_EXTENSION)
        self.store_field("i32", str(API[0]), metadata, Metadata.MAJOR)
        self.store_field("i32", str(API[1]), metadata, Metadata.MINOR)
        self.store_field("i32", "0", metadata, Metadata.TRAITS)
        self.do("ret ptr null")
        self.begin("execute")

    def _compute(self, program: Program | Rolled, loop: int, kind: int) -> None:
        """Check the buffers and call the loop."""
        buffers: list[tuple[str, int]] = []
        for slots, length, first in (
            (program.inputs, Frame.N_OPERANDS, Frame.OPERANDS),
            (program.outputs, Frame.N_RESULTS, Frame.RESULTS),
        ):
            self._require("i64", self.load_field("i64", "%frame", length), len(slots))
            listed = self.load_field("ptr", "%frame", first)
            for k, slot in enumerate(slots):
                buffers.append((self.load_field("ptr", listed, 8 * k), slot.size))
        sizes = [
            (self.new(f"call i64 @armdyn_count(ptr {buffer}, i32 {kind})"), size)
            for buffer, size in buffers
        ]
        states = self.new(f"sdiv i64 {sizes[0][0]}, {sizes[0][1]}")
        for found, size in sizes:
            self._require("i64", found, self.new(f"mul i64 {states}, {size}"))
        pointers, count = self.new(f"alloca [{len(buffers)} x ptr]"), self.new("alloca i64")
        for k, (buffer, _) in enumerate(buffers):
            self.store_field("ptr", self.load_field("ptr", buffer, Buffer.DATA), pointers, 8 * k)
        self.do(f"store i64 {states}, ptr {count}")
        code = self.new(f"inttoptr i64 {loop} to ptr")
        self.do(f"call void {code}(ptr {pointers}, ptr {count}, ptr @armdyn_steps, ptr null)")
        self.do("ret ptr null")

    def _refuse(self) -> None:
        self.begin("refuse")
        error = self.new("alloca [4 x i64]")
        self.store_field("i64", str(int(NewError.LENGTH)), error, NewError.SIZE)
        self.store_field("ptr", "null", error, NewError.EXTENSION)
        self.store_field("ptr", "@armdyn_message", error, NewError.MESSAGE)
        self.store_field("i32", str(int(NewError.INVALID_ARGUMENT)), error, NewError.CODE)
        functions = self.load_field("ptr", "%frame", Frame.API)
        make = self.load_field("ptr", functions, Functions.NEW_ERROR)
        self.do(f"ret ptr {self.new(f'call ptr {make}(ptr {error})')}")
