"""`DenocMatrices`: the matrices of [Saha1999] at a state or at a batch of states."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.denoc_matrices import denoc_matrices
from armdyn.arrays import Array
from armdyn.errors import RobotError
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.robot.chain import Chain

# Arms of more joints are refused: their code grows with n^3, and takes more than half a minute to
# trace and compile.
MOST_JOINTS = 24


class DenocMatrices(NamedTuple):
    """The decoupled natural orthogonal complement of an arm, of links without rotors.

    Twists are (angular velocity, velocity of the centre of mass) of every link, in the axes of the
    base.

    Attributes:
        N_l: ``(..., 6n, 6n)``: the twists made by unit twists of links before, (11), (14).
        N_d: ``(..., 6n, n)``: the twists of links by unit rates of their own joints, (13), (14).
        M: ``(..., 6n, 6n)``: the extended masses, (2).
        C: ``(..., n, n)``: N^T (M dN/dt + Omega M N); ``C @ qd`` are the Coriolis and centrifugal
            torques [N m or N].
    """

    N_l: Array
    N_d: Array
    M: Array
    C: Array

    @property
    def N(self) -> Array:
        """The natural orthogonal complement N_l N_d, (14): ``N @ qd`` are the twists."""
        return self.N_l @ self.N_d

    @property
    def mass_matrix(self) -> Array:
        """The mass matrix of the links, N^T M N, (19), without rotors [kg m^2 or kg]."""
        N = self.N
        return np.swapaxes(N, -1, -2) @ self.M @ N


def denoc_program(chain: Chain) -> Program:
    """Trace the matrices of a chain.

    Raises:
        RobotError: the arm has too many joints.
    """
    n = chain.n
    if n > MOST_JOINTS:
        raise RobotError(
            f"the arm has {n} joints; the matrices of the natural orthogonal complement are "
            f"computed for at most {MOST_JOINTS}. `arm.mass_matrix(q, method='denoc')` computes "
            "the mass matrix from them, for any number of joints."
        )
    outputs = [
        Slot("N_l", (6 * n, 6 * n)), Slot("N_d", (6 * n, n)), Slot("M", (6 * n, 6 * n)),
        Slot("C", (n, n)),
    ]  # fmt: skip
    inputs = [Slot("q", (n,)), Slot("qd", (n,))]
    return trace(partial(denoc_matrices, chain), inputs, outputs, name="denoc_matrices")
