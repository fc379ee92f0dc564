"""Stream results to memory, bypassing the caches, while the next ones are computed.

A block of states leaves its results in scratch rows. The kernel of the next block sends them to
memory, a few cache lines at a time, between its own steps: memory is slow, and sending all lines
at once would stall later stores. The states of a block fill whole lines. If the results are not
aligned to a line, each block is sent with the last numbers of the previous block in front.

A store across two pages waits for all earlier stores, so scratch rows stay within a page if they
can. A load waits for an earlier store whose address differs by whole pages, so the rows of two
successive blocks begin at different offsets within their pages.

The target needs vectors as long as a cache line.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum, auto

from armdyn.graph.program import Program, Slot
from armdyn.graph.rolled import Rolled
from armdyn.kernel.element import STREAMING
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.writer import Writer
from armdyn.kernel.strided_loop import MOST_SCRATCH

# From this many numbers per state on, storing takes long compared with computing.
LEAST_NUMBERS = 16

# Lines that are sent at one point, and the maximum number of points: each point checks whether
# there is anything to send.
LINES_PER_POINT = 12
MOST_POINTS = 32


class StreamSlots(IntEnum):
    """The state of the loop over blocks between its calls: words in memory.

    Attributes:
        SCRATCH: address of the scratch rows, `scratch_size` bytes that begin with a page.
        WAITING: address of the rows that are to be sent, 0 if there are none.
        JUDGE: address of the function that finds the greatest magnitude; 0 for no check.
        LARGEST: the greatest magnitude so far.
        PLACES: the destination of the waiting rows, a word for each output.
    """

    SCRATCH = 0
    WAITING = auto()
    JUDGE = auto()
    LARGEST = auto()
    PLACES = auto()


def streams(program: Program | Rolled, codegen: Codegen) -> bool:
    """Return whether the kernel of a program streams the results of the previous block."""
    able = codegen.target.stream_assembly and codegen.width == codegen.line_width
    fits = scratch_size(program, codegen) <= MOST_SCRATCH
    many = sum(slot.size for slot in program.outputs) >= LEAST_NUMBERS
    return isinstance(program, Program) and able and fits and many


def scratch_size(program: Program | Rolled, codegen: Codegen) -> int:
    """Return the bytes of scratch for two blocks of results."""
    return 2 * sum(page_bytes(slot, codegen) for slot in program.outputs)


def parameters(program: Program) -> str:
    """Return the additional parameters of the kernel: for each output, source and destination."""
    return "".join(f", ptr %from{j}, ptr %to{j}" for j in range(len(program.outputs)))


def nothing(program: Program) -> str:
    """Return arguments for these parameters that send nothing."""
    return ", ptr null" * 2 * len(program.outputs)


class StreamPoints:
    """The points in a kernel where lines are sent.

    Args:
        w: emits the kernel.
        program: the program it computes.
        steps: number of steps; the points are spread among them.
    """

    def __init__(self, w: Writer, program: Program, steps: int) -> None:
        self._w = w
        self._lines = list(_lines(program.outputs, w.codegen.target.line_bytes))
        self._together = max(LINES_PER_POINT, -(-len(self._lines) // MOST_POINTS))
        self._every = steps / -(-len(self._lines) // self._together)
        self._done = 0.0

    def step(self) -> None:
        """Send some lines after a step, if they are due."""
        self._done += 1.0
        if self._done >= self._every:
            self._done -= self._every
            self._send()

    def finish(self) -> None:
        """Send what is left."""
        while self._lines:
            self._send()

    def _send(self) -> None:
        some, self._lines = self._lines[: self._together], self._lines[self._together :]
        outputs = list(dict.fromkeys(j for j, _ in some))
        for j in outputs:
            text = ["testq $1, $1", "je 1f"]  # branches inside assembly create no basic blocks
            for k in (at for output, at in some if output == j):
                text += [f"vmovupd {k}($1), $0", f"vmovntpd $0, {k}($2)"]
            lines = r"\0A".join([*text, "1:"])
            bound = "=&v,r,r,~{memory},~{dirflag},~{fpsr},~{flags}"
            call = f'call {self._w.type} asm sideeffect "{lines}", "{bound}"'
            self._w.new(f"{call}(ptr %from{j}, ptr %to{j})")


def _lines(outputs: tuple[Slot, ...], line_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield, for every line of a block, its output and its offset."""
    for j, slot in enumerate(outputs):
        for k in range(slot.size):
            yield j, line_bytes * k


