"""Parameters of an arm that no torque determines, and the joint that is the reason.

Every parameter that is not a carrier can be changed freely if the carriers compensate: a direction
in parameter space that no torque sees. Together these directions span the whole null space, so the
statements made from them are complete.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.algorithms.structure import Structure
from armdyn.arrays import Array
from armdyn.minimal.closed_form import LinearSet
from armdyn.robot.chain import Chain

RESIDUE = 1e-12


@dataclass(frozen=True)
class Invisible:
    """Parameters of a link that torques show not at all, or only combined with others.

    Attributes:
        link: its number, from 1.
        parameters: their names.
        seen_in: the minimal parameters that they are part of; none if no torque sees them at all.
        directions: (count, 10n), changes of parameters that no torque sees.
        why: the reason, in a sentence.
    """

    link: int
    parameters: tuple[str, ...]
    seen_in: tuple[str, ...]
    directions: Array
    why: str

    def __str__(self) -> str:
        named = ", ".join(self.parameters)
        if not self.seen_in:
            return f"link {self.link}: {named} cannot be seen at all: {self.why}."
        return (
            f"link {self.link}: {named} cannot be told from parameters of other links, only "
            f"their sums in {', '.join(self.seen_in)} are seen: {self.why}."
        )


def invisible(chain: Chain, found: Structure, chosen: LinearSet) -> tuple[Invisible, ...]:
    """Return the invisible parameters, link by link."""
    P, Z = chosen.matrix, chosen.right_inverse
    hidden = np.eye(P.shape[1]) - Z @ P
    hidden = np.where(np.abs(hidden) <= RESIDUE, 0.0, hidden)
    statements: list[Invisible] = []
    for i in range(1, chain.n + 1):
        own = range(10 * i - 10, 10 * i)
        free = [c for c in own if hidden[c, c] != 0.0 and np.any(hidden[:, c])]
        unseen = [c for c in free if not P[:, c].any()]
        shared = [c for c in free if c not in unseen]
        for group, reason in ((unseen, _never), (shared, _shared)):
            if group:
                names = tuple(f"{PARAMETER_NAMES[c % 10]}_{i}" for c in group)
                rows = np.flatnonzero(np.any(P[:, group], axis=1))
                seen_in = tuple(chosen.terms[k].name for k in rows)
                why = reason(chain, found, i, {PARAMETER_NAMES[c % 10] for c in group})
                statements.append(Invisible(i, names, seen_in, hidden[:, group].T, why))
    return tuple(statements)


def _never(chain: Chain, found: Structure, i: int, names: set[str]) -> str:
    """Say why no torque depends on parameters of link i."""
    r, s = found.r, found.s
    if i < r:
        return (
            "no joint up to this link turns it, so it only slides, and its mass is all that counts"
        )
    if not names <= {"mx", "my"} or i >= s:
        if i < s:
            parallel = "" if _turning(chain, i) == [r] else " or axes parallel to it"
            weight = ", which is parallel to gravity" if any(chain.g) and "mx" in names else ""
            return f"the link only ever turns about the axis of joint {r}{parallel}{weight}"
        return (
            "there is no gravity, and the axes of all joints up to this one meet in a fixed point"
            if not any(chain.g)
            else f"joint {i} turns, so that they act as if in link {i - 1}, where nothing sees them"
        )
    weight = "gravity is parallel to its axis" if any(chain.g) else "there is no gravity"
    return f"{weight}, and no joint before joint {i} moves that axis sideways"


def _shared(chain: Chain, found: Structure, i: int, names: set[str]) -> str:
    """Say why torques show parameters of link i only combined with those of the link before."""
    before = f"link {i - 1}" if i > 1 else "the base"
    if chain[i].rotational:
        return (
            f"joint {i} turns, so that a mass on its axis may belong to link {i} or to {before}, "
            "and round bodies about that axis may be exchanged"
        )
    if names <= {"mx", "my", "mz"}:
        return f"joint {i} slides and does not turn link {i} against {before}"
    return f"joint {i} slides: link {i} never turns against {before}, so their inertias add up"


def _turning(chain: Chain, i: int) -> list[int]:
    return [j for j in range(1, i + 1) if chain[j].rotational]
