"""The prior of the parameters: near the described arm.

A link of mass m and size L is expected to differ from its description by half of m in mass, of m L
in first moments, of m L^2 in inertias. This is crude, but it has the right units, and the matrix of
the minimal parameters turns it into a prior of these. If an arm is described without masses, the
prior is around zero, with a spread that follows from the torques.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.solver import WIDE, Prior
from armdyn.numerics import scaled_root

# Powers of the length in the ten parameters of a link: m, m L, m L^2.
POWERS = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2.0])


@dataclass(frozen=True)
class Trust:
    """How far descriptions are trusted.

    Attributes:
        spread: expected error of a description, as a share.
        length: least length of a link [m].
        mass: a lighter link counts as this share of the mean mass.
        weakest: a description with masses is trusted at least this much: to twice its masses.
        unknown: the same without masses.
        rotor: a rotor that is described may be off by the inertia of the links beyond it; one that
            is not may be any: this much wider, the prior has no weight.
        rank: least eigenvalue of the prior's covariance, scaled to unit diagonal: regular where
            parameters are tied to each other.
        some_mass: of a link if neither the description nor the torques give one [kg].
    """

    spread: float = 0.5
    length: float = 0.05
    mass: float = 0.1
    weakest: float = 0.25
    unknown: float = 0.03
    rotor: float = 100.0
    rank: float = 1e-10
    some_mass: float = 1.0


TRUST = Trust()


@dataclass(frozen=True)
class LinkPrior:
    """Expected natural parameters: of links and, if they are fitted, of rotors.

    Attributes:
        mean: values ``(N,)``, in the order of the columns of the minimal set's matrix.
        spread: their standard deviations ``(N,)``.
        described: whether the arm's description has masses.
    """

    mean: Array
    spread: Array
    described: bool


def link_prior(arm: Arm, rotor: bool, torque: Array) -> LinkPrior:
    """Return the prior of an arm whose measured torques have the size `torque`, ``(n,)``."""
    joints = arm.robot.joints
    length = link_length(arm)
    masses = np.array([j.mass for j in joints])
    described = bool(masses.sum() > 0.0)
    if described:
        masses = np.maximum(masses, TRUST.mass * masses.mean())
    else:
        masses = np.full(arm.n, float(torque.max()) / (9.81 * length * arm.n))
    parts = [m * length**POWERS for m in masses]
    mean, spread = [arm.parameters], [TRUST.spread * np.concatenate(parts)]
    if rotor:
        rotors = np.array([j.rotor_inertia for j in joints])
        beyond = np.cumsum(masses[::-1])[::-1] * length**2
        mean.append(rotors)
        spread.append(np.where(rotors > 0.0, 1.0, TRUST.rotor) * beyond)
    return LinkPrior(np.concatenate(mean), np.concatenate(spread), described)


def link_length(arm: Arm) -> float:
    """Return the usual size of a link [m]."""
    total = sum(abs(joint.b) + abs(joint.d) for joint in arm.robot.joints)
    return max(total / arm.n, TRUST.length)


def prior_of(model: Model, natural: LinkPrior, squares: Array, counts: Array) -> Prior:
    """Return the prior of all columns.

    Args:
        model: the columns.
        natural: the prior of natural parameters.
        squares: X^T X of the rows [columns | torque] of every joint, ``(n, p + 1, p + 1)``.
        counts: numbers of rows ``(n,)``.
    """
    P, k, p = model.base.matrix, model.k, len(model.columns)
    size = np.sqrt(np.diagonal(squares, axis1=1, axis2=2) / np.maximum(counts, 1.0)[:, None])
    mean, fixed = np.zeros((2, p))
    mean[:k] = P @ natural.mean
    for i, one in enumerate(model.columns[k:], k):
        joints = list(one.joints)
        column, torque = size[joints, i].max() or 1.0, size[joints, -1].max() or 1.0
        fixed[i] = (column / (WIDE * torque)) ** 2
    scaled = description_precision(p, (P * natural.spread**2) @ P.T)
    weakest = TRUST.weakest if natural.described else TRUST.unknown
    return Prior(mean, scaled, np.diag(fixed), weakest, k)


def description_precision(p: int, covariance: Array) -> Array:
    """Return the precision ``(p, p)`` of the first k of p columns, of covariance ``(k, k)``."""
    precision, k = np.zeros((p, p)), len(covariance)
    root = scaled_root(covariance, TRUST.rank)
    precision[:k, :k] = root @ root.T
    return precision


def nearest_parameters(model: Model, values: Array, natural: LinkPrior) -> Array:
    """Return the natural parameters ``(N,)`` with these values that are nearest to the prior.

    Distances are in units of the prior's spread. If a mass comes out as zero or negative, the
    result differs from the description only in the parameters that carry the minimal ones.
    """
    P, w = model.base.matrix, values[: model.k]
    S = natural.spread**2
    x = natural.mean + S * (P.T @ np.linalg.solve((P * S) @ P.T, w - P @ natural.mean))
    masses = x[: 10 * model.n : 10]
    if natural.described and (masses > 0.0).all():
        return x
    near = natural.mean.copy()
    near[: 10 * model.n : 10] = np.where(masses > 0.0, masses, TRUST.some_mass)
    return model.base.to_parameters(w, near=near)
