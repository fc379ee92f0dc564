"""The algorithm of Fijany and Bejczy for the mass matrix: every vector in the frame of link 2.

[Lin1991] Appendix (A7)-(A15), after [FijanyBejczy1990]: unit wrenches of composite bodies, all in
one frame. It is Formulation 4 of [LinFang1999], which takes the frame of the last link, in frame
E_2; that is what Table I of [Lin1991] counts. Composite bodies are Renaud's, (A7) and (A8).
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import diagonal_with_rotors, frames
from armdyn.algorithms.lin_fang_4 import in_frame
from armdyn.algorithms.renaud import augmented_composites
from armdyn.algorithms.vector import Matrix
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    return by_way_of(chain, q, min(2, chain.n))


def by_way_of(chain: Chain, q: Sequence[Scalar], k: int) -> Matrix:
    """Return the mass matrix by way of frame E_k."""
    F = frames(chain, q)
    return diagonal_with_rotors(in_frame(F, augmented_composites(chain, F), k), chain)
