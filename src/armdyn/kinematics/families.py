"""Which closed form an arm has, by its geometry; and all its branches for a pose."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from armdyn.algorithms.kinematics import direction
from armdyn.algorithms.vector import add, dot, scale, sub
from armdyn.errors import GraphError
from armdyn.kinematics import few_joints, wrist
from armdyn.kinematics.equations import Pair, turned
from armdyn.kinematics.geometry import (
    ZERO,
    Branch,
    Family,
    Pose,
    Position,
    Row,
    Solver,
    reverse,
    rows_of,
)
from armdyn.kinematics.three_parallel import three_parallel, three_parallel_offset
from armdyn.kinematics.wrist import BRANCHES, has_swivel, swivel_branches
from armdyn.robot.chain import Chain, Vector
from armdyn.robot.model import Placement
from armdyn.scalar import Scalar, cos, sin


@dataclass(frozen=True)
class ClosedForm:
    """The closed form of an arm.

    Attributes:
        words: which it is.
        branches: number of branches.
        polish: number of steps of Newton's method that its results need.
        given: the index of the joint that must be given, of an arm of seven joints.
        exact: whether it finds a solution for every pose in reach; arms with fewer than six joints
            reach only few poses, so results are compared with the pose.
        swivel: whether the swivel angle must be given, in place of a joint.
    """

    words: str
    branches: int
    polish: int
    given: int | None
    exact: bool
    _chain: Chain
    _rows: tuple[Row, ...]
    _solve: Solver
    _reversed: bool
    swivel: bool = False

    @property
    def asks(self) -> bool:
        """Whether a joint to spare, or the swivel angle, must be given."""
        return self.swivel or self.given is not None

    def solutions(
        self, pose: Sequence[Scalar], given: Scalar | None = None
    ) -> list[tuple[list[Scalar], Scalar]]:
        """Return the joint positions and the margin of all branches.

        Args:
            pose: of the tip in the base frame, 4x4, row by row.
            given: the position of the joint that must be given, or the swivel angle.
        """
        chain = self._chain
        frame = _between(chain.base, pose, chain.tool)
        rows = rows_of(chain)
        if self.given is not None:
            assert given is not None
            row = rows[self.given]
            turn = turned(row.zero, (cos(given), sin(given)))
            if self.given:
                frame = frame.without_last(row, turn, row.d)
            else:
                frame = frame.before(row).past(turn, row.d)
        frame = frame.before(self._rows[0])
        inner = self._rows
        if self._reversed:
            inner, frame = reverse(inner), frame.inverse()
        found: list[tuple[list[Scalar], Scalar]] = []
        for turns, margin in self._branches(inner, frame, given):
            q = [
                _position(row, turn, self._reversed) for row, turn in zip(inner, turns, strict=True)
            ]
            if self._reversed:
                q.reverse()
            if self.given is not None:
                assert given is not None
                q.insert(self.given, given)
            found.append((q, margin))
        return found

    def _branches(self, rows: Sequence[Row], frame: Pose, given: Scalar | None) -> list[Branch]:
        if not self.swivel:
            return self._solve(rows, frame)
        assert given is not None
        return swivel_branches(rows, frame, (cos(given), sin(given)))


def closed_form(chain: Chain) -> ClosedForm | None:
    """Return the closed form of an arm, None if it has none."""
    rows = rows_of(chain)
    if not _is_plain(chain):
        return None
    if len(rows) == 7:
        return _found(chain, rows[:-1], 6) or _found(chain, rows[1:], 0)
    return _found(chain, rows, None)


def swivel_form(chain: Chain) -> ClosedForm | None:
    """Return the closed form of an arm of seven joints at a swivel angle, None if it has none."""
    rows = rows_of(chain)
    if not (_is_plain(chain) and has_swivel(rows)):
        return None
    words = "shoulder, elbow and wrist, swivel angle given"
    return ClosedForm(words, BRANCHES, 0, None, True, chain, rows, _no_program, False, True)


def _is_plain(chain: Chain) -> bool:
    """Say whether rows tell all: no tilt, no carrier, no unknown lengths."""
    if chain.carrier is not None or not chain.is_normal:
        return False
    return not any(math.isnan(row.b) for row in rows_of(chain))


def generic_form(chain: Chain) -> ClosedForm:
    """Return the words and numbers of an arm of six turning joints that is solved otherwise."""
    return ClosedForm("generic", 16, 0, None, True, chain, rows_of(chain), _no_program, False)


def _no_program(rows: Sequence[Row], pose: Pose) -> list[Branch]:
    raise GraphError("elimination is no straight-line program, so it cannot be traced")


def _found(chain: Chain, rows: tuple[Row, ...], given: int | None) -> ClosedForm | None:
    for family in FAMILIES:
        for backwards in (False, True):
            if family.fits(reverse(rows) if backwards else rows):
                words = family.words + (" (seen from the tip)" if backwards else "")
                if given is not None:
                    words += f", joint {given + 1} given"
                return ClosedForm(
                    words, family.branches, family.polish, given, len(rows) == 6, chain, rows,
                    family.solve, backwards,
                )  # fmt: skip
    return None


def _position(row: Row, turn: Pair | Scalar | Position, backwards: bool) -> Scalar:
    """Return the joint's variable; backwards, turns and shifts have the other sign."""
    if isinstance(turn, tuple):
        turn = row.position(turn)
    found = turn.angle if isinstance(turn, Position) else turn
    return -found if backwards else found


