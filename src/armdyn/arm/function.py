"""`Function`: one quantity of one arm by one method, called on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.install_fastcall import Quick
from armdyn.arm.traced import ProgramView
from armdyn.checks import LARGEST_FLOAT, check_memory
from armdyn.errors import InputError, NumericalError
from armdyn.graph.program import VJP, Program
from armdyn.graph.rolled import Rolled
from armdyn.kernel.batch import wanted_threads
from armdyn.kernel.call.vectorcall import has_function, set_function
from armdyn.kernel.element import ELEMENTS
from armdyn.programs.arguments import (
    DOUBLE,
    LARGEST_ANGLE,
    OffsetJoints,
    checked_outs,
    checked_state,
    common_lead,
    is_lazy,
    not_finite,
)
from armdyn.programs.evaluate import Evaluator

if TYPE_CHECKING:
    from armdyn.kernel.kernel import Kernel
    from armdyn.programs.key import ProgramKey


class Function(Quick, ProgramView):
    """A quantity of an arm, ready to be called.

    Attributes:
        quantity: what it computes.
        method: the method it uses.
        robot: name of the arm, for messages.
        program: the traced code; for a long arm, sweeps along its joints.
        key: names the program, with the method that was asked for; None of minimal parameters.
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
        key: ProgramKey | None = None,
        dtype: np.dtype[Any] = DOUBLE,
    ) -> None:
        ProgramView.__init__(self, program, method, robot, key, dtype)
        self._evaluate = Evaluator(program, ELEMENTS[dtype.char])
        of = self.quantity.split(VJP)[0]  # gradients are of a quantity
        self._inverting = of in QUANTITIES and QUANTITIES[of].needs_invertible_mass_matrix
        takes_q = any(slot.name == "q" for slot in program.inputs)
        self._offset_joints = offset_joints if takes_q else None
        if hasattr(self, "fastcall_state"):  # initialised once more
            set_function(self, 0)

    @property
    def kernel(self) -> Kernel | None:
        """The machine code, compiled at first use; None if the program is too long to compile."""
        return self._evaluate.kernel

    @property
    def largest(self) -> float:
        """Largest number that needs no check [rad or m, per s, ...]; see `OffsetJoints`."""
        return LARGEST_FLOAT if self._offset_joints is None else LARGEST_ANGLE[self.dtype]

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

        Raises:
            InputError: the number of arrays, a shape or a type is wrong, or a number is not finite.
            NumericalError: a result is not finite: the mass matrix is singular, or a number too
                large.

        Examples:
            >>> f([0.3, 0.5])
            array([17.4751,  3.4173])
            >>> f(np.zeros((1000, 2))).shape
            (1000, 2)
        """
        wanted = [slot.name for slot in self.program.inputs]
        if len(states) != len(wanted):
            raise InputError(
                f"{self.quantity} takes {len(wanted)} arrays ({', '.join(wanted)}), "
                f"got {len(states)}."
            )
        if any(map(is_lazy, states)):
            from armdyn.arm.dask_arrays import lazy_call

            return lazy_call(self, states, out, threads)
        arrays = [
            checked_state(state, slot.name, slot.shape[0], self.robot, self.dtype)
            for state, slot in zip(states, self.program.inputs, strict=True)
        ]
        lead = common_lead(arrays, wanted)
        shapes = [(*lead, *slot.shape) for slot in self.program.outputs]
        outs = None if out is None else checked_outs(out, self.quantity, shapes, self.dtype)
        if not has_function(self):
            self._install(self, "__call__", _evaluate)
            if not lead and has_function(self):  # which needs no code for batches
                wanted_threads(threads)  # checks them
                return self(*arrays, out=out)
        if outs is None:
            self._check_memory(lead)
        results, inputs_within, results_finite = self._evaluate(
            arrays, lead, outs, threads, self.largest
        )
        if not inputs_within:
            from armdyn.kernel.batch import all_finite

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

    @property
    def computes(self) -> Function:
        """Itself."""
        return self

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

    def vjp(self) -> Function:
        """Return the gradient of this function, for reverse mode of automatic differentiation.

        It takes the states of this function and, for each result, the derivatives of a number by
        that result, flat: ``(..., 36)`` for a matrix of 6 by 6. It returns the derivatives of the
        number by each state: vector-Jacobian products, for a few times the operations. It has a
        gradient itself.

        Returns:
            The function that computes vector-Jacobian products.

        Examples:
            >>> q, weights = [0.3, 0.5], [1.0, 2.0]
            >>> f.vjp()(q, weights)
            array([-14.9..., -10.5...])
        """
        from armdyn.graph.derive import vjp_program

        gradient = vjp_program(self._straight)
        return Function(gradient, self.method, self.robot, self._offset_joints, dtype=self.dtype)

    def __dask_tokenize__(self) -> object:
        """Return what tells Dask that two functions compute the same."""
        from armdyn.kernel.cached import program_digest

        return (
            type(self).__name__, self.quantity, self.method, program_digest(self.program),
            self.dtype.char,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle without the C function, which belongs to this object."""
        return vars(self).copy()

    def _repr_html_(self) -> str:
        from armdyn.arm.cards import function_card

        return function_card(self)

    def __repr__(self) -> str:
        counted = self.operations
        return f"<Function {self.quantity} of {self.robot!r} by {self.method!r}: {counted}>"


# The method as defined here, to notice a patched class.
_evaluate = Function.__call__
