"""MJCF, MuJoCo's format: read as serial arms, written from them.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.robot.formats.mjcf._into import mjcf_into
    from armdyn.robot.formats.mjcf._read import read_mjcf
    from armdyn.robot.formats.mjcf._write import lost_in_mjcf, mjcf_text

__all__ = ["lost_in_mjcf", "mjcf_into", "mjcf_text", "read_mjcf"]

__getattr__ = lazy_names(
    __name__,
    {
        "lost_in_mjcf": "_write",
        "mjcf_into": "_into",
        "mjcf_text": "_write",
        "read_mjcf": "_read",
    },
)
