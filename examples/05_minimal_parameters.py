"""Minimal parameters: the combinations of masses and inertias that torques can tell."""

import numpy as np

import armdyn

arm = armdyn.load("puma560")
base = arm.minimal
print(f"{len(arm.parameters)} parameters of links, {len(base.names)} minimal ones")
print(base.expression(base.names[1]))
print("not to be known, however the arm moves:", base.invisible[0])

rng = np.random.default_rng(0)
q, qd, qdd = rng.uniform(-1, 1, (3, 100, arm.n))
torques = base.regressor(q, qd, qdd) @ base.values
rotors = qdd * [joint.rotor_inertia for joint in arm.robot.joints]
error = abs(torques + rotors - arm.inverse_dynamics(q, qd, qdd)).max()
print(f"they give the torques of the arm to {error:.1e} N m")
