"""Results that go to memory past the caches, while the next ones are computed.

A block of states leaves its results in scratch rows. The kernel of the next block sends them on, a
few lines of the caches at a time, between its own steps: memory is slow to take them, and all of
them at once would hold up whatever is written next. Eight states fill whole lines. Where results
do not begin with a line in memory, a block is sent from within the block before, whose last
numbers are kept in front of it.

A store across the border of two pages of memory waits until all before it are through, so scratch
rows keep within a page if they can. A load waits for a store whose address differs from its own by
whole pages, so the rows of two blocks in turn are apart within theirs.

What is needed of a machine is that it has vectors as long as a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum, auto

from armdyn.graph import Program, Rolled, Slot
from armdyn.kernel._text import Writer

STREAMING = "armdyn_streaming"

# Bytes of a line, doubles of it, and bytes of a page.
LINE = 64
STATES = LINE // 8
PAGE = 4096
# Bytes of scratch rows at the most; threads have stacks of half a megabyte and more.
MOST_SCRATCH = 2**17

# Lines that are sent at a time: what asks whether any are to be sent is written as often.
TOGETHER = 4


class Words(IntEnum):
    """What `STREAMING` is given beside the arrays, and leaves there for the next call.

    Attributes:
        SCRATCH: where the scratch rows are, `scratch_size` bytes from where a page begins.
        WAITING: where those rows begin that are to be sent, 0 if there are none.
        JUDGE: a function that returns the greatest bits of some doubles; 0 if none is to look.
        LARGEST: the greatest bits that it returned.
        PLACES: where the rows that wait belong, a word for each output.
    """

    SCRATCH = 0
    WAITING = auto()
    JUDGE = auto()
    LARGEST = auto()
    PLACES = auto()


def streams(program: Program | Rolled, width: int) -> bool:
    """Say whether the kernel of a program sends the results of the block before."""
    small = scratch_size(program) <= MOST_SCRATCH
    return isinstance(program, Program) and width == STATES and small


def scratch_size(program: Program | Rolled) -> int:
    """Return the bytes of two blocks of results, wherever in a line they begin."""
    return 2 * sum(_pages(slot) for slot in program.outputs)


def parameters(program: Program) -> str:
    """Return what the kernel is given beside inputs and outputs: what to send, and where to."""
    return "".join(f", ptr %from{j}, ptr %to{j}" for j in range(len(program.outputs)))


def nothing(program: Program) -> str:
    """Return the same for a kernel that has nothing to send."""
    return ", ptr null" * 2 * len(program.outputs)


class Sites:
    """The places in a kernel where lines are sent.

    Args:
        w: writes the kernel.
        program: what it computes.
        steps: how many steps it has, among which the places are spread.
    """

    def __init__(self, w: Writer, program: Program, steps: int) -> None:
        self._w = w
        self._lines = list(_lines(program.outputs))
        self._every = steps / -(-len(self._lines) // TOGETHER)
        self._done = 0.0

    def step(self) -> None:
        """Send some lines if it is time to, after a step."""
        self._done += 1.0
        if self._done >= self._every:
            self._done -= self._every
            self._send()

    def finish(self) -> None:
        """Send what is left."""
        while self._lines:
            self._send()

    def _send(self) -> None:
        some, self._lines = self._lines[:TOGETHER], self._lines[TOGETHER:]
        outputs = list(dict.fromkeys(j for j, _ in some))
        for j in outputs:
            text = ["testq $1, $1", "je 1f"]  # of what is in this text LLVM makes no blocks
            for k in (at for output, at in some if output == j):
                text += [f"vmovupd {k}($1), $0", f"vmovntpd $0, {k}($2)"]
            lines = r"\0A".join([*text, "1:"])
            bound = "=&v,r,r,~{memory},~{dirflag},~{fpsr},~{flags}"
            call = f'call {self._w.type} asm sideeffect "{lines}", "{bound}"'
            self._w.new(f"{call}(ptr %from{j}, ptr %to{j})")


def _lines(outputs: tuple[Slot, ...]) -> Iterator[tuple[int, int]]:
    """Yield the output and the place within a block of every line."""
    for j, slot in enumerate(outputs):
        for k in range(slot.size):
            yield j, LINE * k


def _firsts(outputs: tuple[Slot, ...]) -> list[int]:
    """Return where in the scratch of a block the lines of each output begin."""
    return [sum(map(_pages, outputs[:j])) for j in range(len(outputs))]


def _pages(slot: Slot) -> int:
    """Return the bytes of the pages that the lines of an output take."""
    return -(-LINE * (slot.size + 1) // PAGE) * PAGE


def streaming_function(program: Program, block: str) -> str:
    """Return `STREAMING`, which computes blocks and leaves the results of the last one waiting.

    It is given pointers to the first state of each array, how many states there are, a multiple
    of `STATES`, and `Words`. The block before these has to be in its place, or waiting.
    """
    slots = (*program.inputs, *program.outputs)
    n_inputs, n_outputs = len(program.inputs), len(program.outputs)
    firsts = _firsts(program.outputs)
    # rows of the second block end where the last page of one of its outputs does
    second = scratch_size(program) // 2 + min(
        _pages(slot) - LINE * (slot.size + 1) for slot in program.outputs
    )
    w = Writer(1, fma=False)
    w.label("entry")

    def word(k: int, kind: str = "ptr") -> str:
        return w.new(f"load {kind}, ptr {w.address('%words', k)}, align 8")

    arrays = [w.new(f"load ptr, ptr {w.address('%args', k)}, align 8") for k in range(len(slots))]
    scratch, waiting, judge = (word(k) for k in (Words.SCRATCH, Words.WAITING, Words.JUDGE))
    other = w.new(f"getelementptr i8, ptr {scratch}, i64 {second}")
    large = word(Words.LARGEST, "i64")
    places = [word(Words.PLACES + j) for j in range(n_outputs)]
    judged = w.new(f"icmp ne ptr {judge}, null")
    w.do("br label %head")
    w.label("head")
    w.do("%at = phi i64 [ 0, %entry ], [ %next, %tail ]")
    w.do(f"%before = phi ptr [ {waiting}, %entry ], [ %now, %tail ]")
    w.do(f"%large = phi i64 [ {large}, %entry ], [ %large.next, %tail ]")
    for j, place in enumerate(places):
        w.do(f"%place{j} = phi ptr [ {place}, %entry ], [ %here{j}, %tail ]")
    w.do(f"%first = icmp eq ptr %before, {scratch}")
    w.do(f"%now = select i1 %first, ptr {other}, ptr {scratch}")
    w.do("%none = icmp eq ptr %before, null")
    given: list[str] = []
    for k, (array, slot) in enumerate(zip(arrays, slots, strict=True)):
        doubles = w.new(f"mul i64 %at, {slot.size}")
        name = f"%in{k}" if k < n_inputs else f"%here{k - n_inputs}"
        w.do(f"{name} = getelementptr double, ptr {array}, i64 {doubles}")
        given += [name] if k < n_inputs else []
    rows = [w.new(f"getelementptr i8, ptr %now, i64 {first + LINE}") for first in firsts]
    given += rows
    for j, (row, first, slot) in enumerate(zip(rows, firsts, program.outputs, strict=True)):
        waits = w.new(f"getelementptr i8, ptr %before, i64 {first + LINE}")
        _keep_in_front(w, row, waits, f"%here{j}", slot)
        given += _what_to_send(w, waits, f"%place{j}")
    w.do(f"call void @{block}({', '.join(f'ptr {x}' for x in given)})")
    w.do(f"br i1 {judged}, label %judge, label %tail")
    w.label("judge")
    greatest = "%large"
    for row, slot in zip(rows, program.outputs, strict=True):
        seen = w.new(f"call i64 {judge}(ptr {row}, i64 {STATES * slot.size})")
        more = w.new(f"icmp sgt i64 {seen}, {greatest}")
        greatest = w.new(f"select i1 {more}, i64 {seen}, i64 {greatest}")
    w.do("br label %tail")
    w.label("tail")
    w.do(f"%large.next = phi i64 [ %large, %head ], [ {greatest}, %judge ]")
    w.do(f"%next = add i64 %at, {STATES}")
    w.do("%more = icmp slt i64 %next, %count")
    w.do("br i1 %more, label %head, label %done")
    w.label("done")
    left = {Words.WAITING: "ptr %now", Words.LARGEST: "i64 %large.next"}
    left |= {Words.PLACES + j: f"ptr %here{j}" for j in range(n_outputs)}
    for k, value in left.items():
        w.do(f"store {value}, ptr {w.address('%words', k)}, align 8")
    w.do("ret void")
    head = f"define void @{STREAMING}(ptr %args, i64 %count, ptr %words) nounwind {{"
    return "\n".join([head, *w.lines, "}"]) + "\n"


def _keep_in_front(w: Writer, row: str, waits: str, here: str, slot: Slot) -> None:
    """Copy the last line of the block before to in front of a block's rows."""
    v = w.resized(STATES)
    end = w.new(f"getelementptr i8, ptr {waits}, i64 {LINE * slot.size}")
    behind = w.new(f"select i1 %none, ptr {here}, ptr {end}")
    line = w.new(f"getelementptr i8, ptr {behind}, i64 {-LINE}")
    v.store(v.load(line, 0), w.new(f"getelementptr i8, ptr {row}, i64 {-LINE}"), 0)


def _what_to_send(w: Writer, waits: str, place: str) -> list[str]:
    """Return from where lines are sent, null if none are, and the first of those they go to."""
    number = w.new(f"ptrtoint ptr {place} to i64")
    inside = w.new(f"and i64 {number}, {LINE - 1}")
    back = w.new(f"sub i64 0, {inside}")
    begin, to = (w.new(f"getelementptr i8, ptr {x}, i64 {back}") for x in (waits, place))
    return [w.new(f"select i1 %none, ptr null, ptr {begin}"), to]
