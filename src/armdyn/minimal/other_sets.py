"""Other combinations of the same arm: what the inertia matrix alone shows, and [Lin1994]'s kappas.

Theorem 3 of [Lin1994]: the torques without gravity and the inertia matrix have the same minimal
sets. The set without gravity is `checked_set` of an arm that floats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from armdyn.algorithms.composite import Composite, moments_before
from armdyn.algorithms.frame import frame
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.structure import Structure, structure
from armdyn.algorithms.vector import clean_symmetric
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.minimal.check import FAINT, checked_set, random_states, stacked_regressor
from armdyn.minimal.closed_form import LinearSet, unit_links
from armdyn.minimal.drives import with_drives
from armdyn.robot.chain import Chain, exact_cos_sin

# Rows of combinations that differ by less are the same.
EQUAL_ROW_TOLERANCE = 1e-12


@dataclass(frozen=True)
class OtherSet:
    """Other combinations of the parameters of an arm.

    Attributes:
        names: of the combinations.
        units: of their values.
        matrix: (j, N); the values are ``matrix @ parameters``.
        change: M (j, k); the values are ``M @ minimal values``. If the combinations are a minimal
            set of all torques, M is square and nonsingular.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    matrix: Array
    change: Array


def inertia_set(chain: Chain, ours: LinearSet, rotor: bool) -> OtherSet:
    """Return the combinations that the inertia matrix depends on, rotors included if asked."""
    floating = replace(chain, g=(0.0, 0.0, 0.0))
    if chain.is_serial:
        links, _ = checked_set(floating)
        only = with_drives(links, floating, structure(floating), rotor, False)
    else:
        from armdyn.minimal.trees import tree_sets  # serial arms do without it

        _, only, _ = tree_sets(floating, rotor, False)
    rows = np.zeros((len(only.terms), ours.matrix.shape[1]))
    rows[:, : only.matrix.shape[1]] = only.matrix  # friction, which follows, is no inertia
    known = {term.name: row for term, row in zip(ours.terms, ours.matrix, strict=True)}
    names = [
        term.name if _same(row, known.get(term.name)) else f"{term.name}C"
        for term, row in zip(only.terms, rows, strict=True)
    ]
    units = tuple(term.unit for term in only.terms)
    return OtherSet(tuple(names), units, rows, rows @ ours.right_inverse)


def check_form(chain: Chain, what: str, holds: bool = True) -> None:
    """Refuse what follows from the closed form if that does not hold, as for axes with a tilt."""
    if not (holds and chain.is_normal):
        raise InputError(
            f"{what} from the closed form, which does not hold for this geometry: give axes and "
            "offsets their nominal values."
        )


def kappas(chain: Chain, found: Structure, ours: LinearSet) -> OtherSet:
    """Return kappa_1 and kappa_2 of [Lin1994] (53), (54), of all joints that have them."""
    check_form(chain, "kappa_1 and kappa_2 follow")
    named: dict[str, Array] = {}
    for i, symbol, value in minimal_set(chain, found, unit_links(chain.n)):
        if symbol in ("kappa1", "kappa2"):
            row = np.zeros(ours.matrix.shape[1])
            row[: 10 * chain.n] = np.asarray(value, dtype=np.float64)
            named[f"{symbol}_{i}"] = row
    matrix = np.array(list(named.values())).reshape(len(named), ours.matrix.shape[1])
    return OtherSet(tuple(named), ("kg m",) * len(named), matrix, matrix @ ours.right_inverse)


@dataclass(frozen=True)
class Partition:
    """[Lin1994] (9): the set of the inertia matrix from parameters that gravity shows, and others.

    The combinations that the inertia matrix shows are ``[w; 0] + [P1; P2] @ w_g``.

    Attributes:
        w: names of the minimal parameters that torques at rest do not show.
        w_g: names of those that torques at rest show.
        P1: ``(len(w), len(w_g))``, in the units of w over those of w_g.
        P2: ``(m, len(w_g))``: the other m combinations that the inertia matrix shows.
    """

    w: tuple[str, ...]
    w_g: tuple[str, ...]
    P1: Array
    P2: Array


def partition(names: Sequence[str], only: OtherSet, at_rest: Sequence[str]) -> Partition:
    """Return (9) for a minimal set, the set of its inertia matrix, and its names seen at rest."""
    shown = [k for k, name in enumerate(names) if name in at_rest]
    others = [k for k, name in enumerate(names) if name not in at_rest]
    own, by_gravity = only.change[:, others], only.change[:, shown]
    apart = np.abs(own).max(axis=1, initial=0.0) > FAINT
    # the rows of w are a nonsingular combination of its own parameters, which is taken back
    P1 = cast(Array, np.linalg.solve(own[apart], by_gravity[apart]))
    w, w_g = (tuple(names[k] for k in chosen) for chosen in (others, shown))
    return Partition(w, w_g, P1, by_gravity[~apart])


def seen_at_rest(chain: Chain, links: LinearSet) -> tuple[str, ...]:
    """Return the names of combinations that torques at rest depend on, found numerically."""
    q, _, _ = random_states(chain.dof, 12 * len(chain.link_numbers) + 6)
    still = np.zeros_like(q)
    W = stacked_regressor(chain, q, still, still).reshape(-1, 10 * len(chain.link_numbers))
    size = np.abs(W @ links.right_inverse).max(axis=0, initial=0.0)
    shown = size > FAINT * size.max(initial=0.0)
    return tuple(term.name for term, seen in zip(links.terms, shown, strict=True) if seen)


def _same(row: Array, other: Array | None) -> bool:
    return other is not None and bool(
        np.abs(row - other).max() <= EQUAL_ROW_TOLERANCE * np.abs(row).max()
    )


# Place the last frame where it costs least, for links given by their parameters.
#
# Like `algorithms.last_frame`, which needs centres of mass. Here a link may have first moments but
# no mass.


def moved_last_link(chain: Chain, parameters: Sequence[float]) -> tuple[Chain, list[float]]:
    """Return the chain with d_n = 0 and x_n along the last first moment, and its parameters.

    The links of the returned chain keep their old masses and inertias.
    """
    last = chain.links[-1]
    *before, m, x, y, z, xx, xy, yy, xz, yz, zz = parameters
    phi = math.atan2(y, x) if last.rotational and x != 0.0 and y != 0.0 else 0.0
    back, turned = exact_cos_sin(-phi), exact_cos_sin(last.theta + phi)
    slide = replace(
        last, rotational=False, Cb=1.0, Sb=0.0, b=0.0, theta=-phi, C0=back[0], S0=back[1],
        Cg=1.0, Sg=0.0,
    )  # fmt: skip
    (hx, hy, hz), J = moments_before(
        frame(slide, 0.0), Composite(m, (x, y, z), (xx, xy, xz, yy, yz, zz))
    )
    xx, xy, xz, yy, yz, zz = clean_symmetric(J, (xx, xy, xz, yy, yz, zz))
    moved = replace(last, theta=last.theta + phi, C0=turned[0], S0=turned[1], d=0.0)
    listed = [*before, m, hx, 0.0 if phi else hy, hz, xx, xy, yy, xz, yz, zz]
    return replace(chain, links=(*chain.links[:-1], moved)), cast("list[float]", listed)
