"""Sets beside the minimal one: of the inertia matrix alone, the kappas of [Lin1994], at rest."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn import Arm
from armdyn.algorithms.structure import structure
from armdyn.cli.app import main
from armdyn.minimal.check import checked_set, random_states, rank, stacked_regressor
from armdyn.minimal.other_sets import inertia_set, seen_at_rest
from armdyn.robot.chain import Chain
from support.minimal import KNOWN, arm_of, special_chain


def inertia_regressor(chain: Chain) -> np.ndarray:
    """Rows: entries of the inertia matrix at random postures; columns: link parameters."""
    n = chain.n
    q, _, _ = random_states(n, 12 * n + 6)
    rest, floating = np.zeros_like(q), replace(chain, g=(0.0, 0.0, 0.0))
    pushes = [np.tile(e, (len(q), 1)) for e in np.eye(n)]
    rows = [stacked_regressor(floating, q, rest, push).reshape(-1, 10 * n) for push in pushes]
    return np.concatenate(rows)


@pytest.mark.parametrize("seed", range(30))
def test_the_inertia_matrix_alone_has_the_set_of_its_regressor(seed: int) -> None:
    chain = special_chain(np.random.default_rng([seed, 5]), 1 + seed % 6)
    ours, _ = checked_set(chain)
    only = inertia_set(chain, ours, rotor=False)
    W, P = inertia_regressor(chain), only.matrix
    assert rank(W) == len(only.names) == len(set(only.names))
    assert np.abs(W - W @ np.linalg.pinv(P) @ P).max(initial=0.0) < 1e-9 * np.abs(W).max(initial=1)
    # every element of it follows from the set of all torques
    np.testing.assert_allclose(only.change @ ours.matrix, P, atol=1e-10)


@pytest.mark.parametrize(("name", "printed", "size"), [("puma560", 36, 34), ("iiwa", 43, 39)])
def test_known_arms_without_first_moments_of_bodies_about_a_point(name, printed, size) -> None:
    (found,) = [known.robot for known in KNOWN if known.robot.name == "iiwa"]
    base = (armdyn.load(name) if name == "puma560" else Arm(found)).minimal
    only = base.inertia_only()
    assert (len(base), len(only.names)) == (printed, size)
    assert [name for name in only.names if name not in base.names]  # products about the point


def test_rotors_are_inertia_and_friction_is_not() -> None:
    arm = armdyn.load("puma560")
    base = arm.minimal_with(rotor=True, friction=True)
    only = base.inertia_only()
    assert len(only.names) == 38 and {"Jm3", "Jm4", "Jm5", "Jm6"} <= set(only.names)
    assert not any(name.startswith("F") for name in only.names)
    assert not only.matrix[:, 10 * arm.n + arm.n :].any()


def test_kappas_are_those_of_53_and_54() -> None:
    robot = arm_of("slides", "RPPR", [(0, 0, 0), (0.7, 0.1, 0), (0.4, 0.2, 0), (-1.1, 0.1, 0.2)])
    base = Arm(robot).minimal
    found = base.kappas()
    assert found.names == ("kappa1_2", "kappa2_2", "kappa1_3", "kappa2_3")
    assert set(found.units) == {"kg m"}
    chain = base._chain
    u = structure(chain).w[2]
    own = found.matrix[:2, 11:14]  # of the first moment of link 2
    np.testing.assert_allclose(own[0], [-u[1], u[0], 0.0], atol=1e-12)
    np.testing.assert_allclose(own[1], [-u[2] * u[0], -u[2] * u[1], 1 - u[2] ** 2], atol=1e-12)
    np.testing.assert_allclose(found.change @ base.matrix, found.matrix, atol=1e-12)
    # they take the place of our two components
    ours = [name.startswith("kappa2") for name in base.names]
    assert abs(np.linalg.det(found.change[:2, ours])) > 1e-3
    assert armdyn.load("puma560").minimal.kappas().names == ()


@pytest.mark.parametrize("seed", range(10))
def test_what_rest_shows_is_also_found_numerically(seed: int) -> None:
    arm = Arm(armdyn.generic(5, type=1 + seed % 2, seed=seed))
    base = arm.minimal
    assert seen_at_rest(base._chain, base._links) == base.gravity_only


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", "minimal", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0), *capsys.readouterr()


def test_the_command_line_shows_the_sets_side_by_side(monkeypatch, capsys, tmp_path) -> None:
    status, out, _ = run(monkeypatch, capsys, "puma560")
    assert status == 0 and "36 minimal" in out
    assert "inertia matrix alone depends on 34" in out and "at rest on 10" in out
    assert "U2_13C" in out and "U2_13 - 0.2435 k2_x" in out
    status, out, _ = run(monkeypatch, capsys, "puma560", "--inertia-only", "--json")
    told = json.loads(out)
    assert len(told["inertia_only"]) == 34 and len(told["gravity_only"]) == 10
    assert told["kappas"] == []
    status, out, _ = run(monkeypatch, capsys, "puma560", "--gravity-only", "--inertia-only")
    assert status == 2
    robot = arm_of("slide", "RPR", [(0, 0, 0), (0.7, 0.1, 0), (-0.7, 0.2, 0)])
    armdyn.save(Arm(robot), tmp_path / "slide.toml")
    status, out, _ = run(monkeypatch, capsys, str(tmp_path / "slide.toml"))
    assert status == 0 and "kappa1_2" in out and "kappa2_2" in out
