"""Readers of others, run in a process of their own, which may crash, hang or take all memory."""

from armdyn.robot.formats.isolated._process import Isolated

__all__ = ["Isolated"]
