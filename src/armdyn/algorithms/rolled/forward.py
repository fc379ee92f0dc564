"""Forward dynamics of long arms in O(n) operations: the steps of `denoc_forward`, 186M per joint.

1. Outward: wrenches of the links at zero joint acceleration, gravity included.
2. Inward: eliminate the joints from their articulated bodies; e_i are the remaining torques.
3. Outward: accelerations.

Regrouped links would save 10M in the first sweep. But a regrouped link includes mass of all links
behind it, which the free joints subtract again: for 500 joints that costs 1.5 digits.

Where friction depends on the load of a joint with a rotor, sweeps 2 and 3 are repeated until the
signs of the transmitted torques are known (`armdyn.algorithms.load_friction`).
"""

from __future__ import annotations

from functools import partial

from armdyn.algorithms.friction import bears_load, share
from armdyn.algorithms.link_moments import moments
from armdyn.algorithms.load_friction import ROUNDS, agrees
from armdyn.algorithms.rolled.articulated import NO_MASS, body, flat, joint, to_parent
from armdyn.algorithms.rolled.inverse import bias_table, friction, load_share, outward
from armdyn.algorithms.rolled.place import place, sines, turns
from armdyn.algorithms.rolled.sweeps import Sweep, Sweeps, Values
from armdyn.algorithms.spatial import motion_to_child, wrench_to_parent
from armdyn.algorithms.vector import is_zero
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar, sign


def forward_dynamics(chain: Chain, friction: bool) -> Sweeps:
    """Return the sweeps that compute joint accelerations from torques."""
    table = bias_table(chain, [moments(link) for link in chain.links], friction)
    start = {"wrench": (0.0,) * 6, "body": NO_MASS}
    first = (Sweep(True, sines), outward(chain))
    if not friction or not bears_load(chain):
        inward = Sweep(False, _eliminated, start)
        return Sweeps(table, (*first, inward, Sweep(True, _accelerations, {"motion": (0.0,) * 6})))
    last = ROUNDS if _needs_rounds(chain) else 0
    rounds: list[Sweep] = []
    for k in range(last + 1):
        inward = Sweep(False, partial(_eliminated_under_load, k=k), start)
        step = partial(_accelerations_under_load, k=k, last=last)
        rounds += [inward, Sweep(True, step, {"motion": (0.0,) * 6})]
    return Sweeps(table, (*first, *rounds))


def _needs_rounds(chain: Chain) -> bool:
    """Return whether friction depends on the load of a joint with a rotor."""
    return any(
        not is_zero(share(k.friction, k.shapes, 1.0)) and not is_zero(k.Jm) for k in chain.links
    )


def _eliminated(x: Values) -> Values:
    return _passed_on(x, x["input:tau"][0] - friction(x), x["constant:drive"][0])


def _eliminated_under_load(x: Values, k: int) -> Values:
    """Eliminate a joint whose gear eases torque and rotor by d = 1 + lambda sign(L)."""
    if k == 0:
        s, of_load = x["input:tau"][0] - friction(x), load_share(x)
        guess = sign(s)
    else:
        (s, of_load), guess = x["kept:drive"], x[f"kept:sign{k - 1}"][0]
    d = 1.0 + of_load * guess
    more = {"kept:drive": [s, of_load]} if k == 0 else {}
    return {**_passed_on(x, s / d, x["constant:drive"][0] / d, str(k)), **more}


def _passed_on(x: Values, torque: Scalar, Jm: Scalar, name: str = "") -> Values:
    P = place(x).three_multiplications
    J = joint(body(x), turns(x), Jm)
    w = [a + b for a, b in zip(x["carry:wrench"], x["kept:wrench"], strict=True)]
    e = torque - J.along(w)
    passed = [a + b * e for a, b in zip(w, J.psi, strict=True)]
    return {
        "carry:wrench": wrench_to_parent(P, passed),
        "carry:body": flat(to_parent(P, J.free)),
        f"kept:psi{name}": J.psi,
        f"kept:own{name}": [J.inverse * e],
    }


def _accelerations(x: Values) -> Values:
    motion, qdd = _moved(x)
    return {"carry:motion": motion, "output:qdd": [qdd]}


def _accelerations_under_load(x: Values, k: int, last: int) -> Values:
    motion, qdd = _moved(x, str(k))
    if last == 0:
        return {"carry:motion": motion, "output:qdd": [qdd]}
    s, turning = x["kept:drive"][0], x["constant:drive"][0] * qdd
    if k < last:
        return {"carry:motion": motion, f"kept:sign{k}": [sign(s - turning)]}
    agreed = agrees(x[f"kept:sign{k - 1}"][0], s, turning)
    return {"carry:motion": motion, "output:qdd": [qdd / agreed]}


def _moved(x: Values, name: str = "") -> tuple[list[Scalar], Scalar]:
    r, motion = turns(x), motion_to_child(place(x), x["carry:motion"])
    qdd = x[f"kept:own{name}"][0]
    for a, b in zip(x[f"kept:psi{name}"], motion, strict=True):
        qdd = qdd - a * b
    motion[2] = motion[2] + r * qdd
    motion[5] = motion[5] + (1.0 - r) * qdd
    return motion, qdd
