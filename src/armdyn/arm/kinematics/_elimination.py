"""Six turning joints of any geometry: all solutions, by elimination of five of the six turns.

The joints and the pose make a loop, H0 Rz(t0) H1 Rz(t1) ... H5 Rz(t5) = 1, which can be walked from
any joint, either way. Axis 5, its direction l and a point p, is seen from before joint 2 in two
ways: through joints 2, 3, 4, and back through joints 1, 0. The 14 numbers p, l, p.p, p.l, p x l and
(p.p) l - 2 (p.l) p are bilinear in (1, c3, s3) and (1, c4, s4) on one side, in those of t0 and t1
on the other [Raghavan1990]. Six combinations of them are free of t0 and t1. With z = e^{it}, these
and their products with z3 are 12 equations in 12 monomials of z3 and z4, whose determinant is a
trigonometric polynomial of degree 8 in t2: at most 16 solutions. Samples of it say how well that
holds: higher harmonics are rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

DEGREE = 8
SAMPLES = 2.0 * np.pi * np.arange(32) / 32
# Three angles determine the factors of 1, cosine and sine.
THREE = 2.0 * np.pi * np.arange(3) / 3
FACTORS = np.linalg.inv(np.stack([np.ones(3), np.cos(THREE), np.sin(THREE)], axis=1))
# z, z c and z s as sums of 1, z, z^2.
POWERS = np.array([[0, 1, 0], [0.5, 0, 0.5], [0.5j, 0, -0.5j]])

# How far from the unit circle a root may be before steps of Newton's method.
OFF_CIRCLE = 0.03
# Higher harmonics above this, or smaller determinants, are those of a degenerate walk.
TAIL, LEAST = 1e-9, 1e-20


class Spectrum(NamedTuple):
    """The equations of a walk for a pose.

    Attributes:
        H: the constants of the loop.
        constant: the 14 numbers seen back through joints 1 and 0, where they do not depend on them.
        factors: of the terms in t0 and t1.
        free: the combinations that are free of these.
        harmonics: of the determinant, -8 to 8.
        sound: whether higher harmonics are rounding and lower ones are not.
    """

    H: Sequence[Array]
    constant: Array
    factors: Array
    free: Array
    harmonics: Complex
    sound: bool


class Walk:
    """A way around the loop of an arm.

    Args:
        links: what stands before each joint in the one before, 4x4.
        start: the joint that the walk begins with.
        backwards: whether it goes from the tip to the base.
    """

    def __init__(self, links: Sequence[Array], start: int, backwards: bool) -> None:
        self._links, self._start, self._backwards = links, start, backwards

    def spectrum(self, T: Array) -> Spectrum:
        """Return the equations for the last link at T, seen from the base."""
        around: list[Any] = [np.linalg.inv(T) @ self._links[0], *self._links[1:]]
        if self._backwards:
            inverse: list[Any] = [np.linalg.inv(x) for x in around]
            around = [inverse[0], *reversed(inverse[1:])]
        H: list[Array] = around[self._start :] + around[: self._start]
        back = _turn(-THREE)[:, None] @ np.linalg.inv(H[1]) @ _turn(-THREE) @ np.linalg.inv(H[0])
        seen = np.einsum("ai,bj,ijk->kab", FACTORS, FACTORS, _fourteen(back)).reshape(14, 9)
        scale = 1.0 / np.maximum(np.abs(seen).max(axis=1), 1e-300)
        u, _, _ = np.linalg.svd(seen[:, 1:] * scale[:, None])
        free = u[:, 8:].T * scale
        with np.errstate(all="ignore"):  # a degenerate walk may overflow
            determinants = np.linalg.det(_equations(H, seen[:, 0], free, SAMPLES))
        found = np.fft.fft(determinants) / len(SAMPLES)
        size = float(np.abs(found).max())
        tail = float(np.abs(found[DEGREE + 1 : -DEGREE]).max())
        harmonics = np.concatenate([found[-DEGREE:], found[: DEGREE + 1]])
        sound = LEAST < size < np.inf and tail < TAIL * size
        return Spectrum(H, seen[:, 0], seen[:, 1:], free, harmonics, sound)

    def solutions(self, given: Spectrum) -> Array:
        """Return the turns of all joints ``(solutions, 6)``; some may be wrong, none polished."""
        z: Any = np.roots(given.harmonics[::-1])
        t2 = np.angle(z[np.abs(np.abs(z) - 1.0) < OFF_CIRCLE])
        found = [self._from_third(given, t) for t in t2.tolist()]
        return np.array(found).reshape(-1, 6)

    def _from_third(self, given: Spectrum, t2: float) -> Array:
        """Return the turns of all joints, of a root in t2."""
        H = given.H
        equations = _equations(H, given.constant, given.free, np.array([t2]))[0]
        v: Complex = np.linalg.svd(equations)[2][-1].conj().reshape(4, 3)
        t3, t4 = _ratio(v), _ratio(v.T)
        E = H[2] @ _turn(t2) @ H[3] @ _turn(t3) @ H[4] @ _turn(t4) @ H[5]
        x = np.linalg.lstsq(given.factors, _fourteen(E) - given.constant, rcond=None)[0]
        x = np.concatenate([[1.0], x]).reshape(3, 3)
        t1, t0 = np.arctan2(x[2, 0], x[1, 0]), np.arctan2(x[0, 2], x[0, 1])
        R = H[0] @ _turn(t0) @ H[1] @ _turn(t1) @ E
        t = np.roll([t0, t1, t2, t3, t4, np.arctan2(-R[1, 0], R[0, 0])], self._start)
        return -t[::-1] if self._backwards else t


def _ratio(v: Complex) -> float:
    """Return the angle of the number whose powers are the rows of v, from its largest entries."""
    first, last = np.abs(v[0]).argmax(), np.abs(v[-1]).argmax()
    if abs(v[0, first]) > abs(v[-1, last]):
        return float(np.angle(v[1, first] / v[0, first]))
    return float(np.angle(v[-1, last] / v[-2, last]))


def _equations(H: Sequence[Array], constant: Array, free: Array, t2: Array) -> Complex:
    """Return the matrices ``(N, 12, 12)`` of the equations in z3^i z4^j at turns of joint 2."""
    first = H[2] @ _turn(t2) @ H[3]
    E = first[:, None, None] @ (_turn(THREE) @ H[4])[:, None] @ (_turn(THREE) @ H[5])
    seen = np.einsum("ai,bj,nijk->nkab", FACTORS, FACTORS, _fourteen(E))
    seen[:, :, 0, 0] -= constant
    left = np.einsum("ek,nkab->neab", free, seen)
    powers = np.einsum("neab,ax,by->nexy", left, POWERS, POWERS)
    M = np.zeros((len(t2), 12, 4, 3), dtype=np.complex128)
    M[:, :6, :3], M[:, 6:, 1:] = powers, powers
    return M.reshape(-1, 12, 12)


def _turn(t: Any) -> Array:
    R = np.zeros((*np.shape(t), 4, 4))
    R[..., 0, 0] = R[..., 1, 1] = np.cos(t)
    R[..., 1, 0] = np.sin(t)
    R[..., 0, 1] = -R[..., 1, 0]
    R[..., 2, 2] = R[..., 3, 3] = 1.0
    return R


def _fourteen(E: Array) -> Array:
    """Return the 14 numbers of the z axis and the origin of frames ``(..., 4, 4)``."""
    l, p = E[..., :3, 2], E[..., :3, 3]
    pp, pl = (p * p).sum(axis=-1, keepdims=True), (p * l).sum(axis=-1, keepdims=True)
    return np.concatenate([p, l, pp, pl, np.cross(p, l), pp * l - 2.0 * pl * p], axis=-1)