def _between(base: Placement, pose: Sequence[Scalar], tool: Placement) -> Pose:
    """Return E_n as seen from E_0."""
    X, Y, Z = (direction(base, k) for k in range(3))
    origin = (base[0][3], base[1][3], base[2][3])
    tip = [(pose[k], pose[4 + k], pose[8 + k]) for k in range(4)]
    rows = [[dot(axis, v) for v in tip[:3]] for axis in (X, Y, Z)]
    at = [dot(axis, sub(tip[3], origin)) for axis in (X, Y, Z)]
    axes = [direction(tool, k) for k in range(3)]
    t = (tool[0][3], tool[1][3], tool[2][3])
    # E_n's axes are the tip's, turned back by the tool
    x, y, z = (
        _vector(dot((row[0], row[1], row[2]), (axes[0][k], axes[1][k], axes[2][k])) for row in rows)
        for k in range(3)
    )
    shift = add(scale(t[0], x), scale(t[1], y), scale(t[2], z))
    return Pose(x, y, z, sub(_vector(at), shift))


def _vector(values: Iterable[Scalar]) -> Vector:
    x, y, z = values
    return x, y, z


def _six_turns(rows: Sequence[Row]) -> bool:
    return len(rows) == 6 and all(row.rotational for row in rows)


def _wrist(
    words: str,
    fits: Callable[[Row, Row, wrist.Reach], bool],
    reached: Callable[..., list[tuple[Pair, Pair, Pair, Scalar]]],
    polish: int = 0,
) -> Family:
    def fitting(rows: Sequence[Row]) -> bool:
        if not (_six_turns(rows) and wrist.is_wrist(rows)):
            return False
        return fits(rows[1], rows[2], wrist.Reach(rows, 1.0))

    def solve(rows: Sequence[Row], pose: Pose) -> list[Branch]:
        return wrist.wrist_branches(rows, reached, pose)

    return Family(f"wrist, {words}", fitting, solve, 8, polish)


def _planar(rows: Sequence[Row], meets: bool) -> bool:
    if not _six_turns(rows):
        return False
    _, two, three, four, five, six = rows
    return (
        three.parallel and four.parallel and not three.meets and not four.meets
        and not two.parallel and not five.parallel and not six.parallel and six.meets == meets
    )  # fmt: skip


def _elbow(reach: wrist.Reach) -> bool:
    """Say whether joint 3 moves the wrist's point across its axis."""
    x, y, _ = reach.w
    return math.hypot(x, y) > ZERO  # pyright: ignore[reportArgumentType]


def _varies(reach: wrist.Reach) -> bool:
    """Say whether joint 3 changes the distance of the wrist's point from the first joints."""
    A, B, _ = wrist.distance(reach)
    return math.hypot(A, B) > ZERO  # pyright: ignore[reportArgumentType]


# In this order, forwards before backwards.
FAMILIES: tuple[Family, ...] = (
    Family("three parallel axes", lambda rows: _planar(rows, True), three_parallel, 8),
    _wrist(
        "axes 2 and 3 parallel",
        lambda two, three, reach: three.parallel and not two.parallel
        and not three.meets and _elbow(reach),
        wrist.parallel_2_3,
    ),
    _wrist(
        "axes 1 and 2 meet",
        lambda two, three, reach: two.meets and not two.parallel and _varies(reach),
        wrist.crossing_1_2,
    ),
    _wrist(
        "axes 2 and 3 meet",
        lambda two, three, reach: three.meets and not three.parallel and _elbow(reach)
        and math.hypot(two.b, two.d * two.S) > ZERO,
        wrist.crossing_2_3,
    ),
    _wrist(
        "axes 1 and 2 parallel",
        lambda two, three, reach: two.parallel and not three.parallel
        and not two.meets and _elbow(reach),
        wrist.parallel_1_2,
    ),
    _wrist(
        "skew axes",
        lambda two, three, reach: not two.parallel and not two.meets and _elbow(reach),
        wrist.skew,
        1,
    ),
    Family(
        "three parallel axes, offset wrist", lambda rows: _planar(rows, False),
        three_parallel_offset, 8, 2,
    ),
    *few_joints.FAMILIES,
)  # fmt: skip
