"""The loop over blocks of states whose results are streamed; see `_streams`."""

from __future__ import annotations

from armdyn.graph import Program, Slot
from armdyn.kernel._symbols import STREAMING
from armdyn.kernel.batch._streams import (
    StreamSlots,
    first_lines,
    page_bytes,
    scratch_size,
)
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._writer import Writer


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
