"""Adaptive control as C: the same torques and the same parameters, updated in place."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import AdaptiveControl
from armdyn.errors import FileError
from armdyn_papers.studies.adaptive import wrong_model
from support.c_code import Library, needs_gcc, selftest


@needs_gcc
@pytest.mark.parametrize("physical", [True, False])
def test_c_equals_python(tmp_path: Path, physical: bool) -> None:
    arm = armdyn.load("scara")
    control = AdaptiveControl(
        8.0, 6.0, np.full(4, 0.3), physical=physical, limit=40.0, model=wrong_model(arm)
    )
    paths = control.export_c(tmp_path)
    assert "scara_control_sample" in paths[0].read_text()
    done = selftest(paths, tmp_path / "selftest")
    assert done.returncode == 0, done.stdout
    running: Any = control.prepared(arm)
    sample = Library(paths).library.scara_control_sample
    sample.restype = None
    state, n = control._law(wrong_model(arm)).law.start.copy(), 4
    rng = np.random.default_rng(0)
    wanted = [np.full(n, 0.3), np.zeros(n), np.zeros(n)]
    k = len(running._law.start.base)
    for i in range(100):
        q, qd = rng.normal(size=(2, n)) * 0.5
        tau, w = np.zeros(n), np.zeros(k)
        arrays = [q, qd, *wanted, state, tau, state, w]  # the state in place
        sample(*(ctypes.c_void_p(a.ctypes.data) for a in arrays))
        running.sample(1e-3 * i, q, qd)
        torque = running(0.0, q, qd)
        np.testing.assert_allclose(tau, torque, atol=1e-13 * abs(torque).max(), rtol=0)
    values = control.history.values[-1]
    np.testing.assert_allclose(w, values, atol=1e-13 * abs(values).max(), rtol=0)
    assert abs(w - control.history.values[0]).max() > 1e-3


def test_files_of_others_are_not_replaced(tmp_path: Path) -> None:
    arm = armdyn.load("planar2")
    control = AdaptiveControl(10.0, 5.0, [0.5, -0.2], model=arm)
    (tmp_path / "planar2_control.c").write_text("int mine;\n")
    with pytest.raises(FileError):
        control.export_c(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["planar2_control.c"]
    assert len(control.export_c(tmp_path, force=True, single=True)) == 3
