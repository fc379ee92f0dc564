"""`Arm`: arrays in, arrays out; every quantity by any of its methods.

What a method needs is imported when it is called, so that loading an arm is quick. After an arm,
the imports of a function take 42 ms, of minimal parameters 56 ms, of inverse kinematics 64 ms, of a
page 112 ms and of C code 151 ms; link parameters and cards import what the first number of an arm
does not need.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from armdyn.arm.quick_method import is_own_method, quick
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_choice, checked_flag, checked_whole
from armdyn.errors import InputError
from armdyn.fork_safe import first_use
from armdyn.programs.arguments import (
    AUTO,
    DOUBLE,
    MOST_LISTED,
    at_frame,
    checked_base_motion,
    checked_dtype,
    checked_out,
    checked_state,
    frame_in_words,
    is_lazy,
    offset_joints,
)
from armdyn.programs.key import ProgramKey
from armdyn.robot.chain import BASES, FIXED, Chain, chain_of
from armdyn.robot.mechanism import check_serial
from armdyn.robot.model import Robot

if TYPE_CHECKING:
    from armdyn.arm.denoc_matrices import DenocMatrices
    from armdyn.arm.function import Function
    from armdyn.arm.page import Page
    from armdyn.control.controller import Controller
    from armdyn.kinematics.branch_solver import BranchSolver
    from armdyn.kinematics.turns import Branches
    from armdyn.log.log import Log
    from armdyn.minimal.parameters import MinimalParameters
    from armdyn.view.viewer import Viewer

Out = Array | NDArray[np.float32] | None
# Several frames, by names or numbers.
Frames = list[str | int] | list[str] | tuple[str | int, ...]


class Arm:
    """The dynamics of a robot.

    States are arrays of shape ``(n,)`` or ``(..., n)``; leading axes broadcast and come back in the
    result. SI units, radians. `method` is a name of ``armdyn.methods(quantity)`` or "auto", the
    method whose code is fastest for this robot; `out` receives the result.

    Minimal parameters, inverse kinematics, simulation and identification compute in double
    precision, whatever the type of the arm. Given Dask arrays, methods return lazy arrays with the
    same chunks and the same bits as NumPy arrays.

    Args:
        robot: the description of the robot.
        dtype: the type of numbers that the arm takes, computes with and returns: numpy.float64, or
            numpy.float32, about twice as fast for batches, with about 6 digits. Lists are
            converted; arrays of another type are refused if conversion would round them.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> arm
        <Arm 'planar2', 2 joints>
        >>> q, qd, qdd = np.array([[0.3, 0.5], [0.1, -0.2], [0.0, 0.0]])
        >>> armdyn.Arm(arm.robot, dtype=np.float32).gravity([0.3, 0.5])
        array([17.4751,  3.4173], dtype=float32)
    """

    def __init__(self, robot: Robot, *, dtype: DTypeLike = np.float64) -> None:
        if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"Arm() takes an armdyn.Robot, got {type(robot).__name__}; to read a file or a "
                "bundled robot use armdyn.load().",
                argument="robot",
            )
        self._robot = robot
        self._dtype = checked_dtype(dtype)
        self._chain = chain_of(robot)
        self._offset_joints = offset_joints(self._chain, self.joint_names)
        self._frames = {frame.name: frame for frame in robot.frames}
        self._chains: dict[str, Chain] = {}  # whose tips are frames
        self._functions: dict[ProgramKey, Function] = {}
        self._packed: dict[str, Function] = {}
        self._minimal: dict[tuple[bool, bool], MinimalParameters] = {}
        self._solvers: dict[tuple[int | str, bool], BranchSolver | None] = {}

    @property
    def robot(self) -> Robot:
        """The robot's description; to change it, make a new `Arm`."""
        return self._robot

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of numbers that the arm computes with: float64 or float32."""
        return self._dtype

    def astype(self, dtype: DTypeLike) -> Arm:
        """Return the arm with another number type; the arm itself if it has that type.

        Args:
            dtype: numpy.float64 or numpy.float32.

        Returns:
            The arm with that type; float32 results carry about 6 digits.

        Raises:
            InputError: `dtype` is neither float64 nor float32.

        Examples:
            >>> arm.astype(np.float32)
            <Arm 'planar2', 2 joints, float32>
        """
        wanted = checked_dtype(dtype)
        if wanted == self.dtype:
            return self
        return self._in_double if wanted == DOUBLE else Arm(self.robot, dtype=wanted)

    @cached_property
    def _in_double(self) -> Arm:
        return Arm(self.robot)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.robot.n

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.robot.name

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, base first."""
        return tuple(joint.name for joint in self.robot.joints)

    @property
    def followers(self) -> tuple[str, ...]:
        """Names of the joints that follow others; see `Follower`."""
        return tuple(follower.joint.name for follower in self.robot.followers)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the joints that move the links: `joint_names`, then `followers`.

        Parameters, columns of the regressor and link numbers are in this order.
        """
        return (*self.joint_names, *self.followers)

    @property
    def tips(self) -> tuple[str, ...]:
        """Names of the frames at the ends of a tree; ("tip",) of a serial arm."""
        return ("tip",) if self._chain.is_serial else self.robot.tips

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames of the robot's file: its links and joints; `pose` takes them.

        Empty for a robot that names none. ``robot.frames`` says where they are.
        """
        return tuple(self._frames)

    @property
    def parameters(self) -> Array:
        """The inertial parameters ``(10n,)`` in the order of `parameter_names`.

        Per link: m [kg], m c [kg m], and the inertia tensor about the origin of E_i [kg m^2].
        """
        from armdyn.algorithms.link_parameters import parameters

        return np.array(parameters(self._chain), dtype=np.float64)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters, one per column of the regressor."""
        from armdyn.algorithms.link_parameters import PARAMETER_NAMES

        links = range(1, len(self.robot.links) + 1)
        return tuple(f"{p}_{i}" for i in links for p in PARAMETER_NAMES)

    @property
    def minimal(self) -> MinimalParameters:
        """Combinations of `parameters` that determine the torques without rotors and friction."""
        return self.minimal_with()

    def minimal_with(self, *, rotor: bool = False, friction: bool = False) -> MinimalParameters:
        """Return the minimal parameters, optionally with those of the drives.

        Args:
            rotor: include rotor inertias. A rotor that torques cannot tell from the links is part
                of the value of another parameter.
            friction: include the friction coefficients of every joint.

        Returns:
            The minimal (base) parameters.

        Examples:
            >>> arm.minimal_with(friction=True).names
            ('U1_33', 'k1_x', 'k1_y', 'U2_33', 'k2_x', 'k2_y', 'Fv1', ...)
        """
        key = (checked_flag(rotor, "rotor"), checked_flag(friction, "friction"))
        if key not in self._minimal:
            from armdyn.minimal.parameters import MinimalParameters

            make = partial(_function_class(), robot=self.name, offset_joints=self._offset_joints)
            self._minimal[key] = MinimalParameters(self._chain, make, rotor=key[0], friction=key[1])
        return self._minimal[key]

    @property
    def quantities(self) -> tuple[str, ...]:
        """Quantities that can be computed; without those that invert M if M is always singular."""
        return _programs().quantities(self._chain)

    def function(
        self,
        quantity: str,
        method: str = AUTO,
        *,
        frame: str | int = "tip",
        friction: bool = True,
        base: str = FIXED,
    ) -> Function:
        """Return a quantity as a `Function`: call it, count its operations, print its code.

        Args:
            quantity: what to compute: "mass_matrix", "inverse_dynamics", ...
            method: a name of ``armdyn.methods(quantity)``, or "auto" for the fastest on this robot.
            frame: of "pose", "jacobian" and its derivative: "tip", a name of `frames`, which is a
                frame of the robot's file, or the number i of E_i, 0 for E_0. Without such frames,
                the name of joint i is E_i. "tip" is the tip whatever else has that name.
            friction: whether "inverse_dynamics", "forward_dynamics" and their derivatives include
                joint friction.
            base: how the base moves, for "inverse_dynamics", "forward_dynamics" and "bias".
                "translating": `base_acceleration`, ``(..., 3)``, is one more input; "moving": two
                more, `base_acceleration` and `base_velocity`, ``(..., 6)`` each. They mean what
                they mean in `inverse_dynamics`.

        Returns:
            The function; arms keep it, so that the next call returns the same object.

        Raises:
            MethodError: the quantity, the method or the motion of the base is unknown.
            RobotError: the quantity inverts the mass matrix, which is singular in every position.
            InputError: the frame is unknown, or `friction` is no truth value.

        Examples:
            >>> f = arm.function("gravity")
            >>> f.operations
            Operations(mul=6, add=2, div=0, sqrt=0, trig=4)
            >>> f(q)
            array([17.4751,  3.4173])
        """
        if not self._functions:
            with first_use:  # the first function imports modules
                return self._function(quantity, method, frame, friction, base)
        return self._function(quantity, method, frame, friction, base)

    def _function(
        self, quantity: str, method: str, frame: str | int, friction: bool, base: str
    ) -> Function:
        programs = _programs()
        checked_choice(base, "base", BASES)
        programs.check_method(quantity, method, base=base)
        chain, number = self._chain, self._chain.n + 1
        is_tip = isinstance(frame, str) and frame == "tip"
        if not is_tip or programs.row_of(quantity).takes_frame:
            chain, number = self._chain_at(frame)
        key = ProgramKey(chain, quantity, method, number, checked_flag(friction, "friction"), base)
        if key not in self._functions:
            with first_use:
                used = programs.resolve(key)
                code = programs.code_of(used)
                self._functions[key] = _function_class()(
                    code, used.method, self.name, self._offset_joints, key, self.dtype
                )
        return self._functions[key]

    @quick
    def mass_matrix(
        self, q: ArrayLike, *, packed: bool = False, method: str = AUTO, out: Out = None
    ) -> Array:
        """Return the mass matrix M(q), rotor inertias included.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            packed: return only the k lower entries that are not zero at every state, whose rows and
                columns are `mass_matrix_index`. Of trees these take a fraction of the time.
            method: a name of ``armdyn.methods("mass_matrix")``, or "auto" for the fastest on this
                robot.
            out: array that receives the result.

        Returns:
            M ``(..., n, n)``, full and symmetric [kg m^2; kg for prismatic joints]; ``(..., k)`` if
            packed.

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.mass_matrix(q)
            array([[2.5442, 0.7721],
                   [0.7721, 0.3333]])
        """
        if checked_flag(packed, "packed"):
            return cast(Array, self._packed_mass_matrix(method)(q, out=out))
        return cast(Array, self._result(self.function("mass_matrix", method), q, out=out))

    @property
    def mass_matrix_index(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns ``(k,)`` of the entries of a packed mass matrix.

        Examples:
            >>> rows, columns = arm.mass_matrix_index
            >>> M = np.zeros((arm.n, arm.n))
            >>> M[rows, columns] = M[columns, rows] = arm.mass_matrix(q, packed=True)
            >>> np.array_equal(M, arm.mass_matrix(q))
            True
        """
        rows, columns = self._mass_matrix_index
        return rows.copy(), columns.copy()

    @cached_property
    def _mass_matrix_index(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        from armdyn.arm.packed import packed_index

        return packed_index(self.function("mass_matrix").program)

    def _packed_mass_matrix(self, method: str) -> Function:
        from armdyn.arm.packed import packed_program
        from armdyn.graph.program import Program

        if method not in self._packed:
            code = self.function("mass_matrix", method).program
            if not isinstance(code, Program):
                raise InputError(
                    f"the mass matrix of {self.name!r} by {method!r} is computed by sweeps, which "
                    'return the full matrix; leave `packed` out, or give `method="split"`.',
                    argument="packed",
                )
            self._packed[method] = _function_class()(
                packed_program(code, self._mass_matrix_index), method, self.name,
                self._offset_joints, dtype=self.dtype,
            )  # fmt: skip
        return self._packed[method]

    @quick
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        base_acceleration: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        method: str = AUTO,
        friction: bool = True,
        out: Out = None,
    ) -> Array:
        """Return the joint torques M qdd + C qd + g + friction.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            qdd: joint accelerations ``(..., n)`` [rad/s^2 or m/s^2].
            base_acceleration: of a base in motion, in base axes: ``(..., 3)`` linear [m/s^2], or
                ``(..., 6)`` linear, then angular [rad/s^2]. These are the rates of the numbers in
                `base_velocity`: if the base turns at w while its origin moves at v, the origin is
                accelerated by base_acceleration[:3] + w x v.
            base_velocity: ``(..., 6)``, in base axes: of the origin [m/s], then angular [rad/s].
                Torques do not depend on a uniform motion. So the linear part may be left zero if
                `base_acceleration` is the acceleration of the origin itself, as an accelerometer
                on the base feels it (plus gravity, see docs/conventions.md).
            method: the method to use.
            friction: include joint friction.
            out: array that receives the result.

        Returns:
            Torques ``(..., n)`` [N m; N for prismatic joints].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.inverse_dynamics(q, qd, qdd)
            array([17.4751,  3.4197])
            >>> arm.inverse_dynamics(q, qd, qdd, base_acceleration=[0.0, 9.81, 0.0])
            array([34.9502,  6.8371])
            >>> arm.inverse_dynamics(q, qd, qdd, base_velocity=[0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
            array([17.571 ,  3.7074])
        """
        base, motion = checked_base_motion(base_acceleration, base_velocity, self.dtype)
        f = self.function("inverse_dynamics", method, friction=friction, base=base)
        return cast(Array, self._result(f, q, qd, qdd, *motion, out=out))

    @quick
    def bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        base_acceleration: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        method: str = AUTO,
        out: Out = None,
    ) -> Array:
        """Return the bias torques C qd + g, without friction.

        On a base in motion (see `inverse_dynamics`), the torques at zero joint acceleration.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            base_acceleration: acceleration of the base ``(..., 3)`` or ``(..., 6)`` [m/s^2,
                rad/s^2]; see `inverse_dynamics`.
            base_velocity: velocity of the base ``(..., 6)`` [m/s, rad/s]; see `inverse_dynamics`.
            method: a name of ``armdyn.methods("bias")``, or "auto" for the fastest on this robot.
            out: array that receives the result.

        Returns:
            Torques ``(..., n)`` [N m or N].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.bias(q, qd)
            array([17.4751,  3.4197])
            >>> arm.bias(q, qd, base_acceleration=[0.0, 2.0, 0.0])  # in a lift that starts
            array([21.0378,  4.1165])
        """
        base, motion = checked_base_motion(base_acceleration, base_velocity, self.dtype)
        f = self.function("bias", method, base=base)
        return cast(Array, self._result(f, q, qd, *motion, out=out))

    @quick
    def gravity(self, q: ArrayLike, *, method: str = AUTO, out: Out = None) -> Array:
        """Return the gravity torques g(q), which hold the arm at rest.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            method: a name of ``armdyn.methods("gravity")``, or "auto" for the fastest on this
                robot.
            out: array that receives the result.

        Returns:
            Torques ``(..., n)`` [N m or N].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.gravity(q)
            array([17.4751,  3.4173])
            >>> arm.gravity([q, 2 * q]).shape
            (2, 2)
        """
        return cast(Array, self._result(self.function("gravity", method), q, out=out))

    @quick
    def coriolis_matrix(
        self, q: ArrayLike, qd: ArrayLike, *, method: str = AUTO, out: Out = None
    ) -> Array:
        """Return the Coriolis matrix C(q, qd) in Christoffel form: dM/dt - 2C is skew.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            method: a name of ``armdyn.methods("coriolis_matrix")``, or "auto" for the fastest on
                this robot.
            out: array that receives the result.

        Returns:
            C ``(..., n, n)``: C qd are the Coriolis and centrifugal torques [N m or N].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.coriolis_matrix(q, qd)
            array([[0.0479, 0.024 ],
                   [0.024 , 0.    ]])
        """
        return cast(Array, self._result(self.function("coriolis_matrix", method), q, qd, out=out))

    def denoc_matrices(self, q: ArrayLike, qd: ArrayLike) -> DenocMatrices:
        """Return the decoupled natural orthogonal complement of [Saha1999], and its C.

        C = N^T (M dN/dt + Omega M N) has the same product with qd as `coriolis_matrix`, and dM/dt -
        2C is skew for both, but it is another matrix: that of `coriolis_matrix` is made of
        Christoffel symbols. Rotors are left out.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].

        Returns:
            N_l ``(..., 6n, 6n)``, N_d ``(..., 6n, n)``, M ``(..., 6n, 6n)`` and C ``(..., n, n)``,
            with properties `N` and `mass_matrix`.

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            RobotError: the arm has more than 24 joints.

        Examples:
            >>> denoc = arm.denoc_matrices(q, qd)
            >>> np.allclose(denoc.N.T @ denoc.M @ denoc.N, arm.mass_matrix(q))
            True
            >>> np.allclose(denoc.C @ qd, arm.coriolis_matrix(q, qd) @ qd)
            True
        """
        from armdyn.arm.denoc_matrices import DenocMatrices

        return DenocMatrices(*cast("tuple[Array, ...]", self._denoc_matrices(q, qd)))

    @cached_property
    def _denoc_matrices(self) -> Function:
        with first_use:
            from armdyn.arm.denoc_matrices import denoc_program

            check_serial(self.robot, "Matrices of the natural orthogonal complement")
            code = denoc_program(self._chain)
            return _function_class()(
                code, "denoc", self.name, self._offset_joints, dtype=self.dtype
            )

    @quick
    def friction(
        self,
        qd: ArrayLike,
        *,
        load: ArrayLike | None = None,
        method: str = AUTO,
        out: Out = None,
    ) -> Array:
        """Return the friction torques; dry friction is zero at zero velocity.

        Args:
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            load: torques ``(..., n)`` that the gears transmit to the links [N m or N], without
                rotors and friction. Required if a joint has `load_friction`.
            method: the method to use.
            out: array that receives the result.

        Returns:
            Torques ``(..., n)`` [N m or N].

        Raises:
            InputError: friction depends on the load, and `load` is missing.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.friction(qd)
            array([0., 0.])
            >>> arm.friction(qd, load=arm.regressor(q, qd, qdd) @ arm.parameters)
            array([0., 0.])
        """
        if load is None:
            return cast(Array, self._result(self.function("friction", method), qd, out=out))
        _programs().check_method("friction", method)
        return cast(Array, self._friction_under_load(qd, load, out=out))

    @cached_property
    def _friction_under_load(self) -> Function:
        with first_use:
            from armdyn.programs.tracing import friction_under_load

            code = friction_under_load(self._chain)
            return _function_class()(code, "linear", self.name, dtype=self.dtype)

    @quick
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        base_acceleration: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        method: str = AUTO,
        friction: bool = True,
        out: Out = None,
    ) -> Array:
        """Return the joint accelerations that the torques tau cause.

        They are relative to the base. The base follows its given motion (see `inverse_dynamics`),
        whatever the arm does.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            tau: joint torques ``(..., n)`` [N m or N].
            base_acceleration: acceleration of the base ``(..., 3)`` or ``(..., 6)`` [m/s^2,
                rad/s^2]; see `inverse_dynamics`.
            base_velocity: velocity of the base ``(..., 6)`` [m/s, rad/s]; see `inverse_dynamics`.
            method: a name of ``armdyn.methods("forward_dynamics")``, or "auto" for the fastest on
                this robot.
            friction: include joint friction.
            out: array that receives the result.

        Returns:
            Accelerations ``(..., n)`` [rad/s^2 or m/s^2].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.
            RobotError: the mass matrix is singular in every position.
            NumericalError: the mass matrix is singular at this state.

        Examples:
            >>> arm.forward_dynamics(q, qd, [1.0, 0.5])
            array([-12.8512,  21.0089])
            >>> arm.forward_dynamics(q, qd, [0.0, 0.0], base_acceleration=[0.0, -9.81, 0.0])
            array([ 0.0073, -0.0242])
        """
        base, motion = checked_base_motion(base_acceleration, base_velocity, self.dtype)
        f = self.function("forward_dynamics", method, friction=friction, base=base)
        return cast(Array, self._result(f, q, qd, tau, *motion, out=out))

    @quick
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        method: str = AUTO,
        friction: bool = True,
    ) -> tuple[Array, Array, Array]:
        """Return the derivatives of the torques by q, qd and qdd.

        Friction contributes its slope over the velocity and its change with the load.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            qdd: joint accelerations ``(..., n)`` [rad/s^2 or m/s^2].
            method: a name of ``armdyn.methods("inverse_dynamics_derivatives")``, or "auto" for the
                fastest on this robot.
            friction: include joint friction.

        Returns:
            Three matrices ``(..., n, n)``: entry i, j is the derivative of torque i by the
            position, velocity and acceleration of joint j. The last one is M(q).

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> by_q, by_qd, by_qdd = arm.inverse_dynamics_derivatives(q, qd, qdd)
            >>> np.allclose(by_qdd, arm.mass_matrix(q))
            True
        """
        f = self.function("inverse_dynamics_derivatives", method, friction=friction)
        return cast(tuple[Array, Array, Array], self._result(f, q, qd, qdd))

    @quick
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        method: str = AUTO,
        friction: bool = True,
    ) -> tuple[Array, Array, Array]:
        """Return the derivatives of the accelerations by q, qd and tau.

        Friction contributes its slope over the velocity and its change with the load.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            tau: joint torques ``(..., n)`` [N m or N].
            method: a name of ``armdyn.methods("forward_dynamics_derivatives")``, or "auto" for the
                fastest on this robot.
            friction: include joint friction.

        Returns:
            Three matrices ``(..., n, n)``: entry i, j is the derivative of acceleration i by the
            position, velocity and torque of joint j. The last one is the inverse of M(q).

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.
            RobotError: the mass matrix is singular in every position.
            NumericalError: the mass matrix is singular at this state.

        Examples:
            >>> by_q, by_qd, by_tau = arm.forward_dynamics_derivatives(q, qd, [1.0, 0.5])
            >>> np.allclose(by_tau, arm.inverse_mass_matrix(q))
            True
        """
        f = self.function("forward_dynamics_derivatives", method, friction=friction)
        return cast(tuple[Array, Array, Array], self._result(f, q, qd, tau))

    @quick
    def inverse_mass_matrix(self, q: ArrayLike, *, method: str = AUTO, out: Out = None) -> Array:
        """Return the inverse of the mass matrix M(q).

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            method: a name of ``armdyn.methods("inverse_mass_matrix")``, or "auto" for the fastest
                on this robot.
            out: array that receives the result.

        Returns:
            Inverse of M ``(..., n, n)`` [1/(kg m^2); 1/kg for prismatic joints].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.
            RobotError: the mass matrix is singular in every position.
            NumericalError: the mass matrix is singular at this state.

        Examples:
            >>> arm.inverse_mass_matrix(q)
            array([[ 1.3232, -3.0651],
                   [-3.0651, 10.1   ]])
        """
        return cast(Array, self._result(self.function("inverse_mass_matrix", method), q, out=out))

    @quick
    def udu(self, q: ArrayLike, *, method: str = AUTO) -> tuple[Array, Array]:
        """Return the factors of M = U diag(D) U^T.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            method: a name of ``armdyn.methods("udu")``, or "auto" for the fastest on this robot.

        Returns:
            U ``(..., n, n)``, unit upper triangular, and D ``(..., n)`` [kg m^2 or kg].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.
            RobotError: the mass matrix is singular in every position.
            NumericalError: the mass matrix is singular at this state.

        Examples:
            >>> U, D = arm.udu(q)
            >>> np.allclose(U @ np.diag(D) @ U.T, arm.mass_matrix(q))
            True
        """
        return cast(tuple[Array, Array], self._result(self.function("udu", method), q))

    @quick
    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        method: str = AUTO,
        out: Out = None,
    ) -> Array:
        """Return the regressor Y: Y @ parameters are the torques without rotors and friction.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            qdd: joint accelerations ``(..., n)`` [rad/s^2 or m/s^2].
            method: a name of ``armdyn.methods("regressor")``, or "auto" for the fastest on this
                robot.
            out: array that receives the result.

        Returns:
            Y ``(..., n, 10n)``, one column for each of `parameter_names`.

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> Y = arm.regressor(q, qd, qdd)
            >>> np.allclose(Y @ arm.parameters, arm.inverse_dynamics(q, qd, qdd))
            True
        """
        return cast(Array, self._result(self.function("regressor", method), q, qd, qdd, out=out))

    @quick
    def kinetic_energy(
        self, q: ArrayLike, qd: ArrayLike, *, method: str = AUTO, out: Out = None
    ) -> Array:
        """Return the kinetic energy of links and rotors.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            method: a name of ``armdyn.methods("kinetic_energy")``, or "auto" for the fastest on
                this robot.
            out: array that receives the result.

        Returns:
            Energy ``(...)`` [J].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.kinetic_energy(q, qd)
            array(0.0039)
        """
        return cast(Array, self._result(self.function("kinetic_energy", method), q, qd, out=out))

    @quick
    def potential_energy(self, q: ArrayLike, *, method: str = AUTO, out: Out = None) -> Array:
        """Return the potential energy; it is zero for a mass at the base's origin.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            method: a name of ``armdyn.methods("potential_energy")``, or "auto" for the fastest on
                this robot.
            out: array that receives the result.

        Returns:
            Energy ``(...)`` [J].

        Raises:
            InputError: an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.potential_energy(q)
            array(7.8672)
        """
        return cast(Array, self._result(self.function("potential_energy", method), q, out=out))

    @quick
    def pose(
        self,
        q: ArrayLike,
        frame: str | int | Frames = "tip",
        *,
        method: str = AUTO,
        out: Out = None,
    ) -> Array:
        """Return the pose of a frame in the base frame.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            frame: the frame: "tip", a name of `frames`, or the number i of E_i; see `function`. A
                list of F frames gives results ``(..., F, 4, 4)``.
            method: a name of ``armdyn.methods("pose")``, or "auto" for the fastest on this robot.
            out: array that receives the result.

        Returns:
            Homogeneous transforms ``(..., 4, 4)``; translation in [m].

        Raises:
            InputError: `frame` is unknown, or an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.pose(q)[:3, 3]
            array([1.652 , 1.0129, 0.    ])
            >>> arm.pose(q, "joint2")[:3, 3]
            array([0.9553, 0.2955, 0.    ])
        """
        return self._at_frames("pose", method, frame, out, q)

    @quick
    def jacobian(
        self,
        q: ArrayLike,
        frame: str | int | Frames = "tip",
        *,
        method: str = AUTO,
        out: Out = None,
    ) -> Array:
        """Return the Jacobian of a frame: linear rows first, in base axes.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            frame: the frame: "tip", a name of `frames`, or the number i of E_i; see `function`. A
                list of F frames gives results ``(..., F, 6, n)``.
            method: a name of ``armdyn.methods("jacobian")``, or "auto" for the fastest on this
                robot.
            out: array that receives the result.

        Returns:
            J ``(..., 6, n)``: J qd are the linear [m/s] and angular [rad/s] velocity of the frame.

        Raises:
            InputError: `frame` is unknown, or an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.jacobian(q)[:2]
            array([[-1.0129, -0.7174],
                   [ 1.652 ,  0.6967]])
        """
        return self._at_frames("jacobian", method, frame, out, q)

    @quick
    def jacobian_derivative(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | int | Frames = "tip",
        *,
        method: str = AUTO,
        out: Out = None,
    ) -> Array:
        """Return the time derivative of the Jacobian of a frame.

        Args:
            q: joint positions ``(..., n)`` [rad or m].
            qd: joint velocities ``(..., n)`` [rad/s or m/s].
            frame: the frame: "tip", a name of `frames`, or the number i of E_i; see `function`. A
                list of F frames gives results ``(..., F, 6, n)``.
            method: a name of ``armdyn.methods("jacobian_derivative")``, or "auto" for the fastest
                on this robot.
            out: array that receives the result.

        Returns:
            dJ/dt ``(..., 6, n)``, in the order of `jacobian`.

        Raises:
            InputError: `frame` is unknown, or an array has a wrong shape or type, or is not finite.
            MethodError: `method` is unknown for this quantity.

        Examples:
            >>> arm.jacobian_derivative(q, qd)[:2]
            array([[-0.0259,  0.0697],
                   [ 0.0422,  0.0717]])
        """
        return self._at_frames("jacobian_derivative", method, frame, out, q, qd)

    def inverse_kinematics(
        self,
        pose: ArrayLike,
        start: ArrayLike | None = None,
        *,
        only: str | Sequence[bool] | None = None,
        axes: str = "target",
        follow: bool = False,
        unreached: str = "raise",
        frame: str | int = "tip",
        tolerance: float = 1e-8,
        restarts: int = 127,
        seed: int = 0,
        method: str = "auto",
        out: Out = None,
    ) -> Array:
        """Return joint positions that reach poses; of those found, the nearest to `start`.

        An arm with a `closed_form` has all solutions computed; where none is within the joint
        limits, for parts of poses, and for other arms, positions are searched for, first from
        `start`.

        Args:
            pose: of a frame in the base frame, ``(4, 4)`` or ``(..., 4, 4)``.
            start: where the search begins, ``(n,)`` or one for each pose; the middle of the joints'
                ranges if left out.
            only: what of the pose is to be reached: "position", "rotation", "direction" (of the z
                axis), "position and direction" (any turn about z); or six truth values, for x, y, z
                and the turns about x, y and z. Of the turns two give the direction of the third
                axis.
            axes: along which axes the six count: those of the "target" pose, or of the "base".
            follow: the poses ``(..., N, 4, 4)`` are a path: each answer continues the one before,
                on the branch with the shortest way in all. `start` is ``(n,)`` or ``(..., n)``, the
                positions before the first pose.
            unreached: where no positions are found: "raise" an error, give the "nearest" ones that
                the search came to, or "nan".
            frame: the frame to place there; see `function`. Joints behind it stay at `start`.
            tolerance: largest distance from the pose [m], and largest angle [rad].
            restarts: number of random starting positions tried as well.
            seed: of these positions: the same seed gives the same answer.
            method: "auto", or "damped_least_squares" to search without the closed form.
            out: receives the positions; unchanged if none are found.

        Returns:
            Positions ``(..., n)`` [rad or m].

        Raises:
            UnreachedError: no positions within the joint limits were found; says how near it got.
            InputError: a pose is not a rigid transform, or an option is wrong.

        Examples:
            >>> arm.inverse_kinematics(arm.pose(q), start=q + 0.1)
            array([0.3, 0.5])
            >>> arm.inverse_kinematics(arm.pose(q), start=q + 0.1, only="position")
            array([0.3, 0.5])
        """
        if is_lazy(pose) or is_lazy(start):
            return _dask_arrays().lazy_inverse_kinematics(
                self, pose, start, out,
                only=only, axes=axes, follow=follow, unreached=unreached, frame=frame,
                tolerance=tolerance, restarts=restarts, seed=seed, method=method,
            )  # fmt: skip
        if not self._chain.is_serial:
            options = {
                "only": only, "axes": axes, "follow": follow, "unreached": unreached,
                "tolerance": tolerance, "restarts": restarts, "seed": seed, "method": method,
            }  # fmt: skip
            return self._branch_kinematics(pose, start, frame, out, options)
        kinematics = _kinematics()
        solver = self._branch_solver(frame)
        key = self._frame(frame)
        if isinstance(key, str):
            key = next(x.link for x in self.robot.frames if x.name == key)
        given = kinematics.Options(
            frame, min(key, self.n), tolerance, restarts, seed, method, only, axes, follow,
            unreached,
        )  # fmt: skip
        return kinematics.inverse_kinematics(self, solver, pose, start, given, out)

    def _branch_kinematics(
        self,
        pose: ArrayLike,
        start: ArrayLike | None,
        frame: str | int,
        out: Out,
        options: Mapping[str, Any],
    ) -> Array:
        """Return positions of a tree: only the joints on the way to the frame move."""
        name = self._only_tip() if frame == "tip" else frame
        if isinstance(name, int):
            name = self.joint_names[name - 1]
        from armdyn.arm.branch import positions_off_the_way

        arm, joints = self._branch(name, None)
        given = None if start is None else checked_state(start, "start", self.n, self.name)
        at = positions_off_the_way(self.robot, given)
        before = None if given is None else given[..., joints]
        found = arm.inverse_kinematics(pose, before, **options)
        lead = np.broadcast_shapes(found.shape[:-1], at.shape[:-1])
        result = np.broadcast_to(at, (*lead, self.n)).astype(self.dtype)
        result[..., joints] = found
        if out is None:
            return result
        target = checked_out(out, "`out`", result.shape, self.dtype)
        target[...] = result
        return target

    def branch(self, tip: str, q: ArrayLike | None = None) -> Arm:
        """Return the serial arm from the base to one tip of a tree.

        The other joints stand still, and the links that they carry are part of the arm's own. So
        closed forms of inverse kinematics, sweeps, symbolic models, pages and simulations can be
        had of one arm of a robot with several.

        Args:
            tip: one of `tips`, or another frame or joint of the robot.
            q: positions ``(n,)`` of all joints [rad or m], of which those off the way to the tip
                count; zero if left out.

        Returns:
            The arm; its joints are those on the way to the tip. Its torques are those of the tree
            while the other joints stand at `q`.

        Raises:
            InputError: there is no such tip, or joints on the way follow others.

        Examples:
            >>> link = dict(mass=1.0, com=(0.2, 0, 0), inertia=(0, 0, 0, 0.02, 0, 0.02))
            >>> left = armdyn.Joint(name="left", parent="waist", b=0.1, **link)
            >>> right = armdyn.Joint(name="right", parent="waist", b=0.3, **link)
            >>> joints = [armdyn.Joint(name="waist", **link), left, right]
            >>> two = armdyn.Arm(armdyn.Robot(joints, name="two"))
            >>> two.branch("left").joint_names
            ('waist', 'left')
        """
        arm, _ = self._branch(tip, q)
        return arm.astype(self.dtype)

    def _branch(self, tip: str, q: ArrayLike | None) -> tuple[Arm, list[int]]:
        from armdyn.arm.branch import branch_of

        at = np.zeros(self.n)
        if q is not None:
            at = checked_array(q, "q", (self.n,), what=f"positions ({self.n},)")
        found = branch_of(self.robot, tip, at)
        return Arm(found.robot), list(found.joints)

    def inverse_kinematics_all(
        self,
        poses: ArrayLike,
        *,
        redundancy: ArrayLike | None = None,
        swivel: ArrayLike | None = None,
        frame: str | int = "tip",
        limits: bool | str = True,
        polish: int | None = None,
        out: Branches | None = None,
    ) -> Branches:
        """Return all joint positions that reach poses, by the closed form of the arm.

        Args:
            poses: of a frame in the base frame, ``(..., 4, 4)``.
            redundancy: of an arm with seven joints, positions of the joint that `closed_form`
                names; their shape broadcasts with the leading axes of `poses`. If left out, 24
                positions all over its range are tried, with the branches of all of them.
            swivel: in place of `redundancy`, swivel angles of an arm of seven joints with a
                shoulder, an elbow and a wrist (KUKA LWR, iiwa): the turn of the elbow about the
                line from shoulder to wrist. It is 0 where the elbow is farthest down axis 1.
            frame: the frame to place there, carried by the last link; see `function`.
            limits: mark only branches within the joint limits as valid. Every turning joint is
                within half a turn of the middle of its limits; with "turns", every branch comes
                with all whole turns of its joints that the limits allow: B is larger then.
            polish: number of steps of Newton's method; by default what the closed form needs.
            out: the result of an earlier call, whose arrays receive the new one.

        Returns:
            An object with `q` ``(..., B, n)`` [rad or m], `valid` ``(..., B)`` and `margin` ``(...,
            B)``: negative margins do not reach the pose.

        Raises:
            InputError: the arm has no closed form, or a pose is none.

        Examples:
            >>> ur5 = armdyn.load("ur5")
            >>> ur5.closed_form
            'three parallel axes'
            >>> found = ur5.inverse_kinematics_all(ur5.pose(np.full(6, 0.3)))
            >>> found.q.shape, int(found.valid.sum())
            ((8, 6), 8)
            >>> np.allclose(ur5.pose(found.q[found.valid]), ur5.pose(np.full(6, 0.3)))
            True
        """
        if is_lazy(poses) or is_lazy(redundancy) or is_lazy(swivel):
            return _dask_arrays().lazy_inverse_kinematics_all(
                self, poses, redundancy, swivel, out, frame=frame, limits=limits, polish=polish
            )
        check_serial(self.robot, "Closed forms of inverse kinematics")
        from armdyn.kinematics.branches import inverse_kinematics_all

        if out is not None and self.dtype != DOUBLE:
            raise InputError(
                f"`out` does not go with an arm of {self.dtype}: all branches are computed in "
                "double. Leave it out, or use `arm.astype(np.float64)`.",
                argument="out",
            )
        solver = self._branch_solver(frame, swivel is not None)
        found = inverse_kinematics_all(
            solver, self.name, poses, redundancy, swivel, limits, polish, out,
            lambda: _kinematics().reach_of(self, frame),
        )  # fmt: skip
        if self.dtype == DOUBLE:
            return found
        return replace(found, q=found.q.astype(self.dtype), margin=found.margin.astype(self.dtype))

    def inverse_kinematics_source(self, language: str = "javascript") -> str:
        """Return the closed form of the inverse kinematics of the tip as source text.

        The function takes the pose, 16 numbers row by row, and of seven joints the position of the
        one that is given. It returns q, margin and beyond of all branches: a branch reaches the
        pose if its margin is at least -1e-9, and is within the limits if beyond is at most 1e-9.

        Args:
            language: "javascript" (an ES module), "c" (one function; `export_c` writes a package
                with a self-test) or "python".

        Returns:
            The source text.

        Raises:
            InputError: the arm has no closed form.

        Examples:
            >>> armdyn.load("scara").inverse_kinematics_source().splitlines()[9]
            'export function inverse_kinematics(pose) {'
        """
        from armdyn.arm.kinematics_code import inverse_kinematics_source

        return inverse_kinematics_source(self.robot, language)

    @property
    def closed_form(self) -> str | None:
        """The closed form of the inverse kinematics of the tip, in words; None if there is none.

        Examples:
            >>> armdyn.load("puma560").closed_form
            'wrist, axes 2 and 3 parallel'
        """
        solver = self._branch_solver("tip") if self._chain.is_serial else None
        if solver is None:
            return None
        either = ", or the swivel angle" if self._branch_solver("tip", True) else ""
        return solver.form.words + either

    def _branch_solver(self, frame: str | int, swivel: bool = False) -> BranchSolver | None:
        """Return what computes all branches for a frame; None without a closed form."""
        key = (self._frame(frame), swivel)
        if key not in self._solvers:
            self._solvers[key] = _kinematics().solver_of(self.robot, *key)
        return self._solvers[key]

    def page(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        log: Log | None = None,
        meshes: bool = False,
        packages: Sequence[str | os.PathLike[str]] = (),
    ) -> Page | None:
        """Write an HTML page in which the arm moves by its own dynamics; it needs no network.

        Sliders move the joints, a handle moves the tip, "let go" lets the arm fall; torques, mass
        matrix and energy follow.

        Args:
            path: of the page; if left out, the page is returned, and a notebook shows it.
            log: a motion to play, with its torques beside those of the model.
            meshes: draw the meshes of the robot's file, thinned out to some 24 000 triangles; a
                link without any is a capsule, and the page says what is missing.
            packages: folders in which meshes are looked for, besides that of the robot's file: of
                packages, or in which packages are.

        Returns:
            The page if `path` is left out, else None.

        Raises:
            FileError: the file cannot be written, or has another suffix than .html.

        Examples:
            >>> arm.page("arm.html")
            >>> arm.page()
            <Page of 'planar2': ... kB>
        """
        check_serial(self.robot, "Pages")
        from armdyn.arm.page import arm_page

        return arm_page(self.astype(np.float64), path, log, meshes, packages)

    def view(
        self,
        *,
        port: int | None = None,
        host: str = "127.0.0.1",
        browser: bool = True,
        packages: Sequence[str | os.PathLike[str]] = (),
    ) -> Viewer:
        """Open a viewer in a browser, with sliders, live numbers and recordings.

        While a script runs, ``viewer.q = ...`` moves the arm, so that a controller can be watched;
        ``viewer.play(run)`` plays a run or a log. Needs the extra "view".

        Args:
            port: of the address; if left out, a free one from 8080 on.
            host: the address to listen on; by default only this machine reaches it.
            browser: open the page in a browser.
            packages: folders in which meshes are looked for, besides that of the robot's file: of
                packages, or in which packages are.

        Returns:
            The viewer; close it, or use it in a ``with`` statement.

        Raises:
            MissingExtraError: the extra "view" is not installed.
            InputError: the port is taken.

        Examples:
            >>> with arm.view(browser=False) as viewer:
            ...     viewer.q = [0.3, 0.5]
        """
        check_serial(self.robot, "Viewers")
        # the layer of the viewer is above this one: it is named here, not imported
        viewing: Any = import_module("armdyn.view")
        double = self.astype(np.float64)
        return viewing.open_viewer(double, port=port, host=host, browser=browser, packages=packages)

    def export_c(
        self,
        folder: str | os.PathLike[str],
        functions: Sequence[str],
        *,
        single: bool = False,
        methods: Mapping[str, str] | None = None,
        parameters: bool | str = False,
        force: bool = False,
    ) -> tuple[Path, ...]:
        """Write functions as C99 with a self-test: all files, or none on failure.

        Args:
            folder: where to write; created if missing.
            functions: quantities, e.g. ``["mass_matrix", "inverse_dynamics"]``, and
                "inverse_kinematics": all branches, of an arm with a `closed_form`.
            single: compute in float instead of double.
            methods: method per quantity; the cheapest is used for the others.
            parameters: make masses, inertias, rotor inertias and friction arguments of the
                functions, so that new values need no new code: True or "natural" for ten
                parameters a link, "minimal" for `minimal` instead.
            force: also replace files that armdyn did not write.

        Returns:
            Paths of the files.

        Raises:
            MethodError: a quantity or a method is unknown.
            FileError: a file cannot be written, or armdyn did not write it and `force` is not set.

        Examples:
            >>> [path.name for path in arm.export_c("c", ["gravity"])]
            [...'planar2.h'...]
        """
        from armdyn.arm.codegen import export_c

        return export_c(
            self.astype(np.float64), folder, functions,
            single=single, methods=methods, parameters=parameters, force=force,
        )  # fmt: skip

    def controller(
        self, law: str = "computed_torque", *, rate: float = 1000.0, **gains: Any
    ) -> Controller:
        """Return a controller of this arm, to step through, to simulate and to export as C.

        Args:
            law: "computed_torque", "gravity", "pd_gravity", "joint_impedance",
                "cartesian_impedance" or "adaptive".
            rate: samples per second.
            gains: and limits, each by default from the arm; see `Controller`.

        Returns:
            The controller; it keeps the state of one arm.

        Raises:
            InputError: a gain is not positive, the arm has no limits of torque or no masses, or
                gains do not fit the rate.

        Examples:
            >>> control = arm.controller("pd_gravity", limit=[200.0, 100.0])
            >>> control.step(q, q)
            array([17.4751,  3.4173])
        """
        made: Any = import_module("armdyn.control.controller")  # the layer above this one
        return cast("Controller", made.controller_of(self, law, rate, gains))

    def _result(self, f: Function, *states: ArrayLike, out: Out = None) -> object:
        """Evaluate; after a call without options the next one is quick."""
        result = f(*states, out=out)
        default = f.key == ProgramKey(self._chain, f.quantity)
        if default and not any(map(is_lazy, states)):  # of which nothing was compiled here
            method: Any = vars(self).get(f.quantity)
            if is_own_method(f.quantity, method, self):
                method.install(f)
        return result

    def _at_frames(
        self,
        quantity: str,
        method: str,
        frame: str | int | Frames,
        out: Out,
        *states: ArrayLike,
    ) -> Array:
        """Return a quantity of a frame; of several frames, along the third axis from the end."""
        if not isinstance(frame, list | tuple):
            f = self.function(quantity, method, frame=frame)
            return cast(Array, self._result(f, *states, out=out))
        if not frame:
            raise InputError("`frame` is an empty list; name at least one frame.", argument="frame")
        functions = [self.function(quantity, method, frame=one) for one in frame]
        found = [cast(Array, f(*states)) for f in functions]
        if any(map(is_lazy, found)):
            return _dask_arrays().stacked(found, -3, out)
        target = None
        if out is not None:
            shape = (*found[0].shape[:-2], len(found), *found[0].shape[-2:])
            target = checked_out(out, "`out`", shape, self.dtype)
        return np.stack(found, axis=-3, out=target)

    def _chain_at(self, frame: str | int) -> tuple[Chain, int]:
        """Return the chain and the number of a frame; a frame of the file is the tip of a chain."""
        number = self._frame(frame)
        if isinstance(number, int):
            of_link = 0 < number <= self.n
            if number > self.n:
                number = self._chain.n + 1
            return self._chain, self._chain.link_numbers[number - 1] if of_link else number
        if number not in self._chains:
            self._chains[number] = at_frame(self._chain, self._frames[number])
        return self._chains[number], self._chain.n + 1

    def _frame(self, frame: str | int) -> int | str:
        """Return the number of a frame, n + 1 for the tip, or the name of one of the file."""
        if isinstance(frame, str):
            if frame == "tip":
                return self.n + 1 if self._chain.is_serial else self._only_tip()
            if frame in self._frames:
                return frame
            if frame in self.joint_names:
                return 1 + self.joint_names.index(frame)
        elif type(frame) is int and 0 <= frame <= self.n:
            return frame
        names = self.frames or self.joint_names
        return checked_whole(frame, "frame", 0, self.n, what=frame_in_words(frame, names, self.n))

    def _only_tip(self) -> int | str:
        """Return the number or the name of the tip of a tree; refuse if it has several."""
        tips = self.robot.tips
        if len(tips) == 1 or "tip" in tips:
            return tips[0] if len(tips) == 1 else "tip"
        ends = [i for i in range(1, self._chain.n + 1) if not self._chain.children(i)]
        if not tips and len(ends) == 1:
            return self.n + 1
        names = tips or self.frames or self.joint_names
        raise InputError(
            f"robot {self.name!r} has several tips; give one of its frames as `frame`: "
            f"{', '.join(names[:MOST_LISTED])}.",
            argument="frame",
        )

    def __dask_tokenize__(self) -> object:
        """Return what tells Dask that two arms are the same: their description."""
        return _dask_arrays().token_of(type(self).__name__, self.robot, self.dtype.char)

    def __getstate__(self) -> dict[str, object]:
        """Copy and pickle without what belongs to this object: its methods and cached values."""
        return {
            name: value
            for name, value in vars(self).items()
            if not is_own_method(name, value, self)
            and not isinstance(getattr(type(self), name, None), cached_property)
        }

    def _repr_html_(self) -> str:
        from armdyn.arm.cards import arm_card

        return arm_card(self)

    def __repr__(self) -> str:
        single = "" if self.dtype == DOUBLE else f", {self.dtype}"
        return f"<Arm {self.name!r}, {self.n} joints{single}>"


# Modules and a class that several methods use, imported at the first call of one of them.


def _function_class() -> type[Function]:
    from armdyn.arm.function import Function

    return Function


def _programs():
    from armdyn.programs import programs

    return programs


def _kinematics():
    from armdyn.kinematics import inverse_kinematics

    return inverse_kinematics


def _dask_arrays():
    from armdyn.arm import dask_arrays

    return dask_arrays
