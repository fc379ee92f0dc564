"""The table of methods: every reference leads to a function, and reading it imports none."""

import subprocess
import sys

import pytest

from armdyn.algorithms import QUANTITIES
from armdyn.algorithms.quantity import resolve

ROWS = [(quantity, method) for quantity, k in QUANTITIES.items() for method in k.methods]


@pytest.mark.parametrize(("quantity", "method"), ROWS)
def test_references_resolve(quantity: str, method: str) -> None:
    row = QUANTITIES[quantity].methods[method]
    assert callable(row.run) and row.run is row.run
    assert isinstance(row.function, str) and resolve(row.function) is row.run
    module = row.function.partition(":")[0]
    assert row.run.__module__ == f"armdyn.algorithms.{module}"


def test_reading_the_table_imports_no_algorithm() -> None:
    modules = {
        str(m.function).partition(":")[0] for k in QUANTITIES.values() for m in k.methods.values()
    }
    assert "lin_fang_1" in modules
    code = "import sys, armdyn.algorithms; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {f"armdyn.algorithms.{module}" for module in modules} & set(loaded.stdout.split())
