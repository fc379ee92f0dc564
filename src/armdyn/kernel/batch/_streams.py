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
from armdyn.kernel.batch._strided_loop import MOST_SCRATCH
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._writer import Writer

# Results of a state that are so many that their way to memory takes long beside computing them.
LEAST_NUMBERS = 16

# Lines that are sent at a time, and in how many places at the most: in each it has to be asked
# whether there are any to send.
TOGETHER = 12
MOST_SITES = 32


class StreamSlots(IntEnum):
    """What the loop over blocks is given beside arrays, and leaves there for its next call.

    Attributes:
        SCRATCH: where the scratch rows are, `scratch_size` bytes from where a page begins.
        WAITING: where those rows begin that are to be sent, 0 if there are none.
        JUDGE: a function that returns the greatest bits of some numbers; 0 if none is to look.
        LARGEST: the greatest bits that it returned.
        PLACES: where the rows that wait belong, a word for each output; anything if none wait.
    """

    SCRATCH = 0
    WAITING = auto()
    JUDGE = auto()
    LARGEST = auto()
    PLACES = auto()


def streams(program: Program | Rolled, codegen: Codegen) -> bool:
    """Say whether the kernel of a program sends the results of the block before."""
    able = codegen.target.stream_assembly and codegen.width == codegen.line_width
    fits = scratch_size(program, codegen) <= MOST_SCRATCH
    many = sum(slot.size for slot in program.outputs) >= LEAST_NUMBERS
    return isinstance(program, Program) and able and fits and many


def scratch_size(program: Program | Rolled, codegen: Codegen) -> int:
    """Return the bytes of two blocks of results, wherever in a line they begin."""
    return 2 * sum(page_bytes(slot, codegen) for slot in program.outputs)


def parameters(program: Program) -> str:
    """Return what the kernel is given beside inputs and outputs: what to send, and where to."""
    return "".join(f", ptr %from{j}, ptr %to{j}" for j in range(len(program.outputs)))


def nothing(program: Program) -> str:
    """Return the same for a kernel that has nothing to send."""
    return ", ptr null" * 2 * len(program.outputs)


class StreamPoints:
    """The places in a kernel where lines are sent.

    Args:
        w: writes the kernel.
        program: what it computes.
        steps: how many steps it has, among which the places are spread.
    """

    def __init__(self, w: Writer, program: Program, steps: int) -> None:
        self._w = w
        self._lines = list(_lines(program.outputs, w.codegen.target.line_bytes))
        self._together = max(TOGETHER, -(-len(self._lines) // MOST_SITES))
        self._every = steps / -(-len(self._lines) // self._together)
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
        some, self._lines = self._lines[: self._together], self._lines[self._together :]
        outputs = list(dict.fromkeys(j for j, _ in some))
        for j in outputs:
            text = ["testq $1, $1", "je 1f"]  # of what is in this text LLVM makes no blocks
            for k in (at for output, at in some if output == j):
                text += [f"vmovupd {k}($1), $0", f"vmovntpd $0, {k}($2)"]
            lines = r"\0A".join([*text, "1:"])
            bound = "=&v,r,r,~{memory},~{dirflag},~{fpsr},~{flags}"
            call = f'call {self._w.type} asm sideeffect "{lines}", "{bound}"'
            self._w.new(f"{call}(ptr %from{j}, ptr %to{j})")


def _lines(outputs: tuple[Slot, ...], line_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield the output and the place within a block of every line."""
    for j, slot in enumerate(outputs):
        for k in range(slot.size):
            yield j, line_bytes * k


def first_lines(outputs: tuple[Slot, ...], codegen: Codegen) -> list[int]:
    """Return where in the scratch of a block each output begins: with what is kept in front."""
    return [sum(page_bytes(slot, codegen) for slot in outputs[:j]) for j in range(len(outputs))]


def page_bytes(slot: Slot, codegen: Codegen) -> int:
    """Return the bytes of the pages that the lines of an output take."""
    page = codegen.target.page_bytes
    return -(-codegen.target.line_bytes * (slot.size + 1) // page) * page
