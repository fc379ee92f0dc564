"""Random trees with followers, and Pinocchio's answers for them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin

from armdyn import Follower, Joint, Robot
from armdyn.arm.pinocchio import depth_first, pinocchio_model
from armdyn.robot.library import random_joint
from armdyn.robot.mechanism import link_parents, link_rows

QUARTERS = (0.0, math.pi / 2, -math.pi / 2, math.pi)


def random_tree(seed: int, followers: bool = False, most: int = 8) -> Robot:
    """A tree of up to `most` links: R and P, parallel axes, right angles, several on the base.

    Its joints have rotors, friction, offsets and limits, its base and gravity any direction.
    """
    rng = np.random.default_rng([seed, followers])
    n = int(rng.integers(2, most + 1))
    links = [_random_link(rng, i) for i in range(n)]
    turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    base = np.eye(4)
    base[:3, :3] = turned * np.linalg.det(turned)
    base[:3, 3] = rng.normal(size=3)
    found: list[Follower] = []
    if followers:
        chosen = set(rng.choice(n, int(rng.integers(1, max(2, n // 2 + 1))), replace=False))
        names = [joint.name for i, joint in enumerate(links) if i not in chosen]
        for i in sorted(chosen):
            count = min(len(names), int(rng.integers(1, 3)))
            leaders = rng.choice(names, size=count, replace=False)
            factors = {str(name): float(rng.choice([1.0, -1.0, 0.5, 2.3])) for name in leaders}
            found.append(Follower(links[i], factors, float(rng.uniform(-1, 1))))
        links = [joint for i, joint in enumerate(links) if i not in chosen]
    gravity = tuple(rng.normal(size=3) * 5)
    return Robot(links, gravity=gravity, base=base, name=f"tree {seed}", followers=found)


def _random_link(rng: np.random.Generator, i: int) -> Joint:
    joint = random_joint(rng, rng.random() < 0.3)
    family = rng.integers(3)
    if family == 1:
        joint = replace(
            joint,
            beta=QUARTERS[rng.integers(4)],
            b=joint.b * (rng.random() < 0.5),
            d=joint.d * (rng.random() < 0.5),
        )
    if family == 2:
        joint = replace(joint, beta=(0.0, math.pi)[rng.integers(2)])
    if rng.random() < 0.5:
        joint = replace(joint, theta=float(rng.uniform(-3, 3)))
    if rng.random() < 0.4:
        joint = replace(joint, rotor_inertia=float(rng.uniform(0.01, 0.5)))
    parent = "base" if i == 0 or rng.random() < 0.2 else f"j{i - 1}"
    if i and rng.random() < 0.5:
        parent = f"j{rng.integers(i)}"
    angle, offset = 0.0, 0.0
    if rng.random() < 0.4:
        angle = float(rng.uniform(-1.5, 1.5)) if rng.random() < 0.7 else QUARTERS[rng.integers(4)]
    if rng.random() < 0.3:
        offset = float(rng.uniform(-0.5, 0.5))
    viscous, coulomb, constant = rng.uniform(0, 1, 3)
    return replace(
        joint, name=f"j{i}", parent=parent, branch_angle=angle, branch_offset=offset,
        viscous=float(viscous), coulomb=float(coulomb), offset=float(constant - 0.5),
    )  # fmt: skip


class TreeAnswers:
    """Pinocchio's answers for a tree: those of all joints, projected with G, and friction."""

    def __init__(self, robot: Robot) -> None:
        self.model, self.n = pinocchio_model(robot), robot.n
        self.data = self.model.createData()
        order = depth_first(link_parents(robot))
        self.links = [robot.links[k - 1] for k in order]
        rows = link_rows(robot)
        self.G = np.zeros((len(order), robot.n))
        self.q0 = np.array([rows[k - 1][1] for k in order])
        for at, k in enumerate(order):
            for coordinate, factor in rows[k - 1][0].items():
                self.G[at, coordinate] = factor
        self.columns = [
            10 * order.index(k) + p for k in range(1, len(order) + 1) for p in range(10)
        ]

    def answers(self, q, qd, qdd, tau) -> dict[str, tuple[tuple, object]]:
        """Inputs and the answer of every quantity but those of frames; of udu the mass matrix."""
        model, data, G = self.model, self.data, self.G
        qt, vt, at = G @ q + self.q0, G @ qd, G @ qdd
        M = np.triu(pin.crba(model, data, qt))
        M = G.T @ (M + np.triu(M, 1).T) @ G
        Minv = np.linalg.inv(M)
        friction = G.T @ np.array([
            x.viscous * v + x.coulomb * np.sign(v) + x.offset
            for x, v in zip(self.links, vt, strict=True)
        ])  # fmt: skip
        damping = G.T @ np.diag([x.viscous for x in self.links]) @ G
        gravity = G.T @ pin.computeGeneralizedGravity(model, data, qt)

        def bias(rates):
            return G.T @ pin.nonLinearEffects(model, data, qt, G @ rates)

        def partials(rates_of_rates):
            pin.computeRNEADerivatives(model, data, qt, vt, G @ rates_of_rates)
            return G.T @ data.dtau_dq @ G, G.T @ data.dtau_dv @ G + damping

        def quadratic(rates):
            return bias(rates) - gravity

        units = np.eye(self.n)
        doubled = [quadratic(qd + e) - quadratic(qd) - quadratic(e) for e in units]
        qddot = Minv @ (tau - bias(qd) - friction)
        by_q, by_qd = partials(qddot)
        Y = pin.computeJointTorqueRegressor(model, data, qt, vt, at)[:, self.columns]
        driven = G.T @ pin.rnea(model, data, qt, vt, at) + friction
        return {
            "mass_matrix": ((q,), M),
            "inverse_mass_matrix": ((q,), Minv),
            "udu": ((q,), M),
            "inverse_dynamics": ((q, qd, qdd), driven),
            "bias": ((q, qd), bias(qd)),
            "gravity": ((q,), gravity),
            "coriolis_matrix": ((q, qd), np.column_stack(doubled) / 2),
            "forward_dynamics": ((q, qd, tau), qddot),
            "inverse_dynamics_derivatives": ((q, qd, qdd), (*partials(qdd), M)),
            "forward_dynamics_derivatives": ((q, qd, tau), (-Minv @ by_q, -Minv @ by_qd, Minv)),
            "regressor": ((q, qd, qdd), G.T @ Y),
            "kinetic_energy": ((q, qd), 0.5 * qd @ M @ qd),
            "potential_energy": ((q,), pin.computePotentialEnergy(model, data, qt)),
            "friction": ((qd,), friction),
        }

    def frame(self, name: str, q, qd) -> dict[str, np.ndarray]:
        """Pose, Jacobian and its derivative of E_i of a joint that is a coordinate."""
        model, data, G = self.model, self.data, self.G
        qt, joint = G @ q + self.q0, model.getJointId(name)
        pin.computeJointJacobiansTimeVariation(model, data, qt, G @ qd)
        axes = pin.LOCAL_WORLD_ALIGNED
        return {
            "pose": data.oMi[joint].homogeneous.copy(),
            "jacobian": pin.getJointJacobian(model, data, joint, axes) @ G,
            "jacobian_derivative": pin.getJointJacobianTimeVariation(model, data, joint, axes) @ G,
        }
