"""The delay of the torques behind the positions: the one with the smallest residuals of a fit.

Drives report torques that are filtered, or sent later than positions. With a poor friction law a
delay stands in for friction, and parts of a log contradict each other. So the fit has all friction
terms, and both halves of the data have to agree. Backlash looks like a delay too, of another length
at every joint: the joints have to agree as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from armdyn.arrays import Array
from armdyn.identification.fit.columns import Model
from armdyn.identification.fit.gram import Gram, Mask
from armdyn.identification.fit.rows import Rows, Work
from armdyn.identification.signals.quick_fit import (
    POSITIONS,
    Windows,
    merged,
    quick_fit,
    quick_gram,
    quick_prior,
    quick_rows,
)
from armdyn.log.log import Log
from armdyn.log.segments import scipy
from armdyn.numerics import scaled_solve


@dataclass(frozen=True)
class DelaySearch:
    """Settings of the search, chosen on real logs (`benchmarks/cutoffs.py`).

    Attributes:
        most: largest delay [s].
        tried: number of delays that are fitted; a spline interpolates the misfit between them.
        points: number of points of the spline.
        widest: highest band of the fit [Hz]: up to it the misfit is smooth between two delays.
        parts: parts of the data whose delays are compared.
        agreement: greatest difference of the delays of both halves, and of a joint from all, as a
            share of the delay; the share of the joints that agree.
        significant: least delay, in standard errors by the scatter of the parts.
        gain: least share by which the delay lowers the sum of squared residuals.
        noted_gain: from this share on, a delay that is not repeatable is noted.
    """

    most: float = 0.04
    tried: int = 17
    points: int = 3201
    widest: float = 10.0
    parts: int = 4
    agreement: float = 0.5
    significant: float = 3.0
    gain: float = 0.02
    noted_gain: float = 0.05


SEARCH = DelaySearch()
TRIED, FINE = (np.linspace(-SEARCH.most, SEARCH.most, k) for k in (SEARCH.tried, SEARCH.points))


@dataclass(frozen=True)
class Delays:
    """Delays [s] of torques behind positions.

    Attributes:
        whole: of all data.
        halves: of their first and second halves.
        error: standard error of `whole`, by the scatter of four parts; infinite if one has no best
            delay within bounds.
        gain: share by which `whole` lowers the sum of squared residuals.
        joints: share of the joints whose own best delay is near `whole`, of those that show one.
    """

    whole: float
    halves: tuple[float, float]
    error: float
    gain: float
    joints: float

    @property
    def repeatable(self) -> bool:
        """Whether there is a delay: significant, the same in both halves and in most joints."""
        return (
            abs(self.whole) < SEARCH.most
            and abs(self.halves[0] - self.halves[1]) <= SEARCH.agreement * abs(self.whole)
            and all(half * self.whole > 0.0 for half in self.halves)
            and abs(self.whole) >= SEARCH.significant * self.error
            and self.gain >= SEARCH.gain
            and self.joints > SEARCH.agreement
        )

    def notes(self) -> tuple[str, ...]:
        """Return a sentence on the delay, or none."""
        whole, first, second = (1e3 * x for x in (self.whole, *self.halves))
        halves = f"{first:.2g} and {second:.2g} ms in the halves of the data"
        if self.repeatable:
            lag = "lag behind" if whole > 0.0 else "lead"
            return (
                f"torques {lag} positions by {abs(whole):.3g} ms ({halves}); the delay was "
                "corrected. `delay` sets another one.",
            )
        if self.gain >= SEARCH.noted_gain:
            return (
                f"a torque delay of {whole:.2g} ms fits better, but it is not repeatable "
                f"({halves}): no delay was corrected.",
            )
        return ()


class _Shifted(NamedTuple):
    """Products of rows with the torques at every delay that is tried, T of them.

    Attributes:
        gram: of the rows with torques as recorded, one block.
        cross: columns of every joint times its torques ``(m, T)``.
        squares: of the torques of the joints ``(n, T)``.
    """

    gram: Gram
    cross: Sequence[Array]
    squares: Array


def measured_delays(windows: Windows, cutoff: float) -> Delays | None:
    """Return the delays in the band of a cut-off [Hz]; None if the logs are too short."""
    width = min(cutoff, SEARCH.widest)
    positions = min(POSITIONS * width, windows.highest)
    quarters = [
        replace(windows, parts=[_quarter(part, k) for part in windows.parts]).prepared(positions)
        for k in range(SEARCH.parts)
    ]
    if not all(quarters):
        return None
    model, top = windows.model([one for quarter in quarters for one in quarter])
    parts = [_shifted(*quick_rows(model, quarter, width, top)) for quarter in quarters]
    if not all(part.gram.counts.any() for part in parts):
        return None
    first, second, whole = (_sum(some) for some in (parts[:2], parts[2:], parts))
    noise = quick_fit(model, whole.gram).noise
    each = [_best(_misfits(model, part, noise).sum(axis=0))[0] for part in parts]
    misfits = _misfits(model, whole, noise)
    delay, gain = _best(misfits.sum(axis=0))
    bounded = np.abs(each).max() < SEARCH.most
    error = float(np.std(each, ddof=1)) / np.sqrt(SEARCH.parts) if bounded else np.inf
    a, b = (_best(_misfits(model, half, noise).sum(axis=0))[0] for half in (first, second))
    own = [_best(of_joint) for of_joint in misfits]
    near = [
        abs(x - delay) <= SEARCH.agreement * abs(delay) for x, less in own if less > SEARCH.gain
    ]
    return Delays(delay, (a, b), error, gain, float(np.mean(near)) if near else 0.0)


def _quarter(part: Log, k: int) -> Log:
    a, b = k * len(part) // SEARCH.parts, (k + 1) * len(part) // SEARCH.parts
    return part.part(a, max(b, a + 1))


def _shifted(rows: Rows, moving: Sequence[Mask]) -> _Shifted:
    """Return the products of the moving rows with torques earlier by each delay."""
    gram = merged([quick_gram(rows, moving)])
    cross = [np.zeros((len(at), SEARCH.tried)) for at in gram.places]
    squares = np.zeros((gram.n, SEARCH.tried))
    earlier = [
        np.stack([part.filtered(tau) for tau in _earlier(part.tau, 1.0 / part.step)], axis=2)
        for part in rows.parts
    ]
    for _, products in rows.each(_products, earlier, moving):
        for j, (product, square) in enumerate(products):
            cross[j] += product
            squares[j] += square
    return _Shifted(gram, cross, squares)


def _products(work: Work, earlier: Array, moving: Mask) -> list[tuple[Array, Array]]:
    """Return columns times torques, and squares of torques, of every joint of a group."""
    A = np.concatenate([rows for _, rows, _ in work.rows()])
    made: list[tuple[Array, Array]] = []
    for j in range(work.model.n):
        used = moving[:, j]
        tau = earlier[used, j]
        made.append((A[used, work.model.part(j)].T @ tau, np.sum(tau**2, axis=0)))
    return made


def _earlier(tau: Array, rate: float) -> Iterator[Array]:
    """Yield torques earlier by each delay that is tried; their ends are extended."""
    cubic: Array = scipy("interpolate").CubicSpline(np.arange(len(tau)), tau).c
    for steps in TRIED * rate:
        whole = int(np.floor(steps))
        at = np.clip(np.arange(len(tau)) + whole, 0, len(tau) - 2)
        yield np.polyval(cubic[:, at], steps - whole)


def _sum(parts: Sequence[_Shifted]) -> _Shifted:
    grams, crosses, squares = zip(*parts, strict=True)
    cross = [np.sum(of_joint, axis=0) for of_joint in zip(*crosses, strict=True)]
    return _Shifted(merged(grams), cross, np.sum(squares, axis=0))


def _misfits(model: Model, data: _Shifted, noise: Array) -> Array:
    """Return the weighted squared residuals ``(n, delays)`` of a fit for every delay.

    All delays have the same columns: one matrix, and a right-hand side for each.
    """
    (G,), p = data.gram.weighted(noise), data.gram.p
    precision, described = quick_prior(model, G)
    sides = np.tile((precision @ described)[:, None], SEARCH.tried)
    for at, cross, size in zip(data.gram.places, data.cross, noise, strict=True):
        sides[at] += cross / size**2
    values = scaled_solve(G[:, :p] + precision, sides)
    misfit = data.squares.copy()
    for j, (at, cross) in enumerate(zip(data.gram.places, data.cross, strict=True)):
        x, H = values[at], data.gram.products[j][0, : len(at), : len(at)]
        misfit[j] += np.sum(x * (H @ x - 2.0 * cross), axis=0)
    return np.maximum(misfit, 0.0) / noise[:, None] ** 2


def _best(misfit: Array) -> tuple[float, float]:
    """Return the delay of least misfit, and the share by which it lowers the misfit."""
    smooth: Array = scipy("interpolate").CubicSpline(TRIED, misfit)(FINE)
    k, plain = int(np.argmin(smooth)), float(misfit[SEARCH.tried // 2])
    return float(FINE[k]), 1.0 - float(smooth[k]) / plain if plain > 0.0 else 0.0
