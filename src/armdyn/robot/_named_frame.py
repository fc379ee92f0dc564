"""`NamedFrame`: a frame of a robot's file, fixed to a link of the arm."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.robot._shape import Rows


@dataclass(frozen=True)
class NamedFrame:
    """A frame that the file of a robot names: of a link, a joint, a body or a site.

    Dynamics do not use it. `Arm.pose`, `Arm.jacobian` and `Arm.inverse_kinematics` take its name.

    Attributes:
        name: as in the file.
        link: 0 for the base, i for the link that joint i moves.
        placement: 4x4, in E_i, or in the base frame for link 0, as rows.

    Examples:
        >>> from armdyn.robot import IDENTITY, NamedFrame
        >>> NamedFrame("camera", 2, IDENTITY).link
        2
    """

    name: str
    link: int
    placement: Rows
