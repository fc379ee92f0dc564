"""Meshes of links: found, read as triangles, and thinned out.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.robot.meshes._drawn import Drawn, Part, drawn
    from armdyn.robot.meshes._find import found_above, mesh_path, package_folders
    from armdyn.robot.meshes._read import parts_in, triangles_of
    from armdyn.robot.meshes._thin import thinned

__all__ = [
    "Drawn",
    "Part",
    "drawn",
    "found_above",
    "mesh_path",
    "package_folders",
    "parts_in",
    "thinned",
    "triangles_of",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Drawn": "_drawn",
        "Part": "_drawn",
        "drawn": "_drawn",
        "found_above": "_find",
        "mesh_path": "_find",
        "package_folders": "_find",
        "parts_in": "_read",
        "thinned": "_thin",
        "triangles_of": "_read",
    },
)
