"""Inverse kinematics in closed form: all branches of an arm, as straight-line programs."""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.algorithms.closed_form.families import ClosedForm, closed_form

__all__ = ["ClosedForm", "closed_form"]

__getattr__ = lazy_names(__name__, dict.fromkeys(__all__, "families"))
