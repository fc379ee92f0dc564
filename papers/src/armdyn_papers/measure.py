"""Trace and count what the papers count: whole methods, and parts that only the papers count.

All counts are on generic arms: their constants are all different and neither zero nor one. Only the
last frame is chosen as it can be for any arm (`algorithms.last_frame`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeAlias

from armdyn.algorithms import gibbs_appell, lin_1991
from armdyn.algorithms.cholesky import cholesky, solve
from armdyn.algorithms.composite import Composite
from armdyn.algorithms.fijany_bejczy import by_way_of
from armdyn.algorithms.frame import Frame, frames
from armdyn.algorithms.lin_fang_1 import formulation_1
from armdyn.algorithms.lin_fang_2 import formulation_2
from armdyn.algorithms.lin_fang_3 import formulation_3
from armdyn.algorithms.lin_fang_4 import formulation_4
from armdyn.algorithms.lin_fang_5 import CompositeBefore, formulation_5
from armdyn.algorithms.minimal_set import minimal_set
from armdyn.algorithms.structure import structure
from armdyn.algorithms.table import QUANTITIES
from armdyn.algorithms.table_vii import AxialComposite, minimal_composites
from armdyn.algorithms.vector import ZERO, ZERO_SYMMETRIC, Matrix, symmetric_full
from armdyn.graph.count import Operations, count
from armdyn.graph.depth import depth
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.programs.counts import generic_chain
from armdyn.programs.tracing import operations, straight
from armdyn.robot.chain import Chain
from armdyn.scalar import Op, Scalar

Numbers: TypeAlias = list[Scalar]

ON_HAND = "mass_matrix, composites on hand"


@cache
def measure(quantity: str, method: str, n: int, type: int = 1) -> Operations:
    """Count the operations of a method on a generic arm; quantities as in `papers.Measure`."""
    chain = generic_chain(n, type)
    return (
        operations(chain, quantity, method)
        if quantity in QUANTITIES
        else PARTS[quantity](method, chain)
    )


@cache
def critical_path(quantity: str, method: str, n: int, type: int = 1) -> int | None:
    """Return the critical path of a method, or of a part that only the papers count.

    None if a part has no program of its own, as what one quantity takes beside another.
    """
    chain = generic_chain(n, type)
    if quantity in QUANTITIES:
        return depth(straight(chain, quantity, method))
    return depth(PROGRAMS[quantity](method, chain)) if quantity in PROGRAMS else None


def _composites(method: str, chain: Chain) -> Program:
    """Moments of the composite bodies from the minimal set; only the inertia D_11 of body 1."""
    assert method == "minimal"

    def run(q: Numbers) -> list[Scalar]:
        F, found = frames(chain, q), structure(chain)
        bodies = minimal_composites(F, found, minimal_set(chain, found))
        return needed_of_composites(F, bodies)

    return trace(run, _state(chain, "q"), [Slot("read", (7 * chain.n - 6,))])


def needed_of_composites(F: Sequence[Frame], bodies: Sequence[AxialComposite]) -> list[Scalar]:
    """Return what the formulations read of composite bodies 1..n; of body 1 only D_11."""
    read: list[Scalar] = [bodies[1].diagonal(F[1].rotational)]
    for i in range(2, len(F)):
        f, t = bodies[i].unit_wrench(F[i].rotational)
        read += [*f, *t, bodies[i].tau]
    return read


def composite_masses(chain: Chain) -> Numbers:
    """Return the masses of composite bodies 1..n: constants."""
    mass: Numbers = []
    for link in reversed(chain.links):
        mass.insert(0, link.m + (mass[0] if mass else 0.0))
    return mass


def _composites_on_hand(method: str, chain: Chain) -> Program:
    """A formulation alone: moments of composite bodies are inputs, rotation elements are free."""
    n, mass = chain.n, composite_masses(chain)

    def run(q: Numbers, *moments: Numbers) -> Any:
        F = frames(chain, q)
        if method == "lin_fang_5":
            return formulation_5(F, bodies_before(mass, *moments))
        return FORMULATIONS[method](F, bodies_of(mass, *moments))

    inputs = [*_state(chain, "q"), Slot("c", (n, 3)), Slot("J", (n, 6))]
    return trace(run, inputs, [Slot("D", (n, n))])


def elements_of_rotations(program: Program, chain: Chain) -> int:
    """Count the products Sb S, Sb C, Cb S, Cb C: elements of the R_i, given in the papers."""
    code = program.code

    def is_element(constant: int, function: int) -> bool:
        if code[constant].op is not Op.CONST or code[function].op not in (Op.SIN, Op.COS):
            return False
        (angle,) = code[function].args
        joint = chain[1 + int(code[angle].value)]
        return code[constant].value in (abs(joint.Cb), abs(joint.Sb))

    return sum(step.op is Op.MUL and is_element(*step.args) for step in code)


def _both(method: str, chain: Chain) -> Program:
    """The mass matrix and the bias of one method together; common subexpressions count once."""
    M, b = (QUANTITIES[quantity].methods[method].run for quantity in ("mass_matrix", "bias"))
    n = chain.n

    def run(q: Numbers, qd: Numbers) -> Any:
        return M(chain, q), b(chain, q, qd)

    outputs = [Slot("M", (n, n)), Slot("b", (n,))]
    return trace(run, _state(chain, "q", "qd"), outputs)


def _bias_beside(method: str, chain: Chain) -> Operations:
    """The additional cost of the bias after the mass matrix of the same method."""
    return _beyond(count(_both(method, chain)), operations(chain, "mass_matrix", method))


def _factorisation(method: str, chain: Chain) -> Program:
    """The factor L of a given matrix."""
    assert method == "cholesky"
    n = chain.n
    entries = n * (n + 1) // 2

    def run(X: Numbers) -> Any:
        return cholesky(_symmetric(X, n))

    return trace(run, [Slot("X", (entries,))], [Slot("L", (entries,))])


def _substitution(method: str, chain: Chain) -> Operations:
    """The additional cost of solving after the factor L."""
    n = chain.n

    def run(X: Numbers, y: Numbers) -> Any:
        return solve(_symmetric(X, n), y)

    inputs = [Slot("X", (n * (n + 1) // 2,)), Slot("y", (n,))]
    factors = count(_factorisation(method, chain))
    return _beyond(count(trace(run, inputs, [Slot("x", (n,))])), factors)


def _forward_from_parts(methods: str, chain: Chain) -> Program:
    """Forward dynamics from separate methods for the mass matrix, the bias and the solution."""
    of_matrix, of_bias, of_system = methods.split(", ")
    assert of_system == "cholesky"
    M, b = QUANTITIES["mass_matrix"].methods[of_matrix].run, QUANTITIES["bias"].methods[of_bias].run

    def run(q: Numbers, qd: Numbers, tau: Numbers) -> Any:
        rest = [t - bi for t, bi in zip(tau, b(chain, q, qd), strict=True)]
        return solve(M(chain, q), rest)

    return trace(run, _state(chain, "q", "qd", "tau"), [Slot("qdd", (chain.n,))])


def _in_one_frame(which: str, chain: Chain) -> Program:
    """The algorithm of Fijany and Bejczy by way of another frame than E_2."""

    def run(q: Numbers) -> Any:
        return by_way_of(chain, q, _joint(which, chain.n))

    return trace(run, _state(chain, "q"), [Slot("M", (chain.n, chain.n))])


def _about_another_origin(which: str, chain: Chain) -> Program:
    """The method of [Lin1991] about the origin of another joint than the first."""

    def run(q: Numbers) -> Any:
        return lin_1991.mass_matrix(chain, q, origin=_joint(which, chain.n))

    return trace(run, _state(chain, "q"), [Slot("M", (chain.n, chain.n))])


def _joint(which: str, n: int) -> int:
    """Return the number of a joint; arms of fewer joints have their last one instead."""
    return min({"second": 2, "third": 3, "next to last": n - 1, "last": n}[which], n)


def _gravity_in_forces(method: str, chain: Chain) -> Program:
    """The recursion of [Mata2002] with gravity in the force of every link."""
    assert method == "gibbs_appell"

    def run(q: Numbers, qd: Numbers, qdd: Numbers) -> Any:
        return gibbs_appell.inverse_dynamics(chain, q, qd, qdd, in_forces=True)

    return trace(run, _state(chain, "q", "qd", "qdd"), [Slot("tau", (chain.n,))])


def _beyond(all: Operations, part: Operations) -> Operations:
    """Return all - part."""
    return Operations(
        all.mul - part.mul,
        all.add - part.add,
        all.div - part.div,
        all.sqrt - part.sqrt,
        all.trig - part.trig,
    )


def _symmetric(lower: Numbers, n: int) -> Matrix:
    """Return the symmetric matrix of a lower triangle given row by row."""
    return symmetric_full([lower[i * (i + 1) // 2 :][: i + 1] for i in range(n)])


def _state(chain: Chain, *names: str) -> list[Slot]:
    return [Slot(name, (chain.n,)) for name in names]


def bodies_of(mass: Numbers, c: Numbers, J: Numbers) -> list[Composite]:
    """Return composite bodies 1..n with given moments; entry 0 is empty."""
    bodies = [Composite(0.0, ZERO, ZERO_SYMMETRIC)]
    for i, m in enumerate(mass):
        x, y, z = c[3 * i : 3 * i + 3]
        xx, xy, xz, yy, yz, zz = J[6 * i : 6 * i + 6]
        bodies.append(Composite(m, (x, y, z), (xx, xy, xz, yy, yz, zz)))
    return bodies


def bodies_before(mass: Numbers, h: Numbers, J: Numbers) -> list[CompositeBefore]:
    """Return the same for Formulation 5: its first moments h_i are about the previous joint."""
    return [CompositeBefore(body.m, body.c, body.J3) for body in bodies_of(mass, h, J)]


FORMULATIONS: dict[str, Callable[[Sequence[Frame], Sequence[Composite]], Matrix]] = {
    "lin_fang_1": formulation_1,
    "lin_fang_2": formulation_2,
    "lin_fang_3": formulation_3,
    "lin_fang_4": formulation_4,
}

# Programs of parts that only the papers count.
PROGRAMS: dict[str, Callable[[str, Chain], Program]] = {
    "composites": _composites,
    ON_HAND: _composites_on_hand,
    "mass_matrix and bias": _both,
    "factorisation": _factorisation,
    "forward_dynamics from parts": _forward_from_parts,
    "mass_matrix in one frame": _in_one_frame,
    "mass_matrix about another origin": _about_another_origin,
    "inverse_dynamics, gravity in forces": _gravity_in_forces,
}


def _counted(part: str, method: str, chain: Chain) -> Operations:
    """Count the program of a part; if composites are on hand, so are elements of rotations."""
    program = PROGRAMS[part](method, chain)
    free = elements_of_rotations(program, chain) if part == ON_HAND else 0
    return _beyond(count(program), Operations(mul=free))


# Counts of the parts that only the papers count, by the names of `papers.Measure`.
PARTS: dict[str, Callable[[str, Chain], Operations]] = {
    **{part: partial(_counted, part) for part in PROGRAMS},
    "bias beside mass_matrix": _bias_beside,
    "substitution": _substitution,
}
