"""Formulations: what each method of the papers costs on this arm, and the code it becomes."""

import armdyn

arm = armdyn.load("puma560")
for quantity in ("mass_matrix", "forward_dynamics"):
    print(quantity)
    for method in armdyn.methods(quantity):
        f = arm.function(quantity, method=method)
        general = armdyn.operation_counts(quantity, method, 6)
        print(f"  {method:20} {f.operations!s:16} six general joints: {general}")

two = armdyn.load("planar2").function("mass_matrix")
print(f"the cheapest for two links, {two.method}:")
print(two.source("python"))
