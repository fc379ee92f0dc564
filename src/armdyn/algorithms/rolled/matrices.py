"""Mass matrix of long arms and its inverse: rows of entries (i, k), k = i..n, column by column.

Nearly all the work of a long arm is in its n^2/2 entries. A wrench that is passed from frame to
frame is rotated and shifted at every joint, 20M 12A. Here the columns hold wrenches and motions at
O_n in axes of E_n, for the whole arm, so that nothing is rotated or shifted: an entry of the mass
matrix takes 6M 5A. Seen from O_n, distant joints move bodies that extend as far, so large numbers
do not cancel to small differences; seen from O_0, those of the last joints would.

x, y, z: axes of E_i; s: O_n -> O_i; axis: the motion (angular; linear) of the links behind joint i
at unit rate, at O_n. All of them are in axes of E_n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.algorithms.link_moments import Moments, moments, regrouped
from armdyn.algorithms.rolled.articulated import NO_MASS, body, flat, joint, to_parent
from armdyn.algorithms.rolled.inverse import moments_of
from armdyn.algorithms.rolled.place import (
    Place,
    geometry,
    place,
    sines,
    three,
    turned_symmetric,
    turns,
)
from armdyn.algorithms.rolled.sweeps import Step, Sweep, Sweeps, Values, nothing
from armdyn.algorithms.spatial import Six, halves, power
from armdyn.algorithms.vector import add, add_symmetric, cross, is_zero, scale, sub
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar

REST = (0.0,) * 6


def mass_matrix(chain: Chain) -> Sweeps:
    """Return the sweeps of the mass matrix: joints i <= k see the wrench of composite body k."""
    M = regrouped(chain)
    masses = [M[chain.n].m] * chain.n
    for i in range(chain.n - 1, 0, -1):
        masses[i - 1] = M[i].m + masses[i]
    table = {
        "geometry": geometry(chain),
        "links": [(mass, *own.h, *own.K) for mass, own in zip(masses, M[1:], strict=True)],
        "rotor": [(link.Jm,) for link in chain.links],
    }
    inward = _inward(_composite, {"h": REST[:3], "K": REST}, _entries)
    return Sweeps(table, (Sweep(True, sines), inward), ("M",))


def inverse_mass_matrix(chain: Chain) -> Sweeps:
    """Return the sweeps of the inverse: accelerations of joints i from torques of joints k >= i.

    These are the sweeps of `forward_dynamics` for a unit torque in every column. The inward sweep
    writes e_i / mh_i to the entries, the outward sweep replaces them by accelerations.
    """
    table = {
        "geometry": geometry(chain),
        "links": [(M.m, *M.h, *M.K) for M in map(moments, chain.links)],
        "rotor": [(link.Jm,) for link in chain.links],
    }
    inward = _inward(_eliminated, {"body": NO_MASS}, _left_over)
    outward = Sweep(True, nothing, columns=_accelerations)
    return Sweeps(table, (Sweep(True, sines), inward, outward), ("Minv",))


def _inward(step: Step, start: Mapping[str, Sequence[float]], columns: Step) -> Sweep:
    """Return an inward sweep that starts with the axes of E_n, in E_n."""
    axes = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0), "s": REST[:3]}
    return Sweep(False, step, {**axes, **start}, columns)


def _axis(x: Values) -> Values:
    """Keep the axis of joint i; carry the axes and the origin of E_{i-1}."""
    P, r = place(x), turns(x)
    before, y, z, s = (three(x[f"carry:{name}"]) for name in "xyzs")
    linear = add(scale(r, cross(s, z)), scale(1.0 - r, z))
    turned = [P.turn.forth(a, b) for a, b in zip(before, y, strict=True)]
    tilted = [P.tilt.forth(b, c) for (_, b), c in zip(turned, z, strict=True)]
    now = three([a for a, _ in turned])
    return {
        "kept:axis": [*scale(r, z), *linear],
        "carry:x": now,
        "carry:y": [b for b, _ in tilted],
        "carry:z": [c for _, c in tilted],
        "carry:s": sub(sub(s, scale(P.d, z)), scale(P.b, now)),
    }


def _at_tip(x: Values, wrench: Sequence[Scalar]) -> Six:
    """Return a wrench at O_i in E_i as one at O_n in E_n."""
    axes = [three(x[f"carry:{name}"]) for name in "xyz"]
    n, f = (add(*(scale(a, b) for a, b in zip(half, axes, strict=True))) for half in halves(wrench))
    return [*add(n, cross(three(x["carry:s"]), f)), *f]


def _composite(x: Values) -> Values:
    """Combine links i..n into one body; store its wrench at unit acceleration in column i."""
    P, r = place(x), turns(x)
    own = moments_of(tuple(x["constant:links"]))
    hx, hy, hz = add(own.h, three(x["carry:h"]))
    xx, xy, xz, yy, yz, zz = x["carry:K"]
    K = add_symmetric(own.K, (xx, xy, xz, yy, yz, zz))
    slides = 1.0 - r
    turning: Six = [-K[2], -K[4], K[0] + K[3], -hy, hx, 0.0]
    sliding: Six = [hy, -hx, 0.0, 0.0, 0.0, own.m]
    wrench = [r * a + slides * b for a, b in zip(turning, sliding, strict=True)]
    behind = _behind(P.three_multiplications, Moments(own.m, (hx, hy, hz), K))
    (Jm,) = x["constant:rotor"]
    rotor = {} if is_zero(Jm) else {"column:rotor": [Jm]}
    return {
        "carry:h": behind.h,
        "carry:K": behind.K,
        "column:wrench": _at_tip(x, wrench),
        **_axis(x),
        **rotor,
    }


def _behind(P: Place, C: Moments) -> Moments:
    """Transform moments about O_i in E_i to moments about O_{i-1} in E_{i-1}."""
    (x, y, z), (xx, xy, xz, yy, yz, zz) = C.h, C.K
    foot = z + C.m * P.d
    about_foot = (xx, xy, xz + P.d * x, yy, yz + P.d * y, zz + P.d * (z + foot))
    turned = turned_symmetric(turned_symmetric(about_foot, 0, P.turn), 1, P.tilt)
    xx, xy, xz, yy, yz, zz = turned
    x, y, z = P.to_parent((x, y, foot))
    beside = x + C.m * P.b
    K = (xx + P.b * (x + beside), xy + P.b * y, xz + P.b * z, yy, yz, zz)
    return Moments(C.m, (beside, y, z), K)


def _entries(x: Values) -> Values:
    """Compute the entry of a column from its wrench; 6M 5A."""
    entry = power(x["kept:axis"], x["column:wrench"])
    if "column:rotor" not in x:
        return {"output:M": [entry]}
    # a rotor is on the diagonal only: the first entry of its column
    return {"output:M": [entry + x["column:rotor"][0]], "column:rotor": [0.0]}


def _eliminated(x: Values) -> Values:
    """Eliminate joint i, and store a unit torque in column i."""
    J = joint(body(x), turns(x), x["constant:rotor"][0])
    return {
        "carry:body": flat(to_parent(place(x).three_multiplications, J.free)),
        "kept:psi": _at_tip(x, J.psi),
        "kept:inverse": [J.inverse],
        "column:torque": [1.0],
        "column:wrench": REST,
        "column:motion": REST,
        **_axis(x),
    }


def _left_over(x: Values) -> Values:
    """Eliminate joint i from the wrench of a column; 13M 12A."""
    w = x["column:wrench"]
    e = x["column:torque"][0] - power(x["kept:axis"], w)
    return {
        "output:Minv": [x["kept:inverse"][0] * e],
        "column:wrench": [a + b * e for a, b in zip(w, x["kept:psi"], strict=True)],
        "column:torque": [0.0],
    }


def _accelerations(x: Values) -> Values:
    """Compute the acceleration of joint i, given the motion of a column; 12M 12A."""
    motion = x["column:motion"]
    qdd = x["output:Minv"][0] - power(motion, x["kept:psi"])
    onward = [a + b * qdd for a, b in zip(motion, x["kept:axis"], strict=True)]
    return {"output:Minv": [qdd], "column:motion": onward}
