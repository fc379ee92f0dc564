"""Robots that ship with the package, and generic arms on which operations are counted."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armdyn.checks import checked_seed, checked_whole
from armdyn.errors import RobotWarning
from armdyn.robot.joint import Joint
from armdyn.robot.leniency import Leniency
from armdyn.robot.model import Robot

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

# The robots that ship with the package: one TOML file each, in the folder ``bundled``.

# How far masses and inertias can be trusted: measured or identified on an arm; from drawings;
# rounded, guessed or known to be wrong; or those of an arm that exists on paper only.
TRUST = ("measured", "CAD", "doubtful", "textbook")


# Arms whose numbers are known to be wrong, not just rough, and what to do.
WRONG = {
    "ur5": (
        "the inertias of its wrist are wrong, as in the file they come from: 0.22 kg m^2 for 1.2 "
        "kg, a radius of gyration eight times that of the bundled ur3 and ur10. Poses and "
        "Jacobians are right. For torques of a UR5, load its maker's URDF: "
        "armdyn.load('ur5.urdf')."
    )
}

# Those of them that this process has been warned of.
told: set[str] = set()


class BundledName(str):
    """The name of a bundled robot, which also says how far the robot can be trusted.

    Examples:
        >>> name = armdyn.robots()[0]
        >>> name, name.trust
        ('ascher2', 'textbook')
    """

    __slots__ = ()

    @property
    def trust(self) -> str:
        """One of "measured", "CAD", "doubtful" and "textbook"; `why` says why."""
        return self._provenance()[0]

    @property
    def why(self) -> str:
        """A sentence or two on where its numbers come from and what they lack."""
        return self._provenance()[1]

    def _provenance(self) -> tuple[str, str]:
        import tomllib

        notes = tomllib.loads(bundled_file(self).read_text(encoding="utf-8"))["notes"]
        trust = next(note for note in notes if note.startswith("Trust: "))
        _, word, why = trust.split(": ", 2)
        return word, why


def bundled_names() -> tuple[BundledName, ...]:
    """Return the names of the bundled robots, in alphabetical order.

    Each name also says how far the masses and inertias of the robot can be trusted: `trust` is
    "measured" (on an arm, part by part or by identification), "CAD" (from drawings), "doubtful"
    (rounded, guessed or known to be wrong) or "textbook" (no such arm exists); `why` says more.

    Returns:
        Names, each a str with `trust` and `why`.

    Examples:
        >>> armdyn.robots()
        ('ascher2', 'kinova', 'panda', 'planar2', 'planar3', 'puma560', 'scara', 'so100', ...)
        >>> {name: name.trust for name in armdyn.robots() if name in ("panda", "ur5", "xarm7")}
        {'panda': 'measured', 'ur5': 'doubtful', 'xarm7': 'CAD'}
    """
    names = (file.name for file in _folder().iterdir())
    found = sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    return tuple(map(BundledName, found))


def read_bundled(name: str, leniency: Leniency) -> Robot:
    """Return a bundled robot; the first time, warn if its numbers are known to be wrong."""
    from armdyn.robot.formats.toml import robot_from_toml  # 5 ms; other robots do without it

    if name in WRONG and name not in told:
        told.add(name)
        warnings.warn(f"bundled arm {name!r}: {WRONG[name]}", RobotWarning, stacklevel=4)
    return robot_from_toml(bundled_file(name).read_bytes(), f"{name}.toml", leniency)


def bundled_file(name: str) -> Traversable:
    """Return the file of a bundled robot; it may lie inside an archive."""
    return _folder() / f"{name}.toml"


def _folder() -> Traversable:
    folder = Path(__file__).with_name("bundled")
    if os.path.isdir(folder):
        return folder
    from importlib.resources import files  # for archives; slow to import

    return files("armdyn.robot") / "bundled"


# Generic arms: robots with no special geometry, on which operation counts are measured.

# Arms of up to 500 joints are supported; operation counts also cover somewhat longer ones. A larger
# number of joints is taken to be a mistake.
MOST_JOINTS = 2000


def generic(n: int, type: int = 1, seed: int = 0) -> Robot:
    """Return a random robot in which no constant is zero, one or equal to another.

    Twists, lengths, offsets, masses, centres of mass, inertias and the direction of gravity are
    random. theta of a revolute joint and d of a prismatic joint are zero, since the zero of a joint
    variable is arbitrary.

    Args:
        n: number of joints, up to 2000.
        type: 1 for all joints rotational, 2 for joint 3 translational (the papers' Types 1 and 2).
        seed: of the random numbers.

    Returns:
        The robot.

    Raises:
        InputError: `n`, `type` or `seed` is out of range.

    Examples:
        >>> robot = armdyn.generic(6, type=2)
        >>> [joint.kind for joint in robot.joints][1:4]
        ['revolute', 'prismatic', 'revolute']
    """
    n, seed = checked_whole(n, "n", 1, MOST_JOINTS), checked_seed(seed)
    what = "1 (all rotational) or 2 (joint 3 slides)"
    type = checked_whole(type, "type", 1, 2, what=what)
    rng = np.random.default_rng(seed)
    joints = [random_joint(rng, prismatic=type == 2 and i == 3) for i in range(1, n + 1)]
    joints = [j if j.is_revolute else replace(j, d=0.0) for j in joints]
    g = _signed(_uniform(rng, 0.3, 1.0, 3), rng)
    size = math.sqrt(math.fsum(x * x for x in g))
    return Robot(joints, gravity=[9.81 * x / size for x in g], name=f"generic{n}-type{type}")


def random_joint(rng: np.random.Generator, prismatic: bool) -> Joint:
    """Return a joint with a random link; it is made of point masses, so its inertia is possible."""
    sign = rng.choice([-1.0, 1.0], 4).tolist()
    beta = sign[0] * _uniform(rng, 0.3, 1.2)[0]
    b, d = (s * x for s, x in zip(sign[1:3], _uniform(rng, 0.1, 0.6, 2), strict=True))
    theta = sign[3] * _uniform(rng, 0.3, 1.2)[0] if prismatic else 0.0
    numbers = _uniform(rng, -0.2, 0.3, 15)
    points = [numbers[k : k + 3] for k in range(0, 15, 3)]
    masses = _uniform(rng, 0.2, 1.5, 5)
    m = math.fsum(masses)
    c = [_dot(masses, [p[k] for p in points]) / m for k in range(3)]
    x, y, z = ([p[k] - c[k] for p in points] for k in range(3))

    def moment(u: Sequence[float], v: Sequence[float]) -> float:
        return _dot(masses, [a * b for a, b in zip(u, v, strict=True)])

    xx, yy, zz = moment(x, x), moment(y, y), moment(z, z)
    inertia = (yy + zz, -moment(x, y), -moment(x, z), xx + zz, -moment(y, z), xx + yy)
    return Joint(
        kind="prismatic" if prismatic else "revolute",
        beta=beta, b=b, theta=theta, d=d, mass=m,
        com=(c[0], c[1], c[2]), inertia=inertia,
    )  # fmt: skip


# Sums of NumPy and of its random numbers round differently from machine to machine. Sums here are
# correctly rounded, and random numbers between 0 and 1 are the same everywhere.


def _uniform(rng: np.random.Generator, low: float, high: float, count: int = 1) -> list[float]:
    return [low + (high - low) * x for x in rng.random(count).tolist()]


def _signed(values: Sequence[float], rng: np.random.Generator) -> list[float]:
    signs = rng.choice([-1.0, 1.0], len(values)).tolist()
    return [sign * x for sign, x in zip(signs, values, strict=True)]


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))
