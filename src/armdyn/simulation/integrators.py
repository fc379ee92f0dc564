"""The table of integrators, and their coefficients as the textbooks print them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from math import lcm
from typing import Any, Literal

# Coefficients of integration methods, as the textbooks print them.
#
# Coefficients are exact fractions. Sums use common denominators: the step of a method with the
# weights 1/6, 1/3, 1/3, 1/6 is h/6 times k1 + 2 (k2 + k3) + k4.


@dataclass(frozen=True)
class Weights:
    """A row of coefficients, one for each rate.

    Attributes:
        values: the coefficients.
    """

    values: tuple[Fraction, ...]

    @classmethod
    def of(cls, text: str) -> Weights:
        """Return the row of a text like ``"1/6 1/3 1/3 1/6"``."""
        return cls(tuple(Fraction(word) for word in text.split()))

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def floats(self) -> tuple[float, ...]:
        """The coefficients, each rounded once."""
        return tuple(float(value) for value in self.values)

    @cached_property
    def denominator(self) -> int:
        """The least common denominator."""
        return lcm(*(value.denominator for value in self.values))

    @cached_property
    def _groups(self) -> tuple[tuple[float, tuple[int, ...]], ...]:
        """Neighbours of equal weight: the weight over the common denominator, and their indices.

        Rates of weight zero are left out.
        """
        scaled = [float(value * self.denominator) for value in self.values]
        groups = groupby(range(len(scaled)), key=lambda j: scaled[j])
        return tuple((weight, tuple(members)) for weight, members in groups if weight)

    def advance(self, x: Any, h: Any, rates: Any) -> Any:
        """Return x + h times the weighted sum of rates.

        Args:
            x: a number, an array, or a node of a program.
            h: the length of the step: a float, or a node.
            rates: the derivatives of x, one for each weight.
        """
        total = None
        for weight, members in self._groups:
            part = rates[members[0]]
            for j in members[1:]:
                part = part + rates[j]
            part = part if weight == 1.0 else weight * part
            total = part if total is None else total + part
        return x if total is None else x + _share(h, self.denominator) * total

    def advance_each(self, x: Sequence[Any], h: Any, rates: Sequence[Sequence[Any]]) -> list[Any]:
        """Return `advance` of each component of a vector; for programs."""
        return [self.advance(a, h, rate) for a, *rate in zip(x, *rates, strict=True)]

    def accumulate(self, x: Any, h: Any, rates: Any) -> Any:
        """Return the same sum, one rate after the other, each with its rounded coefficient."""
        for weight, rate in zip(self.floats, rates, strict=True):
            x = x + (weight * h) * rate
        return x


def _share(h: Any, parts: int) -> Any:
    """Return h / parts; by a multiplication, which is cheaper, if the result is identical."""
    if parts == 1:
        return h
    return (1.0 / parts) * h if parts & (parts - 1) == 0 else h / float(parts)


@dataclass(frozen=True)
class Tableau:
    """The Butcher tableau of a Runge-Kutta method.

    Attributes:
        stages: a row for each stage: the weights of the rates of the stages before it and, in an
            implicit method, of its own.
        weights: of the rates of all stages in the step.
    """

    stages: tuple[Weights, ...]
    weights: Weights

    @classmethod
    def of(cls, *stages: str, weights: str) -> Tableau:
        """Return the tableau of rows of text; the first stage of an explicit method is empty."""
        return cls(tuple(map(Weights.of, stages)), Weights.of(weights))

    def __len__(self) -> int:
        return len(self.stages)

    @cached_property
    def nodes(self) -> tuple[Fraction, ...]:
        """Times of the stages, as shares of the step: the sums of the rows."""
        return tuple(sum(row.values, Fraction(0)) for row in self.stages)

    @cached_property
    def times(self) -> tuple[float, ...]:
        """The nodes as floats."""
        return tuple(float(node) for node in self.nodes)


# Kutta's method of 1901, the classical one.
RK4 = Tableau.of("", "1/2", "0 1/2", "0 0 1", weights="1/6 1/3 1/3 1/6")

# The implicit midpoint rule, the one-stage method of Gauss.
MIDPOINT = Tableau.of("1/2", weights="1")

# Adams and Bashforth's method of four steps; the newest rate comes first.
AB4 = Weights.of("55/24 -59/24 37/24 -9/24")


# The integrators, one row each; the argument `integrator`, errors and help texts use the rows.

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
