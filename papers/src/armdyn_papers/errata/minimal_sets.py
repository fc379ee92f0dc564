"""Theorems 4 and 5 and Properties 2 to 4 of [Lin1994] on special arms, beside ranks.

Each condition is written as the paper prints it, and as corrected, for any arm. An evidence counts
the arms of `special_arms` on which a form disagrees with an independent answer: the rank of the
regressor, or the angle between an axis and gravity at random states.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from armdyn.algorithms.inertia_constants import inertia_constants
from armdyn.algorithms.structure import Structure, structure
from armdyn.arm.files import load
from armdyn.minimal.check import random_states, rank, stacked_regressor, structural_regressor
from armdyn.minimal.closed_form import closed_form, unit_links
from armdyn_papers.errata.arm import Array, Posed, cross, posed
from armdyn_papers.errata.erratum import Evidence

DOWN, NOWHERE = (0.0, 0.0, -9.81), (0.0, 0.0, 0.0)
QUARTER = 0.5 * np.pi

# How many arms: enough that every printed condition fails on several of them, in a few seconds.
ARMS = 120

# Sines and cosines of angles below this are zero; the angles are zero, right, or above 0.1.
ZERO = 1e-9


@cache
def special_arms(gravity: tuple[float, float, float] = DOWN) -> tuple[Posed, ...]:
    """Return arms of two to four joints whose axes are upright, level, parallel or inclined."""
    rng = np.random.default_rng(1994)
    arms: list[Posed] = []
    for k in range(ARMS):
        kinds = "".join(rng.choice(["R", "P"], 2 + k % 3))
        kinds = "PR" + kinds[2:] if k % 5 == 0 else kinds
        rows = [
            (
                float(rng.choice([0.0, 0.0, QUARTER, QUARTER, 0.7])),
                float(rng.choice([0.0, 0.3])),
                float(rng.choice([0.0, 0.2])),
                float(rng.choice([0.0, QUARTER])),
            )
            for _ in kinds
        ]
        arms.append(posed(kinds, rows, gravity=gravity))
    return tuple(arms)


def disagreeing(arms: tuple[Posed, ...], agrees: Callable[[Posed], bool]) -> int:
    """Return on how many arms a form disagrees with the independent answer."""
    return sum(not agrees(x) for x in arms)


@cache
def _poses(x: Posed) -> tuple[Posed, ...]:
    q, _, _ = random_states(x.n, 5)
    return tuple(x.at(row) for row in q)


def _axis(x: Posed, i: int) -> Array:
    return x.T[i][:3, 2]


def _always(x: Posed, holds: Callable[[Posed], bool]) -> bool:
    return all(holds(pose) for pose in _poses(x))


def level(x: Posed, i: int) -> bool:
    """Say whether axis i is perpendicular to gravity at random states."""
    g = np.array(x.chain.g, float)
    return _always(x, lambda pose: bool(abs(_axis(pose, i) @ g) < ZERO * np.linalg.norm(g)))


def upright(x: Posed, i: int) -> bool:
    """Say whether axis i is parallel to gravity at random states."""
    g = np.array(x.chain.g, float) / np.linalg.norm(x.chain.g)
    return _always(x, lambda pose: bool(np.linalg.norm(cross(_axis(pose, i), g)) < ZERO))


def parallel(x: Posed, i: int, j: int) -> bool:
    """Say whether axes i and j are parallel at random states."""
    return _always(
        x, lambda pose: bool(np.linalg.norm(cross(_axis(pose, i), _axis(pose, j))) < ZERO)
    )


def perpendicular(x: Posed, i: int, j: int) -> bool:
    """Say whether axes i and j are perpendicular at random states."""
    return _always(x, lambda pose: bool(abs(_axis(pose, i) @ _axis(pose, j)) < ZERO))


def at_rest(x: Posed) -> int:
    """Return how many combinations torques at rest show, by rank."""
    q, zero, _ = random_states(x.n, 20)
    rows = stacked_regressor(x.chain, q, 0.0 * zero, 0.0 * zero)
    return rank(rows.reshape(-1, rows.shape[-1]))


def moving(x: Posed) -> int:
    """Return how many combinations torques show, by rank."""
    return rank(structural_regressor(x.chain))


def theorem_4(x: Posed) -> int:
    """Return the size of the set of Theorem 4: sigma_i = 0 if u_i is always across gravity."""
    found, size = structure(x.chain), 0
    for i in range(1, x.n + 1):
        if not x.rotational[i]:
            size += not level(x, i)
        elif not (found.r <= i < found.s and upright(x, i)):
            size += 2
    return size


def parenthesis_4(x: Posed, i: int, printed: bool) -> bool:
    """Return what the parenthesis of Theorem 4 says of slide i > r: whether it is always level."""
    found = structure(x.chain)
    r, s = found.r, found.s
    tested = i if printed else r
    if i < s:
        across = printed or perpendicular(x, i, r)
        return (upright(x, tested) and across) or (level(x, r) and parallel(x, i, r))
    turning = [j for j in range(s, i) if x.rotational[j]]
    along = parallel(x, i, s) and all(parallel(x, j, s) for j in turning)
    return upright(x, tested) and perpendicular(x, s, r) and along


def slides_beyond_r(x: Posed) -> list[int]:
    """Return the slides that the parenthesis of Theorem 4 is about."""
    r = structure(x.chain).r
    return [i for i in range(r + 1, x.n + 1) if not x.rotational[i]]


def sigma_4() -> Evidence:
    """Compare the parenthesis with the axes at random states, u_i ∥ g and u_r ∥ g."""

    def agrees(printed: bool) -> Callable[[Posed], bool]:
        return lambda x: all(
            parenthesis_4(x, i, printed) == level(x, i) for i in slides_beyond_r(x)
        )

    arms = special_arms()
    return Evidence(
        f"of {ARMS} special arms, those with a slide that it calls level or not against the axes "
        "at random states",
        disagreeing(arms, agrees(True)),
        disagreeing(arms, agrees(False)),
    )


def delta_5(x: Posed, j: int, printed: bool) -> bool:
    """Return delta_j of Theorem 5: its axes tested at joint j alone, or at every joint up to j."""
    r = structure(x.chain).r
    tested = [j] if printed else range(1, j + 1)
    if not (upright(x, r) and all(parallel(x, k, r) for k in tested)):
        return True
    turning = [m for m in range(r, j) if x.rotational[m]]
    offsets = [_offset_across(x, m, j, r) for m in turning]
    return any(size > ZERO for size in offsets)


def _offset_across(x: Posed, m: int, j: int, r: int) -> float:
    sizes = [
        np.linalg.norm(cross(pose.T[j][:3, 3] - pose.T[m][:3, 3], _axis(pose, r)))
        for pose in _poses(x)
    ]
    return float(max(sizes))


def theorem_5(x: Posed, printed: bool) -> int:
    """Return the size of the set of Theorem 5."""
    found, size = structure(x.chain), 0
    r, s = found.r, found.s
    for i in range(1, x.n + 1):
        if x.rotational[i]:
            size += 7 if i >= s else 1 + 2 * delta_5(x, i, printed)
        elif i > s:
            size += 4
        else:
            size += 1 + 2 * (r < i < s and not parallel(x, i, r))
    return size


def delta_of_5() -> Evidence:
    """Compare the size of Theorem 5 with the rank, its axes tested at joint j or up to joint j."""
    arms = special_arms()
    return Evidence(
        f"of {ARMS} special arms, those whose set has another size than the rank",
        disagreeing(arms, lambda x: theorem_5(x, True) == moving(x)),
        disagreeing(arms, lambda x: theorem_5(x, False) == moving(x)),
    )


def stanford() -> Evidence:
    """Compare the size of Theorem 5, as printed, with the rank for the Stanford arm."""
    robot = load("stanford").robot
    x, y, z = robot.gravity
    arm = Posed(robot.joints, gravity=(x, y, z))
    printed, seen = theorem_5(arm, printed=True), moving(arm)
    what = f"minimal parameters of the Stanford arm, {printed} by Theorem 5, beside the rank"
    return Evidence(what, abs(printed - seen), abs(theorem_5(arm, printed=False) - seen))


def without_gravity() -> Evidence:
    """Compare the size of Theorem 5 with the rank where nothing pulls."""
    rows = [(0.0, 0.0, 0.0, 0.0), (QUARTER, 0.0, 0.0, 0.0), (QUARTER, 0.0, 0.0, 0.0)]
    x = posed("RRR", rows, gravity=NOWHERE)
    seen, printed = moving(x), 7 * 3 - 6  # item 1 has one element of joint 1, item 2 has seven
    corrected = len(closed_form(x.chain).terms)
    what = f"minimal parameters of three axes through a point, no gravity, beside the rank {seen}"
    return Evidence(what, abs(printed - seen), abs(corrected - seen))


def components(x: Posed) -> tuple[Array, Array]:
    """Return the rows of v by Properties 2 to 4 as printed, and of w_g, in link parameters."""
    found = structure(x.chain)
    r, s = found.r, found.s
    v: list[Any] = []
    w_g: list[Any] = []
    for i, body in sorted(inertia_constants(x.chain, unit_links(x.n)).items()):
        (kx, ky, kz), (U11, U12, U13, U22, U23, U33) = body.k, body.U
        if not x.rotational[i]:
            v.append(body.m)
            if i > s:
                v += [kx, ky, kz]
            elif r < i and not parallel(x, i, r):
                ux, uy, uz = found.w[i]
                v += [ux * ky - uy * kx, (1.0 - uz * uz) * kz - uz * (ux * kx + uy * ky)]
            continue
        v.append(U33)
        if i >= s:
            v += [U11 - U22, U12, U13, U23]
            w_g += [kx, ky]
        elif _moment_is_component(x, i, found):
            v += [kx, ky]
    width = 10 * x.n
    return np.array(v, float).reshape(-1, width), np.array(w_g, float).reshape(-1, width)


def _moment_is_component(x: Posed, i: int, found: Structure) -> bool:
    """Return the condition of Property 4, item 3."""
    slides = [k for k in range(1, i) if not x.rotational[k]]
    turning = [m for m in range(found.r, i) if x.rotational[m]]
    return any(not parallel(x, k, i) for k in slides) or any(
        _offset_across(x, m, i, found.r) > ZERO for m in turning
    )


def inertia_rows(x: Posed) -> Array:
    """Return rows of all elements of the inertia matrix: torques of unit accelerations at rest."""
    q, _, _ = random_states(x.n, 40)
    still = Posed(x.joints, gravity=NOWHERE).chain
    rows = [
        stacked_regressor(still, q, 0 * q, np.broadcast_to(e, q.shape)).reshape(-1, 10 * x.n)
        for e in np.eye(x.n)
    ]
    return np.concatenate(rows)


def properties_hold(x: Posed) -> bool:
    """Say whether v and w_g determine the inertia matrix, the columns of v independent."""
    v, w_g = components(x)
    P, W = np.concatenate([v, w_g]), inertia_rows(x)
    A = W @ np.linalg.pinv(P)
    spans = bool(np.abs(A @ P - W).max() < 1e-9 * np.abs(W).max())
    return spans and rank(P) == len(P) and rank(A[:, : len(v)]) == len(v)


def properties_2_to_4() -> Evidence:
    """Count the arms on which Properties 2 to 4 fail as printed; nothing is to be corrected."""
    failing = disagreeing(special_arms(), properties_hold)
    what = f"of {ARMS} special arms, those whose components are dependent or too few"
    return Evidence(what, failing, failing)
