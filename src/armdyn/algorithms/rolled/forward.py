"""Forward dynamics of long arms in O(n) operations: the steps of `denoc_forward`, 186M per joint.

1. Outward: wrenches of the links at zero joint acceleration, gravity included.
2. Inward: eliminate the joints from their articulated bodies; e_i are the remaining torques.
3. Outward: accelerations.

Regrouped links would save 10M in the first sweep. But a regrouped link includes mass of all links
behind it, which the free joints subtract again: for 500 joints that costs 1.5 digits.
"""

from __future__ import annotations

from armdyn.algorithms.link_moments import moments
from armdyn.algorithms.rolled.articulated import NO_MASS, body, flat, joint, to_parent
from armdyn.algorithms.rolled.inverse import bias_table, friction, outward
from armdyn.algorithms.rolled.place import place, sines, turns
from armdyn.algorithms.rolled.sweeps import Sweep, Sweeps, Values
from armdyn.robot import Chain


def forward_dynamics(chain: Chain, friction: bool) -> Sweeps:
    """Return the sweeps that compute joint accelerations from torques."""
    table = bias_table(chain, [moments(link) for link in chain.links], friction)
    inward = Sweep(False, _eliminated, {"wrench": (0.0,) * 6, "body": NO_MASS})
    accelerations = Sweep(True, _accelerations, {"motion": (0.0,) * 6})
    return Sweeps(table, (Sweep(True, sines), outward(chain), inward, accelerations))


def _eliminated(x: Values) -> Values:
    P = place(x).three_multiplications
    J = joint(body(x), turns(x), x["constant:drive"][0])
    w = [a + b for a, b in zip(x["carry:wrench"], x["kept:wrench"], strict=True)]
    e = (x["input:tau"][0] - friction(x)) - J.along(w)
    passed = [a + b * e for a, b in zip(w, J.psi, strict=True)]
    return {
        "carry:wrench": P.wrench_to_parent(passed),
        "carry:body": flat(to_parent(P, J.free)),
        "kept:psi": J.psi,
        "kept:own": [J.inverse * e],
    }


def _accelerations(x: Values) -> Values:
    r, motion = turns(x), place(x).motion_to_child(x["carry:motion"])
    qdd = x["kept:own"][0]
    for a, b in zip(x["kept:psi"], motion, strict=True):
        qdd = qdd - a * b
    motion[2] = motion[2] + r * qdd
    motion[5] = motion[5] + (1.0 - r) * qdd
    return {"carry:motion": motion, "output:qdd": [qdd]}
