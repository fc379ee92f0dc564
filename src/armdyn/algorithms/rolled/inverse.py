"""Inverse dynamics of long arms: the steps of `second_moment`, 75M per revolute joint.

See `second_moment`. Rotations use three multiplications where it pays off (`place`). The step of
joint i also makes the shift b_{i+1} along x_i, since it has computed Omega_i.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.angular import euler, omega_matrix
from armdyn.algorithms.friction import share, torque
from armdyn.algorithms.link_moments import Moments, regrouped
from armdyn.algorithms.load_friction import absolute
from armdyn.algorithms.rolled.place import Place, geometry, place, sines, three, turns
from armdyn.algorithms.rolled.sweeps import Sweep, Sweeps, Table, Values
from armdyn.algorithms.spatial import Six, halves
from armdyn.algorithms.vector import add, column, cross, is_zero, scale, times
from armdyn.robot.chain import Chain, Vector
from armdyn.robot.friction import FRICTION_TERMS
from armdyn.scalar import Scalar


def inverse_dynamics(chain: Chain, friction: bool = False) -> Sweeps:
    """Return the sweeps that compute torques from the inputs q, qd and qdd, or from fewer."""
    inward = Sweep(False, _torques, {"wrench": (0.0,) * 6})
    table = bias_table(chain, regrouped(chain)[1:], friction)
    return Sweeps(table, (Sweep(True, sines), outward(chain), inward))


def outward(chain: Chain) -> Sweep:
    """Return the sweep that keeps the wrenches of the links: (n_i; f_i) as kept:wrench."""
    at_rest, (x, y, z) = (0.0, 0.0, 0.0), chain.g
    return Sweep(True, _wrenches, {"w": at_rest, "wd": at_rest, "sdd": (-x, -y, -z)})


def bias_table(chain: Chain, links: Sequence[Moments], friction: bool) -> Table:
    """Return the constants that `outward`, `friction` and `place` read."""
    behind = [*(link.b for link in chain.links[1:]), 0.0]
    return {
        "geometry": geometry(chain),
        "links": [(M.m, *M.h, *M.K) for M in links],
        "next": [(b,) for b in behind],
        "drive": [
            (k.Jm, *(F if friction else 0.0 for F in k.friction), *k.shapes) for k in chain.links
        ],
    }


def moments_of(row: tuple[Scalar, ...]) -> Moments:
    """Return the moments of a link from its row of constants."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = row
    return Moments(m, (hx, hy, hz), (xx, xy, xz, yy, yz, zz))


def _wrenches(x: Values) -> Values:
    """Keep (n_i; f_i) of link i, gravity included; carry w, wd, and sdd at the next foot."""
    r, M = turns(x), moments_of(tuple(x["constant:links"]))
    P = (
        place(x).three_multiplications if "input:qd" in x else place(x)
    )  # at rest there is little to do
    qd, qdd = x.get("input:qd", (0.0,))[0], x.get("input:qdd", (0.0,))[0]
    w, wd = P.to_child(three(x["carry:w"])), P.to_child(three(x["carry:wd"]))
    turning, sliding = r * qd, (1.0 - r) * qd
    wd = (wd[0] + w[1] * turning, wd[1] - w[0] * turning, wd[2] + r * qdd)
    twice = sliding + sliding
    slid: Vector = (w[1] * twice, -(w[0] * twice), (1.0 - r) * qdd)
    w = (w[0], w[1], w[2] + turning)
    omega = omega_matrix(w, wd)
    sdd = add(P.to_child(three(x["carry:sdd"])), slid, scale(P.d, column(omega, 3)))
    f = add(scale(M.m, sdd), times(omega, M.h))
    n = add(cross(M.h, sdd), euler(omega, M.K))
    (b,) = x["constant:next"]
    return {
        "carry:w": w,
        "carry:wd": wd,
        "carry:sdd": add(sdd, scale(b, column(omega, 1))),
        "kept:wrench": [*n, *f],
    }


def _torques(x: Values) -> Values:
    r, (carried, own) = turns(x), (x["carry:wrench"], x["kept:wrench"])
    along = r * (carried[2] + own[2]) + (1.0 - r) * (carried[5] + own[5])
    tau = along + x["constant:drive"][0] * x.get("input:qdd", (0.0,))[0]
    resistance = friction(x)
    if not is_zero(of_load := load_share(x)):
        resistance = resistance + of_load * absolute(along)
    return {
        "carry:wrench": _passed_on(place(x), carried, own),
        "output:tau": [tau + resistance],
    }


def _passed_on(P: Place, carried: Sequence[Scalar], own: Sequence[Scalar]) -> Six:
    """Return the sum of two wrenches at O_i, in E_i, as one at O_{i-1}, in E_{i-1}; 20M 18A.

    The order of the sums keeps the dependency on the carried wrench short: it is the critical path
    of this sweep.
    """
    (n, f), (own_n, own_f) = halves(carried), halves(own)
    f = add(f, own_f)
    x, y, z = add(n, add(own_n, cross((0.0, 0.0, P.d), f)))
    x, y = P.turn.forth(x, y)
    f = P.to_parent(f)
    Cb, Sb = P.tilt.c, P.tilt.s
    return [x, Cb * y - (Sb * z + P.b * f[2]), Sb * y + (Cb * z + P.b * f[1]), *f]


def friction(x: Values) -> Scalar:
    """Return the friction term of the driving torque of joint i, without friction of the load."""
    return torque(*_law(x))


def load_share(x: Values) -> Scalar:
    """Return the friction of joint i per transmitted torque; exactly 0 if no joint has any."""
    return share(*_law(x))


def _law(x: Values) -> tuple[Sequence[Scalar], Sequence[Scalar], Scalar]:
    numbers, ends = x["constant:drive"], 1 + len(FRICTION_TERMS)
    return numbers[1:ends], numbers[ends:], x.get("input:qd", (0.0,))[0]
