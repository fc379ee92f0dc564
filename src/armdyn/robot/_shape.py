"""`Shape`: a solid of a link, as the file of a robot describes it for collisions or for the eye."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

ShapeKind = Literal["box", "cylinder", "sphere", "capsule", "mesh", "unknown"]

Colour: TypeAlias = tuple[float, float, float, float]
Rows: TypeAlias = tuple[tuple[float, float, float, float], ...]


@dataclass(frozen=True)
class Shape:
    """A solid fixed to a link. Dynamics do not use it; a mesh is opened only when it is needed.

    Attributes:
        link: 0 for the base, i for the link that joint i moves.
        kind: "box", "cylinder", "sphere", "capsule" or "mesh"; "unknown" if the file has a solid
            that could not be understood.
        size: edges of a box; radius and length of a cylinder, and of a capsule without its ends;
            radius of a sphere; three scales of a mesh [m].
        placement: 4x4, of its frame in E_i, or in the base frame for link 0, as rows; cylinders and
            capsules lie along its z.
        file: name of the mesh, as written in the file of the robot.
        folder: in which the file of the robot is.
        colour: red, green, blue and opacity from 0 to 1; None if the file says nothing.

    Examples:
        >>> from armdyn.robot import IDENTITY, Shape
        >>> Shape(1, "sphere", (0.1,), IDENTITY).kind
        'sphere'
    """

    link: int
    kind: ShapeKind
    size: tuple[float, ...]
    placement: Rows
    file: str = ""
    folder: str = ""
    colour: Colour | None = None
