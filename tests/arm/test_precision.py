"""What single precision loses, measured on an arm."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import armdyn
from armdyn.arm.verify import single_precision
from armdyn.cli.app import main
from armdyn.errors import InputError, NumericalError
from support.says import says

ARM = armdyn.load("planar2")


def test_every_quantity_is_measured() -> None:
    found = single_precision(ARM, 200, seed=3)
    assert [loss.quantity for loss in found.losses] == list(ARM.quantities)
    assert (found.robot, found.n_states, found.seed) == ("planar2", 200, 3)
    assert 1.0 < found.condition < 1e3
    for loss in found.losses:
        assert loss.rms <= loss.largest < 1e-5
        assert loss.largest_difference <= loss.largest_entry * 1e-5
    lost = {loss.quantity: loss for loss in found.losses}
    assert 1e-9 < lost["gravity"].rms < lost["gravity"].largest < 1e-6
    assert lost["mass_matrix"].largest_entry == pytest.approx(8 / 3, rel=0.05)
    # the same of either arm, and repeatable
    assert single_precision(ARM.astype(np.float32), 200, seed=3) == found


def test_the_errors_are_those_of_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of a known size, in one entry at one state, is found."""
    real = armdyn.Function.__call__

    def off(self: armdyn.Function, *states: np.ndarray, **options: object) -> object:
        result = real(self, *states, **options)  # type: ignore[arg-type]
        if self.quantity == "gravity" and self.dtype == np.float32:
            result = result.copy()  # type: ignore[union-attr]
            result[7, 0] = 1.5 * result[7, 0]
        if self.quantity == "bias" and self.dtype == np.float32:
            raise NumericalError("not finite")
        return result

    monkeypatch.setattr(armdyn.Function, "__call__", off)
    lost = {loss.quantity: loss for loss in single_precision(ARM, 10).losses}
    assert lost["gravity"].largest == pytest.approx(0.5, rel=1e-6)
    assert lost["gravity"].rms == pytest.approx(0.5 / np.sqrt(20), rel=1e-6)
    assert np.isnan(lost["bias"].largest)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="`n_states` is 0"):
        single_precision(ARM, 0)


def test_the_command_line_shows_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["armdyn", "verify", "planar2", "--float", "--states", "50"]
    for given in (words, [*words, "--json"]):
        monkeypatch.setattr(sys, "argv", given)
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code
    table, _, plain = capsys.readouterr().out.partition("{")
    assert says(table, "float32", "planar2", "50")
    found = json.loads("{" + plain)
    assert found["losses"][0]["quantity"] == "mass_matrix"
    assert found["losses"][0]["largest"] < 1e-6
