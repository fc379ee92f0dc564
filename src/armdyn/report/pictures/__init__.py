"""Pictures of arms: how one stands, and what its inertia and weight are like where it goes."""

from armdyn.report.pictures._arm_picture import check_picture, draw_arm

__all__ = ["check_picture", "draw_arm"]
