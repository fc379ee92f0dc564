"""The base parameters of Khalil and Gautier, and the matrix that converts ours to them.

Their method regroups link by link from the tip: parameters of link j that joint j lets act as part
of link j-1 are moved there and become zero in link j. Corollary 6 of [Lin1994]: any two minimal
sets are equal up to a constant nonsingular matrix. Here that is M in b = M w, the unit matrix for
arms without sliding joints. The symbols are theirs: XXR3 is the regrouped XX of link 3, MX are
first moments, M masses.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from armdyn.algorithms.frame import Frame, frame
from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.algorithms.minimal_set import Symbol
from armdyn.algorithms.structure import Structure
from armdyn.arrays import Array
from armdyn.minimal.closed_form import LinearSet
from armdyn.minimal.other_sets import OtherSet
from armdyn.robot.chain import Chain

# The regrouped parameters of a link: combinations of all parameters, (10n,) each.
Link = dict[str, Array]

THEIRS: dict[Symbol, tuple[str, str]] = {
    "U11-U22": ("XXR", "Ixx"), "U33": ("ZZR", "Izz"), "U12": ("XYR", "Ixy"),
    "U13": ("XZR", "Ixz"), "U23": ("YZR", "Iyz"), "kx": ("MXR", "mx"), "ky": ("MYR", "my"),
    "kz": ("MZR", "mz"), "mhat": ("MR", "m"),
}  # fmt: skip


def khalil_gautier(chain: Chain, found: Structure, ours: LinearSet) -> OtherSet:
    """Return the base parameters after Khalil and Gautier, in the order of our set."""
    n = chain.n
    unit = np.eye(10 * n)
    links: dict[int, Link] = {
        i: dict(zip(PARAMETER_NAMES, unit[10 * i - 10 : 10 * i], strict=True))
        for i in range(1, n + 1)
    }
    for j in range(n, 0, -1):
        F = frame(chain[j], 0.0)
        before = links.get(j - 1, {name: np.zeros(10 * n) for name in PARAMETER_NAMES})
        if chain[j].rotational:
            _turn(F, links[j], before)
        else:
            parallel = found.r < j < found.s and found.parallel(j)
            _slide(F, links[j], before, parallel)
    names: list[str] = []
    rows: list[Array] = []
    for term in ours.terms:
        i = term.joint
        if term.symbol in THEIRS:
            name, parameter = THEIRS[term.symbol]
            row = links[i][parameter]
            if term.symbol in ("U13", "U23"):
                row = (
                    row
                    - _lever(ours, i, parameter) * links[i]["mx" if term.symbol == "U13" else "my"]
                )
        else:
            name, row = _across(links[i], found.w[i], 0 if term.symbol == "kappa1" else 1)
        names.append(f"{name}{i}")
        rows.append(row)
    matrix = np.array(rows).reshape(len(rows), 10 * n)
    units = tuple(term.unit for term in ours.terms)
    return OtherSet(tuple(names), units, matrix, matrix @ ours.right_inverse)


def _lever(ours: LinearSet, i: int, parameter: str) -> float:
    """Return the distance of O_i from the fixed point about which body i turns; else 0.

    Without gravity, products of inertia are then taken about this point, in their set as in ours.
    """
    row = next(k for k, t in enumerate(ours.terms) if t.joint == i and t.carrier == parameter)
    moment = "mx" if parameter == "Ixz" else "my"
    at = 10 * (i - 1) + PARAMETER_NAMES.index(moment)
    return -float(ours.matrix[row, at])


def _turn(F: Frame, own: Link, before: Link) -> None:
    """Regroup at a rotational joint: YY, MZ and M of link j go to link j-1."""
    b, d, Cb, Sb = cast(float, F.b), cast(float, F.d), F.Cb, F.Sb
    YY, MZ, M = own["Iyy"], own["mz"], own["m"]
    about, along = YY + 2.0 * d * MZ + d * d * M, MZ + d * M
    changes = {
        "Ixx": about, "Ixy": b * Sb * along, "Ixz": -b * Cb * along,
        "Iyy": Cb * Cb * about + b * b * M, "Iyz": Cb * Sb * about,
        "Izz": Sb * Sb * about + b * b * M,
        "mx": b * M, "my": -Sb * along, "mz": Cb * along, "m": M,
    }  # fmt: skip
    _add(before, changes)
    own["Ixx"] = own["Ixx"] - YY
    for name in ("Iyy", "mz", "m"):
        own[name] = np.zeros_like(M)


def _slide(F: Frame, own: Link, before: Link, parallel: bool) -> None:
    """Regroup at a sliding joint: the inertia goes to link j-1 unchanged.

    If the joint is parallel to axis r, the first moments across the joint axis go there too.
    """
    R = np.array([F.to_parent(e) for e in _UNITS], dtype=np.float64).T
    J = _tensor(own)
    turned = np.einsum("ab,bcx,dc->adx", R, J, R)
    _add(before, _entries(turned))
    if parallel:
        zero = np.zeros_like(own["m"])
        h = R @ np.array([own["mx"], own["my"], zero])
        b = np.array([cast(float, F.b), 0.0, 0.0])
        dot = np.tensordot(b, h, 1)
        mixed = b[:, None, None] * h[None] + h[:, None] * b[None, :, None]
        shifted = 2.0 * dot * np.eye(3)[:, :, None] - mixed
        _add(before, {"mx": h[0], "my": h[1], "mz": h[2], **_entries(shifted)})


_UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _across(own: Link, w: tuple[float, float, float], which: int) -> tuple[str, Array]:
    """Return one of the two remaining first moments of link j between r and s.

    A first moment along w, axis r in E_j, is invisible. A multiple of w is added that makes one
    component zero: that of the last nonzero component of w.
    """
    names = ("mx", "my", "mz")
    gone = max(k for k in range(3) if w[k] != 0.0)
    kept = [k for k in range(3) if k != gone][which]
    row = own[names[kept]] - (w[kept] / w[gone]) * own[names[gone]]
    return f"M{'XYZ'[kept]}R", row


def _tensor(own: Link) -> Array:
    xx, xy, yy, xz, yz, zz = (own[name] for name in PARAMETER_NAMES[4:])
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _entries(J: Array) -> Link:
    places = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
    return {name: J[a, b] for name, (a, b) in zip(PARAMETER_NAMES[4:], places, strict=True)}


def _add(link: Link, changes: Link) -> None:
    for name, change in changes.items():
        link[name] = link[name] + change
