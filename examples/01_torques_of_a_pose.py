"""Torques of a pose: what the drives of a PUMA 560 must give to hold it, and to move it."""

import numpy as np

import armdyn

arm = armdyn.load("puma560")  # or a path: "robot.urdf", "arm.toml"
q = np.radians([0, -45, 90, 0, 30, 0])
qd = np.full(arm.n, 0.5)
qdd = np.zeros(arm.n)

print("to hold it  ", arm.gravity(q).round(3))
print("to move it  ", arm.inverse_dynamics(q, qd, qdd).round(3))
print("its inertia ", np.linalg.eigvalsh(arm.mass_matrix(q)).round(3))

tau = arm.inverse_dynamics(q, qd, qdd)
print(
    "and back: accelerations of these torques are zero to",
    abs(arm.forward_dynamics(q, qd, tau)).max(),
)
