"""Joints whose angle is theta + q: large positions lose digits in the sum.

If theta is a multiple of pi/2, nothing is added and any position is exact. Otherwise the sum is
rounded before the sine: in double the error of an angle is 7e-12 rad at 1e5 rad, in float 4e-6 rad
at 100 rad, and it grows with q. Larger positions are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError
from armdyn.robot.chain import Chain

# The largest position of such a joint [rad], by the type of numbers.
LARGEST_ANGLE = {np.dtype(np.float64): 1e5, np.dtype(np.float32): 100.0}


@dataclass(frozen=True)
class OffsetJoints:
    """The joints of an arm whose theta is added to q.

    Attributes:
        indices: of the joints, from 0.
        names: of the joints.
    """

    indices: tuple[int, ...]
    names: tuple[str, ...]

    def check(self, q: NDArray[np.float64]) -> None:
        """Raise an error if a position ``(..., n)`` is too large."""
        angles = q[..., list(self.indices)]
        largest = LARGEST_ANGLE[q.dtype]
        wrong = np.argwhere(~(np.abs(angles) <= largest))
        if len(wrong):
            at = tuple(int(k) for k in wrong[0])
            index = (*at[:-1], self.indices[at[-1]])
            where = f" at index {index}" if len(index) > 1 else ""
            raise InputError(
                f"`q` has joint {self.names[at[-1]]!r} at {angles[at]:g} rad{where}: there theta + "
                f"q has lost digits; expected at most {largest:g} rad. Wrap the angle to "
                "+-pi first.",
                argument="q",
            )


def offset_joints(chain: Chain, names: Sequence[str]) -> OffsetJoints | None:
    """Return the joints of an arm whose theta is added to q; None if there are none."""
    found = [
        k for k, link in enumerate(chain.links) if link.rotational and link.C0 * link.S0 != 0.0
    ]
    return OffsetJoints(tuple(found), tuple(names[k] for k in found)) if found else None
