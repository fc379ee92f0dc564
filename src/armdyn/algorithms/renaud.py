"""Renaud's formulation of the mass matrix, extended to translational joints.

After [Renaud1986], as [Lin1991] (A1), which is Formulation 3 of [LinFang1999], on composite bodies
(A5)-(A8): what is constant in E_j, the inertia of link j and, beyond a rotational joint p = j+1,
the composite mass put at O_p, is gathered offline in lambda_j and Phi_j. (A8) is evaluated as
shift, rotation and shift instead of products of whole skew matrices.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.composite import Composite, moments_before, own_body
from armdyn.algorithms.frame import Frame, diagonal_with_rotors, frames
from armdyn.algorithms.lin_fang_3 import formulation_3
from armdyn.algorithms.vector import (
    ZERO,
    ZERO_SYMMETRIC,
    Matrix,
    add,
    add_symmetric,
    point_inertia,
    scale,
)
from armdyn.robot.chain import Chain
from armdyn.scalar import Scalar


def augmented_composites(chain: Chain, F: Sequence[Frame]) -> list[Composite]:
    """Return the composite bodies i = 1..n from lambda and Phi; entry 0 is empty."""
    body = Composite(0.0, ZERO, ZERO_SYMMETRIC)
    found = [body]
    for j in range(chain.n, 0, -1):
        own = own_body(chain[j])
        if j < chain.n:
            p, m, lam, Phi = F[j + 1], body.m + own.m, own.c, own.J
            if p.rotational:
                lam = add(lam, scale(body.m, p.s))  # (A5)
                Phi = add_symmetric(Phi, point_inertia(body.m, p.s))  # (A6)
                body = Composite(0.0, body.c, body.J)
            h, H = moments_before(p, body)
            body = Composite(m, add(h, lam), add_symmetric(H, Phi))  # (A7), (A8)
        else:
            body = own
        found.insert(1, body)
    return found


def mass_matrix(chain: Chain, q: Sequence[Scalar]) -> Matrix:
    """Return the mass matrix."""
    F = frames(chain, q)
    return diagonal_with_rotors(formulation_3(F, augmented_composites(chain, F)), chain)
