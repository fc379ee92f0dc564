"""`PrintedRecursion`: a recursion as a paper prints it, to run, to read and to count."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.algorithms.structure import structure
from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_choice
from armdyn.errors import InputError, RobotError, shown
from armdyn.graph.count import Operations
from armdyn.programs.counts import STAGES, Stage
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.model import Robot
from armdyn_papers.as_printed.lines import Lines
from armdyn_papers.recursions import PRINTED, Printed, count_on, counted_lines, counted_run


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
    """A recursion as a paper prints it, misprints corrected.

    It computes a quantity of the links alone, without rotors and friction, one state at a time.

    Attributes:
        method: its name among `armdyn.methods`.
        quantity: what it computes.
    """

    method: str
    quantity: str

    @property
    def place(self) -> str:
        """The place in the paper, with the key of the list of references."""
        return self._printed.source

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
        return np.array(self._printed.run(chain, *state, Lines()), dtype=np.float64)

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
        if joints == "r = 1, s = 2":
            found = structure(chain)
            if chain.n < 2 or (found.r, found.s) != (1, 2):
                raise RobotError(
                    f"the first rotational joint is r = {found.r}, the next one not parallel to it "
                    f"s = {found.s}; {what} for r = 1, s = 2. `armdyn.Arm` computes it: "
                    f"arm.{self.quantity}(..., method={self.method!r})."
                )


def printed(method: str, quantity: str = "mass_matrix") -> PrintedRecursion:
    """Return a recursion as its paper prints it, misprints corrected.

    Args:
        method: its name among ``armdyn.methods(quantity)``.
        quantity: "mass_matrix", "inverse_dynamics", "bias" or "forward_dynamics".

    Returns:
        The recursion: call it with a robot and a state, read its `source`, count its operations.

    Raises:
        MethodError: the papers print no recursion of this quantity or method.

    Examples:
        >>> armdyn_papers.printed("lin_fang_1").place
        '[LinFang1999] Table I'
    """
    checked_choice(quantity, "quantity", PRINTED, what="quantity with a printed recursion")
    methods = PRINTED[quantity]
    name = checked_choice(method, "method", methods, what=f"printed recursion of {quantity}")
    return PrintedRecursion(name, quantity)
