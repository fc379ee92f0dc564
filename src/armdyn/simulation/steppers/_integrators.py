"""The integrators, one row each; the argument `integrator`, errors and help texts use the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from armdyn.simulation.steppers._tableau import AB4, MIDPOINT, RK4, Tableau, Weights

Family = Literal["runge_kutta", "adams_bashforth", "midpoint", "scipy"]


@dataclass(frozen=True)
class Integrator:
    """A method of integration.

    Attributes:
        name: the value of the argument `integrator`.
        order: of convergence; for a pair with error estimate, the order of the steps.
        family: the kind of stepper. Explicit Runge-Kutta methods of fixed step are "runge_kutta";
            "scipy" chooses its steps.
        coefficients: a tableau, Adams-Bashforth weights, or the name of a solver of
            `scipy.integrate`.
        words: a short description.
    """

    name: str
    order: int
    family: Family
    coefficients: Tableau | Weights | str
    words: str

    @property
    def adaptive(self) -> bool:
        """Whether it chooses its steps by tolerances."""
        return self.family == "scipy"


ROWS = (
    Integrator("rk45", 5, "scipy", "RK45", "Dormand and Prince's pair"),
    Integrator("dop853", 8, "scipy", "DOP853", "for tight tolerances"),
    Integrator("rk4", 4, "runge_kutta", RK4, "classical Runge-Kutta"),
    Integrator("ab4", 4, "adams_bashforth", AB4, "Adams-Bashforth, one evaluation a step"),
    Integrator("midpoint", 2, "midpoint", MIDPOINT, "implicit and symplectic, for long times"),
)

INTEGRATORS: dict[str, Integrator] = {row.name: row for row in ROWS}


def integrator_names(*, adaptive: bool | None = None) -> tuple[str, ...]:
    """Return the names of all integrators, or of adaptive or fixed-step ones only."""
    rows = INTEGRATORS.values()
    return tuple(row.name for row in rows if adaptive is None or row.adaptive == adaptive)
