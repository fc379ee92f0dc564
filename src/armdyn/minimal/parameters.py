"""`MinimalParameters`: the combinations of inertial parameters that determine an arm's dynamics."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, cast
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from armdyn.algorithms.link_parameters import PARAMETER_NAMES, parameters
from armdyn.algorithms.structure import structure
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_choice, checked_number, checked_text
from armdyn.errors import InputError
from armdyn.graph.program import Program
from armdyn.minimal.check import checked_set
from armdyn.minimal.closed_form import LinearSet, gravity_only
from armdyn.minimal.comparison import COMPARISON_TOLERANCE, SetComparison, compared
from armdyn.minimal.drives import drive_names, drive_parameters, with_drives
from armdyn.minimal.dynamics import at_run_time, built_in
from armdyn.minimal.invisible import Invisible, invisible
from armdyn.minimal.khalil_gautier import khalil_gautier
from armdyn.minimal.other_sets import (
    OtherSet,
    Partition,
    check_form,
    inertia_set,
    kappas,
    partition,
    seen_at_rest,
)
from armdyn.minimal.programs import regressor_program
from armdyn.minimal.terms import latex_lines, minimal_card, written
from armdyn.programs.key import ProgramKey
from armdyn.robot.chain import Chain
from armdyn.robot.friction import has_load_terms

TRACKING = "tracking_regressor"


class MinimalParameters:
    """The minimal parameters of an arm: values, names, regressor, and conversion to parameters.

    The torques of an arm depend on its 10n link parameters only through k combinations:
    ``values = matrix @ parameters``.

    Attributes:
        names: such as "U2_33", "k3_x", "m4"; see `expression` for what they mean.
        matrix: (k, N) with N = 10n, plus the drives' parameters if they are part of the set.
        values: (k,), for the arm as described.
        parameter_names: of the N parameters that are combined.
        notes: remarks from the check against the regressor.

    Examples:
        >>> base = armdyn.load("planar2").minimal
        >>> base
        <MinimalParameters: 6 of 20>
        >>> base.names
        ('U1_33', 'k1_x', 'k1_y', 'U2_33', 'k2_x', 'k2_y')
        >>> base.values
        array([1.3333, 1.5   , 0.    , 0.3333, 0.5   , 0.    ])
    """

    def __init__(
        self,
        chain: Chain,
        make_function: Callable[[Program, str], Callable[..., Any]],
        *,
        rotor: bool = False,
        friction: bool = False,
    ) -> None:
        """Find the minimal parameters of an arm.

        Args:
            chain: the constants of the arm.
            make_function: returns a function on arrays, of its program and its method.
            rotor: include rotor inertias.
            friction: include friction coefficients.
        """
        self._chain = chain
        self._make_function = make_function
        self.rotor, self.friction = rotor, friction
        if chain.is_serial:
            self._structure = structure(chain)
            inertial, self.notes = checked_set(chain)
            self._set = with_drives(inertial, chain, self._structure, rotor, friction)
        else:
            from armdyn.minimal.trees import path_to, tree_sets

            self._structure = structure(path_to(chain, 1))  # not read: there is one for each path
            inertial, self._set, self.notes = tree_sets(chain, rotor, friction)
        self._closed = inertial.terms == () or inertial.terms[0].symbol is not None
        self._links = inertial
        self._right_inverse = self._set.right_inverse
        self._functions: dict[ProgramKey, Callable[..., Any]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the minimal parameters."""
        return tuple(term.name for term in self._set.terms)

    @property
    def links(self) -> LinearSet:
        """The set of the links alone, without rotors and friction."""
        return self._links

    @property
    def units(self) -> tuple[str, ...]:
        """SI units of the minimal parameters."""
        return tuple(term.unit for term in self._set.terms)

    @property
    def matrix(self) -> Array:
        """P, ``(k, N)``: ``values = matrix @ parameters``; rows in `units`."""
        return self._set.matrix.copy()

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the N parameters: links first, then rotors, then friction."""
        numbers = range(1, len(self._chain.link_numbers) + 1)
        links = [f"{p}_{i}" for i in numbers for p in PARAMETER_NAMES]
        return (*links, *drive_names(self._chain, self.rotor, self.friction))

    @property
    def parameters(self) -> Array:
        """The N parameters of the arm as described, in SI units."""
        drives = drive_parameters(self._chain, self.rotor, self.friction)
        return np.array([*parameters(self._chain), *drives], dtype=np.float64)

    @property
    def values(self) -> Array:
        """Minimal parameters ``(k,)`` of the arm as described, in `units`."""
        return self._set.matrix @ self.parameters

    @property
    def carriers(self) -> tuple[str, ...]:
        """For each minimal parameter, the parameter of its own link that represents it.

        With suitable carriers, all other parameters may be zero and the arm moves the same.
        """
        names = self.parameter_names
        return tuple(written(column, names) for column in self._set.carriers.T)

    @property
    def n(self) -> int:
        """Number of joints of the arm."""
        return self._chain.dof

    @property
    def right_inverse(self) -> Array:
        """Right inverse Z ``(N, k)`` of `matrix`: ``matrix @ Z`` is the identity (no unit)."""
        return self._right_inverse.copy()

    @property
    def spread(self) -> Array:
        """The former name of `right_inverse` (deprecated; no unit)."""
        warn("`spread` is deprecated: use `right_inverse`.", DeprecationWarning, stacklevel=2)
        return self.right_inverse

    @property
    def closed_form(self) -> bool:
        """Whether the set is that of the theorems; False if it was found numerically."""
        return self._closed

    @property
    def gravity_only(self) -> tuple[str, ...]:
        """Names of the minimal parameters that the torques of the arm at rest depend on.

        Theorem 4 of [Lin1994], corrected; for a set that was found numerically, those of which a
        torque at rest shows anything.
        """
        if self._closed and self._chain.is_serial:
            return gravity_only(self._chain, self._structure)
        return seen_at_rest(self._chain, self._links)

    def inertia_only(self) -> OtherSet:
        """Return the set that determines the mass matrix, Theorem 3 of [Lin1994], corrected.

        It is also the set of all torques without gravity. Where the axes of joints 1 to i meet in
        one point C, first moments of body i are not seen, and products of inertia are about C:
        "U2_13C" instead of "U2_13".

        Returns:
            Names, units and matrix of the set.

        Examples:
            >>> base = armdyn.load("puma560").minimal
            >>> only = base.inertia_only()
            >>> len(base), len(only.names), len(base.gravity_only)
            (36, 34, 10)
            >>> sorted(set(base.names) - set(only.names))
            ['U2_13', 'U2_23', 'k2_x', 'k2_y']
        """
        return inertia_set(self._chain, self._set, self.rotor)

    def partition(self) -> Partition:
        """Return P1 and P2 of [Lin1994] (9): what gravity tells about the inertia matrix.

        Returns:
            The names of w and w_g, and the matrices: the inertia matrix determines
            ``[w; 0] + [P1; P2] @ w_g``.

        Raises:
            InputError: the closed form does not hold for the geometry of the arm.

        Examples:
            >>> split = armdyn.load("puma560").minimal.partition()
            >>> len(split.w), len(split.w_g), split.P1.shape, split.P2.shape
            (26, 10, (26, 10), (8, 10))
        """
        self._check_serial("Partitions of [Lin1994]")
        check_form(self._chain, "P1 and P2 of [Lin1994] (9) follow", self._closed)
        return partition(self.names, self.inertia_only(), self.gravity_only)

    def is_minimal(self, matrix: ArrayLike, *, tolerance: float = COMPARISON_TOLERANCE) -> bool:
        """Check whether other combinations of the parameters are a minimal set: Corollary 6.

        [Lin1994]: a set with as many elements is minimal if and only if it follows from this one by
        a nonsingular matrix.

        Args:
            matrix: ``(j, N)``: the combinations are ``matrix @ parameters``, in the order of
                `parameter_names`.
            tolerance: relative size of coefficients that count as zero (no unit).

        Returns:
            Whether the combinations are independent and determine all torques, and nothing else.

        Raises:
            InputError: `matrix` has a wrong shape or is not finite, or `tolerance` is not in (0,
                0.1].

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> base.is_minimal(2.0 * base.matrix), base.is_minimal(base.matrix[:5])
            (True, False)
        """
        return self.explain(matrix, tolerance=tolerance).is_minimal

    def explain(
        self, matrix: ArrayLike, *, tolerance: float = COMPARISON_TOLERANCE
    ) -> SetComparison:
        """Return what makes other combinations a minimal set, or keeps them from it.

        Args:
            matrix: ``(j, N)``: the combinations are ``matrix @ parameters``, in the order of
                `parameter_names`.
            tolerance: relative size of coefficients that count as zero (no unit).

        Returns:
            Whether it is a minimal set, which rows are dependent or contain what no torque shows,
            and which minimal parameters do not follow from it; print it.

        Raises:
            InputError: `matrix` has a wrong shape or is not finite, or `tolerance` is not in (0,
                0.1].

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> print(base.explain(base.matrix[[0, 1, 2, 3, 4, 4]]))
            no minimal set: 5 of 6 combinations are independent and visible, 6 are needed
            row 5 is dependent: it is 1 × row 4
            not determined by the set: k2_y
        """
        N = self._set.matrix.shape[1]
        Q = checked_array(matrix, "matrix", ("j", N), what=f"finite numbers in {N} columns")
        checked_number(tolerance, "tolerance", above=0.0, most=0.1)
        return compared(self._set, self._right_inverse, self.parameter_names, Q, tolerance)

    def kappas(self) -> OtherSet:
        """Return kappa_1 and kappa_2 of [Lin1994] (53), (54), for every joint that has them.

        Joint i slides between joints r and s, and is not parallel to joint r. Names are
        "kappa1_i" and "kappa2_i". The set of this class has two components of the same vector
        instead, "kappai_x", ..., which stay well conditioned if the joint becomes parallel.

        Returns:
            Names, units and matrix of these parameters.

        Examples:
            >>> across = armdyn.Joint(kind="prismatic", beta=np.pi / 2, mass=1.0, com=(0.1, 0, 0.2))
            >>> arm = armdyn.Arm(armdyn.Robot([armdyn.Joint(mass=1.0), across]))
            >>> arm.minimal.kappas().names
            ('kappa1_2', 'kappa2_2')
        """
        self._check_serial("Parameters kappa of [Lin1994]")
        return kappas(self._chain, self._structure, self._set)

    def regressor(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Return the regressor Y of the minimal parameters: ``Y @ values`` are the torques.

        Rotors and friction are left out unless they are part of the set.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            qdd: joint accelerations ``(..., n)`` [rad/s^2 or m/s^2].
            out: array that receives the result.

        Returns:
            Y ``(..., n, k)``.

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> Y = base.regressor([0.3, 0.5], [1.0, 2.0], [0.0, 1.0])
            >>> Y @ base.values
            array([16.3295,  3.9904])
        """
        return cast(Array, self._regressor(q, qd, qdd, out=out))

    @cached_property
    def _regressor(self) -> Callable[..., Any]:
        program = regressor_program(self._chain, self._right_inverse, self.rotor, self.friction)
        return self._make_function(program, "minimal")

    def tracking_regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdr: ArrayLike,
        qddr: ArrayLike,
        *,
        out: Array | None = None,
    ) -> Array:
        """Return the regressor of adaptive control, after Slotine and Li.

        ``Y @ values`` is M(q) qddr + C(q, qd) qdr + g(q). C is the matrix of Christoffel symbols,
        so dM/dt - 2C is skew. If they are part of the set, rotors and the friction of qdr are
        added: friction that grows with speed then only damps s = qd - qdr.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            qdr: reference velocities ``(..., n)`` [rad/s or m/s], qd* + L (q* - q) for a desired
                motion q*.
            qddr: their time derivatives ``(..., n)`` [rad/s^2 or m/s^2].
            out: array that receives the result.

        Returns:
            Y ``(..., n, k)``.

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> Y = base.tracking_regressor([0.3, 0.5], [1.0, 2.0], [0.5, -1.0], [0.0, 1.0])
            >>> Y @ base.values
            array([18.7267,  3.8705])
        """
        return cast(Array, self._tracking_regressor(q, qd, qdr, qddr, out=out))

    @cached_property
    def _tracking_regressor(self) -> Callable[..., Any]:
        drives = self.rotor, self.friction
        program = regressor_program(self._chain, self._right_inverse, *drives, tracking=True)
        return self._make_function(program, "minimal")

    def to_parameters(self, values: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return parameters that have the given minimal values.

        Many parameter vectors have them. This one differs from `near` only in the carriers. Without
        `near` all other parameters are zero, masses among them: torques are right, but methods that
        divide by masses fail. The motions are right in any case; the inertias need not be
        physically consistent.

        Args:
            values: minimal parameters ``(k,)`` in `units`.
            near: parameters ``(N,)`` to stay near.

        Returns:
            Parameters ``(N,)`` in the order of `parameter_names`.

        Raises:
            InputError: an array has a wrong shape or is not finite.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> parameters = base.to_parameters(base.values)
            >>> bool(np.allclose(base.matrix @ parameters, base.values))
            True
        """
        w = self._vector(values, "values", len(self.names))
        N = self._set.matrix.shape[1]
        x0 = np.zeros(N) if near is None else self._vector(near, "near", N)
        return x0 + self._right_inverse @ (w - self._set.matrix @ x0)

    @property
    def described_rotors(self) -> Array | None:
        """Parameters (N,) of the rotors as described, where the split of inertia matters.

        Torques do not tell some rotors from links, unless friction depends on what the gears
        transmit: links load a gear, its own rotor does not. Such rotors count as described. None
        without such friction, or if rotors are no part of the set.
        """
        links = self._chain.links
        if not self.rotor or not has_load_terms(link.friction for link in links):
            return None
        own = [links[i - 1].Jm for i in self._chain.link_numbers]
        x0, at = np.zeros(self._set.matrix.shape[1]), 10 * len(own)
        x0[at : at + len(own)] = [cast(float, Jm) for Jm in own]
        return x0

    def function(
        self, quantity: str, values: ArrayLike | None = None, *, method: str = "auto"
    ) -> Callable[..., Any]:
        """Return a quantity computed from minimal parameters alone, as with `Arm.function`.

        Rotor inertias and friction are those of the arm, unless they are part of the set.

        Args:
            quantity: what to compute: "mass_matrix", "inverse_dynamics", "gravity", ...; or
                "tracking_regressor", which has no values.
            values: built into the code as constants; without them the values are the last
                argument of the function, ``(k,)`` or ``(..., k)``.
            method: name of the method, or "auto" for the cheapest.

        Returns:
            The function.

        Raises:
            MethodError: the quantity or the method is unknown.
            InputError: the method divides by masses, which minimal parameters do not determine.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> f = base.function("mass_matrix")
            >>> f([0.3, 0.5], base.values)
            array([[2.5442, 0.7721],
                   [0.7721, 0.3333]])
        """
        checked_text(quantity, "quantity", what="the name of a quantity")
        checked_text(method, "method", what="the name of a method")
        if quantity == TRACKING:
            return self._tracking_regressor
        if values is None:
            key = ProgramKey(self._chain, quantity, method)
            if key not in self._functions:
                made = at_run_time(self._chain, self, quantity, method)
                self._functions[key] = self._make_function(made.program, made.method)
            return self._functions[key]
        w = self._vector(values, "values", len(self.names))
        made = built_in(self._chain, self, quantity, method, w)
        return self._make_function(made.program, made.method)

    def mass_matrix(self, q: ArrayLike, values: ArrayLike | None = None) -> Array:
        """Return the mass matrix M(q) from minimal values.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            values: minimal parameters ``(k,)`` or ``(..., k)`` in `units`; those of the arm if left
                out.

        Returns:
            M ``(..., n, n)`` [kg m^2 or kg].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> base.mass_matrix([0.3, 0.5])
            array([[2.5442, 0.7721],
                   [0.7721, 0.3333]])
        """
        return self._called("mass_matrix", (q,), values)

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, values: ArrayLike | None = None
    ) -> Array:
        """Return the torques from minimal values.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            qdd: joint accelerations ``(..., n)`` [rad/s^2 or m/s^2].
            values: minimal parameters ``(k,)`` or ``(..., k)`` in `units`; those of the arm if left
                out.

        Returns:
            Torques ``(..., n)`` [N m or N].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> base.inverse_dynamics([0.3, 0.5], [1.0, 2.0], [0.0, 1.0])
            array([16.3295,  3.9904])
        """
        return self._called("inverse_dynamics", (q, qd, qdd), values)

    def bias(self, q: ArrayLike, qd: ArrayLike, values: ArrayLike | None = None) -> Array:
        """Return the bias torques C qd + g from minimal values.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            values: minimal parameters ``(k,)`` or ``(..., k)`` in `units`; those of the arm if left
                out.

        Returns:
            Torques ``(..., n)`` [N m or N].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> base.bias([0.3, 0.5], [1.0, 2.0])
            array([15.5574,  3.6571])
        """
        return self._called("bias", (q, qd), values)

    def gravity(self, q: ArrayLike, values: ArrayLike | None = None) -> Array:
        """Return the gravity torques g(q) from minimal values.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            values: minimal parameters ``(k,)`` or ``(..., k)`` in `units`; those of the arm if left
                out.

        Returns:
            Torques ``(..., n)`` [N m or N].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> base.gravity([0.3, 0.5])
            array([17.4751,  3.4173])
        """
        return self._called("gravity", (q,), values)

    def _called(
        self, quantity: str, states: tuple[ArrayLike, ...], values: ArrayLike | None
    ) -> Array:
        return self.function(quantity)(*states, self.values if values is None else values)

    @property
    def invisible(self) -> tuple[Invisible, ...]:
        """Link parameters that no torque determines, and which joint is the reason; print them."""
        self._check_serial("Reasons why parameters are invisible")
        return invisible(self._chain, self._structure, self._links)

    def khalil_gautier(self) -> OtherSet:
        """Return the base parameters of Khalil and Gautier.

        Returns:
            Names, units and matrix of the set.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> base.khalil_gautier().names
            ('ZZR1', 'MXR1', 'MYR1', 'ZZR2', 'MXR2', 'MYR2')
        """
        self._check_serial("Sets of Khalil and Gautier")
        check_form(self._chain, "the set of Khalil and Gautier follows", self._closed)
        return khalil_gautier(self._chain, self._structure, self._links)

    def expression(self, name: str) -> str:
        """Return the definition of a minimal parameter: its sum and its meaning.

        Args:
            name: one of `names`.

        Returns:
            The linear combination, and its meaning.

        Raises:
            MethodError: there is no minimal parameter of this name.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> base.expression("U1_33")
            "U1_33 = Izz_1 + m_2 [kg m^2]: ..."
        """
        k = self._index(name)
        term = self._set.terms[k]
        total = written(self._set.matrix[k], self.parameter_names)
        return f"{name} = {total} [{term.unit}]: {term.words}"

    def latex(self) -> str:
        """Return all definitions as the lines of a LaTeX ``align*`` environment.

        Returns:
            The lines.

        Examples:
            >>> base = armdyn.load("planar2").minimal
            >>> print(base.latex().splitlines()[1])
              U_{1,33} &= I_{zz,1} + m_{2} ...
        """
        heads = [term.latex for term in self._set.terms]
        return latex_lines(heads, self._set.matrix, self.parameter_names)

    def _check_serial(self, what: str) -> None:
        if not self._chain.is_serial:
            raise InputError(f"{what} are for serial arms; `Arm.branch` gives one of a tree.")

    def _index(self, name: str) -> int:
        return self.names.index(checked_choice(name, "name", self.names, what="minimal parameter"))

    def _vector(self, given: ArrayLike, name: str, size: int) -> Array:
        return checked_array(given, name, (size,), what=f"{size} finite numbers")

    def __len__(self) -> int:
        return len(self._set.terms)

    def _repr_html_(self) -> str:
        return minimal_card(self)

    def __repr__(self) -> str:
        return f"<MinimalParameters: {len(self)} of {self._set.matrix.shape[1]}>"
