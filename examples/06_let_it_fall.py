"""Simulation: an arm falls, and its energy stays; then a controller takes it somewhere."""

import numpy as np

import armdyn

arm = armdyn.load("puma560")
start = np.radians([0, -45, 90, 20, 30, 10])

fall = armdyn.simulate(arm, start, until=3.0, integrator="dop853", rtol=1e-10)
print(f"{fall.evaluations} evaluations; energy changes by {fall.drift:.1e} of its size")
fall.animate("fall.html")
fall.plot("fall.png")

goal = np.radians([30, -90, 60, 0, 45, 0])
run = armdyn.simulate(arm, start, until=3.0, torque=armdyn.ComputedTorque(25, 10, goal))
print("after 3 s it is within", np.degrees(abs(run.q[-1] - goal).max()).round(3), "° of the goal")

# a thousand arms at once, each let go a little elsewhere
many = start + np.random.default_rng(0).normal(0, 0.05, (1000, arm.n))
spread = armdyn.simulate(arm, many, until=0.5, integrator="rk4", step=2e-3, samples=2)
print(
    "joint 2 of 1000 arms after 0.5 s:", spread.q[-1, :, 1].mean(), "+-", spread.q[-1, :, 1].std()
)
