"""A program as LLVM IR: a kernel for one state, a kernel for a block of states, and their loop.

The kernels have no loops. Both do the same operations in the same order, so that a state gives the
same bits alone and in any batch. Their arguments are a pointer to each input and each output, which
are dense arrays and must not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.graph.program import Instruction, Program
from armdyn.kernel.element import BLOCK, LOOP, ONE
from armdyn.kernel.ir.codegen import Codegen, declarations
from armdyn.kernel.ir.finite_check import NOT_ORDINARY, ordinary_function
from armdyn.kernel.ir.operations import Step, fused, operation, sincos_of_all
from armdyn.kernel.ir.sincos import slow_function
from armdyn.kernel.ir.tiles import load_tile, load_tiles
from armdyn.kernel.ir.writer import Writer
from armdyn.kernel.jit import CUT
from armdyn.kernel.straight.order import Arrange, early, min_live, read_times, rounds
from armdyn.kernel.straight.spill import SpillAllocator
from armdyn.kernel.straight.store import Store, Stores, stays_finite
from armdyn.kernel.streaming import StreamPoints, nothing, parameters, streaming_function, streams
from armdyn.kernel.strided_loop import loop_function, takes_any_strides
from armdyn.scalar import Op

# A kernel for one state that calls the kernel for a block, with the state in every row.
#
# It takes about twice the time of a separate kernel, but hardly any time to compile.

# Copy a row several times, back to back.
_REPEAT = """\
define internal void @armdyn_repeat(ptr noalias %to, ptr noalias %row, i64 %size, i64 %times) \
noinline nounwind {
entry:
  br label %rows
rows:
  %r = phi i64 [ 0, %entry ], [ %r2, %done ]
  %first = mul i64 %r, %size
  br label %items
items:
  %e = phi i64 [ 0, %rows ], [ %e2, %items ]
  %from = getelementptr $element, ptr %row, i64 %e
  %value = load $element, ptr %from, align $bytes
  %at = add i64 %first, %e
  %place = getelementptr $element, ptr %to, i64 %at
  store $element %value, ptr %place, align $bytes
  %e2 = add i64 %e, 1
  %more = icmp ult i64 %e2, %size
  br i1 %more, label %items, label %done
done:
  %r2 = add i64 %r, 1
  %again = icmp ult i64 %r2, %times
  br i1 %again, label %rows, label %end
end:
  ret void
}
"""


def one_by_block(program: Program, codegen: Codegen, name: str, block: str, extra: str = "") -> str:
    """Return the function `name` for one state, which calls the function `block`.

    `extra` are additional arguments of `block`.
    """
    slots = (*program.inputs, *program.outputs)
    n_inputs = len(program.inputs)
    rows = [f"%x{k}" for k in range(len(slots))]
    given = ", ".join(f"ptr noalias nocapture %a{k}" for k in range(len(slots)))
    lines = [f"define dso_local void @{name}({given}) noinline nounwind {{", "entry:"]
    for row, slot in zip(rows, slots, strict=True):
        lines.append(f"  {row} = {codegen.array(codegen.width * slot.size)}")
    for k, slot in enumerate(slots[:n_inputs]):
        lines.append(_copied(rows[k], f"%a{k}", slot.size, codegen.width))
    lines.append(f"  call void @{block}({', '.join(f'ptr {row}' for row in rows)}{extra})")
    for k, slot in enumerate(slots[n_inputs:], n_inputs):
        lines.append(_copied(f"%a{k}", rows[k], slot.size, 1))
    return codegen.filled(_REPEAT) + "\n".join([*lines, "  ret void", "}"]) + "\n"


def _copied(to: str, row: str, size: int, times: int) -> str:
    return f"  call void @armdyn_repeat(ptr {to}, ptr {row}, i64 {size}, i64 {times})"


# Programs with up to this many steps store results as early as possible.
EARLY_STORE_MAX_STEPS = 700
# With this many results, more values are live than there are registers.
MANY_RESULTS = 64
# For programs with more steps, this compiler decides what to spill, not LLVM.
SPILL_THRESHOLD = 1080
# Programs with more steps and results together are compiled only once, for a block of states.
LONGEST_TWICE = 1500
# Within a basic block LLVM compares all memory accesses with each other, so compile time grows
# faster than the length of a block. A jump to the next block costs no instruction.
STEPS_BETWEEN_CUTS = 100


def emit(program: Program, codegen: Codegen) -> str:
    """Return the module of a program, whose function `LOOP` is the inner loop of a gufunc.

    `LINK` must be called once after loading; see `slow_function`.
    """
    steps = fused(program, codegen.target.fma)
    parts = [declarations(codegen), slow_function(codegen)]
    sends = streams(program, codegen)
    extra = nothing(program) if sends else ""
    length = _length(steps) + len(program.results)
    if length > LONGEST_TWICE and takes_any_strides(program, codegen):
        parts.append(one_by_block(program, codegen, ONE, BLOCK, extra))
    else:
        parts.append(_Body(program, steps, codegen, 1).function(ONE))
    parts.append(_Body(program, steps, codegen, codegen.width).function(BLOCK))
    parts.append(loop_function(program, codegen, LOOP, ONE, BLOCK, extra))
    if sends:
        parts.append(streaming_function(program, codegen, BLOCK))
    safe_magnitude = codegen.element.safe_magnitude
    sure = stays_finite(program, safe_magnitude, codegen.element)
    parts.append(ordinary_function(codegen, safe_magnitude if sure else NOT_ORDINARY))
    return "\n".join(parts)


class _Body:
    """One kernel: the program in values of a width, 1 or that of the target."""

    def __init__(
        self, program: Program, steps: Sequence[Step | None], codegen: Codegen, width: int
    ) -> None:
        self._program = program
        self._steps = steps
        self._lanes = codegen.width
        self._w = Writer(width, codegen)
        self._columns: dict[int, str] = {}
        self._trig: dict[tuple[Op, int], str] = {}
        self._places = [
            (f"%i{j}", slot, column)
            for j, slot in enumerate(program.inputs)
            for column in range(slot.size)
        ]
        self._cuts = 0
        self._waiting: dict[int, list[_Waiting]] = {}
        self._stores = Stores(program, width)
        for store in self._stores.all:
            waiting = _Waiting(store)
            for k in waiting.missing:
                self._waiting.setdefault(k, []).append(waiting)
        self._long = _length(steps) > SPILL_THRESHOLD
        self._rounds = rounds(steps, self._arrangement(width))
        reads = read_times(steps, self._rounds, self._stores.all) if self._long else {}
        self._values = SpillAllocator(self._w, reads, codegen.target.value_registers)
        sends = width > 1 and streams(program, codegen)
        self._stream_points = StreamPoints(self._w, program, _length(steps)) if sends else None

    def _arrangement(self, width: int) -> Arrange | None:
        """Return how the steps are ordered.

        Stores cost least between other steps. In long programs, this order would keep too many
        values live, unless most live values are results anyway.
        """
        if width == 1:
            return None
        if self._stores.wide or _length(self._steps) <= EARLY_STORE_MAX_STEPS:
            return early(self._stores.all)
        return min_live if len(self._program.results) >= MANY_RESULTS else None

    def function(self, name: str) -> str:
        """Return the text of the function."""
        w = self._w
        w.begin("entry")
        for level, (made, angles) in enumerate(self._rounds):
            self._make(made)
            if angles:
                pairs = sincos_of_all(w, self._values.read(angles), self._lanes, str(level))
                for angle, (s, c) in zip(angles, pairs, strict=True):
                    self._trig[Op.SIN, angle], self._trig[Op.COS, angle] = s, c
        if self._stream_points:
            self._stream_points.finish()
        w.do("ret void")
        w.at_entry(self._values.memory())
        slots = (*self._program.inputs, *self._program.outputs)
        n_inputs = len(self._program.inputs)
        names = [f"%i{k}" if k < n_inputs else f"%o{k - n_inputs}" for k in range(len(slots))]
        given = ", ".join(f"ptr noalias nocapture {x}" for x in names)
        given += parameters(self._program) if self._stream_points else ""
        seen = "dso_local" if name == ONE else "internal"  # fastcalls call it by address
        return w.text(f"{seen} void @{name}({given}) noinline nounwind")

    def _make(self, indices: Sequence[int]) -> None:
        for count, k in enumerate(indices, 1):
            step = self._steps[k]
            assert step is not None
            if isinstance(step, Instruction) and step.op is Op.CONST:
                self._values.constant(k, self._w.const(step.value))
            else:
                self._values.define(k, self._value(step))
            self._store_what_is_ready(k)
            if self._stream_points:
                self._stream_points.step()
            if self._long and count % STEPS_BETWEEN_CUTS == 0:
                self._cut()

    def _cut(self) -> None:
        """Begin a new basic block."""
        self._cuts += 1
        self._w.jump(f"{CUT}{self._cuts}")
        self._w.begin(f"{CUT}{self._cuts}")

    def _value(self, step: Step) -> str:
        if isinstance(step, Instruction):
            if step.op is Op.INPUT:
                return self._input(int(step.value))
            if step.op in (Op.SIN, Op.COS):
                return self._trig[step.op, step.args[0]]
        return operation(self._w, step, self._values.read(step.args))

    def _input(self, position: int) -> str:
        base, slot, column = self._places[position]
        if self._w.width == 1:
            return self._w.load(base, column)
        if position not in self._columns:
            tile = next(t for t in load_tiles(self._w.width, slot.size) if column in t.columns)
            values = load_tile(self._w, base, slot.size, tile)
            for k, value in zip(tile.columns, values, strict=True):
                self._columns[position - column + k] = value
        return self._columns[position]

    def _store_what_is_ready(self, k: int) -> None:
        for waiting in self._waiting.get(k, ()):
            waiting.missing.discard(k)
            if not waiting.missing:
                self._values.make_room(len(waiting.store.results))
                waiting.store.write(self._w, self._values.read(waiting.store.results))


class _Waiting:
    """A tile and its columns that are not computed yet."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.missing = set(store.results)


def _length(steps: Sequence[Step | None]) -> int:
    return sum(step is not None for step in steps)
