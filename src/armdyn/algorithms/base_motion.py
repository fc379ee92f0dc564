"""Motion of the base: where recursions along the arm start.

The base frame has the velocity v of its origin and the angular velocity w, both in base axes. A
base acceleration is the rate of these six numbers, (a, wd), so that the origin is accelerated by
a + w x v. Torques do not depend on a uniform motion of the base: v appears nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from armdyn.algorithms.angular import ZERO_MATRIX, omega_matrix
from armdyn.algorithms.kinematics import direction
from armdyn.algorithms.vector import ZERO, Rows, add, clean, cross, dot, neg, sub, times
from armdyn.robot.chain import BaseMotion, Chain, Vector
from armdyn.scalar import Scalar

Row = Sequence[Scalar]


def on_base(chain: Chain, acceleration: Row, velocity: Row = ()) -> Chain:
    """Return the arm on a base in motion, told by the inputs of `BASES`."""
    if not velocity:
        return translating(chain, acceleration)
    return moving(chain, acceleration, velocity)


def start(chain: Chain) -> tuple[Vector, Vector, Vector]:
    """Return w_0, wd_0 and sdd_0, the acceleration of O_0 less gravity."""
    motion = chain.motion
    if motion is None:
        return ZERO, ZERO, neg(chain.g)
    return motion.w, motion.wd, sub(motion.a, chain.g)


def start_omega(chain: Chain) -> Rows:
    """Return Omega_0, made of w_0 and wd_0."""
    motion = chain.motion
    return ZERO_MATRIX if motion is None else omega_matrix(motion.w, motion.wd)


def translating(chain: Chain, acceleration: Row) -> Chain:
    """Return the arm on a base that does not turn, given its acceleration."""
    x, y, z = acceleration
    return replace(chain, motion=BaseMotion(a=_in_first_frame(chain, (x, y, z))))


def moving(chain: Chain, acceleration: Row, velocity: Row) -> Chain:
    """Return the arm on a base with any motion: six numbers each, linear first."""
    ax, ay, az, *angular = acceleration
    vx, vy, vz, wx, wy, wz = velocity
    a = add((ax, ay, az), cross((wx, wy, wz), (vx, vy, vz)))
    x, y, z = angular
    a, w, wd = (_in_first_frame(chain, v) for v in (a, (wx, wy, wz), (x, y, z)))
    p = (chain.base[0][3], chain.base[1][3], chain.base[2][3])
    px, py, pz = clean(_in_first_frame(chain, p), sized_by=p)  # O_0 in E_0
    a = add(a, times(omega_matrix(w, wd), (px, py, pz)))
    return replace(chain, motion=BaseMotion(a, w, wd))


def _in_first_frame(chain: Chain, v: Vector) -> Vector:
    """Return the components in E_0 of a vector in base axes."""
    x, y, z = (dot(direction(chain.base, k), v) for k in range(3))
    return (x, y, z)
