"""A load at the tip that nobody described: it hides in the parameters of the last link.

With the model columns X, described values mu and a load x at the tip, torques are X (mu + B x + e).
B maps the mass and the first moments of a load to minimal parameters, and e is the error of the
description, some `DESCRIBED` of its masses. The estimate of x takes both errors into account.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.regression import Fit
from armdyn.numerics import scaled_inverse, scaled_solve

# Strength of a description whose masses are right to some 17 %; 1 trusts them to 50 %.
DESCRIBED = 3.0

# A load counts from this many standard deviations, and this share of the described mass on.
DEVIATIONS = 3.0
LEAST = 0.03

# A load whose centre is farther from the last joint's frame [m] is something else.
FARTHEST = 0.6


@dataclass(frozen=True)
class TipLoad:
    """Mass [kg] of a load at the tip, and its standard deviation."""

    mass: float
    deviation: float


def tip_load(model: Model, fit: Fit) -> TipLoad | None:
    """Return the load that the last link seems to carry beyond its description, if any."""
    n, p, prior = model.n, len(model.columns), fit.prior
    described = float(np.sum([joint.mass for joint in model.arm.robot.joints]))
    if described <= 0.0 or model.coupling is not None:
        return None
    shift = np.zeros((p, 4))
    shift[: model.k] = model.base.matrix[:, 10 * (n - 1) : 10 * (n - 1) + 4]
    T, y = fit.r_factor[:, :p], fit.r_factor[:, p]
    information = T.T @ T
    belief = DESCRIBED**2 * prior.root.T @ prior.root + prior.fixed.T @ prior.fixed
    gain = scaled_solve(information + belief, information).T
    left = information - gain @ information
    right = T.T @ (y - T @ prior.mean)
    right = right - gain @ right
    normal = shift.T @ left @ shift
    if not (np.diag(normal) > 0.0).all():
        return None
    # A mass whose effect is that of a first moment cannot be told apart from it.
    normal += 1e-9 * np.diag(np.diag(normal))
    covariance = scaled_inverse(normal)
    x = covariance @ (shift.T @ right)
    mass, deviation = float(x[0]), float(np.sqrt(covariance[0, 0]))
    far = float(np.linalg.norm(x[1:])) > FARTHEST * max(mass, 0.0)
    if far or mass < max(DEVIATIONS * deviation, LEAST * described):
        return None
    return TipLoad(mass, deviation)
