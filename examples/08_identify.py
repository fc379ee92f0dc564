"""Identification: excite a simulated arm, measure with noise, and find its parameters."""

import numpy as np

import armdyn

link = {"mass": 2.0, "com": (0.2, 0.01, 0.0), "inertia": (0.01, 0, 0, 0.04, 0, 0.04)}
drive = {"viscous": 0.5, "coulomb": 0.8, "lower": -2.5, "upper": 2.5, "velocity": 3.0}
geometry = ({}, {"beta": -np.pi / 2}, {"b": 0.4})
joints = [armdyn.Joint(**place, **link, **drive) for place in geometry]
arm = armdyn.Arm(armdyn.Robot(joints, name="bench"))

motion = armdyn.excite(arm, duration=10.0, evaluations=1000, acceleration=15.0, torque=50.0)
track = armdyn.ComputedTorque(100, 20, motion.trajectory)
q0 = motion.sample([0.0])[1][0]
run = armdyn.simulate(arm, q0, until=10.0, torque=track, integrator="rk4", step=5e-3)
log = run.measured(noise_tau=0.1, quantisation=1e-4, jitter=0.05, rate=200.0)
log.save("log.csv")

result = armdyn.identify(arm, "log.csv", holdout=0.3)
print(result.verdict_text)
for name, value, std in zip(result.names[:5], result.values, result.std, strict=False):
    print(f"  {name:9} {value:8.4f} +- {std:.4f}")
result.save("identified")  # report.html, identified.urdf, parameters.csv, ...
