"""Motions that give the most information about an arm's parameters, within its limits."""

from armdyn.identification.exciting._excite import excite
from armdyn.identification.exciting._motion import ExcitingMotion

__all__ = ["ExcitingMotion", "excite"]
