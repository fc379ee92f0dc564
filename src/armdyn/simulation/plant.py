"""`Plant`: the simulated arm, or many arms with different parameters."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.load_friction import ROUNDED
from armdyn.arm.arm import Arm
from armdyn.arm.function import Function
from armdyn.arrays import Array
from armdyn.graph.interpret import ARRAYS, evaluate, interpret
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled
from armdyn.programs.arguments import AUTO
from armdyn.programs.evaluate import Evaluator
from armdyn.programs.key import ProgramKey
from armdyn.programs.parametric import parametric
from armdyn.programs.parametric import values as parameter_values
from armdyn.robot.chain import Chain, chain_of
from armdyn.simulation.programs import FrictionLaw, friction_programs, held_program, kinetic_program
from armdyn.simulation.tree_friction import friction_links

Truths = NDArray[np.bool_]
Numbers = NDArray[np.intp]

FORWARD = "forward_dynamics"
FRICTION = "friction"
ROLLED = "rolled"
HELD = "held"

# Solutions for the signs of transmitted torques, of arms that are too long for a program.
MOST_ROUNDS = 50

# For a longer arm with held joints, mass matrix and bias are separate programs.
LONGEST_HELD = 4000


class Plant:
    """Accelerations of arms under forces, row by row.

    States are arrays ``(B, n)``. Dry friction is not a function of the state: at rest it holds the
    joint. So the caller passes the directions in which the joints slide.

    Attributes:
        arm: the simulated arm.
        n: number of joints.
        friction: coefficients of friction ``(terms, n)``; zero if friction is left out.
        constants: for different arms, the constants of their links by the names of the inputs.
    """

    def __init__(
        self, arm: Arm, method: str, *, friction: bool, inside: bool, parameters: Array | None
    ) -> None:
        """Compile the dynamics.

        Args:
            arm: the simulated arm.
            method: of forward dynamics.
            friction: whether joints have friction.
            inside: whether friction is part of the compiled code; with dry friction it never is.
            parameters: link parameters ``(B, 10n)`` of different arms.
        """
        self.arm = arm
        self.n = arm.n
        chain = chain_of(arm.robot)
        joints = friction_links(arm.robot, chain)
        self.law = FrictionLaw.of(joints)
        self._constants: Array = np.array(self.law.constants(joints), dtype=np.float64)
        self.friction: Array = self._constants[: len(self.law.names)]
        self.friction *= friction
        self._smooth, self._sliding, self._share = friction_programs(self.law)
        self._method = method
        self._inside = inside and not self.dry
        self.constants: dict[str, Array] = {}
        if parameters is not None:
            given = parameter_values(chain)
            values = {name: np.array(x, dtype=np.float64) for name, x in given.items()}
            links = len(chain.link_numbers)
            values["p"] = parameters.reshape(-1, links, 10)
            values[FRICTION] = self.friction.T * self._inside
            if arm.robot.followers:  # whose friction has rows of its own
                used = friction and self._inside
                values[FRICTION] = np.reshape(given[FRICTION], (links, -1)) * used
            self.constants = values
        self._programs: dict[str, Program | Rolled] = {}
        self._kernels: dict[str, Any] = {}
        self.kernel(FORWARD)  # before any work, refuses an arm that cannot be simulated

    @property
    def dry(self) -> bool:
        """Whether any joint has dry friction."""
        return bool(self.dry_joints.any())

    @property
    def dry_joints(self) -> Truths:
        """Which joints have dry friction ``(n,)``."""
        return np.any(self.friction[[term.dry for term in self.law.terms]] != 0.0, axis=0)

    @property
    def bears_load(self) -> bool:
        """Whether friction depends on the torques that gears transmit."""
        return bool(self.friction[[term.load for term in self.law.terms]].any())

    @property
    def pushes(self) -> bool:
        """Whether friction can add energy: by a constant torque, or by a negative coefficient."""
        constant = self.friction[[not term.drags for term in self.law.terms]]
        return bool(constant.any() or (self.friction < 0.0).any())

    def part(self, rows: slice | Numbers) -> Plant:
        """Return the plant of some of the arms."""
        if not self.constants:
            return self
        result = copy.copy(self)
        result.constants = {**self.constants, "p": self.constants["p"][rows]}
        return result

    def program(self, quantity: str) -> Program | Rolled:
        """Return the traced program of a quantity; with friction if that is compiled in."""
        if quantity not in self._programs:
            if self.constants:
                chosen = self._function(quantity).method
                self._programs[quantity] = _parametric(chain_of(self.arm.robot), quantity, chosen)
            else:
                self._programs[quantity] = self._function(quantity).program
        return self._programs[quantity]

    def kernel(self, quantity: str) -> Any:
        """Return a quantity as a function of arrays ``(B, n)``; compiled unless it is too long."""
        if quantity not in self._kernels:
            kernel = None if self.constants else self._function(quantity).kernel
            if kernel is None:
                program = self.program(quantity)
                assert isinstance(program, Program), "sweeps are always compiled"
                kernel = compiled(program)
            self._kernels[quantity] = kernel
        return self._kernels[quantity]

    def _function(self, quantity: str) -> Function:
        inside = self._inside and bool(self.friction.any())
        method = self._method if quantity == FORWARD else AUTO
        return self.arm.function(quantity, method, friction=inside)

    def constants_of(self, program: Program | Rolled) -> list[Array]:
        """Return the constants that a program takes after the states."""
        names = [slot.name for slot in program.inputs]
        return [value for name, value in self.constants.items() if name in names]

    def of(self, quantity: str, *states: Array) -> Any:
        """Evaluate a quantity; the caller checks for non-finite results."""
        with np.errstate(all="ignore"):
            return self.kernel(quantity)(*states, *self.constants_of(self.program(quantity)))

    def accelerations(self, q: Array, qd: Array, force: Array, slide: Array | None) -> Array:
        """Return qdd of joints that are all free.

        Args:
            q: positions.
            qd: velocities.
            force: torques without friction.
            slide: direction in which each joint slides, -1 or 1; None without dry friction.
        """
        if not self._inside:
            force = force - self.smooth(qd)
        if slide is not None:
            force = force - self.sliding(qd, slide)
        return self.of(FORWARD, q, qd, force)

    def smooth(self, qd: Array) -> Array:
        """Return the friction of joints, except dry friction."""
        return evaluate(self._smooth, [qd, *self._constants], ARRAYS)[0]

    def sliding(self, qd: Array, slide: Array) -> Array:
        """Return the dry friction of joints that slide in given directions: -1, 0 or 1.

        Without that of the load, for which see `share`.
        """
        return evaluate(self._sliding, [qd, slide, *self._constants], ARRAYS)[0]

    def share(self, qd: Array, slide: Array) -> Array:
        """Return the friction of sliding joints per transmitted torque."""
        return evaluate(self._share, [qd, slide, *self._constants], ARRAYS)[0]

    def of_load(self, q: Array, qd: Array, force: Array, slide: Array, held: Truths) -> Array:
        """Return the friction of the load; arguments as in `held`."""
        qdd, _ = self.held(q, qd, force, slide, held)
        share, rotors = self.share(qd, slide), self._constants[-1]
        # L + share |L|, which has the sign of L
        above = force - self.smooth(qd) - self.sliding(qd, slide) - rotors * qdd
        return share * np.abs(above) / (1.0 + share * np.sign(above))

    def held(
        self, q: Array, qd: Array, force: Array, slide: Array, held: Truths
    ) -> tuple[Array, Array]:
        """Return qdd with some joints held at rest, and the torques on the holds.

        Args:
            q: positions.
            qd: velocities, zero where held.
            force: torques without friction.
            slide: direction in which the free joints slide.
            held: which joints are held.
        """
        if HELD not in self._programs and (parts := self.dynamics()):
            # cached under its name: looking it up by its parts takes longer than running it
            self._programs[HELD] = held_program(*parts, self.law)
            self._kernels[HELD] = compiled(self._programs[HELD])
        if HELD in self._programs:
            return self.of(HELD, q, qd, *self.acting(force, slide, held))
        M = self.of("mass_matrix", q)
        bias = self.of("bias", q, qd)
        left = force - bias - self.smooth(qd)
        if self.bears_load:
            s = force - self.smooth(qd) - self.sliding(qd, slide)
            qdd = self._under_load(M, bias, s, self.share(qd, slide), held)
        else:
            qdd = _solved(M, left - self.sliding(qd, slide), held)
        return qdd, left - (M @ qdd[..., None])[..., 0]

    def _under_load(self, M: Array, bias: Array, s: Array, share: Array, held: Truths) -> Array:
        """Return qdd where friction depends on the load; see `armdyn.algorithms.load_friction`."""
        rotors, signs, qdd = self._constants[-1], np.sign(s), s
        wrong = np.ones((len(s), 1), bool)
        for _ in range(MOST_ROUNDS):
            d = 1.0 + share * signs
            eased = M + (rotors / d - rotors)[..., None] * np.eye(self.n)
            qdd = _solved(eased, s / d - bias, held)
            above = s - rotors * qdd
            slack = ROUNDED * (np.abs(s) + np.abs(rotors * qdd))
            wrong = (signs * above < -slack).any(axis=-1, keepdims=True)
            if not wrong.any():
                return qdd
            signs = np.sign(above)
        return np.where(wrong, np.nan, qdd)

    def dynamics(self) -> tuple[Program, Program] | None:
        """Return mass matrix and bias as programs that others can inline; None if too long."""
        M, bias = self.program("mass_matrix"), self.program("bias")
        if not isinstance(M, Program) or not isinstance(bias, Program):
            return None
        return (M, bias) if len(M.code) + len(bias.code) <= LONGEST_HELD else None

    def acting(self, force: Array, slide: Array, held: Truths) -> tuple[Array, ...]:
        """Return the inputs of programs with holds that act on joints, in addition to gravity."""
        return (force, slide, (~held).astype(float), *self._constants)

    def stopped(self, q: Array, qd: Array, held: Truths) -> Array:
        """Return the velocities after some joints stop instantly, without a rebound."""
        return _solved(self.of("mass_matrix", q), self.momenta(q, qd), held)

    def momenta(self, q: Array, qd: Array) -> Array:
        """Return M qd."""
        return (self.of("mass_matrix", q) @ qd[..., None])[..., 0]

    def energy(self, q: Array, qd: Array) -> Array:
        """Return kinetic and potential energy ``(B,)``."""
        return self.of("kinetic_energy", q, qd) + self.of("potential_energy", q)


@lru_cache(maxsize=64)
def compiled(program: Program) -> Any:
    """Return a program as a function of arrays; a very long one is interpreted."""
    kernel = Evaluator(program).kernel
    if kernel is not None:
        return kernel

    def slowly(*arrays: Array) -> Any:
        inputs = [*zip(arrays, program.inputs, strict=True)]
        lead = np.broadcast_shapes(*(a.shape[: a.ndim - len(s.shape)] for a, s in inputs))
        results = interpret(program, *(np.broadcast_to(a, (*lead, *s.shape)) for a, s in inputs))
        return results[0] if len(results) == 1 else tuple(results)

    return slowly


@lru_cache(maxsize=64)
def _parametric(chain: Chain, quantity: str, method: str) -> Program:
    if quantity == "kinetic_energy":  # by M, which needs no centres of mass: links may be massless
        return kinetic_program(_parametric(chain, "mass_matrix", AUTO))
    found = parametric(ProgramKey(chain, quantity, AUTO if method == ROLLED else method))
    if found.divides_by_masses:
        return parametric(ProgramKey(chain, quantity)).program
    return found.program


def _solved(M: Array, right: Array, held: Truths) -> Array:
    """Solve for the free joints; held joints get zero."""
    free = ~held
    A = np.where(free[:, :, None] & free[:, None, :], M, np.eye(M.shape[-1]))
    try:
        found = np.linalg.solve(A, np.where(held, 0.0, right)[..., None])
    except np.linalg.LinAlgError:
        return np.full_like(right, np.nan)
    return found[..., 0].astype(np.float64, copy=False)
