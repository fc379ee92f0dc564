"""The machines to compile for: one file per family of processors."""

from armdyn.kernel.targets._choice import NATIVE, target
from armdyn.kernel.targets._target import Target

__all__ = ["NATIVE", "Target", "target"]
