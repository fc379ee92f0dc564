"""A program with every operation that chooses, and the same function in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.scalar import atan2, copysign, max, min, select, sin, sqrt


def choosing(x: Any) -> list[Any]:
    a, b, c = x
    return [
        abs(a * b) + max(a, b),
        min(a, c * b) - select(a - b, sin(c), a * c),
        copysign(b * b + 1.0, a) * sqrt(max(a, 0.25)),
        atan2(b, c),
        select(-c, copysign(a, -b), -max(-b, c)),
    ]


def choosing_arrays(x: np.ndarray) -> np.ndarray:
    a, b, c = np.moveaxis(x, -1, 0)
    return np.stack(
        [
            np.abs(a * b) + np.maximum(a, b),
            np.minimum(a, c * b) - np.where(a > b, np.sin(c), a * c),
            np.copysign(b * b + 1.0, a) * np.sqrt(np.maximum(a, 0.25)),
            np.arctan2(b, c),
            np.where(c < 0, np.copysign(a, -b), -np.maximum(-b, c)),
        ],
        axis=-1,
    )


def choosing_program() -> Program:
    return trace(choosing, [Slot("x", (3,))], [Slot("f", (5,))], "choosing")


def points(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (count, 3))
