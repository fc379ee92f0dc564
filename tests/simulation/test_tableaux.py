"""Coefficients of integrators satisfy the conditions of their order, exactly."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.graph.interpret import interpret
from armdyn.simulation.explicit import runge_kutta, step_program
from armdyn.simulation.integrators import INTEGRATORS, RK4, Tableau, Weights
from armdyn.simulation.plant import FORWARD, Plant
from armdyn.simulation.simulate import simulate
from armdyn_papers.studies.rkf45 import EMBEDDED, FEHLBERG

ROOT = Path(__file__).resolve().parents[2]

TABLEAUX = {
    row.name: (row.coefficients, row.coefficients.weights, row.order)
    for row in INTEGRATORS.values()
    if isinstance(row.coefficients, Tableau)
} | {
    "fehlberg, fifth": (FEHLBERG, FEHLBERG.weights, 5),
    "fehlberg, fourth": (FEHLBERG, EMBEDDED, 4),
}


def conditions(tableau: Tableau, weights: Weights) -> dict[int, list[tuple[Fraction, Fraction]]]:
    """Both sides of each condition by order: one for every rooted tree with so many nodes."""
    n = len(tableau)
    b, c = weights.values, tableau.nodes
    A = [[*row.values, *[Fraction(0)] * (n - len(row))] for row in tableau.stages]

    def through(x: list[Fraction]) -> list[Fraction]:
        return [sum((A[i][j] * x[j] for j in range(n)), Fraction(0)) for i in range(n)]

    def total(*factors: list[Fraction]) -> Fraction:
        result = Fraction(0)
        for i in range(n):
            term = b[i]
            for factor in factors:
                term *= factor[i]
            result += term
        return result

    one, c1 = [Fraction(1)] * n, list(c)
    c2, c3, c4 = ([x**k for x in c] for k in (2, 3, 4))
    Ac, Ac2, Ac3 = through(c1), through(c2), through(c3)
    AAc = through(Ac)
    cAc = [x * y for x, y in zip(c1, Ac, strict=True)]
    F = Fraction
    return {
        1: [(total(one), F(1))],
        2: [(total(c1), F(1, 2))],
        3: [(total(c2), F(1, 3)), (total(Ac), F(1, 6))],
        4: [
            (total(c3), F(1, 4)),
            (total(c1, Ac), F(1, 8)),
            (total(Ac2), F(1, 12)),
            (total(AAc), F(1, 24)),
        ],
        5: [
            (total(c4), F(1, 5)),
            (total(c2, Ac), F(1, 10)),
            (total(Ac, Ac), F(1, 20)),
            (total(c1, Ac2), F(1, 15)),
            (total(Ac3), F(1, 20)),
            (total(c1, AAc), F(1, 30)),
            (total(through(cAc)), F(1, 40)),
            (total(through(Ac2)), F(1, 60)),
            (total(through(AAc)), F(1, 120)),
        ],
    }


@pytest.mark.parametrize("name", TABLEAUX)
def test_a_tableau_has_its_order_and_no_higher_one(name: str) -> None:
    tableau, weights, order = TABLEAUX[name]
    assert len(weights) == len(tableau)
    for k, sides in conditions(tableau, weights).items():
        satisfied = [left == right for left, right in sides]
        if k <= order:
            assert all(satisfied), f"order {k}"
        elif k == order + 1:
            assert not all(satisfied), f"order {k}"


def test_adams_bashforth_integrates_polynomials_exactly() -> None:
    for row in INTEGRATORS.values():
        if row.family != "adams_bashforth":
            continue
        weights = row.coefficients
        assert isinstance(weights, Weights)
        for k in range(row.order + 1):  # the integral of t^k from 0 to 1, from values at 0, -1, ...
            found = sum(b * Fraction(-j) ** k for j, b in enumerate(weights.values))
            assert (found == Fraction(1, k + 1)) == (k < row.order)


def test_names_of_scipy_are_its_solvers() -> None:
    import scipy.integrate

    for row in INTEGRATORS.values():
        if row.adaptive:
            assert isinstance(row.coefficients, str)
            assert getattr(scipy.integrate, row.coefficients).order == row.order


def test_a_weighted_sum_is_on_a_common_denominator() -> None:
    weights = Weights.of("1/6 1/3 1/3 1/6")
    rates = [0.1, 0.2, 0.3, 0.7]
    assert weights.advance(1.0, 0.3, rates) == 1.0 + (0.3 / 6) * (0.1 + 2 * (0.2 + 0.3) + 0.7)
    assert Weights.of("0 1/2").advance(1.0, 0.3, [np.nan, 0.2]) == 1.0 + 0.15 * 0.2
    assert Weights.of("").advance(1.0, 0.3, []) == 1.0


def test_the_program_of_a_step_is_the_step_on_arrays() -> None:
    arm = armdyn.load("scara")
    plant = Plant(arm, "auto", friction=False, inside=True, parameters=None)
    forward = plant.program(FORWARD)
    rng = np.random.default_rng(2)
    q, qd, tau = rng.uniform(-1, 1, (3, 1, arm.n))
    h = 0.01

    def acceleration(_: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return interpret(forward, q, qd, tau)[0]

    first = acceleration(0.0, q, qd)
    for tableau in (RK4, FEHLBERG):
        program = step_program(tableau, "step", forward)
        found = interpret(program, q, qd, tau, np.array([[h]]))
        expected = runge_kutta(tableau, q, qd, h, first, acceleration, Weights.advance)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)
        np.testing.assert_allclose(found[2], first, rtol=1e-12)


def test_texts_name_every_integrator() -> None:
    page = (ROOT / "docs" / "simulation.md").read_text()
    for row in INTEGRATORS.values():
        assert f'"{row.name}"' in (simulate.__doc__ or "")
        steps = "chosen" if row.adaptive else "equal"
        assert f"| `{row.name}` | {row.order} | {steps} | {row.words} |" in page
