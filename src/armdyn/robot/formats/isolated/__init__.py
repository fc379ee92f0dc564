"""Parsers of untrusted files, run in a confined process that may crash, hang or be taken over."""

from armdyn.robot.formats.isolated._process import Isolated
from armdyn.robot.formats.isolated._serve import Refused

__all__ = ["Isolated", "Refused"]
