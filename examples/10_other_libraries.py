"""Other libraries: the same function as symbols, and as a CasADi function for an optimiser."""

import numpy as np
import sympy

import armdyn

arm = armdyn.load("planar2")
f = arm.function("mass_matrix")
M = np.array(f.casadi()([0.3, 0.5]))
print("CasADi and armdyn differ by", abs(M - arm.mass_matrix([0.3, 0.5])).max())

print("gravity of two links, in symbols:")
gravity = arm.function("gravity").sympy()
for torque in gravity(sympy.symbols("q1:3")):
    print(" ", torque)
