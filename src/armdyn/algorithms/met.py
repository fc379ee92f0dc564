"""Mass matrix of trees: motions from the base and unit wrenches from the tips meet midway.

D_ji = S_j . F_i may be taken in any frame on the way from link j to link i. Across the joint from
link k to its child c go either the motions of the A_k joints up to k, or the wrenches of the B_c
links from c on. A grows away from the base and B falls, so "motions where A_k < B_c" is a part of
the tree that is connected to the base, and takes the fewest steps: the sum of min(A_k, B_c), n^2/4
on a serial arm. Composite bodies are those of `composite_moments`.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite_moments import composites, unit_wrench
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.spatial import Six, axis, motion_to_child, power, wrench_to_parent
from armdyn.algorithms.vector import Matrix, symmetric_full
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return D, full and symmetric."""
    F = frames(chain, q)
    C = composites(chain, F)
    reached = reached_by_motions(chain)
    motions = _motions(chain, F, reached)
    rows: Matrix = [[0.0] * i for i in range(1, chain.n + 1)]
    for i in range(1, chain.n + 1):
        if chain[i].fixed:
            continue
        wrench, at, row = unit_wrench(F[i], C[i]), i, rows[i - 1]
        row[i - 1] = wrench[axis(chain[i])]
        met = motions[i] if i in reached else {}
        for j in chain.before(i):
            # the neighbour takes one step of the wrench in any case
            wrench, at = wrench_to_parent(F[at], wrench), j
            if not chain[j].fixed:
                row[j - 1] = wrench[axis(chain[j])]
                if i in reached:
                    break
            if j in reached and i not in reached:
                met = motions[j]
                break
        own = unit_wrench(F[i], C[i]) if i in reached else wrench
        for j, motion in met.items():
            if j < at:
                row[j - 1] = power(motion, own)
    return diagonal_with_rotors(symmetric_full(rows), chain)


def reached_by_motions(chain: Chain) -> set[int]:
    """Return the links to which motions are carried."""
    joints_up_to, links_from = [0], [0] * (chain.n + 1)
    for i in range(1, chain.n + 1):
        joints_up_to.append(joints_up_to[chain.parent(i)] + (not chain[i].fixed))
    for i in range(chain.n, 0, -1):
        links_from[i] += not chain[i].fixed
        links_from[chain.parent(i)] += links_from[i]
    found: set[int] = set()
    for i in range(1, chain.n + 1):
        p = chain.parent(i)
        if p == 0 or (p in found and joints_up_to[p] < links_from[i]):
            found.add(i)
    return found


def _motions(chain: Chain, F: Sequence[Frame], reached: set[int]) -> dict[int, dict[int, Six]]:
    """Return, for each link that motions reach, those of the joints before it, in its frame."""
    found: dict[int, dict[int, Six]] = {0: {}}
    for i in sorted(reached):
        p = chain.parent(i)
        carried = dict(found[p])
        if p and not chain[p].fixed:
            carried[p] = [float(k == axis(chain[p])) for k in range(6)]
        found[i] = {j: motion_to_child(F[i], x) for j, x in carried.items()}
    return found
