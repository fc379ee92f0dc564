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
            return _inlined(forward, [q, qd, tau, *constants])

        whole, half = h[0], 0.5 * h[0]
        a1 = a(q, qd)
        v2 = _moved(qd, half, a1)
        a2 = a(_moved(q, half, qd), v2)
        v3 = _moved(qd, half, a2)
        a3 = a(_moved(q, half, v2), v3)
        v4 = _moved(qd, whole, a3)
        a4 = a(_moved(q, whole, v3), v4)
        return (
            _moved(q, whole / 6.0, _weighted(qd, v2, v3, v4)),
            _moved(qd, whole / 6.0, _weighted(a1, a2, a3, a4)),
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
        now = _inlined(forward, [q, qd, tau, *constants])
        q_after, qd_after = list(q), list(qd)
        for b, v, a in zip(ADAMS, [qd, *speeds], [now, *accelerations], strict=True):
            q_after = _moved(q_after, b * h[0], v)
            qd_after = _moved(qd_after, b * h[0], a)
        return q_after, qd_after, now

    past = [f"{name}_{k}" for name in ("qd", "qdd") for k in (1, 2, 3)]
    return _step(step, forward, ["q", "qd", "tau", *past], "ab4")


@lru_cache(maxsize=16)
def midpoint_program(forward: Program, kinetic: Program, gravity: Program) -> Program:
    """Return an improvement of the velocity v between two states of the symplectic midpoint rule.

    With p the momenta, L the Lagrangian and x = q + h v/2,

        M(x) v = p + h/2 (dL/dq(x, v) + tau),      q' = q + h v,      p' = p + h (dL/dq + tau)

    is the implicit midpoint rule in q and p, which is symplectic; in q and qd it would not be, as M
    depends on q. The first equation is solved for v with M and the right-hand side as they are at
    the last v. Inputs q, p, v, tau, h; outputs the new v, and dL/dq + tau.
    """

    def step(q: Row, p: Row, v: Row, tau: Row, h: Row, *constants: Row) -> object:
        half = 0.5 * h[0]
        x = _moved(q, half, v)
        named = dict(zip(_constants(forward), constants, strict=True))
        inputs = [*x, *v, *(c for name in _constants(kinetic) for c in named[name])]
        slope = jacobian_at(kinetic, kinetic.outputs[0].name, ["q"], inputs, "reverse")[0][0]
        g = _inlined(gravity, [x, *(named[name] for name in _constants(gravity))])
        force = [t + s - w for t, s, w in zip(tau, slope, g, strict=True)]
        right = _moved(p, half, force)
        return _over_mass(forward, x, right, g, constants), force

    n = forward.inputs[0].shape
    inputs = [*(Slot(name, n) for name in ("q", "p", "v", "tau")), Slot("h", (1,))]
    outputs = [Slot("v_new", n), Slot("force", n)]
    return trace(step, [*inputs, *_constant_slots(forward)], outputs, "midpoint")


@lru_cache(maxsize=16)
def velocity_program(forward: Program, gravity: Program) -> Program:
    """Return the velocities of momenta: inputs q, p; output qd."""

    def velocity(q: Row, p: Row, *constants: Row) -> Row:
        named = dict(zip(_constants(forward), constants, strict=True))
        g = _inlined(gravity, [q, *(named[name] for name in _constants(gravity))])
        return _over_mass(forward, q, p, g, constants)

    n = forward.inputs[0].shape
    inputs = [Slot("q", n), Slot("p", n), *_constant_slots(forward)]
    return trace(velocity, inputs, [Slot("qd", n)], "velocity")


@lru_cache(maxsize=16)
def kinetic_program(mass_matrix: Program) -> Program:
    """Return half of qd . M qd: inputs q, qd and the constants of the mass matrix."""

    def kinetic(q: Row, qd: Row, *constants: Row) -> Scalar:
        M = _inlined(mass_matrix, [q, *constants])
        n = len(qd)
        twice: Scalar = 0.0
        for i in range(n):
            row: Scalar = M[n * i + i] * qd[i]
            for j in range(i):  # both of the equal entries
                row = row + 2.0 * M[n * i + j] * qd[j]
            twice = twice + row * qd[i]
        return 0.5 * twice

    n = mass_matrix.inputs[0].shape
    inputs = [Slot("q", n), Slot("qd", n), *_constant_slots(mass_matrix)]
    return trace(kinetic, inputs, [Slot("T", ())], "kinetic_energy")


def _over_mass(forward: Program, q: Row, right: Row, gravity: Row, constants: Sequence[Row]) -> Row:
    """Return M^-1 times a vector: the acceleration at rest by forces that also bear the weight."""
    rest = [0.0 for _ in q]
    force = [r + g for r, g in zip(right, gravity, strict=True)]
    return _inlined(forward, [q, rest, force, *constants])


def _step(
    step: Callable[..., object], forward: Program, states: Sequence[str], name: str
) -> Program:
    n = forward.inputs[0].shape
    inputs = [*(Slot(state, n) for state in states), Slot("h", (1,)), *_constant_slots(forward)]
    outputs = [Slot(name, n) for name in ("q_after", "qd_after", "qdd")]
    return trace(step, inputs, outputs, name)


def _constant_slots(program: Program) -> list[Slot]:
    return [slot for slot in program.inputs if slot.name not in ("q", "qd", "tau")]


def _constants(program: Program) -> list[str]:
    return [slot.name for slot in _constant_slots(program)]


def _inlined(program: Program, inputs: Sequence[Row]) -> Row:
    return evaluate(program, [x for row in inputs for x in row], NODES)


def _moved(x: Row, h: Scalar, rate: Row) -> list[Scalar]:
    return [a + h * b for a, b in zip(x, rate, strict=True)]


def _weighted(k1: Row, k2: Row, k3: Row, k4: Row) -> list[Scalar]:
    return [a + 2.0 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
