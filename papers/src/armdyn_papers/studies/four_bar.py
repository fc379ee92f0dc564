"""A closed loop from two chains and a Jacobian, the closing remark of [Mata2002]: a four-bar.

The crank and the coupler are a chain of two joints, the rocker is one of one joint. Their tips are
held together by two forces lambda:

    M(q) qdd + b(q, qd) = tau + J^T lambda,   J qdd = -dJ/dt qd,

M and b by the Gibbs-Appell recursions of each chain, J the difference of the tips' Jacobians. What
it is compared with has neither chains nor Jacobians: one equation for the angle of the crank, from
the angles of the other bars as functions of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.robot.joint import Joint
from armdyn.robot.model import Robot
from armdyn_papers.errata.arm import Array, difference
from armdyn_papers.errata.erratum import Evidence

# Crank, coupler, rocker and frame [m], and masses of the bars [kg]. The crank can turn all around:
# it and the frame together are shorter than the other two bars.
CRANK, COUPLER, ROCKER, FRAME = 0.3, 0.9, 0.8, 1.0
MASSES = (1.0, 2.5, 2.0)
GRAVITY = 9.81

# Gibbs-Appell in both chains.
METHOD = "gibbs_appell"


class TwoChains:
    """The four-bar as two arms whose tips are held together."""

    def __init__(self) -> None:
        self.crank = _arm([_bar(0.0, CRANK, MASSES[0]), _bar(CRANK, COUPLER, MASSES[1])], COUPLER)
        self.rocker = _arm([_bar(FRAME, ROCKER, MASSES[2])], ROCKER)

    def accelerations(self, q: Array, qd: Array, tau: Array) -> Array:
        """Return the accelerations of the three joints at positions that close the loop."""
        arms = ((self.crank, slice(0, 2)), (self.rocker, slice(2, 3)))
        K, right = np.zeros((5, 5)), np.zeros(5)
        for sign, (arm, part) in zip((1.0, -1.0), arms, strict=True):
            x, v = q[part], qd[part]
            K[part, part] = arm.mass_matrix(x, method=METHOD)
            J = sign * np.asarray(arm.jacobian(x))[:2]
            K[3:, part], K[part, 3:] = J, -J.T
            right[part] = tau[part] - arm.bias(x, v, method=METHOD)
            right[3:] -= sign * np.asarray(arm.jacobian_derivative(x, v))[:2] @ v
        return np.linalg.solve(K, right)[:3].astype(np.float64)

    def closed(self, crank: float, rate: float) -> tuple[Array, Array]:
        """Return positions and velocities of the joints for an angle of the crank and its rate."""
        phi, psi = angles(crank)
        phi_1, psi_1, _, _ = slopes(crank)
        q = np.array([crank, phi - crank, psi])
        return q, rate * np.array([1.0, phi_1 - 1.0, psi_1])


def angles(theta: float) -> tuple[float, float]:
    """Return the angles of coupler and rocker [rad], the loop open upwards."""
    dx, dy = FRAME - CRANK * np.cos(theta), -CRANK * np.sin(theta)
    span = np.hypot(dx, dy)
    lean = np.arccos((COUPLER**2 + span**2 - ROCKER**2) / (2.0 * COUPLER * span))
    phi = np.arctan2(dy, dx) + lean
    x, y = CRANK * np.cos(theta) + COUPLER * np.cos(phi), CRANK * np.sin(theta)
    return float(phi), float(np.arctan2(y + COUPLER * np.sin(phi), x - FRAME))


def slopes(theta: float) -> tuple[float, float, float, float]:
    """Return the first derivatives of both angles by that of the crank, and the second ones."""
    phi, psi = angles(theta)
    t = np.exp(1j * np.array([theta, phi, psi]))
    bars = np.array([CRANK, COUPLER, -ROCKER]) * t  # they close the loop with the frame
    columns = np.array([[bars[1].real, bars[2].real], [bars[1].imag, bars[2].imag]])
    turned = np.array([[-columns[1, 0], -columns[1, 1]], [columns[0, 0], columns[0, 1]]])
    first = np.linalg.solve(turned, [bars[0].imag, -bars[0].real])
    pulled = bars[0] + bars[1] * first[0] ** 2 + bars[2] * first[1] ** 2
    second = np.linalg.solve(turned, [pulled.real, pulled.imag])
    return float(first[0]), float(first[1]), float(second[0]), float(second[1])


def crank_acceleration(theta: float, rate: float, torque: float) -> float:
    """Return the acceleration of the crank, from the power of all forces: no chain, no Jacobian."""
    phi, psi = angles(theta)
    phi_1, psi_1, phi_2, psi_2 = slopes(theta)
    inertia, centrifugal, weight = 0.0, 0.0, 0.0
    start = CRANK * np.exp(1j * theta)  # where the coupler begins
    for bar, at, angle, first, second, length, mass in (
        (0, 0.0, theta, 1.0, 0.0, CRANK, MASSES[0]),
        (1, start, phi, phi_1, phi_2, COUPLER, MASSES[1]),
        (2, FRAME, psi, psi_1, psi_2, ROCKER, MASSES[2]),
    ):
        arm = 0.5 * length * np.exp(1j * angle)
        moves = bar == 1
        slope = 1j * arm * first + (1j * at if moves else 0.0)
        curve = (1j * second - first**2) * arm - (at if moves else 0.0)
        own = mass * length**2 / 12.0
        inertia += mass * abs(slope) ** 2 + own * first**2
        centrifugal += mass * (slope.conjugate() * curve).real + own * first * second
        weight += mass * GRAVITY * slope.imag
    return float((torque - weight - centrifugal * rate**2) / inertia)


def simulated(
    acceleration: Callable[[Array, Array], Array], q: Array, qd: Array, steps: int, end: float
) -> tuple[Array, Array]:
    """Integrate by Runge-Kutta's method of order four."""
    h = end / steps
    for _ in range(steps):
        a1 = acceleration(q, qd)
        a2 = acceleration(q + 0.5 * h * qd, qd + 0.5 * h * a1)
        a3 = acceleration(q + 0.5 * h * qd + 0.25 * h * h * a1, qd + 0.5 * h * a2)
        a4 = acceleration(q + h * qd + 0.5 * h * h * a2, qd + h * a3)
        q = q + h * qd + h * h / 6.0 * (a1 + a2 + a3)
        qd = qd + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return q, qd


def closed_loop() -> Evidence:
    """Compare accelerations of the crank along a turn, by two chains and by one equation."""
    chains = TwoChains()
    turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    found: list[float] = []
    wanted: list[float] = []
    for k, theta in enumerate(turn):
        rate, torque = 2.0 * np.cos(3.0 * k), 5.0 * np.sin(2.0 * k)
        q, qd = chains.closed(float(theta), float(rate))
        found.append(chains.accelerations(q, qd, np.array([torque, 0.0, 0.0]))[0])
        wanted.append(crank_acceleration(float(theta), float(rate), float(torque)))
    apart = difference(found, wanted)
    return Evidence("accelerations of the crank of a four-bar, by two chains", apart, apart)


def _bar(at: float, length: float, mass: float) -> Joint:
    """Return a slender bar that turns about its end, `at` along the bar before."""
    across = mass * length**2 / 12.0
    return Joint(
        b=at, mass=mass, com=(0.5 * length, 0.0, 0.0), inertia=(0.0, 0.0, 0.0, across, 0.0, across)
    )


def _arm(bars: list[Joint], length: float) -> Arm:
    tool = np.eye(4)
    tool[0, 3] = length
    return Arm(Robot(bars, gravity=(0.0, -GRAVITY, 0.0), tool=tool))
