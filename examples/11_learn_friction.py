"""Learn friction that a model lacks (PyTorch): gradients flow through its forward dynamics.

The model knows masses and lengths. Torques and accelerations are measured on an arm that also has
friction. A small network learns the torque that is missing, from accelerations alone.
"""

from dataclasses import replace

import numpy as np
import torch

import armdyn

torch.manual_seed(0)
torch.set_num_threads(1)  # enough for a small network
rng = np.random.default_rng(0)
model = armdyn.load("planar2")
joints = [replace(joint, viscous=0.8, coulomb=0.5) for joint in model.robot.joints]
real = armdyn.Arm(replace(model.robot, joints=tuple(joints)))

q, qd, tau = rng.uniform(-2.0, 2.0, (3, 1000, 2))
measured = torch.tensor(real.forward_dynamics(q, qd, tau) + 0.1 * rng.normal(size=q.shape))
q, qd, tau = (torch.tensor(x) for x in (q, qd, tau))

forward_dynamics = model.function("forward_dynamics").torch()
layers = torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2)
residual = torch.nn.Sequential(*layers).double()
optimiser = torch.optim.Adam(residual.parameters(), lr=0.05)

for step in range(301):
    predicted = forward_dynamics(q, qd, tau - residual(qd))
    loss = ((predicted - measured) ** 2).mean()
    if step % 100 == 0:
        print(f"step {step:3}: accelerations are off by {loss.item() ** 0.5:.2f} rad/s2")
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()

speeds = torch.tensor([[-1.5, -1.5], [-0.5, -0.5], [0.5, 0.5], [1.5, 1.5]], dtype=torch.float64)
print("speed [rad/s], friction of joint 1 learned and real [Nm]:")
for speed, learned in zip(speeds.numpy(), residual(speeds).detach().numpy(), strict=True):
    print(f"  {speed[0]:5.1f}  {learned[0]:6.2f}  {real.friction(speed)[0]:6.2f}")
