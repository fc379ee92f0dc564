"""A rolled program as LLVM IR: loops over the joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.graph.rolled import Rolled, Sweep
from armdyn.kernel.element import BLOCK, LOOP, ONE
from armdyn.kernel.ir.codegen import Codegen, declarations
from armdyn.kernel.ir.finite_check import NOT_ORDINARY, ordinary_function
from armdyn.kernel.ir.loops import aligned, allocated, counted, release
from armdyn.kernel.ir.operations import mirror_function, zero_function
from armdyn.kernel.ir.sincos import SLOW, limit_pattern, sincos, slow_function
from armdyn.kernel.ir.writer import Writer
from armdyn.kernel.rolled.memory import Memory, Reader, Rows, Table, place
from armdyn.kernel.rolled.step import Number, RolledStep
from armdyn.kernel.strided_loop import loop_function

# Kernels of rolled programs: loops over the joints.
#
# Values that a sweep carries are in registers, values for later sweeps in scratch memory, and
# constants of the joints in a table. The inputs of a block of states are first transposed into
# scratch memory. The results are transposed out of it at the end: whole vectors, and matrices row
# by row.

# Larger scratch memory (bytes) is not on the stack.
MOST_ON_STACK = 2**16

BELOW = "armdyn_below"


class RolledBody:
    """One kernel: the rolled program in values of a width, 1 or that of the target.

    Attributes:
        memory: its scratch memory.
    """

    def __init__(self, rolled: Rolled, codegen: Codegen, width: int) -> None:
        self._rolled = rolled
        self._codegen = codegen
        self._line = codegen.target.line_bytes
        self._n = rolled.n
        self._w = Writer(width, codegen)
        # in a block, the steps of a sweep without a carry overlap: they need no early angles
        self._steps = [
            RolledStep(sweep.step, codegen, early=width == 1 or bool(sweep.start))
            for sweep in rolled.sweeps
        ]
        self._column_steps = [
            RolledStep(sweep.columns, codegen, early=False) if sweep.columns else None
            for sweep in rolled.sweeps
        ]
        self.memory = Memory(rolled, width, codegen, max(len(s.early) for s in self._steps))
        self._inputs = {slot.name: f"%i{j}" for j, slot in enumerate(rolled.inputs)}
        self._outputs = {slot.name: f"%o{j}" for j, slot in enumerate(rolled.outputs)}
        self._rows = Rows(self._w, codegen.width, self._n, self.memory, self._inputs, self._outputs)
        self._table = Table(rolled, codegen)

    def function(self, name: str, given: bool) -> str:
        """Return the text of the function.

        Args:
            name: of the function.
            given: whether the last argument is the scratch memory (or null); otherwise the function
                has its own memory.
        """
        w = self._w
        w.begin("entry")
        own = not given and self.memory.bytes > MOST_ON_STACK
        memory = ""
        if own:
            memory = allocated(w, self.memory.bytes)
            w.do(f"%scratch = getelementptr i8, ptr {aligned(w, memory)}, i64 0")
        elif not given:
            w.do(f"%scratch = alloca [{self.memory.bytes} x i8], align {self._line}")
        if own or given:
            self._without_memory()
        if w.width > 1:
            for slot in self._rolled.inputs:
                self._rows.load_block(slot.name)
        for number, sweep in enumerate(self._rolled.sweeps):
            self._early(number)
            self._sweep(number, sweep)
        for j, slot in enumerate(self._rolled.outputs):
            if len(slot.shape) == 2:
                with counted(w, f"below{j}", 0, w.width) as state:
                    at = place(w, f"%o{j}", state.i, slot.size)
                    w.do(f"call void @{BELOW}{j}(ptr {at})")
            elif w.width > 1:
                self._rows.store_block(slot.name)
        if own:
            release(w, memory)
        w.do("ret void")
        pointers = [*self._inputs.values(), *self._outputs.values()]
        pointers += [f"align {self._line} %scratch"] if given else []
        arguments = ", ".join(f"ptr noalias nocapture {x}" for x in pointers)
        return w.text(f"dso_local void @{name}({arguments}) noinline nounwind")

    def _without_memory(self) -> None:
        """Emit the branch for missing memory: all results are NaN."""
        w = self._w.resized(1)
        lacks = w.new("icmp eq ptr %scratch, null")
        w.branch(lacks, "lacking", "begin")
        w.begin("lacking")
        for j, slot in enumerate(self._rolled.outputs):
            with counted(w, f"lack{j}", 0, slot.size * self._w.width) as entry:
                w.store(w.const(float("nan")), place(w, f"%o{j}", entry.i, 1), 0)
        w.do("ret void")
        w.begin("begin")

    def _early(self, number: int) -> None:
        """Emit sines and cosines of the early angles of all joints."""
        step, w, memory = self._steps[number], self._w, self.memory
        if not step.early:
            return
        lanes = self._codegen.width
        count = self._n * len(step.early) * w.width
        whole = -(-count // lanes) * lanes
        parts = [memory.part(w, name) for name in ("angles", "sines", "cosines")]
        label = f"early{number}"
        v = w.resized(lanes)
        if whole > count:
            v.store(v.const(0.0), parts[0], whole - lanes)
        largest = [(w.integer, w.whole(0))]
        with counted(w, f"{label}.angles", 0, self._n, carried=largest) as loop:
            reader = self._reader(w, loop.i, {})
            far = loop.carried[0]
            for k, x in enumerate(step.angles(w, reader.read)):
                w.store(x, memory.angle(w, "angles", k, loop.i), 0)
                pattern = w.new(f"bitcast {w.type} {x} to {w.integer}")
                size = w.new(f"and {w.integer} {pattern}, {w.whole(2 ** (w.element.bits - 1) - 1)}")
                over = w.new(f"sub {w.integer} {w.whole(limit_pattern(w.element))}, {size}")
                far = w.new(f"or {w.integer} {far}, {over}")
            loop.following = [far]
        # the sign of the collected bits says whether any angle is too large or NaN
        flag = w.new(f"icmp slt {w.integer} {loop.carried[0]}.next, {w.whole(0)}")
        if w.width > 1:
            flag = w.new(f"call i1 @llvm.vector.reduce.or.v{w.width}i1({w.flag} {flag})")
        w.branch(flag, f"{label}.far", f"{label}.near", rare=True)
        w.begin(f"{label}.far")
        w.do(f"call void @{SLOW}(ptr {', ptr '.join(parts)}, i64 {count})")
        w.jump(f"{label}.both")
        w.begin(f"{label}.near")
        with counted(v, f"{label}.sincos", 0, whole, lanes) as loop:
            s, c = sincos(v, v.load(place(v, parts[0], loop.i, 1), 0))
            v.store(s, place(v, parts[1], loop.i, 1), 0)
            v.store(c, place(v, parts[2], loop.i, 1), 0)
        w.jump(f"{label}.both")
        w.begin(f"{label}.both")

    def _reader(self, w: Writer, i: str, brought: Mapping[tuple[str, int], str]) -> Reader:
        inputs = self._inputs
        if self._w.width > 1:
            inputs = {name: self.memory.input(w, name) for name in inputs}
        return Reader(w, self.memory, self._table, inputs, i, brought)

    def _sweep(self, number: int, sweep: Sweep) -> None:
        w, n, memory = self._w, self._n, self.memory
        names = [(name, k) for name, values in sweep.start.items() for k in range(len(values))]
        carried = [(w.type, w.const(sweep.start[name][k])) for name, k in names]
        first, past, by = (0, n, 1) if sweep.outward else (n - 1, -1, -1)
        label = f"sweep{number}"
        with counted(w, label, first, past, by, carried) as loop:
            reader = self._reader(w, loop.i, dict(zip(names, loop.carried, strict=True)))
            column = memory.column(w, loop.i)
            onward: dict[tuple[str, int], str] = {}
            into_columns: list[tuple[str, int]] = []

            def write(number: Number, value: str) -> None:
                if number.place == "carry":
                    onward[number.name, number.k] = value
                elif number.place == "kept":
                    w.store(value, reader.kept, memory.stored_at(number.name, number.k))
                elif number.place == "column":
                    at = memory.column_at(number.name, number.k)
                    w.store(value, column, at)
                    into_columns.append((value, at))
                elif w.width > 1:
                    w.store(value, place(w, memory.output(w, number.name), loop.i, w.width), 0)
                else:
                    w.store(value, place(w, self._outputs[number.name], loop.i, 1), 0)

            def pair(k: int) -> tuple[str, str]:
                s, c = (
                    w.load(memory.angle(w, part, k, loop.i), 0) for part in ("sines", "cosines")
                )
                return s, c

            self._steps[number].body(w, label, reader.read, write, pair)
            if into_columns and w.width == 1:
                self._behind_the_last(label, loop.i, column, into_columns)
            if sweep.columns is not None:
                self._columns(number, label, loop.i)
            loop.following = [onward[name] for name in names]

    def _behind_the_last(
        self, label: str, i: str, column: str, values: Sequence[tuple[str, int]]
    ) -> None:
        """Emit copies of the last column behind it, for column steps that run past it."""
        w = self._w
        v = w.resized(self._codegen.width)
        is_last = w.new(f"icmp eq i64 {i}, {self._n - 1}")
        w.branch(is_last, f"{label}.last", f"{label}.others")
        w.begin(f"{label}.last")
        for value, at in values:
            v.store(v.splat(value), column, at + 1)
        w.jump(f"{label}.others")
        w.begin(f"{label}.others")

    def _columns(self, number: int, label: str, i: str) -> None:
        """Emit the column steps of joint i."""
        step, memory = self._column_steps[number], self.memory
        if step is None:
            return
        w = self._w
        read_rows = {x.name for x in step.inputs if x.place == "output"}
        written_rows = {x.name for x in step.outputs if x.place == "output"}
        # a single state packs several columns into a vector, unless the step reads entries: there
        # are none behind the last column
        several = w.width == 1 and not read_rows
        v = w.resized(self._codegen.width) if several else w
        for name in sorted(read_rows):
            self._rows.take_row(label, name, i)
        reader = self._reader(v, i, {})
        known = {x: reader.read(x) for x in step.inputs if x.place in ("constant", "kept")}
        with counted(v, f"{label}.columns", i, self._n, v.width if several else 1) as loop:
            column = memory.column(v, loop.i)

            def entry(name: str) -> str:
                return place(v, memory.output(v, name), loop.i, w.width)

            def read(number: Number) -> str:
                if number in known:
                    return known[number]
                if number.place == "output":
                    return v.load(entry(number.name), 0)
                return v.load(column, memory.column_at(number.name, number.k))

            def write(number: Number, value: str) -> None:
                if number.place == "output":
                    v.store(value, entry(number.name), 0)
                else:
                    v.store(value, column, memory.column_at(number.name, number.k))

            step.body(v, f"{label}.column", read, write)
        for name in sorted(written_rows):
            self._rows.give_row(label, name, i)


# A rolled program as LLVM IR, with the same functions as a straight-line program; see `emit`.

INNER = "armdyn_inner"


def emit_rolled(rolled: Rolled, codegen: Codegen) -> str:
    """Return the module of a rolled program, whose function `LOOP` is the inner loop of a gufunc.

    Scratch memory that is too large for the stack is allocated once for a whole batch.
    """
    parts = [declarations(codegen), slow_function(codegen), Table(rolled, codegen).text()]
    for j, slot in enumerate(rolled.outputs):
        if len(slot.shape) == 2:
            below = mirror_function if slot.name in rolled.symmetric else zero_function
            parts.append(below(f"{BELOW}{j}", rolled.n, codegen))
    block = RolledBody(rolled, codegen, codegen.width)
    large = block.memory.bytes > MOST_ON_STACK
    parts.append(RolledBody(rolled, codegen, 1).function(ONE, given=False))
    parts.append(block.function(BLOCK, given=large))
    loop = INNER if large else LOOP
    extra = ", ptr %data" if large else ""
    parts.append(loop_function(rolled, codegen, loop, ONE, BLOCK, extra))
    if large:
        parts.append(_with_memory(block.memory.bytes, codegen))
    parts.append(ordinary_function(codegen, NOT_ORDINARY))
    return "\n".join(parts)


def _with_memory(size: int, codegen: Codegen) -> str:
    """Return `LOOP`: the loop, which allocates memory if there are enough states for a block."""
    w = Writer(1, codegen)
    w.begin("entry")
    count = w.new("load i64, ptr %dims, align 8")
    few = w.new(f"icmp slt i64 {count}, {codegen.width}")
    w.branch(few, "without", "with")
    w.begin("without")
    given = "ptr %args, ptr %dims, ptr %steps, ptr"
    w.do(f"call void @{INNER}({given} null)")
    w.do("ret void")
    w.begin("with")
    memory = allocated(w, size)
    w.do(f"call void @{INNER}({given} {aligned(w, memory)})")
    release(w, memory)
    w.do("ret void")
    return w.text(f"void @{LOOP}(ptr %args, ptr %dims, ptr %steps, ptr %data) nounwind")
