"""[Mata2002]: Tables 5 to 7, the results of its two numerical examples, as printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """A column of Table 5: differences of double and single precision [rad/s^2]."""

    maximum: float
    average: float


TABLE_5 = {
    "ABA": Difference(0.497600, 0.013240),
    "CRBA": Difference(1.292200, 0.2750630),
    "GA": Difference(0.5340020, 0.0087611),
}

TABLE_6 = (
    (6.91878269e-4, 1.28209533e-3, 2.84439095e-3),
    (1.73972101e-2, 1.66087380e-3, 9.22318761e-2),
    (8.54693990e-4, 1.66087459e-3, 3.13261587e-3),
    (1.73972067e-2, 4.05637323e-2, 9.22318581e-2),
    (1.78259578e-2, 4.17630699e-2, 9.54221869e-3),
    (6.91878269e-4, 1.21908065e-3, 2.43724278e-3),
)
"""Average differences of positions [rad], velocities and accelerations, joints 1 to 6."""


@dataclass(frozen=True)
class Run:
    """A column of Table 7: processing time [s] on a Pentium II of 400 MHz, and evaluations."""

    seconds: float
    evaluations: int


TABLE_7 = {"CRBA": Run(0.65, 1122), "ABA": Run(0.71, 1089), "GA": Run(0.59, 1092)}
"""The table writes ABM where the text writes ABA."""
