"""Operations that choose, as machine code: the same bits for one state and for many."""

from __future__ import annotations

import numpy as np
import pytest

from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.kernel.element import DOUBLE
from armdyn.kernel.kernel import compile_program
from armdyn.kernel.straight.store import stays_finite
from armdyn.kernel.targets.target import Target
from armdyn.scalar import copysign, max, select
from support.choices import choosing_arrays, choosing_program, points
from support.kernels import TARGETS, target_name


@pytest.mark.parametrize("machine", TARGETS, ids=target_name)
def test_kernels_of_all_widths_agree_with_numpy(machine: Target) -> None:
    kernel = compile_program(choosing_program(), target=machine)
    x = points(203)
    many = kernel(x)
    assert np.allclose(many, choosing_arrays(x), rtol=0, atol=1e-14)
    assert np.array_equal(np.stack([kernel(row) for row in x[:20]]), many[:20])
    assert np.array_equal(kernel(x[::-1].copy())[::-1], many)


def test_bounds_of_choices() -> None:
    def program(function):
        return trace(lambda x: function(*x), [Slot("x", (3,))], [Slot("f", ())])

    for function in (
        lambda x, y, z: abs(x) * 1e100,
        lambda x, y, z: max(x, 1e-3 * y) * 1e100,
        lambda x, y, z: select(z * 1e50, x * 1e100, y),
        lambda x, y, z: copysign(x * 1e100, y),
    ):
        assert stays_finite(program(function), 1e199, DOUBLE)
        assert not stays_finite(program(function), 1e209, DOUBLE)
