"""xacro, URDF with macros: expanded by the packages `xacrodoc` and `xacro`, then read as URDF.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.robot.formats.xacro._read import expanded, read_xacro, xacro_into

__all__ = ["expanded", "read_xacro", "xacro_into"]

__getattr__ = lazy_names(
    __name__, {"expanded": "_read", "read_xacro": "_read", "xacro_into": "_read"}
)
