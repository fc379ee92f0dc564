"""A step of a rolled program as IR, inside the loop over the joints or columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from armdyn.graph.program import Instruction, Program, Slot
from armdyn.graph.rolled import place_and_name
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.operations import (
    angles_by_level,
    backward_slice,
    fused,
    operation,
    sincos_of_all,
)
from armdyn.kernel.ir.writer import Writer
from armdyn.scalar import Op


class Number(NamedTuple):
    """A number that a step reads or writes: entry `k` of the slot `place`:`name`."""

    place: str
    name: str
    k: int


class RolledStep:
    """A step, or a column step.

    Attributes:
        inputs: the numbers that it reads.
        outputs: the numbers that it writes.
        early: the angles whose sines and cosines are computed for all joints before the sweep;
            they depend neither on carried values nor on another sine.
    """

    def __init__(self, program: Program, codegen: Codegen, early: bool) -> None:
        """Prepare a step.

        Args:
            program: the code of the step.
            codegen: the target and the element type.
            early: whether to use early angles.
        """
        steps = fused(program, codegen.target.fma)
        alive = backward_slice(steps, program.results, ())
        self._steps = [step if k in alive else None for k, step in enumerate(steps)]
        self._lanes = codegen.width
        self._inputs = _numbers(program.inputs)
        self._results = program.results
        self.outputs = _numbers(program.outputs)
        self.early = [
            angle
            for angle in (angles_by_level(self._steps) or [[]])[0]
            if early
            and all(
                x.place != "carry" for x in self._reads(backward_slice(self._steps, [angle], ()))
            )
        ]
        self.inputs = self._reads(sorted(self._needed()))

    def _reads(self, indices: Iterable[int]) -> list[Number]:
        """Return the numbers that some of the steps read."""
        steps = [self._steps[k] for k in indices]
        return [
            self._inputs[int(step.value)]
            for step in steps
            if isinstance(step, Instruction) and step.op is Op.INPUT
        ]

    def angles(self, w: Writer, read: Callable[[Number], str]) -> list[str]:
        """Emit the early angles and return them."""
        values: dict[int, str] = {}
        self._make(w, sorted(backward_slice(self._steps, self.early, ())), read, values, {})
        return [values[angle] for angle in self.early]

    def body(
        self,
        w: Writer,
        label: str,
        read: Callable[[Number], str],
        write: Callable[[Number, str], None],
        pairs: Callable[[int], tuple[str, str]] | None = None,
    ) -> None:
        """Emit the step.

        Args:
            w: emits the function.
            label: makes the labels of the step unique.
            read: loads an input; called when the input is first needed.
            write: stores an output; called as soon as the output is computed.
            pairs: loads sine and cosine of the k-th early angle.
        """
        values: dict[int, str] = {}
        trig: dict[int, tuple[str, str]] = {}
        ready: dict[int, list[Number]] = {}

        def make(indices: Sequence[int]) -> None:
            self._make(w, indices, read, values, trig)

        for number, k in zip(self.outputs, self._results, strict=True):
            ready.setdefault(k, []).append(number)
        needed = self._needed()
        # read numbers that will be overwritten before writing anything
        changed = [k for k in sorted(needed) if set(self._reads([k])) & set(self.outputs)]
        make(changed)
        if pairs is not None:
            trig = {angle: pairs(k) for k, angle in enumerate(self.early)}
        levels = angles_by_level(self._steps)
        for level, angles in enumerate(levels):
            late = [angle for angle in angles if angle not in trig]
            if late:
                make(sorted(backward_slice(self._steps, late, values) & needed))
                found = sincos_of_all(
                    w, [values[angle] for angle in late], self._lanes, f"{label}.{level}"
                )
                trig.update(zip(late, found, strict=True))
        for k in sorted(needed):
            make([k])
            for number in ready.get(k, ()):
                write(number, values[k])

    def _needed(self) -> set[int]:
        """Return the steps that the results depend on, except those used only by early angles."""
        needed: set[int] = set()
        stack = list(self._results)
        while stack:
            k = stack.pop()
            step = self._steps[k]
            if step is None or k in needed:
                continue
            needed.add(k)
            is_trig = isinstance(step, Instruction) and step.op in (Op.SIN, Op.COS)
            stack += [arg for arg in step.args if not (is_trig and arg in self.early)]
        return needed

    def _make(
        self,
        w: Writer,
        indices: Sequence[int],
        read: Callable[[Number], str],
        values: dict[int, str],
        trig: dict[int, tuple[str, str]],
    ) -> None:
        for k in indices:
            step = self._steps[k]
            if step is None or k in values:
                continue
            if isinstance(step, Instruction) and step.op is Op.INPUT:
                values[k] = read(self._inputs[int(step.value)])
            elif isinstance(step, Instruction) and step.op in (Op.SIN, Op.COS):
                values[k] = trig[step.args[0]][0 if step.op is Op.SIN else 1]
            else:
                values[k] = operation(w, step, [values[arg] for arg in step.args])


def _numbers(slots: Sequence[Slot]) -> list[Number]:
    found: list[Number] = []
    for slot in slots:
        place, name = place_and_name(slot.name)
        found += [Number(place, name, k) for k in range(slot.size)]
    return found
