"""MJCF, MuJoCo's format: read as serial arms, written from them.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.robot.formats.mjcf._read import read_mjcf
    from armdyn.robot.formats.mjcf._write import mjcf_text

__all__ = ["mjcf_text", "read_mjcf"]

__getattr__ = lazy_names(__name__, {"mjcf_text": "_write", "read_mjcf": "_read"})
