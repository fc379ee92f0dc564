"""`ProgramView`: a traced program as source text and as a function of other libraries.

What writes the text is imported when it is asked for: the first number of a cached arm needs none
of these modules, which take 6 ms, or with programs of parameters 52 ms. JAX and PyTorch are extras.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.checks import checked_choice, checked_flag
from armdyn.errors import InputError
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Program
from armdyn.graph.rolled import Rolled, count_rolled
from armdyn.graph.show import show
from armdyn.kernel.element import ELEMENTS
from armdyn.kernel.kernel import compile_program
from armdyn.programs.arguments import DOUBLE
from armdyn.programs.methods import methods

if TYPE_CHECKING:
    from armdyn.programs.key import ProgramKey

LANGUAGES = ("python", "c", "llvm", "latex", "jax", "casadi", "javascript")


class ProgramView:
    """The code of a quantity: its length, its text, and functions of other libraries.

    `Function`, which adds the call, lists the attributes.
    """

    def __init__(
        self,
        program: Program | Rolled,
        method: str,
        robot: str,
        key: ProgramKey | None = None,
        dtype: np.dtype[Any] = DOUBLE,
    ) -> None:
        self.quantity = program.name
        self.method = method
        self.robot = robot
        self.program = program
        self.dtype = dtype
        self.key = key

    @property
    def operations(self) -> Operations:
        """Operations of one call, counted on the traced code."""
        program = self.program
        return count_rolled(program) if isinstance(program, Rolled) else count(program)

    @property
    def depth(self) -> int:
        """Operations on the critical path: steps of a call on as many processors as it can use.

        Sines and cosines are taken to be there, and a change of sign to be free, as in
        `operations`.
        """
        from armdyn.graph.depth import depth, depth_rolled

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

    def source(self, language: str = "python", *, parameters: bool = False) -> str:
        """Return the traced program as source text.

        "python" needs only the standard library, "c" only math.h. "jax" and "casadi" are Python
        code that needs only that library: functions of arrays ``(..., n)``, or of SX or MX column
        vectors. "javascript" is an ES module without dependencies; its function takes an array for
        each input and returns a number, an array or an array of rows, or an array of these. "llvm"
        is the code that is compiled for this machine; "latex" is for small arms.

        Args:
            language: "python", "c", "jax", "casadi", "javascript", "llvm" or "latex".
            parameters: take the link parameters, in the order of `Arm.parameters`, as a further
                argument, the last.

        Returns:
            The source text.

        Raises:
            MethodError: the language is unknown.
            InputError: the program is rolled, or too long for this language.

        Examples:
            >>> f.source("c").splitlines()[2]
            'void gravity(const double q[2], double tau[2])'
            >>> f.source("javascript").splitlines()[9]
            'export function gravity(q) {'
            >>> f.source("c", parameters=True).splitlines()[2]
            'void gravity(const double q[2], const double p[20], double tau[2])'
        """
        from armdyn.export.c import c_source

        libraries = _libraries()
        wanted = checked_choice(language, "language", LANGUAGES)
        if wanted == "llvm":
            code = self._program(parameters) if parameters else self.program
            return compile_program(code, element=ELEMENTS[self.dtype.char]).ir
        writers: dict[str, Callable[[Program], str]] = {
            "python": show,
            "c": lambda program: c_source(program, self.quantity),
            "latex": libraries.to_latex,
            "jax": libraries.jax_source,
            "casadi": libraries.casadi_source,
            "javascript": libraries.javascript_source,
        }
        return writers[wanted](self._program(parameters))

    def sympy(self, *, parameters: bool = False) -> Callable[..., Any]:
        """Return the same function on SymPy expressions: a sequence for each input.

        Args:
            parameters: take the link parameters, in the order of `Arm.parameters`, as a further
                argument, the last.

        Returns:
            A function of SymPy expressions.

        Raises:
            MissingExtraError: SymPy is not installed.

        Examples:
            >>> import sympy
            >>> torques = f.sympy()(sympy.symbols("q1 q2"))
            >>> torques[1].subs({"q1": 0, "q2": 0})
            4.905...
        """
        return _libraries().to_sympy(self._program(parameters))

    def casadi(self, *, parameters: bool = False) -> Any:
        """Return the same function as a `casadi.Function` of column vectors.

        Args:
            parameters: take the link parameters, in the order of `Arm.parameters`, as a further
                argument, the last.

        Returns:
            A `casadi.Function`.

        Raises:
            MissingExtraError: CasADi is not installed.

        Examples:
            >>> f.casadi()
            Function(gravity:(q[2])->(tau[2]) SXFunction)
            >>> f.casadi(parameters=True)
            Function(gravity:(q[2],p[20])->(tau[2]) SXFunction)
        """
        return _libraries().to_casadi(self._program(parameters))

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

        Returns:
            A function of JAX arrays.

        Raises:
            MissingExtraError: JAX is not installed.

        Examples:
            >>> import jax
            >>> jax.config.update("jax_enable_x64", True)
            >>> f.jax()(np.array([0.3, 0.5])).shape
            (2,)
            >>> f.jax(parameters=True)(np.array([0.3, 0.5]), np.ones(20)).shape
            (2,)
        """
        program = self._program(parameters)
        if not checked_flag(kernel, "kernel"):
            return _libraries().to_jax(program)
        from armdyn.arm.jax_ops import jax_function

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

        Returns:
            A function of PyTorch tensors.

        Raises:
            MissingExtraError: PyTorch is not installed.

        Examples:
            >>> import torch
            >>> q = torch.tensor([0.3, 0.5], dtype=torch.float64, requires_grad=True)
            >>> f.torch()(q).sum().backward()
            >>> q.grad
            tensor([-11.3858,  -7.0373], dtype=torch.float64)
        """
        from armdyn.arm.torch_ops import torch_function

        return torch_function(self._program(parameters), self.dtype)

    def _program(self, parameters: bool) -> Program:
        """Return the code, with the link parameters as its last input if they are asked for."""
        straight = self._straight
        if not checked_flag(parameters, "parameters"):
            return straight
        if self.key is None:
            raise InputError(
                f"this {self.quantity} of robot {self.robot!r} is computed from minimal "
                "parameters, not from those of the links; take `Arm.function` for `parameters`.",
                argument="parameters",
            )
        from armdyn.programs.parametric import of_link_parameters

        return of_link_parameters(self.key, self.method)


def _libraries():
    from armdyn.export import libraries

    return libraries
