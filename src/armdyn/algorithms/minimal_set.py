"""The minimal set: all that the torques of an arm can tell about its masses and inertias.

Theorem 1 of [LinFang1999] (and Theorem 5 of [Lin1994]), with its condition delta corrected, see
`structure`, and in item 5 sigma of joint i, where j is printed. The values are linear combinations
of link parameters made of the inertia constants k_i, U_i and the masses mhat_i of the composite
bodies:

- rotational i >= s: U11-U22, U33, U12, U13, U23, k_x, k_y;
- rotational r <= i < s: U33, and k_x, k_y if delta_i = 1;
- translational i: mhat; for i > s also k_x, k_y, k_z; for r < i < s and u_i not parallel to u_r
  also kappa1, kappa2, the parts of k_i across u_r.

The theorem holds for any gravity but zero. Without gravity some of the values may be redundant; the
set then still holds all that is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from armdyn.algorithms.inertia_constants import Body, inertia_constants, link_bodies
from armdyn.algorithms.structure import Structure
from armdyn.algorithms.vector import clean
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar

Symbol: TypeAlias = Literal[
    "U11-U22", "U33", "U12", "U13", "U23", "kx", "ky", "kz", "mhat", "kappa1", "kappa2"
]


@dataclass(frozen=True)
class MinimalSet:
    """The values of the set, and nothing else; ``values[i]`` are those of joint i."""

    values: Mapping[int, Mapping[Symbol, Scalar]]

    def __getitem__(self, key: tuple[int, Symbol]) -> Scalar:
        """Return a value of joint i, zero if it is not in the set: no torque depends on it then."""
        i, symbol = key
        return self.values[i].get(symbol, 0.0)

    def __iter__(self) -> Iterator[tuple[int, Symbol, Scalar]]:
        """Yield every value with its joint and symbol, joint by joint."""
        for i, of_joint in self.values.items():
            for symbol, value in of_joint.items():
                yield i, symbol, value

    def __len__(self) -> int:
        return sum(len(of_joint) for of_joint in self.values.values())


def minimal_set(
    chain: Chain, structure: Structure, links: Mapping[int, Body] | None = None
) -> MinimalSet:
    """Return the minimal set of a chain, or of other `links` in the same chain."""
    constants = inertia_constants(chain, links if links is not None else link_bodies(chain))
    values: dict[int, dict[Symbol, Scalar]] = {}
    for i, body in constants.items():
        values[i] = of_joint(structure, i, body, chain[i].rotational)
    return MinimalSet(dict(sorted(values.items())))


def of_joint(structure: Structure, i: int, body: Body, rotational: bool) -> dict[Symbol, Scalar]:
    """Return the values of joint i; the body is composite body i."""
    return (_rotational if rotational else _translational)(structure, i, body)


def _rotational(structure: Structure, i: int, body: Body) -> dict[Symbol, Scalar]:
    U11, U12, U13, U22, U23, U33 = body.U
    kx, ky, _ = body.k
    if i >= structure.s:
        (difference,) = clean([U11 - U22], [U11, U22])
        return {
            "U11-U22": difference, "U33": U33, "U12": U12, "U13": U13, "U23": U23,
            "kx": kx, "ky": ky,
        }  # fmt: skip
    return {"U33": U33, "kx": kx, "ky": ky} if structure.delta[i] else {"U33": U33}


def _translational(structure: Structure, i: int, body: Body) -> dict[Symbol, Scalar]:
    kx, ky, kz = body.k
    if i > structure.s:
        return {"mhat": body.m, "kx": kx, "ky": ky, "kz": kz}
    if structure.r < i < structure.s and not structure.parallel(i):
        kappa1, kappa2 = _across(structure.w[i], body.k)
        return {"mhat": body.m, "kappa1": kappa1, "kappa2": kappa2}
    return {"mhat": body.m}


def _across(w: Vector, k: Vector) -> list[Scalar]:
    """Return kappa1 = k . (z x w) and kappa2 = k . (z - w_z w). [LinFang1999] (27), (28)."""
    wx, wy, wz = w
    kx, ky, kz = k
    kappa1 = wx * ky - wy * kx
    kappa2 = (1.0 - wz * wz) * kz - wz * (wx * kx + wy * ky)
    return clean([kappa1, kappa2], k)
