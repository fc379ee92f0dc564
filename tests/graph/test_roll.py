"""Tracing of sweeps: what the joints have in common is worked into their step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armdyn.algorithms.rolled.sweeps import Sweep, Sweeps, Table
from armdyn.errors import GraphError
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Slot
from armdyn.graph.rolled import Rolled
from armdyn.programs.roll import roll
from support.rolled import evaluate_rolled

N = 4
TABLE: Table = {"a": [(2.0, 5.0), (3.0, 5.0), (-1.0, 5.0), (0.5, 5.0)]}


def rolled(*sweeps: Sweep, matrix: bool = False) -> Rolled:
    outputs = [Slot("y", (N, N) if matrix else (N,))]
    return roll("test", [Slot("x", (N,))], outputs, Sweeps(TABLE, sweeps))


def test_constants_alone_are_computed_once_and_a_common_one_is_a_number() -> None:
    def step(v: Any) -> Any:
        a, common = v["constant:a"]
        return {"output:y": [(a * a + common) * v["input:x"][0] + 2.0 * common]}

    program = rolled(Sweep(True, step))
    assert count(program.sweeps[0].step) == Operations(mul=1, add=1)
    assert program.constants == {"joint": ((9.0,), (14.0,), (6.0,), (5.25,))}
    assert evaluate_rolled(program, np.ones(N))[0].tolist() == [19.0, 24.0, 16.0, 15.25]


def test_a_carry_that_never_changes_is_a_number() -> None:
    def step(v: Any) -> Any:
        still, moving = v["carry:c"]
        moving = moving + v["input:x"][0] + still * moving
        return {"carry:c": [still * v["constant:a"][0], moving], "output:y": [moving]}

    program = rolled(Sweep(True, step, {"c": (0.0, 1.0)}))
    assert program.sweeps[0].start == {"c": (1.0,)}
    assert count(program.sweeps[0].step) == Operations(add=1)
    assert evaluate_rolled(program, np.ones(N))[0].tolist() == [2.0, 3.0, 4.0, 5.0]


def test_a_carry_that_starts_as_a_number_and_changes_is_carried() -> None:
    def step(v: Any) -> Any:
        first, second = v["carry:c"]
        return {"carry:c": [second, v["input:x"][0]], "output:y": [first]}

    program = rolled(Sweep(False, step, {"c": (0.0, 0.0)}))
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert evaluate_rolled(program, x)[0].tolist() == [3.0, 4.0, 0.0, 0.0]


def test_what_is_kept_is_what_a_later_sweep_reads_and_no_number() -> None:
    def keep(v: Any) -> Any:
        x = v["input:x"][0]
        return {"kept:k": [x * x * x, 7.0, x + v["constant:a"][0]]}

    def use(v: Any) -> Any:
        return {"output:y": [v["kept:k"][1] * v["kept:k"][2]]}

    program = rolled(Sweep(True, keep), Sweep(True, use))
    assert program.sweeps[0].step.outputs == (Slot("kept:k", (1,)),)
    assert count(program.sweeps[0].step) == Operations(add=1)
    assert evaluate_rolled(program, np.ones(N))[0].tolist() == [21.0, 28.0, 0.0, 10.5]


def test_columns_go_on_from_sweep_to_walk() -> None:
    def fill(v: Any) -> Any:
        return {"column:c": [v["input:x"][0], 1.0], "kept:k": [v["constant:a"][0]]}

    def change(v: Any) -> Any:
        first, second = v["column:c"]
        return {"column:c": [first, second + 1.0], "output:y": [v["kept:k"][0] * first]}

    def read(v: Any) -> Any:
        return {"output:y": [v["output:y"][0] + v["column:c"][1]]}

    program = rolled(
        Sweep(False, fill, columns=change),
        Sweep(True, lambda _: {}, columns=read),
        matrix=True,
    )
    x, a = np.array([1.0, 2.0, 3.0, 4.0]), [row[0] for row in TABLE["a"]]
    expected = [[a[i] * x[k] + k + 2 if k >= i else 0.0 for k in range(N)] for i in range(N)]
    assert evaluate_rolled(program, x)[0].tolist() == expected


def test_a_result_that_no_sweep_writes_is_told() -> None:
    with pytest.raises(GraphError, match="no sweep writes y"):
        rolled(Sweep(True, lambda v: {"kept:k": [v["input:x"][0]]}))
