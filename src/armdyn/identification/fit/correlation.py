"""How many correlated residuals carry as much as one independent residual."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.identification.signals.decimation import EDGE
from armdyn.numerics import ratio

Mask = NDArray[np.bool_]

# The same measure of white noise that went through the filter of the rows.
WHITE = 1.0 - float(np.sinc(EDGE))


def correlation_lengths(residuals: Sequence[Array], kept: Sequence[Mask]) -> Array:
    """Return `correlation_length` of every joint ``(n,)``, of residuals and masks ``(M, n)``."""
    lengths = [
        correlation_length([r[:, j] for r in residuals], [m[:, j] for m in kept])
        for j in range(residuals[0].shape[1])
    ]
    return np.array(lengths)


def correlation_length(series: Sequence[Array], kept: Sequence[Mask]) -> float:
    """Return 1 + 2 sum of the autocorrelations of residuals, at least 1.

    This is the number of rows that carry as much information as one independent row, for regressors
    that change more slowly than the residuals. The sum ends where the sum of two neighbouring
    autocorrelations is no larger than chance explains for independent residuals: the rest is noise.

    Args:
        series: residuals at equal steps, one array per segment without gaps.
        kept: which of them count; the others are skipped, but keep their place in time.
    """
    longest = max((len(r) for r in series), default=0)
    if longest < 4:
        return 1.0
    size = 1 << (2 * longest - 1).bit_length()
    products, pairs = np.zeros(longest), np.zeros(longest)
    for r, m in zip(series, kept, strict=True):
        products[: len(r)] += _lagged(np.where(m, r, 0.0), size)[: len(r)]
        pairs[: len(r)] += _lagged(m.astype(np.float64), size)[: len(r)]
    lags = longest // 4
    if products[0] <= 0.0 or pairs[0] < 4:
        return 1.0
    rho = products[:lags] / np.maximum(np.rint(pairs[:lags]), 1.0) * pairs[0] / products[0]
    chance = np.sqrt(2.0 / pairs[0])
    total = 0.0
    for k in range(1, lags - 1, 2):
        pair = float(rho[k] + rho[k + 1])
        if pair <= chance:
            break
        total += pair
    return 1.0 + 2.0 * total


def noise_shares(residuals: Sequence[Array], kept: Sequence[Mask]) -> Array:
    """Return the share of white noise in the power of the residuals of every joint, ``(n,)``.

    Differences of neighbours contain the noise, but hardly any error that changes slowly.

    Args:
        residuals: at equal steps, ``(M, n)``, one array per segment without gaps.
        kept: which of them count, ``(M, n)``.
    """
    n = residuals[0].shape[1]
    steps, pairs, size, count = np.zeros((4, n))
    for r, m in zip(residuals, kept, strict=True):
        both = m[1:] & m[:-1]
        steps += np.sum(np.where(both, np.diff(r, axis=0), 0.0) ** 2, axis=0)
        pairs += both.sum(axis=0)
        size += np.sum(np.where(m, r, 0.0) ** 2, axis=0)
        count += m.sum(axis=0)
    noise = 0.5 * steps / np.maximum(pairs, 1.0)
    return np.clip(ratio(noise, size / np.maximum(count, 1.0), 1.0) / WHITE, 0.0, 1.0)


def _lagged(x: Array, size: int) -> Array:
    spectrum = np.abs(np.fft.rfft(x, size)) ** 2
    return np.fft.irfft(spectrum, size)
