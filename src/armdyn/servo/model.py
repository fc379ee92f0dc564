"""The servo error that a model expects, and the likelihood of rows, with closed-form gradients.

With c = 1/k, gravity torque g, friction half width h and friction mu per transmitted torque, a
joint that moves to the side s has the servo error

    E + s mu |E| + c0 kappa D + b + v qd + a qdd,        E = c g + s h_moving,

plus Gaussian noise. D is the described inertial torque. A joint at rest may have any error between
the edges of this band with h = h_still for s = 1 and s = -1: the likelihood is a uniform density
convolved with the noise. Its half on the side of the last motion has the share `NEAR_SIDE`. Both
are mixed with a wide uniform density for outliers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.log.segments import scipy
from armdyn.servo.prior import EXPECTED, Gravity
from armdyn.servo.rows import Flags, Rows, Whole

# Share of rests on the side of the last motion (study of SO-101 arms, `benchmarks/servo.py`).
NEAR_SIDE = 0.8

# Share of outliers, and their density [1/rad].
OUTLIERS, OUTLIER_DENSITY = 0.002, 1.0

# Weight of a moving row beside a hold: windows of 0.2 s follow each other and share their errors
# (chosen by hand in the study of SO-101 arms).
MOVING_WEIGHT = 0.35

# Names of the parameters that every joint has, in their order.
PER_JOINT = ("single", "load", "bias", "lag", "inertia", "moving", "still", "noise")


@dataclass(frozen=True)
class Layout:
    """Where the parameters are in the vector x of standard normal numbers.

    Attributes:
        r: number of gravity parameters, which come first; two tilts, the common stiffness and the
            factor of inertial torques follow, then `PER_JOINT` of all joints.
        n: number of joints.
    """

    r: int
    n: int

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.shared + len(PER_JOINT) * self.n

    @property
    def shared(self) -> int:
        """Number of parameters that all joints share; they come first."""
        return self.r + 4

    @property
    def compact(self) -> int:
        """Number of parameters that a row depends on."""
        return self.shared + len(PER_JOINT)

    def columns(self, joint: int) -> Whole:
        """Return the parameters that rows of a joint depend on, in the order of gradients."""
        own = self.shared + joint + self.n * np.arange(len(PER_JOINT))
        return np.concatenate([np.arange(self.shared), own])

    @property
    def tilt(self) -> slice:
        """The two tilts."""
        return slice(self.r, self.r + 2)

    @property
    def common(self) -> int:
        """The common stiffness."""
        return self.r + 2

    @property
    def coupling(self) -> int:
        """The factor of inertial torques."""
        return self.r + 3

    def of(self, name: str) -> slice:
        """The parameters of all joints of one kind."""
        start = self.shared + PER_JOINT.index(name) * self.n
        return slice(start, start + self.n)


@dataclass(frozen=True, eq=False)
class Values:
    """Physical values of the parameters; arrays are of every joint ``(n,)``.

    Attributes:
        z: gravity parameters ``(r,)``.
        tilt: of the mount ``(2,)`` [rad].
        compliance: 1/k [rad/(N m)].
        coupling: factor of the described inertial torques.
        load: friction per transmitted torque.
        bias: of the servo error [rad]; `lag` [s]; `inertia` [s^2].
        moving, still: half widths of the friction bands [rad].
        noise: of rows [rad].
    """

    z: Array
    tilt: Array
    compliance: Array
    coupling: float
    load: Array
    bias: Array
    lag: Array
    inertia: Array
    moving: Array
    still: Array
    noise: Array


@dataclass(frozen=True, eq=False)
class Model:
    """Rows with all that their servo errors depend on.

    Attributes:
        gravity: its parameters.
        rows: the rows.
        columns: torques of gravity ``(N, 3, r + 1)``, see `Gravity.columns`.
        inertial: described inertial torques of the rows ``(N,)`` [N m].
        nominal: expected 1/k of every joint ``(n,)`` [rad/(N m)].
        common, single: standard deviations of log k, of all joints and of one.
    """

    gravity: Gravity
    rows: Rows
    columns: Array
    inertial: Array
    nominal: Array
    common: float
    single: float

    @cached_property
    def layout(self) -> Layout:
        """Where the parameters are."""
        return Layout(self.gravity.r, len(self.nominal))

    @cached_property
    def weights(self) -> Array:
        """Weight of every row."""
        return np.where(self.rows.moving, MOVING_WEIGHT, 1.0)

    def part(self, mask: Flags) -> Model:
        """Return the model with some of its rows."""
        return Model(
            self.gravity, self.rows.where(mask), self.columns[mask], self.inertial[mask],
            self.nominal, self.common, self.single,
        )  # fmt: skip

    def values(self, x: Array) -> Values:
        """Return the physical values of a parameter vector ``(p,)``."""
        at, e = self.layout, EXPECTED
        moving = e.friction * np.exp(e.wide * x[at.of("moving")])
        log_k = self.common * x[at.common] + self.single * x[at.of("single")]
        return Values(
            z=x[: at.r],
            tilt=e.tilt * x[at.tilt],
            compliance=self.nominal * np.exp(-log_k),
            coupling=1.0 + e.coupling * float(x[at.coupling]),
            load=e.load * np.exp(e.load_spread * x[at.of("load")]),
            bias=e.bias * x[at.of("bias")],
            lag=e.lag * x[at.of("lag")],
            inertia=e.inertia * x[at.of("inertia")],
            moving=moving,
            still=moving * e.static * np.exp(e.static_spread * x[at.of("still")]),
            noise=e.noise * np.exp(e.wide * x[at.of("noise")]),
        )

    def evaluate(self, x: Array) -> tuple[Array, Array]:
        """Return log-likelihoods of the rows ``(N,)`` and their gradients.

        Gradients are ``(N, compact)``: by the shared parameters, then those of the row's joint.
        """
        at, v, rows, e = self.layout, self.values(x), self.rows, EXPECTED
        j, side = rows.joint, rows.side
        turned = self.columns[:, 0] + np.tensordot(v.tilt, self.columns[:, 1:], (0, 1))
        torque = turned[:, :-1] @ v.z + turned[:, -1]
        c = v.compliance[j]
        droop = c * torque
        coupled = self.nominal[j] * self.inertial
        own = np.arange(len(j))
        qd, qdd = rows.qd[own, j], rows.qdd[own, j]
        rest = v.coupling * coupled + v.bias[j] + v.lag[j] * qd + v.inertia[j] * qdd
        band = _band(droop, v.load[j], np.where(rows.moving, v.moving[j], v.still[j]))
        p, by_centre, by_width, by_noise = _density(
            rows.error - rest, band, side, v.noise[j], rows.moving
        )
        total = (1.0 - OUTLIERS) * p + OUTLIERS * OUTLIER_DENSITY
        factor = (1.0 - OUTLIERS) / total
        by_centre, by_width, by_noise = factor * by_centre, factor * by_width, factor * by_noise
        by_droop = by_centre * band.centre_by_droop + by_width * band.width_by_droop
        by_h = by_centre * band.centre_by_h + by_width * band.width_by_h
        by_load = by_centre * band.centre_by_load + by_width * band.width_by_load
        G = np.empty((len(j), at.compact))
        G[:, : at.r] = (by_droop * c)[:, None] * turned[:, :-1]
        changed = self.columns[:, 1:, :-1] @ v.z + self.columns[:, 1:, -1]
        G[:, at.tilt] = e.tilt * (by_droop * c)[:, None] * changed
        G[:, at.common] = -self.common * by_droop * droop
        G[:, at.coupling] = e.coupling * by_centre * coupled
        moving = rows.moving
        for i, gradient in enumerate((
            -self.single * by_droop * droop,
            e.load_spread * by_load * v.load[j],
            e.bias * by_centre,
            e.lag * by_centre * qd,
            e.inertia * by_centre * qdd,
            e.wide * by_h * np.where(moving, v.moving[j], v.still[j]),
            np.where(moving, 0.0, e.static_spread * by_h * v.still[j]),
            e.wide * by_noise * v.noise[j],
        )):  # fmt: skip
            G[:, at.shared + i] = gradient
        return np.log(total), G

    def totals(self, G: Array) -> tuple[Array, Array]:
        """Return the weighted sum of gradients ``(p,)`` and of their outer products ``(p, p)``."""
        p = self.layout.size
        slope, H = np.zeros(p), np.zeros((p, p))
        for j in range(self.layout.n):
            mine = self.rows.joint == j
            own, part, w = self.layout.columns(j), G[mine], self.weights[mine]
            slope[own] += w @ part
            H[np.ix_(own, own)] += (part * w[:, None]).T @ part
        return slope, H

    def droop(self, x: Array, q: Array) -> Array:
        """Return the middle of the band of servo errors at rest, ``(N, n)`` [rad]."""
        v = self.values(x)
        torque = self.gravity.torques(q, self.gravity.natural(v.z), v.tilt)
        return _band(v.compliance * torque, v.load, v.still).centre + v.bias

    def droop_gradient(self, x: Array, q: Array) -> Array:
        """Return the gradients of `droop` by the parameters, ``(N, n, p)``."""
        at, v, e = self.layout, self.values(x), EXPECTED
        n, count = at.n, len(q)
        made = np.zeros((count, n, at.size))
        none = np.zeros((count, 4 * n))
        for j in range(n):
            columns = self.gravity.columns(q, np.full(count, j), none)
            turned = columns[:, 0] + np.tensordot(v.tilt, columns[:, 1:], (0, 1))
            c, still = v.compliance[j], np.full(count, v.still[j])
            droop = c * (turned[:, :-1] @ v.z + turned[:, -1])
            band = _band(droop, np.full(count, v.load[j]), still)
            by = band.centre_by_droop
            made[:, j, : at.r] = (by * c)[:, None] * turned[:, :-1]
            changed = columns[:, 1:, :-1] @ v.z + columns[:, 1:, -1]
            made[:, j, at.tilt] = e.tilt * (by * c)[:, None] * changed
            made[:, j, at.common] = -self.common * by * droop
            made[:, j, at.of("single").start + j] = -self.single * by * droop
            made[:, j, at.of("load").start + j] = e.load_spread * v.load[j] * band.centre_by_load
            by_still = v.still[j] * band.centre_by_h
            made[:, j, at.of("moving").start + j] = e.wide * by_still
            made[:, j, at.of("still").start + j] = e.static_spread * by_still
            made[:, j, at.of("bias").start + j] = e.bias
        return made

    def residuals(self, x: Array) -> Array:
        """Return errors of moving rows, and distances of holds from their bands [rad]."""
        v, rows = self.values(x), self.rows
        j = rows.joint
        own = np.arange(len(j))
        turned = self.columns[:, 0] + np.tensordot(v.tilt, self.columns[:, 1:], (0, 1))
        droop = v.compliance[j] * (turned[:, :-1] @ v.z + turned[:, -1])
        rest = (v.coupling * self.nominal[j] * self.inertial + v.bias[j]
                + v.lag[j] * rows.qd[own, j] + v.inertia[j] * rows.qdd[own, j])  # fmt: skip
        band = _band(droop, v.load[j], np.where(rows.moving, v.moving[j], v.still[j]))
        away = rows.error - rest - band.centre
        outside = np.sign(away) * np.maximum(np.abs(away) - band.width, 0.0)
        return np.where(rows.moving, away - rows.side * band.width, outside)


@dataclass(frozen=True, eq=False)
class _Band:
    """Middle and half width of the band of friction, with their derivatives."""

    centre: Array
    width: Array
    centre_by_droop: Array
    centre_by_h: Array
    centre_by_load: Array
    width_by_droop: Array
    width_by_h: Array
    width_by_load: Array


def _band(droop: Array, load: Array, h: Array) -> _Band:
    """Return the band of half width h, wider and shifted by friction under load."""
    up, down = droop + h, droop - h
    sign_up, sign_down = np.sign(up), np.sign(down)
    differ, both = load * (sign_up - sign_down) / 2.0, load * (sign_up + sign_down) / 2.0
    return _Band(
        centre=droop + load * (np.abs(up) - np.abs(down)) / 2.0,
        width=h + load * (np.abs(up) + np.abs(down)) / 2.0,
        centre_by_droop=1.0 + differ,
        centre_by_h=both,
        centre_by_load=(np.abs(up) - np.abs(down)) / 2.0,
        width_by_droop=both,
        width_by_h=1.0 + differ,
        width_by_load=(np.abs(up) + np.abs(down)) / 2.0,
    )


def _density(
    error: Array, band: _Band, side: Array, noise: Array, moving: Flags
) -> tuple[Array, Array, Array, Array]:
    """Return the density of errors, and its derivatives by centre, half width and noise."""
    w, s = band.width, noise
    away = error - band.centre
    # moving: one edge of the band
    r = away - side * w
    gauss = _normal(r / s) / s
    by_centre = gauss * r / s**2
    by_noise = gauss * (r**2 / s**3 - 1.0 / s)
    # at rest: between the edges
    near = 0.5 + (NEAR_SIDE - 0.5) * side
    ndtr: Callable[[Array], Array] = scipy("special").ndtr
    up, middle, down = (away - w) / s, away / s, (away + w) / s
    p = (near * (ndtr(middle) - ndtr(up)) + (1.0 - near) * (ndtr(down) - ndtr(middle))) / w
    n_up, n_middle, n_down = _normal(up), _normal(middle), _normal(down)
    rest_by_centre = ((1.0 - 2.0 * near) * n_middle + near * n_up - (1.0 - near) * n_down) / (s * w)
    rest_by_width = (near * n_up + (1.0 - near) * n_down) / (s * w) - p / w
    rest_by_noise = -(
        (2.0 * near - 1.0) * n_middle * middle - near * n_up * up + (1.0 - near) * n_down * down
    ) / (s * w)
    return (
        np.where(moving, gauss, np.maximum(p, 0.0)),
        np.where(moving, by_centre, rest_by_centre),
        np.where(moving, side * by_centre, rest_by_width),
        np.where(moving, by_noise, rest_by_noise),
    )


def _normal(x: Array) -> Array:
    return np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)


def model_of(
    arm: Arm, gravity: Gravity, rows: Rows, nominal: Array, common: float, single: float,
    hung: Array,
) -> Model:  # fmt: skip
    """Return the model of some rows.

    Args:
        arm: as described.
        gravity: its parameters.
        rows: the rows.
        nominal: expected 1/k ``(n,)``.
        common: standard deviation of log k of all joints; `single`: of one joint.
        single: of log k of a joint.
        hung: natural parameters ``(4n,)`` of the known mass.
    """
    extra = np.where(rows.hung[:, None], hung, 0.0)
    joint = rows.joint
    columns = gravity.columns(rows.q, joint, extra)
    own = np.arange(len(rows))
    inertial = np.zeros(len(rows))
    if rows.moving.any():
        inertial = (
            arm.inverse_dynamics(rows.q, rows.qd, rows.qdd, friction=False)
            - arm.gravity(rows.q)
        )[own, joint]  # fmt: skip
    return Model(gravity, rows, columns, inertial, nominal, common, single)
