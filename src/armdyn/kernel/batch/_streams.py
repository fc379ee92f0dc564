"""Stream results to memory, bypassing the caches, while the next ones are computed.

A block of states leaves its results in scratch rows. The kernel of the next block sends them to
memory, a few cache lines at a time, between its own steps: memory is slow, and sending all lines at
once would stall later stores. The states of a block fill whole lines. If the results are not
aligned to a line, each block is sent with the last numbers of the previous block in front.

A store across two pages waits for all earlier stores, so scratch rows stay within a page if they
can. A load waits for an earlier store whose address differs by whole pages, so the rows of two
successive blocks begin at different offsets within their pages.

The target needs vectors as long as a cache line.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum, auto

from armdyn.graph import Program, Rolled, Slot
from armdyn.kernel.batch._strided_loop import MOST_SCRATCH
from armdyn.kernel.ir._codegen import Codegen
from armdyn.kernel.ir._writer import Writer

# From this many numbers per state on, storing takes long compared with computing.
LEAST_NUMBERS = 16

# Lines that are sent at one point, and the maximum number of points: each point checks whether
# there is anything to send.
TOGETHER = 12
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
        self._together = max(TOGETHER, -(-len(self._lines) // MOST_POINTS))
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
