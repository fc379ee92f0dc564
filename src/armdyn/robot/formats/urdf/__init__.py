"""URDF, the format robot makers publish: read as serial arms, written from them.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.robot.formats.urdf._read import parse_urdf, read_urdf
    from armdyn.robot.formats.urdf._write import urdf_text

__all__ = ["parse_urdf", "read_urdf", "urdf_text"]

__getattr__ = lazy_names(
    __name__,
    {
        "parse_urdf": "_read",
        "read_urdf": "_read",
        "urdf_text": "_write",
    },
)