def first_lines(outputs: tuple[Slot, ...], codegen: Codegen) -> list[int]:
    """Return the offset of each output in the scratch of a block; a line is kept in front of it."""
    return [sum(page_bytes(slot, codegen) for slot in outputs[:j]) for j in range(len(outputs))]


def page_bytes(slot: Slot, codegen: Codegen) -> int:
    """Return the bytes of whole pages for the lines of an output."""
    page = codegen.target.page_bytes
    return -(-codegen.target.line_bytes * (slot.size + 1) // page) * page


# Machine code that computes a batch, and streams results while it computes the next ones.
#
# The docstring of this module explains how. The first block of states uses ordinary stores, since
# nothing may be written in front of it; so do the last states if they are fewer than a block.

STREAMED_BATCH = "armdyn_streamed_batch"

# Send the waiting results, with the part of their first line that the previous block left.
_FLUSH = """\
define internal void @armdyn_flush(ptr %words, ptr %sizes, i64 %inputs, i64 %operands) nounwind {
entry:
  %from.p = getelementptr ptr, ptr %words, i64 $waiting
  %from = load ptr, ptr %from.p
  %none = icmp eq ptr %from, null
  br i1 %none, label %done, label %next
next:
  %k = phi i64 [ %inputs, %entry ], [ %k2, %next ]
  %rows = phi ptr [ %from, %entry ], [ %rows2, %next ]
  %j = sub i64 %k, %inputs
  %place = add i64 %j, $places
  %to.p = getelementptr ptr, ptr %words, i64 %place
  %to = load ptr, ptr %to.p
  %to.number = ptrtoint ptr %to to i64
  %inside = and i64 %to.number, $in_line
  %back = sub i64 0, %inside
  %line = getelementptr i8, ptr %to, i64 %back
  %begin.at = sub i64 $line, %inside
  %begin = getelementptr i8, ptr %rows, i64 %begin.at
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %numbers = shl i64 %size, $log2_lanes
  %before = lshr i64 %inside, $log2_bytes
  %all = add i64 %numbers, %before
  call void @armdyn_stream(ptr %line, ptr %begin, i64 %all)
  %lines = add i64 %size, $lines_in_page
  %pages = and i64 %lines, -$lines_in_page
  %bytes = shl i64 %pages, $log2_line
  %rows2 = getelementptr i8, ptr %rows, i64 %bytes
  %k2 = add i64 %k, 1
  %more = icmp slt i64 %k2, %operands
  br i1 %more, label %next, label %sent
sent:
  store ptr null, ptr %from.p
  br label %done
done:
  ret void
}
"""

# The arguments are those of `armdyn_batch`, preceded by the program's own loop over blocks. `near`
# is a multiple of a block. If no bound on the inputs guarantees finite results, that loop checks
# the results as it goes. If there is a bound but the inputs exceed it, the results are checked
# after they are stored.
_STREAMED = """\
define i32 @armdyn_streamed_batch(ptr %streaming, ptr %loop, ptr %bases, ptr %sizes, ptr %steps,
                                  i64 %inputs, i64 %operands, i64 %first, i64 %past, i64 %near,
                                  $integer %ordinary, i64 %room, $integer %largest) nounwind {
entry:
  %scratch = alloca i8, i64 %room, align $page
  %args = alloca ptr, i64 %operands
  %n.words = add i64 %operands, $places
  %words = alloca i64, i64 %n.words
  %scratch.p = getelementptr ptr, ptr %words, i64 $scratch
  %waiting.p = getelementptr ptr, ptr %words, i64 $waiting
  %judge.p = getelementptr ptr, ptr %words, i64 $judge
  %largest.p = getelementptr i64, ptr %words, i64 $largest
  %never = icmp slt $integer %ordinary, 0
  %judge = select i1 %never, ptr @armdyn_largest, ptr null
  store ptr %scratch, ptr %scratch.p
  store ptr null, ptr %waiting.p
  store ptr %judge, ptr %judge.p
  store $integer 0, ptr %largest.p
  %eight = add i64 %first, $lanes
  %few = icmp slt i64 %past, %eight
  %second = select i1 %few, i64 %past, i64 %eight
  %bad0 = call i32 @armdyn_batch(ptr %loop, ptr %bases, ptr %sizes, ptr %steps, i64 %inputs,
                                 i64 %operands, i64 %first, i64 %second, i64 %near,
                                 $integer %ordinary, i64 0, $integer %largest)
  %refused0 = icmp eq i32 %bad0, $bad_input
  br i1 %refused0, label %leave, label %head
head:
  %i = phi i64 [ %second, %entry ], [ %next, %tail ]
  %bad = phi i32 [ %bad0, %entry ], [ %mark, %tail ]
  %left = sub i64 %past, %i
  %whole = and i64 %left, -$lanes
  %some = icmp sgt i64 %whole, 0
  br i1 %some, label %body, label %rest
body:
  %fits = icmp slt i64 %near, %whole
  %n = select i1 %fits, i64 %near, i64 %whole
  call void @armdyn_place(ptr %args, ptr %bases, ptr %sizes, i64 %operands, i64 %i)
  call void %streaming(ptr %args, i64 %n, ptr %words)
  %large = call $integer @armdyn_largest_of(ptr %args, ptr %sizes, i64 0, i64 %inputs, i64 %n)
  %refused = icmp sgt $integer %large, %largest
  br i1 %refused, label %stop, label %good
good:
  %sure = icmp sle $integer %large, %ordinary
  br i1 %sure, label %tail, label %unsure
unsure:
  br i1 %never, label %asked, label %judged
asked:
  %seen0 = load $integer, ptr %largest.p
  br label %known
judged:
  call void @armdyn_flush(ptr %words, ptr %sizes, i64 %inputs, i64 %operands)
  %seen1 = call $integer @armdyn_largest_of(ptr %args, ptr %sizes, i64 %inputs, i64 %operands, \
i64 %n)
  br label %known
known:
  %seen = phi $integer [ %seen0, %asked ], [ %seen1, %judged ]
  %fine = icmp sle $integer %seen, $finite
  %mark2 = select i1 %fine, i32 %bad, i32 $bad_result
  br label %tail
tail:
  %mark = phi i32 [ %bad, %good ], [ %mark2, %known ]
  %next = add i64 %i, %n
  br label %head
stop:
  call void @armdyn_flush(ptr %words, ptr %sizes, i64 %inputs, i64 %operands)
  br label %leave
rest:
  call void @armdyn_flush(ptr %words, ptr %sizes, i64 %inputs, i64 %operands)
  %bad1 = call i32 @armdyn_batch(ptr %loop, ptr %bases, ptr %sizes, ptr %steps, i64 %inputs,
                                 i64 %operands, i64 %i, i64 %past, i64 %near,
                                 $integer %ordinary, i64 0, $integer %largest)
  %refused1 = icmp eq i32 %bad1, $bad_input
  %worse = or i32 %bad, %bad1
  %verdict = select i1 %refused1, i32 $bad_input, i32 %worse
  br label %leave
leave:
  %told = phi i32 [ %bad0, %entry ], [ $bad_input, %stop ], [ %verdict, %rest ]
  fence seq_cst
  ret i32 %told
}
"""

# These functions call those of `batch_ir` and are filled in together with them.
STREAMED_CODE = _FLUSH + _STREAMED


# The loop over blocks of states whose results are streamed; see above.


def streaming_function(program: Program, codegen: Codegen, block: str) -> str:
    """Return `STREAMING`, which computes blocks and leaves the results of the last one waiting.

    Its arguments are pointers to the first state of each array, the number of states (a multiple of
    a block) and `StreamSlots`. The previous block must be stored already, or waiting.
    """
    slots = (*program.inputs, *program.outputs)
    n_inputs, n_outputs = len(program.inputs), len(program.outputs)
    line, states = codegen.target.line_bytes, codegen.line_width
    firsts = first_lines(program.outputs, codegen)
    # rows of the second block begin at other offsets in their pages, and end with a page
    second = scratch_size(program, codegen) // 2 + min(
        page_bytes(slot, codegen) - line * (slot.size + 1) for slot in program.outputs
    )
    w = Writer(1, codegen)
    w.begin("entry")

    def entry(base: str, k: int) -> str:
        return w.new(f"getelementptr ptr, ptr {base}, i64 {k}") if k else base

    def word(k: int, kind: str = "ptr") -> str:
        return w.new(f"load {kind}, ptr {entry('%words', k)}, align 8")

    arrays = [w.new(f"load ptr, ptr {entry('%args', k)}, align 8") for k in range(len(slots))]
    scratch, waiting, judge = (
        word(k) for k in (StreamSlots.SCRATCH, StreamSlots.WAITING, StreamSlots.JUDGE)
    )
    other = w.field(scratch, second)
    large = word(StreamSlots.LARGEST, w.integer)
    places = [word(StreamSlots.PLACES + j) for j in range(n_outputs)]
    judged = w.new(f"icmp ne ptr {judge}, null")
    w.jump("head")
    w.begin("head")
    w.do("%at = phi i64 [ 0, %entry ], [ %next, %tail ]")
    w.do(f"%before = phi ptr [ {waiting}, %entry ], [ %now, %tail ]")
    w.do(f"%large = phi {w.integer} [ {large}, %entry ], [ %large.next, %tail ]")
    for j, place in enumerate(places):
        w.do(f"%place{j} = phi ptr [ {place}, %entry ], [ %here{j}, %tail ]")
    w.do(f"%first = icmp eq ptr %before, {scratch}")
    w.do(f"%now = select i1 %first, ptr {other}, ptr {scratch}")
    w.do("%none = icmp eq ptr %before, null")
    given: list[str] = []
    for k, (array, slot) in enumerate(zip(arrays, slots, strict=True)):
        numbers = w.new(f"mul i64 %at, {slot.size}")
        name = f"%in{k}" if k < n_inputs else f"%here{k - n_inputs}"
        w.do(f"{name} = getelementptr {w.element.name}, ptr {array}, i64 {numbers}")
        given += [name] if k < n_inputs else []
    rows = [w.field("%now", first + line) for first in firsts]
    given += rows
    for j, (row, first, slot) in enumerate(zip(rows, firsts, program.outputs, strict=True)):
        waits = w.field("%before", first + line)
        _keep_in_front(w, row, waits, f"%here{j}", slot)
        given += _what_to_send(w, waits, f"%place{j}")
    w.do(f"call void @{block}({', '.join(f'ptr {x}' for x in given)})")
    w.branch(judged, "judge", "tail")
    w.begin("judge")
    greatest = "%large"
    for row, slot in zip(rows, program.outputs, strict=True):
        seen = w.new(f"call {w.integer} {judge}(ptr {row}, i64 {states * slot.size})")
        more = w.new(f"icmp sgt {w.integer} {seen}, {greatest}")
        greatest = w.new(f"select i1 {more}, {w.integer} {seen}, {w.integer} {greatest}")
    w.jump("tail")
    w.begin("tail")
    w.do(f"%large.next = phi {w.integer} [ %large, %head ], [ {greatest}, %judge ]")
    w.do(f"%next = add i64 %at, {states}")
    w.do("%more = icmp slt i64 %next, %count")
    w.branch("%more", "head", "done")
    w.begin("done")
    left = {StreamSlots.WAITING: "ptr %now", StreamSlots.LARGEST: f"{w.integer} %large.next"}
    left |= {StreamSlots.PLACES + j: f"ptr %here{j}" for j in range(n_outputs)}
    for k, value in left.items():
        w.do(f"store {value}, ptr {entry('%words', k)}, align 8")
    w.do("ret void")
    return w.text(f"void @{STREAMING}(ptr %args, i64 %count, ptr %words) nounwind")


def _keep_in_front(w: Writer, row: str, waits: str, here: str, slot: Slot) -> None:
    """Copy the last line of the previous block in front of a block's rows."""
    size = w.codegen.target.line_bytes
    v = w.resized(w.codegen.line_width)
    end = w.field(waits, size * slot.size)
    behind = w.new(f"select i1 %none, ptr {here}, ptr {end}")
    line = w.field(behind, -size)
    v.store(v.load(line, 0), w.field(row, -size), 0)


def _what_to_send(w: Writer, waits: str, place: str) -> list[str]:
    """Return the address of the first line to send, null if there is none, and its destination."""
    number = w.new(f"ptrtoint ptr {place} to i64")
    inside = w.new(f"and i64 {number}, {w.codegen.target.line_bytes - 1}")
    back = w.new(f"sub i64 0, {inside}")
    begin, to = (w.new(f"getelementptr i8, ptr {x}, i64 {back}") for x in (waits, place))
    return [w.new(f"select i1 %none, ptr null, ptr {begin}"), to]
