"""The machines to compile for: one file per family of processors."""

from armdyn.kernel.targets._choice import target
from armdyn.kernel.targets._target import Target

__all__ = ["Target", "target"]
