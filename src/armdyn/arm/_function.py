"""`Function`: one quantity of one arm by one method, called on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn._checks import LARGEST_FLOAT, check_memory, checked_choice, checked_flag
from armdyn._fork_safe import first_use
from armdyn.algorithms import QUANTITIES
from armdyn.arm._arguments import (
    DOUBLE,
    checked_outs,
    checked_state,
    common_lead,
    is_lazy,
    not_finite,
)
from armdyn.arm._evaluate import Evaluator
from armdyn.arm._install_fastcall import install_vectorcall
from armdyn.arm._offset_joints import LARGEST_ANGLE, OffsetJoints
from armdyn.arm.programs._methods import methods
from armdyn.errors import InputError, NumericalError
from armdyn.graph import VJP, Program, Rolled
from armdyn.kernel import ELEMENTS
from armdyn.kernel.call._vectorcall import Vectorcallable, lost_function, set_function

if TYPE_CHECKING:
    from armdyn.graph import Operations
    from armdyn.kernel import Kernel
    from armdyn.robot import Chain

LANGUAGES = ("python", "c", "llvm", "latex", "jax", "casadi", "javascript")


class Function(Vectorcallable):
    """A quantity of an arm, ready to be called.

    Attributes:
        quantity: what it computes.
        method: the method it uses.
        robot: name of the arm, for messages.
        program: the traced code; for a long arm, sweeps along its joints.
        dtype: the type of numbers that it takes, computes with and returns.

    Examples:
        >>> f = armdyn.load("planar2").function("gravity")
        >>> f
        <Function gravity of 'planar2' by 'second_moment': 6M 2A>
    """

    def __init__(
        self,
        program: Program | Rolled,
        method: str,
        robot: str,
        offset_joints: OffsetJoints | None = None,
        traced_from: tuple[Chain, str, int, bool, str] | None = None,
        dtype: np.dtype[Any] = DOUBLE,
    ) -> None:
        self.quantity = program.name
        self.method = method
        self.robot = robot
        self.program = program
        self.dtype = dtype
        self._evaluate = Evaluator(program, ELEMENTS[dtype.char])
        self._shapes = [slot.shape for slot in program.inputs]
        of = self.quantity.split(VJP)[0]  # gradients are of a quantity
        self._inverting = of in QUANTITIES and QUANTITIES[of].inverts
        self._may_be_infinite = self._inverting or self.quantity not in QUANTITIES
        takes_q = any(slot.name == "q" for slot in program.inputs)
        self._offset_joints = offset_joints if takes_q else None
        # results of smaller states are far from overflow
        self._ordinary = min(self._evaluate.element.ordinary, self.largest)
        self._traced_from = traced_from  # arm, method asked for, frame, friction, base
        self._warm = False
        if hasattr(self, "fastcall_state"):  # initialised once more
            set_function(self, 0)

    @property
    def kernel(self) -> Kernel | None:
        """The machine code, compiled at first use; None if the program is too long to compile."""
        return self._evaluate.kernel

    @property
    def largest(self) -> float:
        """States with larger numbers are checked one by one; see `OffsetJoints`."""
        return LARGEST_FLOAT if self._offset_joints is None else LARGEST_ANGLE[self.dtype]

    @property
    def operations(self) -> Operations:
        """Operations of one call, counted on the traced code."""
        from armdyn.graph import count, count_rolled

        program = self.program
        return count_rolled(program) if isinstance(program, Rolled) else count(program)

    @property
    def depth(self) -> int:
        """Operations on the critical path: steps of a call on as many processors as it can use.

        Sines and cosines are taken to be there, and a change of sign to be free, as in
        `operations`.
        """
        from armdyn.graph import depth, depth_rolled

        program = self.program
        return depth_rolled(program) if isinstance(program, Rolled) else depth(program)

    @property
    def _straight(self) -> Program:
        if isinstance(self.program, Rolled):
            others = [name for name in methods(self.quantity) if name != self.method]
            raise InputError(
                f"{self.quantity} of robot {self.robot!r} by {self.method!r} is no straight-line "
                f"code and cannot be written out; give another `method`: {', '.join(others)}."
            )
        return self.program

    def __call__(
        self,
        *states: ArrayLike,
        out: NDArray[Any] | tuple[NDArray[Any], ...] | None = None,
        threads: int | None = None,
    ) -> NDArray[np.float64] | tuple[NDArray[np.float64], ...]:
        """Evaluate at one state or many.

        Args:
            states: one array of shape ``(n,)`` or ``(..., n)`` for each input; leading axes
                broadcast.
            out: array of `dtype` that receives the result; a tuple of arrays for several results.
                If a number is not finite, or an angle too large, it holds what was computed
                before the error was found; other errors leave it unchanged.
            threads: largest number of threads for a large batch; default is the environment
                variable ``ARMDYN_THREADS``, else the number of cores. The result does not depend
                on it.

        Returns:
            An array whose leading axes are those of the states, or a tuple of arrays; of Dask
            arrays, lazy ones with the same chunks, whose blocks are computed by one thread each.

        Examples:
            >>> f([0.3, 0.5])
            array([17.4751,  3.4173])
            >>> f(np.zeros((1000, 2))).shape
            (1000, 2)
        """
        if self._warm and out is None and threads is None:
            quick = self._one_state(states)
            if quick is not None:
                self._warm = not lost_function(self)
                return quick
        wanted = [slot.name for slot in self.program.inputs]
        if len(states) != len(wanted):
            raise InputError(
                f"{self.quantity} takes {len(wanted)} arrays ({', '.join(wanted)}), "
                f"got {len(states)}."
            )
        if any(map(is_lazy, states)):
            from armdyn.arm.lazy._functions import lazy_call

            return lazy_call(self, states, out, threads)
        arrays = [
            checked_state(state, slot.name, slot.shape[0], self.robot, self.dtype)
            for state, slot in zip(states, self.program.inputs, strict=True)
        ]
        lead = common_lead(arrays, wanted)
        shapes = [(*lead, *slot.shape) for slot in self.program.outputs]
        outs = None if out is None else checked_outs(out, self.quantity, shapes, self.dtype)
        if not self._warm:
            with first_use:
                install_vectorcall(self, _evaluate, Function._call_anew)
            self._warm = True
        if outs is None:
            self._check_memory(lead)
        results, inputs_within, results_finite = self._evaluate(
            arrays, lead, outs, threads, self.largest
        )
        if not inputs_within:
            from armdyn.kernel import all_finite

            if not all(map(all_finite, arrays)):
                raise not_finite(arrays, wanted)
            if self._offset_joints is not None:
                self._offset_joints.check(arrays[wanted.index("q")])
            # the large number is harmless: a velocity, or a position of a joint without offset
            results, _, results_finite = self._evaluate(arrays, lead, outs, threads)
        if not results_finite:
            raise self._result_not_finite(results, len(lead))
        return results[0] if len(results) == 1 else tuple(results)

    def _check_memory(self, lead: tuple[int, ...]) -> None:
        """Refuse results that do not fit into memory, before allocating them."""
        if lead:
            size = (
                self.dtype.itemsize * prod(lead) * sum(slot.size for slot in self.program.outputs)
            )
            check_memory(
                size, f"{self.quantity} of {prod(lead)} states", self.program.inputs[0].name
            )

    def _call_anew(self, *states: Any, **options: Any) -> Any:
        """Call the function as its class, which has changed, says."""
        set_function(self, 0)
        self._warm = False
        return self(*states, **options)

    def _one_state(self, states: Sequence[Any]) -> NDArray[np.float64] | None:
        """Return the result for one plain state; None if anything is unusual.

        The caller then checks the arguments and reports what is wrong with them.
        """
        kernel = self.kernel
        if kernel is None or len(states) != len(self._shapes):
            return None
        for state, shape in zip(states, self._shapes, strict=True):
            if type(state) is not np.ndarray or state.dtype != self.dtype or state.shape != shape:
                return None
            if not all(-self._ordinary < x < self._ordinary for x in state.tolist()):
                return None
        if not self._may_be_infinite:  # ordinary states have ordinary results
            result = kernel(*states)
            return result if isinstance(result, np.ndarray) and result.ndim else None
        with np.errstate(all="ignore"):
            result = kernel(*states)
            if isinstance(result, np.ndarray) and np.isfinite(np.vdot(result, result)):
                return result
        return None

    def _result_not_finite(
        self, results: Sequence[NDArray[np.float64]], n_axes: int
    ) -> NumericalError:
        bad = next(x for x in (~np.isfinite(result) for result in results) if x.any())
        at = tuple(int(k) for k in np.argwhere(bad)[0][:n_axes])
        where = f" at the state of index {at}" if at else ""
        why = "the state is too large."
        if self._inverting:
            why = "the mass matrix is singular or not positive there: does every joint move a mass?"
            if self.quantity.startswith("forward_dynamics"):
                why += (
                    " If joints have `load_friction` and rotors, the signs of the torques that "
                    "their gears transmit may not have been found: is it near 1?"
                )
        if self.dtype != DOUBLE:
            why += f" Or {self.dtype} is too short for it: load the arm with `dtype=np.float64`."
        return NumericalError(
            f"{self.quantity} of robot {self.robot!r} by {self.method!r} is not finite"
            f"{where}: {why}"
        )

    def source(self, language: str = "python", *, parameters: bool = False) -> str:
        """Return the traced code in a language.

        "python" needs only the standard library, "c" only math.h. "jax" and "casadi" are Python
        code that needs only that library: functions of arrays ``(..., n)``, or of SX or MX column
        vectors. "javascript" is an ES module without dependencies; its function takes an array for
        each input and returns a number, an array or an array of rows, or an array of these. "llvm"
        is the code that is compiled for this machine; "latex" is for small arms.

        Args:
            language: the language.
            parameters: take the link parameters, in the order of `Arm.parameters`, as a further
                argument, the last.

        Examples:
            >>> f.source("c").splitlines()[2]
            'void gravity(const double q[2], double tau[2])'
            >>> f.source("javascript").splitlines()[9]
            'export function gravity(q) {'
            >>> f.source("c", parameters=True).splitlines()[2]
            'void gravity(const double q[2], const double p[20], double tau[2])'
        """
        from armdyn.export import (
            c_source,
            casadi_source,
            javascript_source,
            jax_source,
            to_latex,
        )
        from armdyn.graph import show
        from armdyn.kernel import compile_program

        wanted = checked_choice(language, "language", LANGUAGES)
        if wanted == "llvm":
            code = self._program(parameters) if parameters else self.program
            return compile_program(code, element=self._evaluate.element).ir
        writers: dict[str, Callable[[Program], str]] = {
            "python": show,
            "c": lambda program: c_source(program, self.quantity),
            "latex": to_latex,
            "jax": jax_source,
            "casadi": casadi_source,
            "javascript": javascript_source,
        }
        return writers[wanted](self._program(parameters))

    def sympy(self, *, parameters: bool = False) -> Callable[..., Any]:
        """Return the same function on SymPy expressions: a sequence for each input.

        Args:
            parameters: take the link parameters, in the order of `Arm.parameters`, as a further
                argument, the last.

        Examples:
            >>> import sympy
            >>> torques = f.sympy()(sympy.symbols("q1 q2"))
            >>> torques[1].subs({"q1": 0, "q2": 0})
            4.905...
        """
        from armdyn.export import to_sympy

        return to_sympy(self._program(parameters))

    def casadi(self, *, parameters: bool = False) -> Any:
        """Return the same function as a `casadi.Function` of column vectors.

        Args:
            parameters: take the link parameters, in the order of `Arm.parameters`, as a further
                argument, the last.

        Examples:
            >>> f.casadi()
            Function(gravity:(q[2])->(tau[2]) SXFunction)
            >>> f.casadi(parameters=True)
            Function(gravity:(q[2],p[20])->(tau[2]) SXFunction)
        """
        from armdyn.export import to_casadi

        return to_casadi(self._program(parameters))

    def jax(self, *, parameters: bool = False, kernel: bool = True) -> Callable[..., Any]:
        """Return the same function on JAX arrays ``(..., n)``.

        On a CPU it calls the compiled kernel, which computes in the precision of the arm: for
        double precision JAX needs ``jax_enable_x64``. `jit`, `vmap` and derivatives in both modes
        work, again and again. Numbers are not checked: results of NaN are NaN. On other devices,
        and with a version of jaxlib that is not known here, JAX computes the traced program.

        Args:
            parameters: take the link parameters ``(..., 10n)``, in the order of
                `Arm.parameter_names`, as a further argument, the last.
            kernel: False for the traced program in any case, in the precision of the arguments.

        Examples:
            >>> import jax
            >>> jax.config.update("jax_enable_x64", True)
            >>> f.jax()(np.array([0.3, 0.5])).shape
            (2,)
            >>> f.jax(parameters=True)(np.array([0.3, 0.5]), np.ones(20)).shape
            (2,)
        """
        from armdyn.export import to_jax

        program = self._program(parameters)
        if not checked_flag(kernel, "kernel"):
            return to_jax(program)
        from armdyn.arm.engines._jax import jax_function

        return jax_function(program, self.dtype)

    def torch(self, *, parameters: bool = False) -> Callable[..., Any]:
        """Return the same function on PyTorch tensors ``(..., n)``: a custom operator.

        It calls the compiled kernel on the memory of the tensors. Autograd, as often as you like,
        `torch.vmap` and `torch.compile` work. Tensors are on the CPU, all of float64 or all of
        float32. An arm of float32 takes those only; others compute them in double precision and
        round. Numbers are not checked: results of NaN are NaN.

        Args:
            parameters: take the link parameters ``(..., 10n)``, in the order of
                `Arm.parameter_names`, as a further argument, the last.

        Examples:
            >>> import torch
            >>> q = torch.tensor([0.3, 0.5], dtype=torch.float64, requires_grad=True)
            >>> f.torch()(q).sum().backward()
            >>> q.grad
            tensor([-11.3858,  -7.0373], dtype=torch.float64)
        """
        from armdyn.arm.engines._torch import torch_function

        return torch_function(self._program(parameters), self.dtype)

    def vjp(self) -> Function:
        """Return the gradient of this function, for reverse mode of automatic differentiation.

        It takes the states of this function and, for each result, the derivatives of a number by
        that result, flat: ``(..., 36)`` for a matrix of 6 by 6. It returns the derivatives of the
        number by each state: vector-Jacobian products, for a few times the operations. It has a
        gradient itself.

        Examples:
            >>> q, weights = [0.3, 0.5], [1.0, 2.0]
            >>> f.vjp()(q, weights)
            array([-14.9..., -10.5...])
        """
        from armdyn.graph import vjp_program

        gradient = vjp_program(self._straight)
        return Function(gradient, self.method, self.robot, self._offset_joints, dtype=self.dtype)

    def _program(self, parameters: bool) -> Program:
        """Return the code, with the link parameters as its last input if they are asked for."""
        straight = self._straight
        if not checked_flag(parameters, "parameters"):
            return straight
        if self._traced_from is None:
            raise InputError(
                f"this {self.quantity} of robot {self.robot!r} is computed from minimal "
                "parameters, not from those of the links; take `Arm.function` for `parameters`.",
                argument="parameters",
            )
        from armdyn.arm.programs._parametric import of_link_parameters

        chain, asked, frame, friction, base = self._traced_from
        return of_link_parameters(chain, self.quantity, asked, self.method, frame, friction, base)

    def __dask_tokenize__(self) -> object:
        """Return what tells Dask that two functions compute the same."""
        from armdyn.kernel import program_digest

        return (
            type(self).__name__, self.quantity, self.method, program_digest(self.program),
            self.dtype.char,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle without the C function, which belongs to this object."""
        return {**vars(self), "_warm": False}

    def _repr_html_(self) -> str:
        from armdyn.arm._cards import function_card

        return function_card(self)

    def __repr__(self) -> str:
        counted = self.operations
        return f"<Function {self.quantity} of {self.robot!r} by {self.method!r}: {counted}>"


# The method as defined here, to notice a patched class.
_evaluate = Function.__call__
