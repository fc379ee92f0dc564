"""Motion: inverse kinematics for a pose, a straight line to another, and its torques."""

import numpy as np

import armdyn
from armdyn.motion.straight_line import StraightLine

arm = armdyn.load("puma560")
start = np.radians([10, -60, 180, 0, 45, 0])
goal = arm.pose(start)
goal[:3, 3] += (-0.05, 0.15, 0.1)

q = arm.inverse_kinematics(goal, start=start)
print("reached to", abs(arm.pose(q) - goal).max())

line = StraightLine(arm, start, goal, speed=0.3, acceleration=2.0)
t, q, qd, qdd = line.sample(100.0)
tip = arm.pose(q)[:, :3, 3]
off = np.cross(tip - tip[0], (tip[-1] - tip[0]) / np.linalg.norm(tip[-1] - tip[0]))
print(
    f"{line.duration:.2f} s; the tip leaves the line by {np.linalg.norm(off, axis=1).max():.1e} m"
)
print("largest torques", abs(arm.inverse_dynamics(q, qd, qdd)).max(axis=0).round(2))
