"""Pictures of arms: the home position, and inertia and gravity over the range of two joints."""

from armdyn.report.pictures._arm_picture import draw_arm

__all__ = ["draw_arm"]
