"""Is the estimate biased? Least squares against instrumental variables.

Noise of the positions is also in the regressor, so least squares shrinks the parameters. The rows
one step earlier and one step later follow the same motion, but have different noise. With their sum
Z as instruments, the solution of Z^T Y beta = Z^T tau is not biased, only less certain. If both
estimates agree within chance, or predict the same torques, least squares can be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.fit.fit import Fitted
from armdyn.identification.fit.rows import Work
from armdyn.numerics import ratio, scaled_pinv

Mask = NDArray[np.bool_]

# A difference of predicted torques below the first share is negligible: models of simulated noisy
# logs with about this difference are wrong by up to 1 % on other motions. If chance alone explains
# more than the second share, the instruments give no answer.
SMALL = 0.005
USELESS = 0.1


@dataclass(frozen=True)
class Bias:
    """How instrumental variables move the estimate.

    Attributes:
        values: the parameters by instrumental variables, ``(p,)``.
        change: rms change of the torques over the rows of the fit, relative to the torques.
        expected: the change expected by chance alone.
        small: whether the change is negligible, or explained by chance.
        words: the verdict in a sentence.
    """

    values: Array
    change: float
    expected: float
    small: bool
    words: str


def bias_check(found: Fitted) -> Bias:
    """Compare a fit with instrumental variables."""
    fit, rows, prior = found.fit, found.rows, found.solver.prior
    p, S = len(rows.model.columns), fit.columns
    sums = [np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p)), np.zeros(p), np.zeros(())]
    for _, more in rows.each(_group_sums, found.targets, found.kept, given=(fit.weights,)):
        sums = [a + b for a, b in zip(sums, more, strict=True)]
    cross, plain, square, right = sums[:4]
    weight = prior.precision(fit.strength)
    rest = fit.values.copy()  # columns that are not in the fit are known
    rest[S] = 0.0
    right = right + weight @ prior.mean - (cross + weight) @ rest
    at = np.ix_(S, S)
    size = np.sqrt(np.diagonal(plain + weight)[S])
    inverse = np.zeros((p, p))
    inverse[at] = scaled_pinv((cross + weight)[at], size, size)
    values = rest + inverse @ right
    spread = inverse @ (square + weight) @ inverse.T - fit.covariance
    off = values - fit.values
    change = float(np.sqrt(ratio(max(off @ plain @ off, 0.0), sums[4], 1.0)))
    expected = float(np.sqrt(ratio(max(np.sum(plain * spread), 0.0), sums[4], 1.0)))
    small = change <= max(SMALL, 2.0 * expected)
    return Bias(values, change, expected, small, _words(change, expected, small))


def _group_sums(work: Work, targets: Array, kept: Mask, weights: Array) -> tuple[Array, ...]:
    """Return the products of the rows X of a group, their instruments Z, and their torques."""
    model, p = work.model, len(work.model.columns)
    cross, plain, square = np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p))
    right, torque = np.zeros(p), 0.0
    for at, A, _ in work.rows():
        if len(A) < 3:
            continue
        for j in range(model.n):
            use = _with_neighbours(kept[at, j])
            mine, y = A[:, model.part(j)] / weights[j], targets[at, j] / weights[j]
            X, Z = mine[1:-1][use], 0.5 * (mine[:-2] + mine[2:])[use]
            active = np.ix_(model.active[j], model.active[j])
            cross[active] += Z.T @ X
            plain[active] += X.T @ X
            square[active] += Z.T @ Z
            right[model.active[j]] += Z.T @ y[1:-1][use]
            torque += float(y[1:-1][use] @ y[1:-1][use])
    return cross, plain, square, right, np.array(torque)


def _with_neighbours(kept: Mask) -> Mask:
    return kept[1:-1] & kept[:-2] & kept[2:]


def _words(change: float, expected: float, small: bool) -> str:
    if expected > USELESS:
        return "instrumental variables are too uncertain here to tell a bias: excite more."
    said = (
        f"instrumental variables change the predicted torques by {change:.2%} "
        f"({expected:.2%} by chance)"
    )
    if small:
        return f"{said}: no sign that noise of the positions biases the parameters."
    return (
        f"{said}: noise of the positions may bias the parameters, or the model leaves something "
        "out. Try a lower cut-off."
    )
