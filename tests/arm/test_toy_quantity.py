"""A new quantity is a method and a row: with them it is everywhere that quantities are."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.algorithms import lin_fang_1, newton_euler
from armdyn.algorithms.identities import Answers, Sides
from armdyn.algorithms.quantity import Identity, Method, Quantity
from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.verify import verify
from armdyn.cli.app import main
from support.c_code import Library, needs_gcc

STATE = [0.3, -0.4, 0.8], [1.0, 0.5, -2.0]


def momentum(chain: Any, q: Any, qd: Any) -> list[Any]:
    M = lin_fang_1.mass_matrix(chain, q)
    return [sum(m * v for m, v in zip(row, qd, strict=True)) for row in M]


def by_torques(chain: Any, q: Any, qd: Any) -> list[Any]:
    """The torques for qdd = qd at rest, less gravity."""
    torques = newton_euler.inverse_dynamics(chain, q, [0.0] * chain.n, qd)
    return [t - g for t, g in zip(torques, newton_euler.gravity(chain, q), strict=True)]


def wrong(chain: Any, q: Any, qd: Any) -> list[Any]:
    first, *others = momentum(chain, q, qd)
    return [1.000001 * first, *others]


def is_mass_times_velocity(got: Any, at: Answers) -> Sides:
    M, qd = at["mass_matrix"], at["qd"]
    return [(got, [sum(m * v for m, v in zip(row, qd, strict=True)) for row in M])]


def row(**methods: Callable[..., Any]) -> Quantity:
    return Quantity(
        ("q", "qd"),
        {"momentum": ("n",)},
        {name: Method(run, "a toy") for name, run in methods.items()},
        sentence="The momenta M qd [kg m^2/s].",
        minimal=True,
        identity=Identity("M qd", is_mass_times_velocity),
    )


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(QUANTITIES, "momentum", row(product=momentum, torques=by_torques))


def called(monkeypatch: Any, capsys: Any, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0), *capsys.readouterr()


@pytest.mark.usefixtures("toy")
def test_an_arm_computes_it_by_every_method() -> None:
    arm = armdyn.load("planar3")
    assert "momentum" in arm.quantities
    assert armdyn.methods("momentum") == ("product", "torques")
    expected = arm.mass_matrix(STATE[0]) @ STATE[1]
    for method in ("auto", *armdyn.methods("momentum")):
        np.testing.assert_allclose(arm.function("momentum", method)(*STATE), expected, rtol=1e-12)
    assert armdyn.operation_counts("momentum", "product", 3).mul > 0
    base = arm.minimal
    np.testing.assert_allclose(base.function("momentum")(*STATE, base.values), expected, rtol=1e-9)


@pytest.mark.usefixtures("toy")
def test_the_command_line_counts_and_verifies_it(monkeypatch: Any, capsys: Any) -> None:
    status, out, _ = called(monkeypatch, capsys, "ops", "planar2", "--json")
    assert status == 0
    assert set(json.loads(out)["kinds"]["momentum"]["methods"]) == {"product", "torques"}
    status, out, _ = called(monkeypatch, capsys, "verify", "planar2", "--json")
    told = [check for check in json.loads(out)["checks"] if check["kind"] == "momentum"]
    assert status == 0 and [check["against"] for check in told] == ["M qd", "M qd"]


def test_a_wrong_one_is_found_by_its_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(QUANTITIES, "momentum", row(product=wrong))
    assert verify(armdyn.load("planar2"), 3).offenders == ("momentum product",)


@pytest.mark.usefixtures("toy")
def test_it_is_written_as_code(tmp_path: Path) -> None:
    arm = armdyn.load("planar3")
    assert "momentum[0] =" in arm.function("momentum").source("c")
    header = arm.export_c(tmp_path, ["momentum"])[0].read_text()
    assert "The momenta M qd [kg m^2/s]." in header and "(a toy)" in header


@needs_gcc
@pytest.mark.usefixtures("toy")
def test_its_c_code_computes_it(tmp_path: Path) -> None:
    arm = armdyn.load("planar3")
    library = Library(arm.export_c(tmp_path, ["momentum"]))
    (got,) = library("momentum", [np.array(x) for x in STATE], [(3,)])
    np.testing.assert_allclose(got, arm.mass_matrix(STATE[0]) @ STATE[1], rtol=1e-12)


def test_caches_tell_two_of_one_name_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMDYN_CACHE", str(tmp_path))
    found = []
    for run in (wrong, momentum, wrong):
        monkeypatch.setitem(QUANTITIES, "momentum", row(product=run, again=run))
        found.append(armdyn.load("planar3").function("momentum")(*STATE))
    assert found[0][0] != found[1][0]
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_allclose(found[1], armdyn.load("planar3").mass_matrix(STATE[0]) @ STATE[1])


def test_a_new_method_by_an_old_name_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    arm, methods = armdyn.load("planar3"), QUANTITIES["kinetic_energy"].methods
    right = arm.kinetic_energy(*STATE, method="link_sum")
    monkeypatch.setitem(methods, "link_sum", Method(lambda chain, q, qd: 7.0 * qd[0], "a toy"))
    assert armdyn.load("planar3").kinetic_energy(*STATE, method="link_sum") == 7.0
    assert armdyn.load("planar3").function("kinetic_energy").method == "link_sum"
    monkeypatch.undo()
    assert armdyn.load("planar3").kinetic_energy(*STATE, method="link_sum") == right
