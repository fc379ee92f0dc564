"""Rolled programs that break the law are refused by what is wrong with them; others are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from armdyn.errors import GraphError
from armdyn.graph.count import Operations
from armdyn.graph.program import Program, Slot
from armdyn.graph.rolled import Rolled, Sweep, count_rolled, verify_rolled
from armdyn.graph.trace import trace
from support.rolled import all_places, vectors_only

N = 4


def _copy(inputs: list[Slot], outputs: list[Slot]) -> Program:
    """A step that writes its first number everywhere."""

    def f(*given: list) -> tuple:  # type: ignore[type-arg]
        first = given[0][0] if given else 1.0
        values = tuple([first] * slot.size for slot in outputs)
        return values if len(values) > 1 else values[0]

    return trace(f, inputs, outputs)


def _slot(text: str) -> Slot:
    """A slot from "place:name" or "place:name 3"."""
    name, _, size = text.partition(" ")
    return Slot(name, (int(size or 1),))


def _step(*texts: str) -> Program:
    """A step from slots, "> ..." being what it writes."""
    reads = [_slot(text) for text in texts if not text.startswith(">")]
    return _copy(reads, [_slot(text[2:]) for text in texts if text.startswith(">")])


def _of(*sweeps: Sweep) -> Rolled:
    outputs = (Slot("y", (N,)), Slot("M", (N, N)))
    constants = {"a": ((1.0, 2.0),) * N}
    return Rolled("broken", (Slot("q", (N,)),), outputs, constants, sweeps, ("M",))


FINE = Sweep(
    False,
    _step("input:q", "> output:y", "> kept:s 2", "> column:c"),
    {},
    _step("column:c", "kept:s 2", "> output:M", "> column:c"),
)


def _changed(change: Callable[[Rolled], Rolled]) -> Rolled:
    return change(_of(FINE))


def test_sound_programs_are_returned() -> None:
    for rolled in (_of(FINE), all_places(3), vectors_only(3)):
        assert verify_rolled(rolled) is rolled


@pytest.mark.parametrize(
    ("sweeps", "fault"),
    [
        ([Sweep(True, _step("input:z", "> output:y"), {})], "reads input:z, which is not there"),
        ([Sweep(True, _step("constant:a", "> output:y"), {})], "reads 1 numbers of constant:a, of"),
        ([Sweep(True, _step("input:q 2", "> output:y"), {})], "reads 2 numbers of input:q, of 1"),
        ([Sweep(True, _step("kept:s", "> output:y", "> kept:s"), {})], "reads kept:s, which is"),
        ([Sweep(True, _step("column:c", "> output:y"), {})], "column:c is not one of constant"),
        ([Sweep(True, _step("input:q", "> input:q"), {})], "input:q is not one of carry"),
        ([Sweep(True, _step("q", "> output:y"), {})], "q is not one of constant"),
        ([Sweep(True, _step("input:q", "> output:M"), {})], "output:M, which has no place"),
        ([Sweep(True, _step("carry:v", "> output:y"), {})], "reads carry:v, which is not there"),
        ([Sweep(True, _step("carry:v", "> output:y"), {"v": (1.0,)})], "v is carried to the first"),
        ([Sweep(True, _step("input:q", "> carry:v"), {})], "carry:v, which has no place"),
        (
            [Sweep(True, _step("input:q", "> carry:v 2"), {"v": (1.0,)})],
            "writes 2 numbers to carry:v, which has place for 1",
        ),
        ([Sweep(True, _step("> carry:v"), {"v": (float("nan"),)})], "the start is not finite"),
        ([FINE, Sweep(True, _step("input:q", "> kept:s"), {})], "kept:s, which has place for 2"),
        (
            [replace(FINE, columns=_step("output:M", "> output:M"))],
            "reads output:M, which is not there",
        ),
        # going outward nothing has been put into the columns beyond a joint
        ([replace(FINE, outward=True)], "reads column:c, which is not there"),
        ([replace(FINE, columns=_step("input:q", "> output:M"))], "input:q is not one of constant"),
        ([replace(FINE, columns=_step("kept:s 2", "> output:y"))], "output:y, which has no place"),
        ([replace(FINE, columns=None)], "no sweep writes M"),
        ([Sweep(True, _step("input:q", "input:q", "> output:y"), {})], "input:q is there twice"),
    ],
)
def test_broken_sweeps_are_refused(sweeps: list[Sweep], fault: str) -> None:
    with pytest.raises(GraphError, match=fault):
        verify_rolled(_of(*sweeps))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"inputs": ()}, "has no inputs or no outputs"),
        ({"inputs": (Slot("q", (0,)),)}, "has no joints"),
        ({"inputs": (Slot("q", (N,)), Slot("u", (N + 1,)))}, r"input u is \(5,\)"),
        ({"outputs": (Slot("y", (N + 1,)),)}, r"output y is \(5,\), not \(4,\) or \(4, 4\)"),
        ({"outputs": (Slot("y", (N,)), Slot("y", (N,)))}, "y is there twice"),
        ({"symmetric": ("y",)}, "y is symmetric but no matrix"),
        ({"constants": {"a": ((1.0,),) * 3}}, "constant a has 3 rows for 4 joints"),
        ({"constants": {"a": ((1.0,), (1.0, 2.0)) * 2}}, "rows of different lengths"),
        ({"constants": {"a": ((float("inf"),),) * N}}, "constant a is not finite"),
    ],
)
def test_broken_frames_are_refused(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(GraphError, match=fault):
        verify_rolled(_changed(lambda rolled: replace(rolled, **change)))


def test_the_steps_themselves_obey_the_law_of_programs() -> None:
    step = replace(FINE.step, results=(99,) * len(FINE.step.results))
    with pytest.raises(GraphError, match="a result is no instruction"):
        verify_rolled(_of(replace(FINE, step=step)))


def test_operations_are_counted_over_all_joints_and_columns() -> None:
    n = 5
    step = trace(
        lambda q, v: ([q[0] * v[0] + 1.0], [q[0] / v[0] - 2.0]),
        [Slot("input:q", (1,)), Slot("carry:v", (1,))],
        [Slot("carry:v", (1,)), Slot("column:c", (1,))],
    )
    columns = trace(
        lambda c: [c[0] * c[0] * 3.0], [Slot("column:c", (1,))], [Slot("output:M", (1,))]
    )
    sweep = Sweep(False, step, {"v": (1.0,)}, columns)
    rolled = Rolled("r", (Slot("q", (n,)),), (Slot("M", (n, n)),), {}, (sweep,))
    assert count_rolled(verify_rolled(rolled)) == Operations(mul=5 + 2 * 15, add=10, div=5)
