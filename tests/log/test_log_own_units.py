"""Units in the names of columns: patterns with brackets, and logs that armdyn wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from armdyn import Log
from support.identification import small_arm


def written(path: Path, heads: list[str], scale: float = 1.0) -> Path:
    t = np.arange(50) / 100.0
    q = np.outer(np.sin(t), [1.0, 0.5, 0.2]) * scale
    rows = np.column_stack([t, q, q])
    np.savetxt(path, rows, delimiter=",", header=",".join(heads), comments="")
    return path


def test_brackets_in_a_pattern_are_units(tmp_path: Path) -> None:
    heads = ["t", *(f"Axis {k} angle [deg]" for k in (1, 2, 3)), "tau1", "tau2", "tau3"]
    path = written(tmp_path / "log.csv", heads, 57.29577951308232)
    log = Log.read(path, columns={"q": "Axis * angle [deg]"})
    assert log.joint_names == ("1", "2", "3")
    np.testing.assert_allclose(log.q[:, 0], np.sin(log.t), atol=1e-9)


@pytest.mark.parametrize("far", [0.5, 40.0])
def test_degrees_are_not_asked_of_a_log_that_armdyn_wrote(tmp_path: Path, far: float) -> None:
    t = np.arange(200) / 100.0
    q = far * np.column_stack([t, -t, t]) / 2.0
    log = Log(t=t, q=q, tau=q, joint_names=small_arm().joint_names)
    log.save(tmp_path / "log.csv")
    again = Log.read(tmp_path / "log.csv", joints=small_arm())
    np.testing.assert_allclose(again.q, q)
    assert again.joint_names == log.joint_names
