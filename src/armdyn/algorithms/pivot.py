"""Where motions and wrenches should meet: the pivot of `split`, from an estimate of its cost.

The estimate adds the products and sums of every step. It carries along which components of a vector
are zero (a right angle only moves components, another turn fills two of them, a shift by a zero
length does nothing) and whether it is still constant, hence free. It does not see what steps share;
it need only find the cheapest pivot, and comes close where it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from armdyn.algorithms.structure import Structure
from armdyn.algorithms.vector import is_zero
from armdyn.robot.chain import Chain, Link


@dataclass(frozen=True)
class _Part:
    """A vector: which of its components are not zero, and whether they are constant."""

    filled: tuple[bool, bool, bool]
    constant: bool = True


NONE = _Part((False, False, False))
ALONG_Z = _Part((False, False, True))
ACROSS_Z = _Part((True, True, False), constant=False)
ALL = _Part((True, True, True), constant=False)


@dataclass(frozen=True)
class _Pair:
    """A motion (w, v) or a wrench (f, t) on its way; a shift changes `bound`, v or t, only."""

    free: _Part
    bound: _Part
    cost: int = 0

    def to_child(self, link: Link) -> _Pair:
        """Carry a motion from E_{i-1} to E_i."""
        return self.beside(link).tilted(link).turned(link).along(link)

    def to_parent(self, link: Link) -> _Pair:
        """Carry a wrench from E_i to E_{i-1}."""
        return self.along(link).turned(link).tilted(link).beside(link)

    def tilted(self, link: Link) -> _Pair:
        """Turn about x by beta."""
        return self._turned(1, 2, link.Cb, link.Sb, constant=True)

    def turned(self, link: Link) -> _Pair:
        """Turn about z by theta."""
        if link.rotational:
            return self._turned(0, 1, 0.6, 0.8, constant=False)  # any angle but a right one
        return self._turned(0, 1, link.C0, link.S0, constant=True)

    def beside(self, link: Link) -> _Pair:
        """Shift along x by b."""
        return self if is_zero(link.b) else self._shifted(1, 2, constant=True)

    def along(self, link: Link) -> _Pair:
        """Shift along z by d."""
        if link.rotational and is_zero(link.d):
            return self
        return self._shifted(0, 1, constant=link.rotational)

    def _turned(self, a: int, b: int, c: float, s: float, constant: bool) -> _Pair:
        """Turn in the plane of components a and b: 4M 2A, only 2M if one of them is zero."""
        cost, parts = self.cost, list[_Part]()
        for part in (self.free, self.bound):
            new, both = list(part.filled), part.filled[a] and part.filled[b]
            if c * s:
                new[a] = new[b] = part.filled[a] or part.filled[b]
                if not (constant and part.constant):
                    cost += 6 if both else 2 * new[a]
                part = replace(part, constant=part.constant and (constant or not new[a]))
            elif c == 0.0:
                new[a], new[b] = new[b], new[a]
            parts.append(replace(part, filled=(new[0], new[1], new[2])))
        return _Pair(parts[0], parts[1], cost)

    def _shifted(self, a: int, b: int, constant: bool) -> _Pair:
        """Shift across the plane of a and b: 1M for each of `free`, 1A where it meets another."""
        cost, new = self.cost, list(self.bound.filled)
        constant = constant and self.free.constant
        for to, by in ((a, b), (b, a)):
            if self.free.filled[by]:
                cost += (not constant) + (new[to] and not (constant and self.bound.constant))
                new[to] = True
        moved = self.free.filled[a] or self.free.filled[b]
        still = self.bound.constant and (constant or not moved)
        return _Pair(self.free, _Part((new[0], new[1], new[2]), still), cost)


def best_pivot(chain: Chain, found: Structure) -> int:
    """Return the pivot of the smallest estimate; the first if there are several.

    Where all axes of rotation are parallel a wrench is a force and one number: carry that alone.
    """
    if found.s > chain.n:
        return 1
    return min(range(1, chain.n + 1), key=lambda p: _estimate(chain, found, p))


def _estimate(chain: Chain, found: Structure, p: int) -> int:
    """Estimate what differs from pivot to pivot."""
    total = 0
    motions: list[_Pair] = []  # of joints 1..i-1, in E_i
    for i in range(1, p + 1):
        motions = [motion.to_child(chain[i]) for motion in motions]
        own = _own_wrench(chain, found, i)
        total += sum(_work(motion, own) for motion in motions[:-1])
        if i < p:
            turns = chain[i].rotational
            motions.append(_Pair(ALONG_Z, NONE) if turns else _Pair(NONE, ALONG_Z))
    total += sum(motion.cost for motion in motions)
    for i in range(p + 1, chain.n + 1):
        wrench = _own_wrench(chain, found, i).along(chain[i]).turned(chain[i])
        # every pivot takes the turn, for the composite bodies, and the element D_{i-1,i}
        wrench = replace(wrench, cost=-_neighbour(chain[i])).tilted(chain[i]).beside(chain[i])
        for k in range(i - 1, p, -1):
            step = wrench.to_parent(chain[k])
            # of a wrench in E_1 one component is read
            wrench = step if k > 2 else replace(step, cost=(step.cost + wrench.cost + 1) // 2)
        total += wrench.cost + sum(_work(motion, wrench) for motion in motions)
    return total


def _own_wrench(chain: Chain, found: Structure, i: int) -> _Pair:
    """Return F_i in E_i; before joint s without a moment, for there it is one number."""
    if chain[i].rotational:
        return _Pair(ACROSS_Z, ALL if i >= found.s else NONE)
    return _Pair(ALONG_Z, ACROSS_Z if i > found.s else NONE)


def _neighbour(link: Link) -> int:
    """Estimate D_{i-1,i}: one component of one step of F_i, without the turn."""
    return (5 if link.Cb * link.Sb else 0) + (0 if is_zero(link.b) else 2)


def _work(motion: _Pair, wrench: _Pair) -> int:
    """Estimate S . F: a product for each pair of components, a sum for each but the first."""
    pairs = (motion.free, wrench.bound), (motion.bound, wrench.free)
    terms = sum(x and y for u, v in pairs for x, y in zip(u.filled, v.filled, strict=True))
    return max(2 * terms - 1, 0)
