"""The loop over blocks of states whose results are streamed; see `_streams`."""

from __future__ import annotations

from armdyn.graph import Program, Slot
from armdyn.kernel.batch._streams import (
    LINE,
    STATES,
    StreamSlots,
    first_lines,
    page_bytes,
    scratch_size,
)
from armdyn.kernel.ir._writer import Writer

STREAMING = "armdyn_streaming"


def streaming_function(program: Program, block: str) -> str:
    """Return `STREAMING`, which computes blocks and leaves the results of the last one waiting.

    It is given pointers to the first state of each array, how many states there are, a multiple
    of `STATES`, and `StreamSlots`. The block before these has to be in its place, or waiting.
    """
    slots = (*program.inputs, *program.outputs)
    n_inputs, n_outputs = len(program.inputs), len(program.outputs)
    firsts = first_lines(program.outputs)
    # rows of the second block end where the last page of one of its outputs does
    second = scratch_size(program) // 2 + min(
        page_bytes(slot) - LINE * (slot.size + 1) for slot in program.outputs
    )
    w = Writer(1, fma=False)
    w.begin("entry")

    def word(k: int, kind: str = "ptr") -> str:
        return w.new(f"load {kind}, ptr {w.address('%words', k)}, align 8")

    arrays = [w.new(f"load ptr, ptr {w.address('%args', k)}, align 8") for k in range(len(slots))]
    scratch, waiting, judge = (
        word(k) for k in (StreamSlots.SCRATCH, StreamSlots.WAITING, StreamSlots.JUDGE)
    )
    other = w.new(f"getelementptr i8, ptr {scratch}, i64 {second}")
    large = word(StreamSlots.LARGEST, "i64")
    places = [word(StreamSlots.PLACES + j) for j in range(n_outputs)]
    judged = w.new(f"icmp ne ptr {judge}, null")
    w.jump("head")
    w.begin("head")
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
    w.branch(judged, "judge", "tail")
    w.begin("judge")
    greatest = "%large"
    for row, slot in zip(rows, program.outputs, strict=True):
        seen = w.new(f"call i64 {judge}(ptr {row}, i64 {STATES * slot.size})")
        more = w.new(f"icmp sgt i64 {seen}, {greatest}")
        greatest = w.new(f"select i1 {more}, i64 {seen}, i64 {greatest}")
    w.jump("tail")
    w.begin("tail")
    w.do(f"%large.next = phi i64 [ %large, %head ], [ {greatest}, %judge ]")
    w.do(f"%next = add i64 %at, {STATES}")
    w.do("%more = icmp slt i64 %next, %count")
    w.branch("%more", "head", "done")
    w.begin("done")
    left = {StreamSlots.WAITING: "ptr %now", StreamSlots.LARGEST: "i64 %large.next"}
    left |= {StreamSlots.PLACES + j: f"ptr %here{j}" for j in range(n_outputs)}
    for k, value in left.items():
        w.do(f"store {value}, ptr {w.address('%words', k)}, align 8")
    w.do("ret void")
    return w.text(f"void @{STREAMING}(ptr %args, i64 %count, ptr %words) nounwind")


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
