"""The mass matrix without its zeros: the lower entries that are not zero at every state.

Programs of trees are bound by their stores: joints of different branches have zero entries, and
every other entry off the diagonal is stored twice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armdyn.graph.program import Program, Slot, verify
from armdyn.graph.rolled import Rolled
from armdyn.graph.simplify import simplify
from armdyn.scalar import Op

# The index of an entry: its row and its column.
Index = tuple[NDArray[np.intp], NDArray[np.intp]]


def packed_index(code: Program | Rolled) -> Index:
    """Return rows and columns of the lower entries of a mass matrix that are not always zero."""
    n = code.inputs[0].size
    rows, columns = np.tril_indices(n)
    if isinstance(code, Program):
        kept = [not _is_zero(code, int(n * i + j)) for i, j in zip(rows, columns, strict=True)]
        rows, columns = rows[kept], columns[kept]
    return rows, columns


def packed_program(code: Program, index: Index) -> Program:
    """Return the program that computes these entries only."""
    n = code.inputs[0].size
    results = tuple(code.results[int(n * i + j)] for i, j in zip(*index, strict=True))
    outputs = (Slot(code.outputs[0].name, (len(results),)),)
    return verify(simplify(replace(code, outputs=outputs, results=results)))


def _is_zero(code: Program, entry: int) -> bool:
    step = code.code[code.results[entry]]
    return step.op is Op.CONST and step.value == 0.0
