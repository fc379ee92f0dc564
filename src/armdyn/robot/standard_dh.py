"""Standard (distal) DH rows converted to the modified form that `Robot` keeps.

In standard DH the step of row i is ``Rz(theta) Tz(d) Tx(a) Rx(alpha)``: joint i moves about z_{i-1}
and frame i sits at the far end of link i, on the axis of joint i+1. Cut each step after Tz(d): the
rest of row i-1, ``Tx(a) Rx(alpha)``, followed by ``Rz(theta) Tz(d)`` of row i, is the modified step
of joint i (a turn about an axis and a shift along it commute). So beta_i = alpha_{i-1},
b_i = a_{i-1}, beta_1 = b_1 = 0, the joint variables are unchanged, and the last Tx(a) Rx(alpha)
joins the tool.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.checks import about, checked_flag, checked_items
from armdyn.errors import RobotError, shown
from armdyn.robot.chain import exact_cos_sin
from armdyn.robot.joint import Joint, Kind, checked_entry, in_degrees
from armdyn.robot.leniency import Leniency, PhysicalFault, checked_leniency
from armdyn.robot.model import Robot, placement_of

ROW = ("theta", "d", "a", "alpha")
ANGLES = ((0, "theta"), (3, "alpha"))

# A sum this small relative to its terms is rounding: the centre of mass lies on the axis.
RESIDUE = 1e-14


def from_standard_dh(
    rows: Sequence[Sequence[float]],
    *,
    kinds: Sequence[Kind] | None = None,
    masses: Sequence[float] | None = None,
    coms: Sequence[Sequence[float]] | None = None,
    inertias: Sequence[Sequence[float]] | None = None,
    rotor_inertias: Sequence[float] | None = None,
    viscous: Sequence[float] | None = None,
    coulomb: Sequence[float] | None = None,
    offsets: Sequence[float] | None = None,
    lower: Sequence[float] | None = None,
    upper: Sequence[float] | None = None,
    velocity: Sequence[float] | None = None,
    effort: Sequence[float] | None = None,
    names: Sequence[str] | None = None,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
    name: str = "arm",
    strict: bool = True,
    degrees: bool = False,
) -> Robot:
    """Return the robot of standard DH rows, with link data in standard DH frames.

    Every column has one entry per row; an omitted column takes the default of `Joint`.

    Args:
        rows: (theta, d, a, alpha) of each joint [rad, m, m, rad]; the joint variable adds to theta
            of a revolute joint, to d of a prismatic one.
        kinds: "revolute" or "prismatic"; all revolute if left out.
        masses: of the links [kg].
        coms: centre of mass (x, y, z) of link i in standard frame i, at the link's far end [m].
        inertias: (xx, xy, xz, yy, yz, zz) about the centre of mass, in the axes of standard frame i
            [kg m^2].
        rotor_inertias: inertias of the drives, reflected to the joints.
        viscous: viscous friction.
        coulomb: Coulomb friction.
        offsets: constant friction.
        lower: lower limits of q.
        upper: upper limits of q.
        velocity: limits of |qd|.
        effort: limits of |tau|.
        names: names of the joints.
        gravity: gravitational acceleration in the base frame [m/s^2].
        base: 4x4 placement of standard frame 0 in the base frame.
        tool: 4x4 placement of the tip in standard frame n.
        name: name of the arm.
        strict: as in `Robot`.
        degrees: theta and alpha, and of revolute joints `lower`, `upper` and `velocity`, are in
            degrees in place of radians.

    Returns:
        The robot, in modified DH.

    Raises:
        RobotError: a row or column has the wrong length, an entry is impossible, or an angle is in
            degrees without `degrees=True`.

    Examples:
        >>> rows = [(0, 0.4, 0, np.pi / 2), (0, 0, 0.5, 0)]  # theta, d, a, alpha
        >>> robot = armdyn.from_standard_dh(rows, masses=[2.0, 1.0])
        >>> [round(joint.beta, 4) for joint in robot.joints]
        [0.0, 1.5708]
        >>> armdyn.Arm(robot).pose([0, 0])[:3, 3]
        array([0.5, 0. , 0.4])
        >>> rows = [(0, 0.4, 0, 90), (0, 0, 0.5, 0)]
        >>> armdyn.from_standard_dh(rows, masses=[2.0, 1.0], degrees=True) == robot
        True
    """
    degrees, table = checked_flag(degrees, "degrees", error=RobotError), _rows(rows)
    columns = (
        ("kinds", "kind", kinds), ("masses", "mass", masses), ("coms", "com", coms),
        ("inertias", "inertia", inertias), ("rotor_inertias", "rotor_inertia", rotor_inertias),
        ("viscous", "viscous", viscous), ("coulomb", "coulomb", coulomb),
        ("offsets", "offset", offsets), ("lower", "lower", lower), ("upper", "upper", upper),
        ("velocity", "velocity", velocity), ("effort", "effort", effort), ("names", "name", names),
    )  # fmt: skip
    given = {
        field: _column(column, len(table), argument)
        for argument, field, column in columns
        if column is not None
    }
    if degrees:
        _turn_into_radians(table, given)
    else:
        _check_angles(table, checked_leniency(strict, (), error=RobotError))
    joints: list[Joint] = []
    beta, b = 0.0, 0.0
    for i, (theta, d, a, alpha) in enumerate(table):
        link = {field: column[i] for field, column in given.items()}
        try:
            # Build it from the entries as given first, so that errors quote them.
            joint = Joint(beta=beta, b=b, theta=theta, d=d, **link)
        except RobotError as error:
            raise RobotError(f"entry {i} of the columns: {error}") from error
        joints.append(_with_link_in_joint_frame(joint, a, alpha))
        beta, b = alpha, a
    return Robot(joints, gravity, base, _far_end(beta, b, tool), name, strict)


def _rows(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    try:
        table = [list(row) for row in rows]
    except TypeError:
        raise RobotError(
            f"`rows` is {shown(rows)}, expected rows (theta, d, a, alpha).", argument="rows"
        ) from None
    if not table:
        raise RobotError(
            "`rows` is empty; an arm needs at least one row (theta, d, a, alpha).", argument="rows"
        )
    for i, row in enumerate(table):
        if len(row) != 4:
            raise RobotError(
                f"`rows[{i}]` has {len(row)} entries, expected 4: (theta, d, a, alpha).",
                argument="rows",
            )
    return [
        [
            checked_entry(x, key, error=about(f"`rows[{i}]`", RobotError))
            for x, key in zip(row, ROW, strict=True)
        ]
        for i, row in enumerate(table)
    ]


def _turn_into_radians(table: list[list[float]], given: dict[str, list[Any]]) -> None:
    """Convert theta and alpha of the rows, and limits of the revolute joints, in place."""
    kinds: list[Any] = given.get("kind", ["revolute"] * len(table))
    for i, row in enumerate(table):
        row[0], row[3] = math.radians(row[0]), math.radians(row[3])
        for field in ("lower", "upper", "velocity"):
            if field in given and kinds[i] != "prismatic":
                error = about(f"entry {i} of the columns: joint", RobotError)
                given[field][i] = math.radians(checked_entry(given[field][i], field, error=error))


def _check_angles(table: list[list[float]], leniency: Leniency) -> None:
    """Refuse angles in degrees. If they are accepted, `Robot` warns of all but the last alpha."""
    angles = [(i, name, row[k]) for i, row in enumerate(table) for k, name in ANGLES]
    faults = [
        PhysicalFault(f"`rows[{i}]`: `{name}` is {angle:g}")
        for i, name, angle in (angles if leniency.strict else angles[-1:])
        if in_degrees(angle)
    ]
    said = "an angle is in degrees, expected radians; `degrees=True` takes degrees: "
    leniency.judge(faults, lambda text: RobotError(text, argument="rows"), about=said, stacklevel=3)


def _column(column: Sequence[Any], n: int, name: str) -> list[Any]:
    what = f"{n} entries, one a row"
    array = cast("NDArray[Any]", column) if isinstance(column, np.ndarray) else None
    given: object = list(array) if array is not None and array.ndim else column
    entries = list[Any](checked_items(given, name, what=what, error=RobotError))
    if len(entries) != n:
        raise RobotError(
            f"`{name}` has {len(entries)} entries, expected {n}, one a row.", argument=name
        )
    return entries


def _with_link_in_joint_frame(joint: Joint, a: float, alpha: float) -> Joint:
    """Return the joint with its link data converted from standard frame i to E_i.

    Frame i is placed in E_i by Tx(a) Rx(alpha).
    """
    C, S = exact_cos_sin(alpha)
    x, y, z = joint.com
    xx, xy, xz, yy, yz, zz = joint.inertia
    along = x + a
    if abs(along) <= RESIDUE * max(abs(x), abs(a)):
        along = 0.0
    com = (along, C * y - S * z, S * y + C * z)
    inertia = (
        xx,
        C * xy - S * xz,
        S * xy + C * xz,
        C * C * yy - 2 * C * S * yz + S * S * zz,
        C * S * (yy - zz) + (C * C - S * S) * yz,
        S * S * yy + 2 * C * S * yz + C * C * zz,
    )
    # + 0.0 makes the -0.0 of right angles a plain zero
    cx, cy, cz = (v + 0.0 for v in com)
    Ixx, Ixy, Ixz, Iyy, Iyz, Izz = (v + 0.0 for v in inertia)
    return replace(joint, com=(cx, cy, cz), inertia=(Ixx, Ixy, Ixz, Iyy, Iyz, Izz))


def _far_end(alpha: float, a: float, tool: ArrayLike | None) -> ArrayLike:
    """Return the tip in E_n: Tx(a) Rx(alpha) of the last row, then the tool."""
    C, S = exact_cos_sin(alpha)
    x, y, z, last = np.array(placement_of(tool, "tool"))
    return np.array([x + a * last, C * y - S * z, S * y + C * z, last]) + 0.0
