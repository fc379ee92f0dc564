"""`PrintedRecursion`: a recursion as a paper prints it, to run, to read and to count."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.arm.function import Function
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_choice
from armdyn.errors import InputError, NumericalError, RobotError, shown
from armdyn.graph.count import Operations
from armdyn.programs.counts import STAGES, Stage
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.model import Robot
from armdyn_papers.as_printed.lines import Lines
from armdyn_papers.errata.erratum import Erratum
from armdyn_papers.recursions import (
    PRINTED,
    Printed,
    count_on,
    counted_lines,
    counted_run,
    program_of,
)


@dataclass(frozen=True)
class LineOfRecursion:
    """A line of a printed recursion, with its operations by the paper's conventions.

    Attributes:
        text: the left side of the line.
        times: how often it runs.
        M: multiplications of all runs together.
        A: additions of all runs together.
    """

    text: str
    times: int
    M: int
    A: int


@dataclass(frozen=True)
class PrintedRecursion:
    """A recursion as a paper prints it.

    It computes a quantity of the links alone, without rotors and friction, one state at a time.

    Attributes:
        method: its name among `armdyn.methods`.
        quantity: what it computes.
        misprints: places in the list of errata at which it follows the printed form.
    """

    method: str
    quantity: str
    misprints: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The place in the paper, with the key of the list of references."""
        return self._printed.source

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """The misprints of its lines that can be run, each with what is right and the check."""
        from armdyn_papers.papers import ERRATA, PAPERS

        name = next(x.name for x in PAPERS.values() if self.place.startswith(x.key))
        places = self._printed.misprints
        return tuple(
            erratum for erratum in ERRATA[name] if erratum.place in places and erratum.evidence
        )

    @property
    def _printed(self) -> Printed:
        return PRINTED[self.quantity][self.method]

    def __call__(self, robot: Arm | Robot | str, *inputs: ArrayLike) -> Array:
        """Run the recursion at one state.

        Args:
            robot: an arm, a robot, or what `armdyn.load` takes.
            inputs: the inputs of the quantity, each ``(n,)``: q [rad or m], then qd, then qdd or
                tau.

        Returns:
            The quantity in SI units, as the method of the same name of `armdyn.Arm` returns it.

        Raises:
            InputError: an input has a wrong shape, is not finite, or is missing.
            RobotError: the recursion is not printed for the joints of the robot.
            NumericalError: the inertia matrix, to be inverted, is not positive definite.

        Examples:
            >>> formulation_1 = armdyn_papers.printed("lin_fang_1")
            >>> formulation_1("planar2", [0.3, 0.5])
            array([[2.5442, 0.7721],
                   [0.7721, 0.3333]])
        """
        chain = self._chain(robot)
        names = QUANTITIES[self.quantity].inputs
        if len(inputs) != len(names):
            raise InputError(
                f"{self.quantity} by {shown(self.method)} has {len(inputs)} inputs here; it takes "
                f"{len(names)}: {', '.join(names)}.",
                argument=names[min(len(inputs), len(names) - 1)],
            )
        state = [
            checked_array(value, name, (chain.n,), what=f"{chain.n} finite numbers").tolist()
            for name, value in zip(names, inputs, strict=True)
        ]
        try:
            result = self._printed.run(chain, *state, Lines(self.misprints))
        except (ValueError, ZeroDivisionError):  # Cholesky's roots and quotients
            because = "by its misprints" if self.misprints else "at this state"
            raise NumericalError(
                f"{self.place} makes no positive definite inertia matrix {because}, and cannot "
                f"solve with it. `armdyn.Arm` can: arm.{self.quantity}(...)."
            ) from None
        return np.array(result, dtype=np.float64)

    def function(self, robot: Arm | Robot | str) -> Function:
        """Compile the recursion for a robot, simplified by exact rules.

        Args:
            robot: an arm, a robot, or what `armdyn.load` takes.

        Returns:
            A function of one state or of arrays of states, as `armdyn.Arm.function` returns; its
            `program` is the graph.

        Raises:
            RobotError: the recursion is not printed for the joints of the robot.

        Examples:
            >>> f = armdyn_papers.printed("lin_fang_1").function("planar2")
            >>> f([0.3, 0.5])
            array([[2.5442, 0.7721],
                   [0.7721, 0.3333]])
        """
        chain = self._chain(robot)
        program = program_of(self._printed, self.quantity, chain, self.misprints)
        name = getattr(robot, "name", "") or (robot if isinstance(robot, str) else "robot")
        return Function(program, self.method, name)

    def source(self) -> str:
        """Return the Python source of the module that has the recursion.

        Returns:
            The text of the module.

        Examples:
            >>> 'line("H_jk"' in armdyn_papers.printed("renaud").source()
            True
        """
        run = self._printed.run
        texts = [inspect.getsource(inspect.getmodule(run) or run)]
        if self._printed.table is not None:  # the table is in a module of its own
            from armdyn_papers.as_printed import tables_i_to_v

            texts.append(inspect.getsource(tables_i_to_v))
        return "\n\n".join(texts)

    def counts(self, robot: Arm | Robot | str, stage: Stage = "printed") -> Operations:
        """Count the operations on a robot.

        Args:
            robot: an arm, a robot, or what `armdyn.load` takes; `armdyn.generic` makes those of
                the papers.
            stage: "printed" by the paper's conventions, or "simplified" after exact rules.

        Returns:
            The operations; divisions and roots are multiplications, as in the papers. Of Tables I
            to V of [LinFang1999] they are those of the table alone, composite bodies on hand.

        Raises:
            MethodError: `stage` is unknown.
            RobotError: the recursion is not printed for the joints of the robot.

        Examples:
            >>> print(armdyn_papers.printed("lin_fang_1").counts(armdyn.generic(6)))
            262M 160A
        """
        checked_choice(stage, "stage", STAGES[:2], what="stage of a printed recursion")
        return count_on(self._printed, self.quantity, self._chain(robot), stage)

    def lines(self, robot: Arm | Robot | str) -> tuple[LineOfRecursion, ...]:
        """Return the lines with their operations on a robot, by the paper's conventions.

        Args:
            robot: an arm, a robot, or what `armdyn.load` takes.

        Returns:
            The lines in the order in which they first run.

        Raises:
            RobotError: the recursion is not printed for the joints of the robot.

        Examples:
            >>> line = armdyn_papers.printed("lin_fang_1").lines(armdyn.generic(6))[-1]
            >>> line.text, line.times, line.M, line.A
            ('t_ji, j <= i-2', 6, 72, 48)
        """
        run, sizes = counted_run(self._printed, self.quantity, self._chain(robot))
        counted = counted_lines(run, sizes).lines
        return tuple(LineOfRecursion(text, x.times, x.M, x.A) for text, x in counted.items())

    def _chain(self, robot: Arm | Robot | str) -> Chain:
        model = cast("object", load(robot) if isinstance(robot, str) else robot)
        if not isinstance(model, Arm | Robot):
            raise InputError(
                f"`robot` is {shown(robot)}; expected an arm, a robot, or the name or path that "
                "armdyn.load takes.",
                argument="robot",
            )
        chain = chain_of(model.robot if isinstance(model, Arm) else model)
        self._check_joints(chain)
        return chain

    def _check_joints(self, chain: Chain) -> None:
        joints, what = self._printed.joints, f"{self.place} prints {self.quantity}"
        slides = [i for i in range(1, chain.n + 1) if not chain[i].rotational]
        if not chain.is_normal:
            raise RobotError(
                f"the robot has joints with a tilt; {what} for Denavit-Hartenberg parameters. "
                f"`armdyn.Arm` computes it: arm.{self.quantity}(...)."
            )
        if joints == "rotational" and slides:
            raise RobotError(
                f"joint {slides[0]} slides; {what} for rotational joints only. `armdyn.Arm` "
                f"computes it: arm.{self.quantity}(..., method={self.method!r})."
            )


