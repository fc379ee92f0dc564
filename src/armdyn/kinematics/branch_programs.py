"""What is computed of a pose: all branches within limits, and steps of Newton's method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

from armdyn.algorithms import udu
from armdyn.algorithms.kinematics import jacobian, pose
from armdyn.algorithms.vector import Matrix, add, cross, dot, scale, sub, total
from armdyn.kinematics.families import ClosedForm
from armdyn.kinematics.geometry import rows_of, size_of
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar, max, min, select

# The lower and the upper limit of a joint; may be infinite.
Limits = tuple[float, float]

# A joint beyond its limit by less [rad or m] is put at the limit: rounding near singular states.
AT_LIMIT = 1e-9
# Added to the normal equations of a step, whose matrix has entries of about 1.
DAMPING = 1e-13

Solutions = tuple[list[list[Scalar]], list[Scalar], list[Scalar], Scalar]


def branches(
    form: ClosedForm,
    limits: Sequence[Limits],
    turns: Sequence[bool],
    T: Sequence[Scalar],
    given: Scalar | None = None,
    clipped: bool = True,
) -> Solutions:
    """Return all branches for a pose.

    Args:
        form: the closed form of the arm.
        limits: of the joints.
        turns: which joints turn.
        T: the pose, 4x4, row by row.
        given: the position of the joint that must be given, or the swivel angle.
        clipped: put joints that are beyond a limit by less than `AT_LIMIT` at the limit.

    Returns:
        The joint positions, by whole turns as near to the middle of the limits as can be; the
        margins; how far the joint that is farthest beyond its limits is beyond [rad or m], not
        above 0 if none is; and how far the pose is from a rotation and a position above the row
        0 0 0 1.
    """
    q: list[list[Scalar]] = []
    margins: list[Scalar] = []
    beyond: list[Scalar] = []
    for positions, margin in form.solutions(T, given):
        row: list[Scalar] = []
        most: list[Scalar] = []
        for x, limit, turning in zip(positions, limits, turns, strict=True):
            x = _near_middle(x, limit) if turning else x
            if not (turning and _turns_freely(limit)):
                off = _beyond(x, limit)
                most.append(off)
                if clipped:
                    x = select(max(off - AT_LIMIT, -off), x, _clipped(x, limit))
            row.append(x)
        q.append(row)
        margins.append(margin)
        beyond.append(reduce(max, most) if most else -1.0)
    return q, margins, beyond, defect(T)


def _near_middle(x: Scalar, limit: Limits) -> Scalar:
    """Return an angle of [-pi, pi] by whole turns within half a turn of the middle of its limits.

    If any whole turn is within the limits, this one is.
    """
    middle = _middle(limit)
    whole = 2.0 * math.pi * round(middle / (2.0 * math.pi))
    rest = middle - whole
    if abs(rest) < 1e-9:
        return x + whole
    turn = math.copysign(2.0 * math.pi, rest)
    # half a turn away from the middle, on the side of the angle's own cut
    far = abs(rest) - math.pi - (x if rest > 0.0 else -x)
    return select(far, x + turn, x) + whole


def _middle(limit: Limits) -> float:
    """Return the middle of limits; of one alone, what is half a turn from it."""
    low, high = limit
    if math.isfinite(low) and math.isfinite(high):
        return 0.5 * (low + high)
    if math.isfinite(low) or math.isfinite(high):
        return low + math.pi if math.isfinite(low) else high - math.pi
    return 0.0


def _turns_freely(limit: Limits) -> bool:
    """Say whether what is within half a turn of the middle is surely within the limits."""
    low, high = limit
    room = math.pi + AT_LIMIT
    return low < _middle(limit) - room and _middle(limit) + room < high


def _beyond(x: Scalar, limit: Limits) -> Scalar:
    """Return how far a position is beyond its limits; negative within."""
    low, high = limit
    if math.isfinite(low) and math.isfinite(high):
        return abs(x - 0.5 * (low + high)) - 0.5 * (high - low)
    if math.isfinite(low):
        return low - x
    return x - high if math.isfinite(high) else -1.0


def _clipped(x: Scalar, limit: Limits) -> Scalar:
    low, high = limit
    x = max(x, low) if math.isfinite(low) else x
    return min(x, high) if math.isfinite(high) else x


def defect(T: Sequence[Scalar]) -> Scalar:
    """Return how far a 4x4 matrix is from a pose."""
    X, Y, Z = (_column(T, k) for k in range(3))
    off = sub(cross(X, Y), Z)
    last = (T[12], T[13], T[14], T[15] - 1.0)
    errors = (dot(X, X) - 1.0, dot(Y, Y) - 1.0, dot(X, Y), *off, *last)
    return reduce(max, [0.0, *map(abs, errors)])


def _column(T: Sequence[Scalar], k: int) -> Vector:
    return T[k], T[4 + k], T[8 + k]


def newton(
    chain: Chain, held: int | None, q: Sequence[Scalar], T: Sequence[Scalar]
) -> tuple[list[Scalar], Scalar]:
    """Return joint positions after one damped step of Newton's method, and the error before it.

    Args:
        chain: the arm.
        held: the index of a joint that stays where it is.
        q: the positions.
        T: the pose to reach, 4x4, row by row.

    Returns:
        The new positions, and the largest entry of the difference of the poses.
    """
    tip = chain.n + 1
    here, J = pose(chain, q, tip), jacobian(chain, q, tip)
    size = size_of(rows_of(chain))
    off = [T[4 * i + j] - here[i][j] for i in range(3) for j in range(4)]
    worst = reduce(max, [0.0, *map(abs, off)])
    turn: Vector = (0.0, 0.0, 0.0)
    for k in range(3):
        turn = add(turn, cross((here[0][k], here[1][k], here[2][k]), _column(T, k)))
    error = [off[3] * (1.0 / size), off[7] * (1.0 / size), off[11] * (1.0 / size)]
    error += scale(0.5, turn)
    free = [k for k in range(chain.n) if k != held]
    rows = [[J[i][k] * (1.0 / size) if i < 3 else J[i][k] for k in free] for i in range(6)]
    normal: Matrix = [
        [total(row[a] * row[b] for row in rows) + (DAMPING if a == b else 0.0)
         for b in range(len(free))] for a in range(len(free))
    ]  # fmt: skip
    step = udu.solve(normal, [total(r[a] * e for r, e in zip(rows, error, strict=True))
                              for a in range(len(free))])  # fmt: skip
    moved = list(q)
    for k, x in zip(free, step, strict=True):
        # far from a solution a full step helps nobody
        moved[k] = q[k] + max(min(x, 0.5), -0.5)
    return moved, worst
