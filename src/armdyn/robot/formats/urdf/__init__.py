"""URDF, the format robot makers publish: read as serial arms, written from them.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.robot.formats.urdf._into import into_text, urdf_into
    from armdyn.robot.formats.urdf._read import parse_urdf, read_urdf
    from armdyn.robot.formats.urdf._write import lost_in_urdf, urdf_text

__all__ = ["into_text", "lost_in_urdf", "parse_urdf", "read_urdf", "urdf_into", "urdf_text"]

__getattr__ = lazy_names(
    __name__,
    {
        "into_text": "_into",
        "lost_in_urdf": "_write",
        "parse_urdf": "_read",
        "read_urdf": "_read",
        "urdf_into": "_into",
        "urdf_text": "_write",
    },
)
