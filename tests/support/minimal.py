"""Arms whose minimal parameters are known, and arms of every special geometry."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from armdyn import Joint, Robot
from armdyn.algorithms.structure import structure
from armdyn.minimal.check import random_states, stacked_regressor
from armdyn.minimal.closed_form import axes_at_zero
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.library import random_joint

H = math.pi / 2
DOWN, SIDE, NOWHERE = (0.0, 0.0, -9.81), (0.0, -9.81, 0.0), (0.0, 0.0, 0.0)
TILTED = (1.0, 2.0, -9.0)


def arm_of(name: str, kinds: str, rows: list[tuple[float, ...]], gravity: tuple = DOWN) -> Robot:
    """An arm with the geometry (beta, b, d, theta) given and links that have no symmetry."""
    rng = np.random.default_rng(11)
    joints: list[Joint] = []
    for kind, (beta, b, d, *theta) in zip(kinds, rows, strict=True):
        joint = random_joint(rng, kind == "P")
        joints.append(replace(joint, beta=beta, b=b, d=d, theta=theta[0] if theta else 0.0))
    return Robot(joints, gravity=gravity, name=name)


@dataclass(frozen=True)
class Known:
    """An arm, and how many minimal parameters, with rotors, and at rest it has."""

    robot: Robot
    minimal: int
    with_rotors: int
    at_rest: int


PUMA = [(0, 0, 0), (-H, 0, 0.24), (0, 0.43, -0.09), (H, 0.02, 0.43), (-H, 0, 0), (H, 0, 0)]
UR5 = [(0, 0, 0.089), (H, 0, 0), (0, -0.425, 0), (0, -0.392, 0.109), (H, 0, 0.095), (-H, 0, 0.082)]
RX90 = [(0, 0, 0), (H, 0, 0), (0, 0.45, 0), (-H, 0, 0.45), (H, 0, 0), (-H, 0, 0)]
TX40 = [(0, 0, 0), (-H, 0, 0), (0, 0.225, 0.035), (H, 0, 0.225), (-H, 0, 0), (H, 0, 0)]
IRB140 = [(0, 0, 0.35), (-H, 0.07, 0), (0, 0.36, 0), (-H, 0, 0.38), (H, 0, 0), (-H, 0, 0)]
IIWA = [(0, 0, 0), (-H, 0, 0), (H, 0, 0.4), (H, 0, 0), (-H, 0, 0.4), (-H, 0, 0), (H, 0, 0.1)]
PANDA = [
    (0, 0, 0.333), (-H, 0, 0), (H, 0, 0.316), (H, 0.0825, 0), (-H, -0.0825, 0.384), (H, 0, 0),
    (H, 0.088, 0),
]  # fmt: skip
SAWYER = [
    (0, 0, 0.317), (-H, 0.081, 0.1925), (H, 0, 0.4), (-H, 0, -0.1685), (H, 0, 0.4),
    (-H, 0, 0.1363), (H, 0, 0.134),
]  # fmt: skip
GEN3 = [
    (math.pi, 0, -0.285), (H, 0, -0.012), (H, 0, -0.421), (H, 0, -0.013), (H, 0, -0.314),
    (H, 0, 0), (H, 0, -0.167),
]  # fmt: skip
STANFORD = [(0, 0, 0), (-H, 0, 0.15), (H, 0, 0), (0, 0, 0), (-H, 0, 0), (H, 0, 0)]
SCARA = [(0, 0, 0), (0, 0.3, 0), (0, 0.25, 0), (0, 0, 0)]
GANTRY = [(0, 0, 0), (H, 0, 0, H), (H, 0, 0, H)]
WRIST = [(H, 0, 0.1), (H, 0, 0), (H, 0, 0)]


def planar(n: int, gravity: tuple) -> Robot:
    return arm_of(f"planar {n}R", "R" * n, [(0, 0.3, 0.1)] * n, gravity)


KNOWN = [
    *(
        Known(arm_of(name, "RRRRRR", rows), 36, 40, 10)
        for name, rows in (
            ("puma", PUMA), ("ur5", UR5), ("rx90", RX90), ("tx40", TX40), ("irb140", IRB140)
        )
    ),
    *(
        Known(arm_of(name, "RRRRRRR", rows), 43, 48, 12)
        for name, rows in (("iiwa", IIWA), ("panda", PANDA), ("sawyer", SAWYER), ("gen3", GEN3))
    ),
    Known(arm_of("stanford", "RRPRRR", STANFORD), 33, 37, 9),
    *(Known(arm_of(f"scara {kinds}", kinds, SCARA), 8, 11, 1) for kinds in ("RRPR", "RRRP")),
    Known(arm_of("scara PRRR", "PRRR", SCARA), 8, 11, 1),
    Known(arm_of("cylindrical", "RPP", [(0, 0, 0), (0, 0, 0), (H, 0, 0)]), 5, 7, 1),
    Known(
        arm_of("cylindrical with wrist", "RPPRRR",
               [(0, 0, 0), (0, 0, 0), (H, 0, 0), (0, 0, 0.1), (-H, 0, 0), (H, 0, 0)]),
        26, 30, 7,
    ),
    Known(arm_of("polar", "RRP", [(0, 0, 0), (H, 0, 0), (H, 0, 0)]), 12, 13, 3),
    Known(arm_of("gantry", "PPP", GANTRY), 3, 4, 1),
    Known(arm_of("gantry with wrist", "PPPRRR", [*GANTRY, *WRIST]), 20, 22, 5),
    Known(arm_of("RPR, level slide", "RPR", [(0, 0, 0), (H, 0, 0), (-H, 0, 0)]), 7, 9, 0),
    Known(arm_of("PR, level slide", "PR", [(H, 0, 0), (-H, 0, 0)]), 4, 4, 0),
    *(Known(planar(n, SIDE), 3 * n, 4 * n - 1, 2 * n) for n in (2, 3, 5)),
    *(Known(planar(n, DOWN), 3 * n - 2, 4 * n - 3, 0) for n in (2, 3, 5)),
    *(Known(planar(n, NOWHERE), 3 * n - 2, 4 * n - 3, 0) for n in (3, 5)),
    Known(arm_of("coaxial", "RR", [(0, 0, 0), (0, 0, 0.2)]), 2, 3, 0),
    Known(arm_of("pendulum", "R", [(0, 0, 0)], SIDE), 3, 3, 2),
    Known(arm_of("turntable", "R", [(0, 0, 0)]), 1, 1, 0),
    Known(arm_of("iiwa tilted", "RRRRRRR", IIWA, TILTED), 45, 50, 14),
    Known(arm_of("puma on a wall", "RRRRRR", PUMA, SIDE), 38, 42, 12),
    Known(arm_of("iiwa weightless", "RRRRRRR", IIWA, NOWHERE), 39, 44, 0),
    Known(arm_of("puma weightless", "RRRRRR", PUMA, NOWHERE), 34, 38, 0),
]  # fmt: skip

GRAVITIES = ("any", "along axis 1", "along axis r", "along axis s", "across axis r", "none")


def special_chain(rng: np.random.Generator, n: int) -> Chain:
    """A chain in which parallel, coaxial, concurrent and level axes are frequent."""
    slides = rng.choice([0.0, 0.3, 0.6])
    joints: list[Joint] = []
    for _ in range(n):
        joint = random_joint(rng, bool(rng.random() < slides))
        beta = rng.choice([0.0, 0.0, H, -H, math.pi, rng.uniform(-3, 3)])
        theta = rng.choice([0.0, 0.0, H, rng.uniform(-3, 3)])
        b, d = (float(rng.uniform(0.1, 0.8) * (rng.random() < 0.5)) for _ in range(2))
        joints.append(replace(joint, beta=float(beta), theta=float(theta), b=b, d=d))
    chain = chain_of(Robot(joints))
    return replace(chain, g=_gravity(rng, chain, GRAVITIES[rng.integers(len(GRAVITIES))]))


def _gravity(rng: np.random.Generator, chain: Chain, kind: str) -> tuple[float, float, float]:
    u, found = axes_at_zero(chain).directions, structure(chain)
    r, s = min(found.r, chain.n) - 1, min(found.s, chain.n) - 1
    some = rng.normal(size=3)
    g = {
        "any": some,
        "along axis 1": u[0],
        "along axis r": u[r],
        "along axis s": u[s],
        "across axis r": np.cross(u[r], some),
        "none": np.zeros(3),
    }[kind] * 9.81
    x, y, z = (float(v) if abs(v) > 1e-14 else 0.0 for v in g)
    return (x, y, z)


def regressor_with_drives(chain: Chain, rotor: bool, friction: bool) -> np.ndarray:
    """Regressors at random states, stacked, with columns for rotors and friction."""
    n = chain.n
    q, qd, qdd = random_states(n, 14 * n + 8, seed=3)
    parts = [stacked_regressor(chain, q, qd, qdd)]
    diagonal = np.eye(n)[None]
    if rotor:
        parts.append(diagonal * qdd[:, :, None])
    if friction:
        each = np.stack([qd, np.sign(qd), np.ones_like(qd)], axis=2)
        parts.append((diagonal[:, :, :, None] * each[:, :, None, :]).reshape(-1, n, 3 * n))
    stacked = np.concatenate(parts, axis=2)
    return stacked.reshape(-1, stacked.shape[2])


def regressor_at_rest(chain: Chain) -> np.ndarray:
    q, still = random_states(chain.n, 14 * chain.n + 8, seed=4)[0], np.zeros(1)
    rest = np.broadcast_to(still, q.shape)
    W = stacked_regressor(chain, q, rest, rest).reshape(-1, 10 * chain.n)
    return np.where(np.abs(W) < 1e-12, 0.0, W)  # nothing but rounding has a rank, too
