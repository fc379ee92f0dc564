"""Formulations: what each method of the papers costs on this arm, and the code it becomes."""

import armdyn

arm = armdyn.load("puma560")
for kind in ("mass_matrix", "forward_dynamics"):
    print(kind)
    for method in armdyn.methods(kind):
        f = arm.function(kind, method=method)
        general = armdyn.operation_counts(kind, method, 6)
        print(f"  {method:20} {f.operations!s:16} six general joints: {general}")

two = armdyn.load("planar2").function("mass_matrix")
print(f"the cheapest for two links, {two.method}:")
print(two.source("python"))
