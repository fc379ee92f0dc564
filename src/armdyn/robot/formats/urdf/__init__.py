"""URDF, the format robot makers publish: read as serial arms, written from them."""

from armdyn.robot.formats.urdf._read import parse_urdf, read_urdf
from armdyn.robot.formats.urdf._write import urdf_text

__all__ = ["parse_urdf", "read_urdf", "urdf_text"]
