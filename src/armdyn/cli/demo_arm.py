"""The test arm: a simulated PUMA whose parameters are not known exactly, and its measurements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.identification.exciting.motion import ExcitingMotion
from armdyn.log.log import Log
from armdyn.simulation.controllers import ComputedTorque
from armdyn.simulation.run import Run
from armdyn.simulation.simulate import simulate

# Friction of the joints [N m s, N m], of a size typical for PUMAs.
VISCOUS = (4.5, 3.5, 2.0, 0.3, 0.4, 0.3)
COULOMB = (5.0, 6.0, 3.5, 0.8, 1.0, 0.7)

# Errors of the description: factors on masses and inertias of the links, and on rotor inertias.
WRONG, WRONG_ROTORS = (1.25, 0.8, 1.3, 0.7, 1.2, 0.75), 1.2

# Measurements: samples per second, jitter of the clock, noise and resolution.
RATE = 200.0
JITTER = 0.05
NOISE = (1.0, 1.0, 0.5, 0.1, 0.1, 0.1)
ENCODER = 2 * np.pi / 65536

# The controller's stiffness and damping [1/s^2, 1/s]; it uses the wrong description.
STIFFNESS, DAMPING = 100.0, 20.0


def arm_on_the_bench(arm: Arm) -> Arm:
    """Return the arm with friction: the true arm, which only the simulation uses."""
    joints = [
        replace(joint, viscous=v, coulomb=c)
        for joint, v, c in zip(arm.robot.joints, VISCOUS, COULOMB, strict=True)
    ]
    return Arm(replace(arm.robot, joints=tuple(joints)))


def rough_description(arm: Arm) -> Arm:
    """Return the arm with wrong masses, inertias and rotors, and without friction."""
    joints = [
        replace(
            joint,
            mass=joint.mass * x,
            inertia=tuple(x * entry for entry in joint.inertia),
            rotor_inertia=joint.rotor_inertia * WRONG_ROTORS,
        )
        for joint, x in zip(arm.robot.joints, WRONG, strict=True)
    ]
    return Arm(replace(arm.robot, joints=tuple(joints)))


def record(truth: Arm, described: Arm, motion: ExcitingMotion, seed: int) -> tuple[Run, Log]:
    """Let the arm follow a motion; return the run, and its measurements."""
    controller = ComputedTorque(STIFFNESS, DAMPING, motion.trajectory, model=described)
    start = motion.sample([0.0])[1][0]
    run = simulate(
        truth, start, until=motion.duration, torque=controller, integrator="rk4", step=1 / RATE
    )
    return run, run.measured(
        noise_tau=NOISE, quantisation=ENCODER, jitter=JITTER, rate=RATE, seed=seed
    )