def printed(
    method: str, quantity: str = "mass_matrix", *, misprints: bool | str = False
) -> PrintedRecursion:
    """Return a recursion as its paper prints it, misprints corrected or not.

    Args:
        method: its name among ``armdyn.methods(quantity)``.
        quantity: "mass_matrix", "inverse_dynamics", "bias" or "forward_dynamics".
        misprints: False for the corrected recursion; True for the letter of the paper, wrong
            wherever `errata` of the recursion say so; or the place of one of these errata, to
            follow the paper there only.

    Returns:
        The recursion: call it with a robot and a state, read its `source`, count its operations.

    Raises:
        MethodError: the papers print no recursion of this quantity or method.
        InputError: the recursion has no such misprint.

    Examples:
        >>> armdyn_papers.printed("lin_fang_1").place
        '[LinFang1999] Table I'
        >>> [erratum.place for erratum in armdyn_papers.printed("lin_fang_5").errata]
        ['Table V, t_{i-1,i}', 'Table V, t_1i', 'Table V, D_ij']
    """
    checked_choice(quantity, "quantity", PRINTED, what="quantity with a printed recursion")
    methods = PRINTED[quantity]
    name = checked_choice(method, "method", methods, what=f"printed recursion of {quantity}")
    places = methods[name].misprints
    if isinstance(misprints, bool):
        return PrintedRecursion(name, quantity, places if misprints else ())
    if misprints not in places:
        known = ", ".join(map(repr, places)) or "it has none that can be run"
        raise InputError(
            f"{methods[name].source} has no misprint at {shown(misprints)}; `misprints` is True, "
            f"False, or one of: {known}.",
            argument="misprints",
        )
    return PrintedRecursion(name, quantity, (misprints,))
