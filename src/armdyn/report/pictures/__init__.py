"""Pictures of arms: how one stands, and what its inertia and weight are like where it goes."""

from armdyn.report.pictures._arm_picture import draw_arm

__all__ = ["draw_arm"]
