"""Standard DH tables, right and wrong; a plain product of matrices gives the same pose."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

import armdyn
from armdyn.errors import ArmdynError
from armdyn.robot.model import Robot
from fuzz._finding import Finding, check
from support.mjcf_texts import Reference

GOOD = (0.0, 0.0, math.pi / 2, -math.pi / 2, math.pi, 0.3, -1.2, 1e-9, 1, np.float64(0.5), -0.0)
ODD = (
    math.nan, math.inf, 1e308, -1e200, 90.0, 1e-320, "1", None, True, 1j, [], 10**400,
    np.float32(0.1),
    np.array(0.5), np.array([0.5]), b"1", object(), np.ma.masked, np.datetime64(1, "s"), {},
)  # fmt: skip
COLUMNS = {
    "masses": 0.5, "rotor_inertias": 0.1, "viscous": 0.2, "coulomb": 0.3, "offsets": 0.1,
    "lower": -1.0,
    "upper": 1.0, "velocity": 2.0, "effort": 9.0, "coms": (0.1, 0.0, 0.2), "names": "a",
    "inertias": (0.1, 0.0, 0.0, 0.1, 0.0, 0.1), "kinds": "revolute",
}  # fmt: skip


@dataclass
class Case:
    """Arguments of `from_standard_dh`, and whether all of them are right."""

    rows: Any
    given: dict[str, Any]
    good: bool


def case(rng: random.Random, target: str) -> Case:
    """Draw a table."""
    n = rng.randint(1, 5)
    rows: list[list[Any]] = [[rng.choice(GOOD) for _ in range(4)] for _ in range(n)]
    given: dict[str, Any] = {}
    for key in rng.sample(list(COLUMNS), rng.randint(0, 4)):
        values: list[Any] = [COLUMNS[key]] * n
        if key == "kinds":
            values = [rng.choice(["revolute", "prismatic"]) for _ in range(n)]
        elif key == "names":
            values = [f"{rng.choice('aé b<')}{k}" for k in range(n)]
        given[key] = np.array(values) if rng.random() < 0.3 else values
    good = rng.random() < 0.4
    if not good:
        for _ in range(rng.randint(1, 2)):
            match rng.randrange(6):
                case 0:
                    rows[rng.randrange(n)][:1] = [rng.choice(ODD)]
                    rng.shuffle(rows[0])
                case 1:
                    rows[rng.randrange(n)].append(0.0)
                    rng.choice(rows).pop()
                case 2:
                    given[rng.choice(list(COLUMNS))] = rng.choice(
                        [[], 0.5, None, ["x"] * n, [[1.0]] * n, "text", {}]
                    )
                case 3:
                    given[rng.choice(list(COLUMNS))] = [rng.choice(ODD)] * n
                case 4:
                    key = rng.choice(["gravity", "base", "tool", "name", "strict"])
                    given[key] = rng.choice(
                        [*ODD, np.eye(4), np.eye(3), (0, 0, 9.81), np.zeros((4, 4)), "x"]
                    )
                case _:
                    rows = rng.choice(
                        [[], None, 5, "rows", np.array(1.0), [[]], [None], {}, rows[0]]
                    )
                    break
    return Case(rows, given, good)


def run(case: Case) -> None:
    """Convert a table, and compare the poses of its arm."""
    try:
        robot = armdyn.from_standard_dh(case.rows, **case.given)
    except ArmdynError as error:
        if case.good and "physically inconsistent" not in str(error):
            raise Finding(f"a good table is refused: {error}") from error
        raise
    rows = [[float(x) for x in row] for row in case.rows]
    q = np.linspace(-1.0, 1.3, robot.n)
    expected = np.array(_placement(case.given.get("base")))
    for (theta, d, a, alpha), value, joint in zip(rows, q, robot.joints, strict=True):
        theta, d = (theta + value, d) if joint.is_revolute else (theta, d + value)
        expected = expected @ _step(theta, d, a, alpha)
    expected = expected @ np.array(_placement(case.given.get("tool")))
    found = _tip(robot, q)
    size = max(1.0, float(np.abs(expected[:3, 3]).max()))
    if size < 1e100:
        check(
            np.abs(found - expected).max() <= 1e-9 * size,
            f"{found.tolist()}, expected {expected.tolist()}",
        )


def _placement(given: Any) -> np.ndarray:
    return np.eye(4) if given is None else np.asarray(given, dtype=float)


def _step(theta: float, d: float, a: float, alpha: float) -> np.ndarray:
    c, s, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1.0]]
    )


def _tip(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the tip by the description that was made, modified DH."""
    return Reference(robot)._links(q)[-1] @ np.array(robot.tool)
