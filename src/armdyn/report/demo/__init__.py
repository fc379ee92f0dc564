"""The demo on the bundled PUMA 560, from its description to identified C code."""

from armdyn.report.demo._chapter import Chapter
from armdyn.report.demo._story import PAGE, Demo, tell

__all__ = ["PAGE", "Chapter", "Demo", "tell"]
