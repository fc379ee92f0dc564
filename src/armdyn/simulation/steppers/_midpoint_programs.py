"""The parts of a step of the implicit midpoint rule, as programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from armdyn.graph import Program, Slot, jacobian_at, trace
from armdyn.simulation._inline import Row, constant_names, constant_slots, inlined
from armdyn.simulation._mass_matrix_programs import solved
from armdyn.simulation.steppers._tableau import Tableau


@lru_cache(maxsize=16)
def midpoint_program(
    tableau: Tableau,
    forward: Program,
    kinetic: Program,
    gravity: Program,
    mass_matrix: Program | None = None,
) -> Program:
    """Return one iteration for the velocity v in the middle of a step.

    With p the momenta, L the Lagrangian and x = q + h v/2,

        M(x) v = p + h/2 (dL/dq(x, v) + tau),      q' = q + h v,      p' = p + h (dL/dq + tau)

    is the implicit midpoint rule in q and p, which is symplectic. In q and qd it would not be
    symplectic, as M depends on q. The first equation is solved for v, with M and the right-hand
    side at the previous v. Inputs are q, p, v, tau, h; outputs are the new v, and dL/dq + tau.

    If the mass matrix is given, joints may be held: the input `free` follows tau, and the
    equations are those of the free joints.
    """
    (stage,) = tableau.stages

    def step(q: Row, p: Row, v: Row, tau: Row, *given: Row) -> object:
        free, (h, *constants) = (given[0], given[1:]) if mass_matrix else (None, given)
        x = stage.advance_each(q, h[0], [v])
        named = dict(zip(constant_names(forward), constants, strict=True))
        inputs = [*x, *v, *(c for name in constant_names(kinetic) for c in named[name])]
        slope = jacobian_at(kinetic, kinetic.outputs[0].name, ["q"], inputs, "reverse")[0][0]
        g = inlined(gravity, [x, *(named[name] for name in constant_names(gravity))])
        force = [t + s - w for t, s, w in zip(tau, slope, g, strict=True)]
        right = stage.advance_each(p, h[0], [force])
        if mass_matrix and free:
            M = inlined(mass_matrix, [x, *(named[name] for name in constant_names(mass_matrix))])
            return solved(M, right, free), force
        return _over_mass(forward, x, right, g, constants), force

    n = forward.inputs[0].shape
    states = ["q", "p", "v", "tau", *(["free"] if mass_matrix else [])]
    inputs = [*(Slot(name, n) for name in states), Slot("h", (1,))]
    outputs = [Slot("v_new", n), Slot("force", n)]
    return trace(step, [*inputs, *constant_slots(forward)], outputs, "midpoint")


@lru_cache(maxsize=16)
def velocity_program(forward: Program, gravity: Program) -> Program:
    """Return the program from momenta to velocities: inputs q, p; output qd."""

    def velocity(q: Row, p: Row, *constants: Row) -> Row:
        named = dict(zip(constant_names(forward), constants, strict=True))
        g = inlined(gravity, [q, *(named[name] for name in constant_names(gravity))])
        return _over_mass(forward, q, p, g, constants)

    n = forward.inputs[0].shape
    inputs = [Slot("q", n), Slot("p", n), *constant_slots(forward)]
    return trace(velocity, inputs, [Slot("qd", n)], "velocity")


def _over_mass(forward: Program, q: Row, right: Row, gravity: Row, constants: Sequence[Row]) -> Row:
    """Return M^-1 times a vector: the acceleration at rest, with gravity compensated."""
    rest = [0.0 for _ in q]
    force = [r + g for r, g in zip(right, gravity, strict=True)]
    return inlined(forward, [q, rest, force, *constants])
