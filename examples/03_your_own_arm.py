"""Your own arm: two links described in code, kept as a file, and checked."""

import armdyn

upper = armdyn.Joint(mass=2.0, com=(0.2, 0, 0), inertia=(0.01, 0, 0, 0.03, 0, 0.03), viscous=0.1)
fore = armdyn.Joint(b=0.4, mass=1.0, com=(0.15, 0, 0), inertia=(0.005, 0, 0, 0.01, 0, 0.01))
arm = armdyn.Arm(armdyn.Robot([upper, fore], gravity=(0, -9.81, 0), name="two links"))

armdyn.save(arm, "two.toml")
armdyn.save(arm, "two.urdf")
again = armdyn.load("two.urdf")
print("held still, as described and as read:", arm.gravity([0.3, 0.5]), again.gravity([0.3, 0.5]))

try:
    armdyn.Robot([armdyn.Joint(mass=1.0, inertia=(0.01, 0, 0, 0.01, 0, 0.05))])
except armdyn.RobotError as error:
    print("refused:", error)
