"""Where adaptation begins: the parameters of a model, and their natural scales."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.control.adaptive._physical_state import functional
from armdyn.identification.fit._prior import expected
from armdyn.identification.physical._pseudo_inertia import (
    expected_roots,
    link_fields,
    parameters_of,
)
from armdyn.minimal import MinimalParameters
from armdyn.robot import FRICTION_TERMS
from armdyn.robot.friction import coefficients, parameter_terms

Array = NDArray[np.float64]

# Random states that show the sizes of torques and inertias.
STATES = 64
# Scales of friction and of rotors that the model does not have: shares of a joint's torque at
# speeds and accelerations of about 1, and of its inertia.
FRICTION_SHARE, ROTOR_SHARE = 0.05, 0.1
# A coefficient that cannot be negative begins at this share of its scale at least: from zero a
# product never grows.
LEAST = 0.01


@dataclass(frozen=True)
class Start:
    """The parameters at the beginning.

    Attributes:
        base: the minimal set: links, and rotors and friction if the model has them.
        roots: G of every link ``(n, 4, 4)``; G G^T is its pseudo-inertia, made positive where the
            model's is not.
        drives: the other parameters.
        scales: their scales.
        signed: which of them may be negative.
    """

    base: MinimalParameters
    roots: Array
    drives: Array
    scales: Array
    signed: tuple[bool, ...]

    @property
    def parameters(self) -> Array:
        """Parameters ``(N,)`` of links that can exist, and of drives."""
        links = [parameters_of(G @ G.T) for G in self.roots]
        return np.concatenate([*links, self.drives])

    @property
    def state(self) -> Array:
        """The state of the law that keeps parameters possible."""
        drives = np.where(self.signed, self.drives, np.sqrt(np.abs(self.drives)))
        return np.concatenate([self.roots.ravel(), drives])

    def metric(self) -> Array:
        """Return B ``(N, N)``: dp/dt = -r B dV/dp is the law of links that can exist, frozen."""
        n, N = len(self.roots), self.base.matrix.shape[1]
        B = np.zeros((N, N))
        for i, G in enumerate(self.roots):
            P, at = G @ G.T, slice(10 * i, 10 * i + 10)
            L = [np.array(functional(list(a)), dtype=np.float64) for a in np.eye(10)]
            B[at, at] = np.stack([parameters_of(P @ one @ P) for one in L], axis=1)
        own = np.where(self.signed, self.scales**2, self.scales * self.drives)
        B[10 * n :, 10 * n :] = np.diag(own)
        return B


def start_of(model: Arm) -> Start:
    """Return the beginning of adaptation with a model."""
    joints = model.robot.joints
    rotor = any(joint.rotor_inertia for joint in joints)
    friction = any(any(coefficients(joint)) for joint in joints)
    base = model.minimal_with(rotor=rotor, friction=friction)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (3, STATES, model.n))
    torque = np.sqrt(np.mean(model.inverse_dynamics(*x) ** 2, axis=0))
    inertia = np.diagonal(model.mass_matrix(x[0]), axis1=-2, axis2=-1).mean(axis=0)
    natural = expected(model, False, torque)
    roots = expected_roots(natural.mean, natural.spread, model.n, natural.described)
    scales: list[float] = list(ROTOR_SHARE * inertia) if rotor else []
    signed = [False] * len(scales)
    if friction:
        terms = parameter_terms(map(coefficients, joints))
        scales += [FRICTION_SHARE * size for size in torque for _ in terms]
        signed += [FRICTION_TERMS[name].signed for _ in joints for name in terms]
    drives = base.parameters[10 * model.n :]
    wide = np.maximum(np.array(scales, dtype=np.float64), np.abs(drives))
    begun = np.where(signed, drives, np.maximum(drives, LEAST * wide))
    return Start(base, np.array(roots), begun, wide, tuple(signed))


def arm_with_parameters(model: Arm, base: MinimalParameters, parameters: Array) -> Arm:
    """Return a model with other parameters ``(N,)`` of links and drives."""
    n, at = model.n, 10 * model.n
    fields: list[dict[str, Any]] = [link_fields(parameters[10 * i : 10 * i + 10]) for i in range(n)]
    if base.rotor:
        for own, x in zip(fields, parameters[at : at + n], strict=True):
            own["rotor_inertia"] = float(x)
        at += n
    if base.friction:
        names = parameter_terms(map(coefficients, model.robot.joints))
        for own, row in zip(fields, parameters[at:].reshape(n, -1), strict=True):
            own |= dict(zip(names, map(float, row), strict=True))
    joints = zip(model.robot.joints, fields, strict=True)
    return Arm(replace(model.robot, joints=[replace(j, **own) for j, own in joints]))
