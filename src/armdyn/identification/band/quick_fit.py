"""A quick fit with rotors and all friction but that of the load, to see what a model can explain.

Stribeck friction fades at 5 % of the greatest speed. Sums of products of filtered rows are all that
is needed of the data: those of several windows add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.identification.data.decimation import decimation_filter
from armdyn.identification.fit.columns import Column, Model, friction_column
from armdyn.identification.fit.rows import filtered_segments
from armdyn.log.rows import extremes
from armdyn.log.segments import scipy
from armdyn.log.signals import Prepared
from armdyn.numerics import scaled_solve
from armdyn.robot.friction import FRICTION_TERMS

# The kind of the columns of rotors.
ROTOR = "rotor"

# Stribeck friction fades at this share of the greatest speed, and rows below this share are at
# rest.
FADING = 0.05
RESTING = 0.02

# The described parameters count like this share of the data.
TRUST = 1e-2

# Rounds of finding the noise of the joints.
ROUNDS = 4
# The least noise, as a share of the torque.
LEAST_NOISE = 1e-6


def quick_model(
    arm: Arm, prepared: Sequence[Prepared], coupling: Array | None, extra: Sequence[Column]
) -> tuple[Model, Array]:
    """Return the columns, and the greatest speeds of the drives, ``(n,)``."""
    still, turned = np.zeros(arm.n), np.eye(arm.n) if coupling is None else np.linalg.inv(coupling)
    top = np.max(np.abs(extremes([one.qd @ turned for one in prepared])), axis=0)
    top = np.maximum(top, 1e-9)
    rotors = [Column(f"Jm{j + 1}", "", ROTOR, j, _accelerated(j)) for j in range(arm.n)]
    friction = [
        friction_column(arm, j, kind, (FADING * float(top[j]),) * len(term.shape))
        for j in range(arm.n)
        for kind, term in FRICTION_TERMS.items()
        if not term.load
    ]
    own = [*rotors, *friction, *extra]
    return Model(arm, arm.minimal, own, known_rotors=still, coupling=coupling), top


def _accelerated(j: int) -> Callable[[Array, Array, Array], Array]:
    return lambda q, qd, qdd: qdd[:, j]


@dataclass(frozen=True, eq=False)
class Products:
    """Sums of products of filtered rows where a joint moves, for torques of K delays.

    Attributes:
        columns: ``(n, p, p)``, of columns with columns.
        torques: ``(n, p, K)``, of columns with torques.
        squares: ``(n, K)``, of torques with themselves.
        counts: rows of every joint, ``(n,)``.
    """

    columns: Array
    torques: Array
    squares: Array
    counts: Array

    def __add__(self, other: Products) -> Products:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Products(*(a + b for a, b in pairs))


def products(
    model: Model,
    prepared: Sequence[Prepared],
    width: float,
    top: Array,
    delays: Sequence[float] = (0.0,),
) -> Products:
    """Return the products of windows, filtered to a band [Hz], for some delays of torques [s]."""
    n, p, many = model.n, len(model.columns), len(delays)
    made = Products(np.zeros((n, p, p)), np.zeros((n, p, many)), np.zeros((n, many)), np.zeros(n))
    for one in prepared:
        band = decimation_filter(one.rate, width)
        for part in filtered_segments([one], [band], model):
            shifted = [part.filtered(x) for x in _earlier(part.tau, one.rate, delays)]
            targets = np.stack(shifted, axis=2)
            moving = np.abs(part.at_centres(model.of_drives(part.qd))) > RESTING * top
            for a, b, at in part.blocks():
                A = model.rows(*part.samples(a, b)[:3], band)
                for j, active in enumerate(model.active):
                    use = moving[at, j]
                    X, y = A[use, model.part(j)], targets[at][use, j]
                    made.columns[j][np.ix_(active, active)] += X.T @ X
                    made.torques[j][active] += X.T @ y
                    made.squares[j] += np.einsum("ik,ik->k", y, y)
                    made.counts[j] += len(X)
    return made


def _earlier(tau: Array, rate: float, delays: Sequence[float]) -> Iterator[Array]:
    """Yield torques at equal steps, earlier by each of some delays; their ends are extended."""
    if not any(delays):
        yield from [tau] * len(delays)
        return
    cubic: Array = scipy("interpolate").CubicSpline(np.arange(len(tau)), tau).c
    for delay in delays:
        whole = int(np.floor(delay * rate))
        x = delay * rate - whole
        at = np.clip(np.arange(len(tau)) + whole, 0, len(tau) - 2)
        yield ((cubic[0][at] * x + cubic[1][at]) * x + cubic[2][at]) * x + cubic[3][at]


@dataclass(frozen=True, eq=False)
class Fit:
    """Values of the columns ``(p,)``, and the noise of every joint ``(n,)``, infinite at rest."""

    values: Array
    noise: Array


def quick_fit(model: Model, data: Products) -> Fit:
    """Fit all columns to the torques of the first delay, with joints weighted by their noise."""
    used = data.counts > 0
    size = np.sqrt(data.squares[:, 0] / np.maximum(data.counts, 1.0))
    floor = LEAST_NOISE * np.where(size > 0.0, size, float(size.max()) or 1.0)
    noise = np.where(used, np.maximum(size, floor), np.inf)
    values = np.zeros((len(model.columns), data.squares.shape[1]))
    for _ in range(ROUNDS):
        values = solved(model, data, noise)
        off = misfits(data, values)[:, 0] / np.maximum(data.counts, 1.0)
        noise = np.where(used, np.maximum(np.sqrt(np.maximum(off, 0.0)), floor), np.inf)
    return Fit(values[:, 0], noise)


def solved(model: Model, data: Products, noise: Array) -> Array:
    """Return values ``(p, K)`` for the torques of every delay, with joints weighted by noise."""
    weight = noise**-2
    H = np.tensordot(weight, data.columns, axes=1)
    g = np.tensordot(weight, data.torques, axes=1)
    diagonal = np.diag(H).copy()
    trust = np.where(diagonal > 0.0, TRUST * diagonal, 1.0)
    described = np.zeros(len(H))
    described[: model.k] = model.base.values
    described[model.indices(ROTOR)] = [joint.rotor_inertia for joint in model.arm.robot.joints]
    g += (trust * described)[:, None]
    return scaled_solve(H + np.diag(trust), g)


def misfits(data: Products, values: Array) -> Array:
    """Return the sums of squares of residuals of every joint, ``(n, K)``, for values ``(p, K)``."""
    cross = np.einsum("pk,npk->nk", values, data.torques)
    model = np.einsum("pk,npq,qk->nk", values, data.columns, values, optimize=True)
    return data.squares - 2.0 * cross + model
