"""Symbolic models: their matrices are the kernels' at any values of the symbols."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armdyn
from support.robots import random_robot, relative_error

sympy = pytest.importorskip("sympy")

RNG = np.random.default_rng(8)
MATRICES = ("mass_matrix", "coriolis_matrix", "gravity", "U", "D", "inverse_mass_matrix")


def first_joints(name: str, n: int) -> armdyn.Robot:
    robot = armdyn.load(name).robot
    return armdyn.Robot(robot.joints[:n], robot.gravity, robot.base, name=f"{name}-{n}")


def planar(n: int) -> armdyn.Robot:
    one, two, _ = armdyn.load("planar3").robot.joints
    links = [replace(one, name=""), *(replace(two, name="") for _ in range(n - 1))]
    return armdyn.Robot(links, (0.0, -9.81, 0.0), name=f"planar{n}")


# Without names for common terms, the factors and the inverse of these take long to compile.
LONG = ("planar5", "3R, nothing special")
ROBOTS = {
    "planar2": armdyn.load("planar2").robot,
    "planar3": armdyn.load("planar3").robot,
    "3R": first_joints("puma560", 3),
    "RRP": first_joints("stanford", 3),
    "RRPR, parallel": armdyn.load("scara").robot,
    "planar5": planar(5),
    "3R, nothing special": armdyn.generic(3),
    "PRR, right angles": random_robot("right angles", 3, 6),
    "back and forth": random_robot("inclined slide", 3, 4),
    "antiparallel": random_robot("parallel", 3, 1),
}


def with_values(robot: armdyn.Robot, values: dict[str, float]) -> armdyn.Robot:
    """The robot that has given numbers where the model has symbols."""
    joints = []
    for i, joint in enumerate(robot.joints, 1):
        at = {name: values.get(f"{name}{i}", getattr(joint, name)) for name in ("beta", "theta")}
        com = [values.get(f"c{i}{axis}", 0.0) for axis in "xyz"]
        entries = ("xx", "xy", "xz", "yy", "yz", "zz")
        joints.append(
            replace(
                joint, **at, b=values.get(f"b{i}", 0.0), d=values.get(f"d{i}", 0.0),
                mass=values.get(f"m{i}", 0.0), com=tuple(com),
                inertia=tuple(values.get(f"I{i}{e}", 0.0) for e in entries),
                rotor_inertia=values.get(f"Jm{i}", 0.0), viscous=0.0, coulomb=0.0, offset=0.0,
            )
        )  # fmt: skip
    down = np.array(robot.base)[:3, :3].T @ np.array(robot.gravity)  # in E_0
    down = np.where(abs(down) > 1e-12, down, 0.0)
    if "g" in values:
        down = np.sign(down) * values["g"]
    elif down.any():
        down = np.array([values.get(f"g{axis}", 0.0) for axis in "xyz"])
    return armdyn.Robot(joints, tuple(down), name=robot.name, strict=False)


def other_values(model: Any) -> dict[str, float]:
    """Random values for the symbols: masses and moments of inertia positive, the rest any."""
    values = {name: float(RNG.uniform(-1.0, 1.0)) for name in model.values}
    for name in values:
        if re.fullmatch(r"m\d+|Jm\d+|I\d+(xx|yy|zz)|g", name):
            values[name] = float(RNG.uniform(0.5, 2.0))
        elif name.startswith("I"):
            values[name] *= 0.1
    return values


def numbers(
    matrices: Sequence[Any], states: dict[str, np.ndarray], values: dict[str, float]
) -> list[np.ndarray]:
    joints = {f"{s}{i}": float(x) for s, row in states.items() for i, x in enumerate(row, 1)}
    known = {**values, **joints}
    names = sorted(known)
    function = sympy.lambdify(names, list(matrices), "numpy", cse=True)
    return [np.array(x, dtype=float) for x in function(*(known[name] for name in names))]


def run(text: str, name: str, *given: Any) -> np.ndarray:
    """What a Python text of a model returns; it may need nothing but the standard library."""
    assert "armdyn" not in text and "sympy" not in text
    scope: dict[str, Any] = {}
    exec(text, scope)
    return np.array(scope[name](*given))


def answers(arm: armdyn.Arm, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
    U, D = arm.udu(q)
    return {
        "mass_matrix": arm.mass_matrix(q), "coriolis_matrix": arm.coriolis_matrix(q, qd),
        "gravity": arm.gravity(q)[:, None], "U": U, "D": np.diag(D),
        "inverse_mass_matrix": arm.inverse_mass_matrix(q),
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
@pytest.mark.parametrize("name", ROBOTS)
def test_matrices_are_those_of_the_kernels(name: str) -> None:
    robot = ROBOTS[name]
    model = armdyn.symbolic(robot)
    matrices = {which: getattr(model, which) for which in MATRICES}
    texts = {which: model.python(which) for which in MATRICES}
    values = other_values(model)
    q, qd = RNG.uniform(-2, 2, (2, robot.n))
    expected = answers(armdyn.Arm(with_values(robot, values)), q, qd)
    few = list(matrices)[: 3 if name in LONG else 6]
    found = numbers([matrices[which] for which in few], {"q": q, "qd": qd}, values)
    for which, got in zip(few, found, strict=True):
        assert got.shape == expected[which].shape
        assert relative_error(got, expected[which]) < 1e-12, which
    for which, text in texts.items():
        states = (q, qd) if which == "coriolis_matrix" else (q,)
        got = run(text, which, *states, values)
        assert relative_error(got.reshape(expected[which].shape), expected[which]) < 1e-12, which


def test_described_values_are_those_of_the_robot() -> None:
    """Values of the model and values read back from the description agree."""
    for robot in (ROBOTS[name] for name in ("3R", "RRP", "PRR, right angles")):
        q = RNG.uniform(-1, 1, robot.n)
        again = armdyn.Arm(with_values(robot, armdyn.symbolic(robot).values))
        assert relative_error(again.gravity(q), armdyn.Arm(robot).gravity(q)) < 1e-12


@pytest.mark.parametrize("name", ["planar3", "3R", "RRP"])
def test_mass_matrix_rate_less_twice_coriolis_is_skew(name: str) -> None:
    model = armdyn.symbolic(ROBOTS[name])
    q, qd = sympy.symbols(f"q1:{model.n + 1}"), sympy.symbols(f"qd1:{model.n + 1}")
    rates = (model.mass_matrix.diff(x) * v for x, v in zip(q, qd, strict=True))
    rate = sum(rates, sympy.zeros(model.n))
    skew = rate - 2 * model.coriolis_matrix
    states = dict(zip(("q", "qd"), RNG.uniform(-2, 2, (2, model.n)), strict=True))
    (X,) = numbers([skew], states, other_values(model))
    assert abs(X + X.T).max() < 1e-13 * (1 + abs(X).max())


def test_formulas_are_short() -> None:
    """As a textbook has them: squares of sums, combined angles, one letter for each constant."""
    model = armdyn.symbolic(ROBOTS["3R"])
    b3, c2x, c2y, c2z, c3y, c3z, d2, d3 = sympy.symbols("b3 c2x c2y c2z c3y c3z d2 d3")
    I2xx, I2yy, I3xx, I3yy, Jm1, m2, m3, q2, q3 = sympy.symbols(
        "I2xx I2yy I3xx I3yy Jm1 m2 m3 q2 q3"
    )
    sin, cos = sympy.sin, sympy.cos
    assert model.mass_matrix[0, 0] == (
        I2xx * sin(q2) ** 2 + I2yy * cos(q2) ** 2 + I3xx * sin(q2 + q3) ** 2
        + I3yy * cos(q2 + q3) ** 2 + Jm1
        + m2 * ((c2z + d2) ** 2 + (c2x * cos(q2) - c2y * sin(q2)) ** 2)
        + m3 * ((b3 * cos(q2) - c3y * sin(q2 + q3)) ** 2 + (c3z + d2 + d3) ** 2)
    )  # fmt: skip
    polar = armdyn.symbolic(ROBOTS["RRP"])
    assert polar.mass_matrix[1, 1] == sympy.sympify("I2zz + I3yy + Jm2 + m3*(c3z + q3)**2")
    assert polar.mass_matrix[1, 2] == 0


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
def test_general_model_has_symbols_for_zeros() -> None:
    model = armdyn.symbolic("planar2", general=True)
    assert model.values["c1y"] == 0.0 and "c1y" not in armdyn.symbolic("planar2").values
    assert sympy.Symbol("c2y") in model.mass_matrix[0, 1].free_symbols
    values = other_values(model)
    arm = armdyn.Arm(with_values(ROBOTS["planar2"], values))
    q = RNG.uniform(-1, 1, 2)
    (M,) = numbers([model.mass_matrix], {"q": q}, values)
    assert relative_error(M, arm.mass_matrix(q)) < 1e-12


def test_latex_is_short_and_has_no_double_superscript() -> None:
    model = armdyn.symbolic("planar3")
    text = model.latex("mass_matrix")
    assert len(text) <= 1500
    assert text.startswith("\\begin{aligned}") and r"\cos(q_2 + q_3)" in text
    inverse = model.latex("inverse_mass_matrix")
    assert r"\frac{{\alpha'}_{12}^{2}}{\hat m_1} + \frac{1}{\hat m_2}" in inverse
    for which in MATRICES:
        written = model.latex(which)
        assert written.count("{") == written.count("}") and "'_" not in written


def test_arms_that_are_too_large_are_refused_with_the_limit() -> None:
    with pytest.raises(armdyn.InputError, match=r"6 joints.* up to 3 joints.* parallel") as error:
        armdyn.symbolic("puma560")
    assert error.value.argument == "robot"


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_singular_mass_matrix_is_refused_where_it_is_divided_by(kind: str) -> None:
    """A first link without mass that moves as the second does: M exists, its inverse does not."""
    last = armdyn.Joint(kind=kind, mass=2.0, inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    robot = armdyn.Robot([armdyn.Joint(kind=kind), last])
    model = armdyn.symbolic(robot)
    assert model.mass_matrix[0, 0] == model.mass_matrix[1, 1] != 0
    for which in ("U", "D", "inverse_mass_matrix"):
        with pytest.raises(armdyn.RobotError, match="joint 1 can move"):
            model.latex(which)
    assert armdyn.symbolic(robot, general=True).D[0, 0] != 0


def test_wrong_arguments_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    model = armdyn.symbolic("planar2")
    with pytest.raises(armdyn.InputError, match="mass_matrix"):
        model.latex("mass")
    with pytest.raises(armdyn.InputError, match="`robot` is"):
        armdyn.symbolic(3)  # type: ignore[arg-type]
    for unknown in ({"q1": 1.0}, {"b9": 1.0}):
        with pytest.raises(armdyn.InputError, match="no parameter"):
            model.subs(unknown)
    for wrong in ("l1", sympy.sin(sympy.Symbol("x")), 1j, float("nan"), [1.0]):
        with pytest.raises(armdyn.InputError, match="`replacements` has"):
            model.subs({"b2": wrong})
    monkeypatch.setitem(__import__("sys").modules, "sympy", None)
    with pytest.raises(armdyn.MissingExtraError, match=r"pip install 'armdyn\[sympy\]'"):
        armdyn.symbolic("planar2")
