"""Steps of integration as programs: the dynamics several times in one, compiled as a whole.

Between the stages nothing is written to memory, and no loop over states begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from armdyn.graph import ARITHMETIC, Program, Slot, evaluate, jacobian_at, trace
from armdyn.scalar import Op, Scalar, cos, sign, sin, sqrt

NODES = {**ARITHMETIC, Op.SIN: sin, Op.COS: cos, Op.SQRT: sqrt, Op.SIGN: sign}

# b_k of the explicit Adams-Bashforth method of order four, of the newest acceleration first.
ADAMS = (55.0 / 24.0, -59.0 / 24.0, 37.0 / 24.0, -9.0 / 24.0)

Row = Sequence[Scalar]


@lru_cache(maxsize=16)
def rk4_program(forward: Program) -> Program:
    """Return a step of the classical Runge-Kutta method under constant torques.

    Inputs q, qd, tau, h; outputs are q and qd after the step, and qdd before it.
    """

    def step(q: Row, qd: Row, tau: Row, h: Row, *constants: Row) -> object:
        def a(q: Row, qd: Row) -> Row:
            return inlined(forward, [q, qd, tau, *constants])

        whole, half = h[0], 0.5 * h[0]
        a1 = a(q, qd)
        v2 = moved(qd, half, a1)
        a2 = a(moved(q, half, qd), v2)
        v3 = moved(qd, half, a2)
        a3 = a(moved(q, half, v2), v3)
        v4 = moved(qd, whole, a3)
        a4 = a(moved(q, whole, v3), v4)
        return (
            moved(q, whole / 6.0, weighted(qd, v2, v3, v4)),
            moved(qd, whole / 6.0, weighted(a1, a2, a3, a4)),
            a1,
        )

    return _step(step, forward, ["q", "qd", "tau"], "rk4")


@lru_cache(maxsize=16)
def ab4_program(forward: Program) -> Program:
    """Return a step of the Adams-Bashforth method of order four.

    Inputs q, qd, tau, three rows of qd and three of qdd, of the steps before and the newest first,
    and h; outputs as for `rk4_program`.
    """

    def step(q: Row, qd: Row, tau: Row, *given: Row) -> object:
        speeds, accelerations, (h, *constants) = given[:3], given[3:6], given[6:]
        now = inlined(forward, [q, qd, tau, *constants])
        q_after, qd_after = list(q), list(qd)
        for b, v, a in zip(ADAMS, [qd, *speeds], [now, *accelerations], strict=True):
            q_after = moved(q_after, b * h[0], v)
            qd_after = moved(qd_after, b * h[0], a)
        return q_after, qd_after, now

    past = [f"{name}_{k}" for name in ("qd", "qdd") for k in (1, 2, 3)]
    return _step(step, forward, ["q", "qd", "tau", *past], "ab4")


@lru_cache(maxsize=16)
def midpoint_program(
    forward: Program, kinetic: Program, gravity: Program, mass_matrix: Program | None = None
) -> Program:
    """Return an improvement of the velocity v between two states of the symplectic midpoint rule.

    With p the momenta, L the Lagrangian and x = q + h v/2,

        M(x) v = p + h/2 (dL/dq(x, v) + tau),      q' = q + h v,      p' = p + h (dL/dq + tau)

    is the implicit midpoint rule in q and p, which is symplectic; in q and qd it would not be, as M
    depends on q. The first equation is solved for v with M and the right-hand side as they are at
    the last v. Inputs q, p, v, tau, h; outputs the new v, and dL/dq + tau.

    If the mass matrix is given, joints may be held: there is an input `free` behind tau, and the
    equations are those of the free joints.
    """

    def step(q: Row, p: Row, v: Row, tau: Row, *given: Row) -> object:
        free, (h, *constants) = (given[0], given[1:]) if mass_matrix else (None, given)
        half = 0.5 * h[0]
        x = moved(q, half, v)
        named = dict(zip(constant_names(forward), constants, strict=True))
        inputs = [*x, *v, *(c for name in constant_names(kinetic) for c in named[name])]
        slope = jacobian_at(kinetic, kinetic.outputs[0].name, ["q"], inputs, "reverse")[0][0]
        g = inlined(gravity, [x, *(named[name] for name in constant_names(gravity))])
        force = [t + s - w for t, s, w in zip(tau, slope, g, strict=True)]
        right = moved(p, half, force)
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
    """Return the velocities of momenta: inputs q, p; output qd."""

    def velocity(q: Row, p: Row, *constants: Row) -> Row:
        named = dict(zip(constant_names(forward), constants, strict=True))
        g = inlined(gravity, [q, *(named[name] for name in constant_names(gravity))])
        return _over_mass(forward, q, p, g, constants)

    n = forward.inputs[0].shape
    inputs = [Slot("q", n), Slot("p", n), *constant_slots(forward)]
    return trace(velocity, inputs, [Slot("qd", n)], "velocity")


@lru_cache(maxsize=16)
def held_velocity_program(mass_matrix: Program) -> Program:
    """Return the velocities of the momenta of the free joints: inputs q, p, free; output qd."""

    def velocity(q: Row, p: Row, free: Row, *constants: Row) -> Row:
        return solved(inlined(mass_matrix, [q, *constants]), p, free)

    n = mass_matrix.inputs[0].shape
    inputs = [*(Slot(name, n) for name in ("q", "p", "free")), *constant_slots(mass_matrix)]
    return trace(velocity, inputs, [Slot("qd", n)], "held_velocity")


@lru_cache(maxsize=16)
def kinetic_program(mass_matrix: Program) -> Program:
    """Return half of qd . M qd: inputs q, qd and the constants of the mass matrix."""

    def kinetic(q: Row, qd: Row, *constants: Row) -> Scalar:
        M = inlined(mass_matrix, [q, *constants])
        n = len(qd)
        twice: Scalar = 0.0
        for i in range(n):
            row: Scalar = M[n * i + i] * qd[i]
            for j in range(i):  # both of the equal entries
                row = row + 2.0 * M[n * i + j] * qd[j]
            twice = twice + row * qd[i]
        return 0.5 * twice

    n = mass_matrix.inputs[0].shape
    inputs = [Slot("q", n), Slot("qd", n), *constant_slots(mass_matrix)]
    return trace(kinetic, inputs, [Slot("T", ())], "kinetic_energy")


def solved(M: Row, right: Row, free: Row) -> list[Scalar]:
    """Solve M x = right for the joints that are free (1); x of those that are held (0) is zero.

    The rows and columns of held joints are those of the unit matrix, so that nothing branches.
    """
    n = len(right)
    lower: list[list[Scalar]] = []
    diagonal: list[Scalar] = []
    x: list[Scalar] = []
    for i in range(n):
        row: list[Scalar] = []  # of L D, until it is divided by D
        for j in range(i):
            entry: Scalar = free[i] * free[j] * M[n * i + j]
            for k in range(j):
                entry = entry - row[k] * lower[j][k]
            row.append(entry)
        pivot: Scalar = free[i] * M[n * i + i] + (1.0 - free[i])
        known: Scalar = free[i] * right[i]
        lower.append([])
        for j in range(i):
            lower[i].append(row[j] / diagonal[j])
            pivot = pivot - row[j] * lower[i][j]
            known = known - lower[i][j] * x[j]
        diagonal.append(pivot)
        x.append(known)
    x = [a / d for a, d in zip(x, diagonal, strict=True)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - lower[k][i] * x[k]
    return x


def _over_mass(forward: Program, q: Row, right: Row, gravity: Row, constants: Sequence[Row]) -> Row:
    """Return M^-1 times a vector: the acceleration at rest by forces that also bear the weight."""
    rest = [0.0 for _ in q]
    force = [r + g for r, g in zip(right, gravity, strict=True)]
    return inlined(forward, [q, rest, force, *constants])


def _step(
    step: Callable[..., object], forward: Program, states: Sequence[str], name: str
) -> Program:
    n = forward.inputs[0].shape
    inputs = [*(Slot(state, n) for state in states), Slot("h", (1,)), *constant_slots(forward)]
    outputs = [Slot(name, n) for name in ("q_after", "qd_after", "qdd")]
    return trace(step, inputs, outputs, name)


def constant_slots(program: Program) -> list[Slot]:
    """Return the inputs of a kind that are no states."""
    return [slot for slot in program.inputs if slot.name not in ("q", "qd", "tau")]


def constant_names(program: Program) -> list[str]:
    """Return the names of `constant_slots`."""
    return [slot.name for slot in constant_slots(program)]


def inlined(program: Program, inputs: Sequence[Row]) -> Row:
    """Return the results of a program as part of another."""
    return evaluate(program, [x for row in inputs for x in row], NODES)


def moved(x: Row, h: Scalar, rate: Row) -> list[Scalar]:
    """Return x + h rate."""
    return [a + h * b for a, b in zip(x, rate, strict=True)]


def weighted(k1: Row, k2: Row, k3: Row, k4: Row) -> list[Scalar]:
    """Return six times the mean of the stages of the classical Runge-Kutta method."""
    return [a + 2.0 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
