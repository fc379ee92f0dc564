"""A long arm in the picture: all its links are one node, and so are all its joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm import Arm
from armdyn.robot.meshes import _solids
from armdyn.view._bodies import JOINTS, LINK, Picture, quaternion

Array = NDArray[np.float64]


class LongBodies(Picture):
    """An arm of many joints: tubes between balls."""

    def __init__(self, server: Any, arm: Arm, scene: dict[str, Any]) -> None:
        """Draw the arm; arguments as of `Picture`."""
        super().__init__(server, arm, scene)
        n = arm.n
        turns = np.tile([1.0, 0.0, 0.0, 0.0], (n + 1, 1))
        radii = np.array([self._radius(k) for k in range(n + 1)])
        self._sizes = np.column_stack([radii, radii, np.ones(n + 1)])
        colours = np.array([JOINTS[k % len(JOINTS)] for k in range(n)], dtype=np.uint8)
        self._tubes = self._scene.add_batched_meshes_simple(
            "/links", *_solids.drum(), batched_wxyzs=turns, batched_positions=np.zeros((n + 1, 3)),
            batched_scales=self._sizes, batched_colors=LINK, side="double", lod="off",
        )  # fmt: skip
        self._balls = self._scene.add_batched_meshes_simple(
            "/joints", *_solids.ball(), batched_wxyzs=turns[:n], batched_positions=np.zeros((n, 3)),
            batched_scales=1.3 * radii[:n], batched_colors=colours, lod="off",
        )  # fmt: skip
        self.groups = {"capsules": [self._tubes, self._balls]}

    def _move(self, q: Array, T: Array) -> None:
        anchors = np.stack([*self._anchors, np.zeros(3)])
        points = (T[:, :3, :3] @ anchors[..., None])[..., 0] + T[:, :3, 3]
        ends = np.vstack([np.zeros((1, 3)), points])
        ways = np.diff(ends, axis=0)
        long = np.maximum(np.linalg.norm(ways, axis=1), 1e-9)
        up = np.array([0.0, 0.0, 1e-9])
        self._tubes.batched_wxyzs = np.array([quaternion(_solids.along(w + up)) for w in ways])
        self._tubes.batched_positions = (ends[1:] + ends[:-1]) / 2
        self._tubes.batched_scales = np.column_stack([self._sizes[:, :2], long])
        self._balls.batched_positions = points[:-1]
