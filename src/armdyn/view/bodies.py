"""The arm in the picture: a node for each link frame, with what moves along with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.frames import link_frames, placements_of
from armdyn.arrays import Array
from armdyn.robot import drawing as _solids
from armdyn.robot.drawing import Drawn, Mesh
from armdyn.robot.formats.geometry import quaternion_of, quaternion_rotation, wxyz, xyzw

Colour = tuple[int, int, int]

# Colours of joints that the colour-blind can tell apart.
JOINTS: tuple[Colour, ...] = (
    (0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (213, 94, 0), (86, 180, 233),
    (138, 122, 44),
)  # fmt: skip
LINK: Colour = (215, 220, 227)
DARK: Colour = (89, 98, 111)
MASS: Colour = (42, 47, 56)
FORCE: Colour = (217, 84, 30)

# Radius of the first link, as a share of the reach, and how much thinner the last one is.
THICK, THINNER = 0.042, 0.45
# Arms of more joints have thinner links.
MAX_THICK_JOINTS = 12


class Picture:
    """What is drawn of an arm: its tip, a floor, and the links that a subclass draws.

    Attributes:
        groups: the nodes that a switch shows or hides, by its name.
    """

    def __init__(self, server: Any, arm: Arm, scene: dict[str, Any]) -> None:
        """Draw the arm.

        Args:
            server: of viser.
            arm: the arm.
            scene: its data for drawing.
        """
        self._scene, self._arm, self._data = server.scene, arm, scene
        self._atomic = server.atomic
        self._placements = placements_of(arm.robot)
        self._anchors = [np.array(joint["anchor"]) for joint in scene["joints"]]
        self.groups: dict[str, list[Any]] = {}
        self._arrow: Any = None
        size, cell, up = scene["size"], scene["cell"], np.array(scene["up"])
        self._tip = self._scene.add_frame(
            "/tip", axes_length=0.1 * size, axes_radius=0.004 * size, origin_radius=0.006 * size
        )
        many = max(4, int(np.ceil(2.4 * size / cell)))
        self._scene.set_up_direction(tuple(scene["up"]))
        self._scene.add_grid(
            "/floor", width=many * cell, height=many * cell, plane="xy", cell_size=cell,
            section_size=5 * cell, wxyz=quaternion(_solids.along(up)),
        )  # fmt: skip
        r = self._radius(0)
        self._foot = self._mesh("/foot", _solids.drum(), DARK, (1.9 * r, 1.9 * r, 0.5 * r), up)

    def is_shown(self, group: str) -> bool:
        """Return whether any node of a switch is visible."""
        return any(node.visible for node in self.groups[group])

    def show(self, group: str, visible: bool) -> None:
        """Show or hide the nodes of a switch."""
        for node in self.groups[group]:
            node.visible = visible

    def place(self, q: Array) -> Array:
        """Move all nodes to positions; return the pose of the tip."""
        T = link_frames(self._arm.robot, self._placements, q[None])[0]
        with self._atomic():
            self._move(q, T)
            self._tip.wxyz, self._tip.position = quaternion(T[-1, :3, :3]), T[-1, :3, 3]
        return T[-1]

    def _move(self, q: Array, T: Array) -> None:
        """Move the links to the frames E_1 ... E_n and the tip."""

    def pull(self, start: Array | None, end: Array | None) -> None:
        """Draw the hand that pulls the tip, as a line; None removes it."""
        if start is None or end is None:
            if self._arrow is not None:
                self._arrow.remove()
                self._arrow = None
            return
        points = np.array([[start, end]], dtype=np.float32)
        if self._arrow is None:
            self._arrow = self._scene.add_line_segments(
                "/pull", points=points, colors=FORCE, line_width=4.0
            )
        else:
            self._arrow.points = points

    def _mesh(
        self,
        name: str,
        mesh: Mesh,
        colour: Colour,
        scale: tuple[float, ...],
        direction: Array | None = None,
        at: Array | None = None,
        flat: bool = False,
    ) -> Any:
        turn = np.eye(3) if direction is None else _solids.along(direction)
        return self._scene.add_mesh_simple(
            name, *mesh, color=colour, scale=scale, side="double", wxyz=quaternion(turn),
            position=np.zeros(3) if at is None else at, flat_shading=flat,
        )  # fmt: skip

    def _radius(self, k: float) -> float:
        n = self._arm.n
        thinner = 1.0 - THINNER * k / max(n, 1)
        return THICK * self._data["size"] * min(1.0, (MAX_THICK_JOINTS / n) ** 0.5) * thinner


class Bodies(Picture):
    """An arm with a node for each link: meshes or capsules, joints, boxes, masses and frames."""

    def __init__(self, server: Any, arm: Arm, scene: dict[str, Any], drawn: Drawn) -> None:
        """Draw the arm.

        Args:
            server: of viser.
            arm: the arm.
            scene: its data for drawing.
            drawn: the meshes of its links; a link of which there are none is a capsule.
        """
        super().__init__(server, arm, scene)
        hidden = ("boxes of equal inertia", "centres of mass", "frames")
        self.groups = {name: [] for name in ("meshes", "capsules", *hidden)}
        self._nodes = [
            self._scene.add_frame(f"/arm/{k}", show_axes=False) for k in range(arm.n + 1)
        ]
        self._rails: list[tuple[int, Any]] = []
        self._links()
        self._joints()
        self._inertia()
        self._meshes(drawn)
        for name in hidden:
            self.show(name, False)

    def _move(self, q: Array, T: Array) -> None:
        for node, at in zip(self._nodes[1:], T[:-1], strict=True):
            node.wxyz, node.position = quaternion(at[:3, :3]), at[:3, 3]
        for k, node in self._rails:
            self._lengthen(node, k, float(q[k]))

    def _meshes(self, drawn: Drawn) -> None:
        for i, part in enumerate(drawn.parts):
            *rgb, opacity = part.colour or (*(x / 255 for x in LINK), 1.0)
            node = self._scene.add_mesh_simple(
                f"/arm/{part.link}/mesh{i}", part.corners, part.faces, flat_shading=True,
                color=tuple(round(255 * x) for x in rgb), side="double",
                opacity=None if opacity >= 1.0 else opacity,
            )  # fmt: skip
            self.groups["meshes"].append(node)
        shown = [f"/arm/{link}/" for link in drawn.links]
        self._foot.visible = 0 not in drawn.links
        for node in self.groups["capsules"]:
            node.visible = not node.name.startswith(tuple(shown))

    def _links(self) -> None:
        data, arm = self._data, self._arm
        tool = np.array(data["tool"])[:, 3]
        base = np.array(arm.robot.base)
        for k in range(arm.n + 1):
            start = self._anchors[k - 1] if k else np.zeros(3)
            radius = self._radius(k) * (0.7 if k == arm.n else 1.0)
            colour, name = LINK if k else DARK, f"/arm/{k}/link"
            if k == arm.n:
                self._solid(name, _solids.capsule(start, tool, radius), colour)
            elif arm.robot.joints[k].is_revolute:
                end = _at(self._placements[k], self._anchors[k])
                if k == 0:
                    end = _at(base, end)
                self._solid(name, _solids.capsule(start, end, radius), colour)
            else:
                self._solid(f"{name}end", _solids.capsule(start, start, radius), colour)
                rail = self._mesh(name, _solids.drum(), colour, (radius, radius, 1.0))
                self.groups["capsules"].append(rail)
                self._rails.append((k, rail))

    def _lengthen(self, node: Any, k: int, x: float) -> None:
        """Draw the link before a sliding joint as long as it is."""
        start = self._anchors[k - 1] if k else np.zeros(3)
        end = _at(self._placements[k], self._anchors[k] + np.array([0.0, 0.0, x]))
        if k == 0:
            end = _at(np.array(self._arm.robot.base), end)
        long = float(np.linalg.norm(end - start))
        if long > 0.0:
            node.wxyz = quaternion(_solids.along(end - start))
        radius = self._radius(k)
        node.position, node.scale = (start + end) / 2, (radius, radius, max(long, 1e-6))

    def _joints(self) -> None:
        for k, joint in enumerate(self._data["joints"]):
            size, colour = 1.28 * self._radius(k + 0.5), JOINTS[k % len(JOINTS)]
            solid = _solids.drum() if joint["revolute"] else _solids.box()
            scale = (size, size, 2.3 * size) if joint["revolute"] else (2 * size,) * 3
            flat, at = not joint["revolute"], self._anchors[k]
            node = self._mesh(f"/arm/{k + 1}/joint", solid, colour, scale, at=at, flat=flat)
            self.groups["capsules"].append(node)

    def _inertia(self) -> None:
        size = self._data["size"]
        heaviest = max(joint["mass"] for joint in self._data["joints"])
        for k, joint in enumerate(self._data["joints"]):
            axes = self._scene.add_frame(
                f"/arm/{k + 1}/axes", axes_length=0.09 * size, axes_radius=0.0035 * size,
                origin_radius=0.005 * size,
            )  # fmt: skip
            self.groups["frames"].append(axes)
            if not joint["mass"] > 0.0:
                continue
            radius = 0.05 * size * float(np.cbrt(joint["mass"] / heaviest))
            ball = self._mesh(
                f"/arm/{k + 1}/mass", _solids.ball(), MASS, (radius,) * 3, at=np.array(joint["com"])
            )
            self.groups["centres of mass"].append(ball)
            if joint["box"]:
                T = np.array(joint["box"]["placement"])
                box = self._scene.add_mesh_simple(
                    f"/arm/{k + 1}/box", *_solids.box(), color=JOINTS[k % len(JOINTS)],
                    opacity=0.45, scale=tuple(joint["box"]["size"]), flat_shading=True,
                    side="double", wxyz=quaternion(T[:, :3]), position=T[:, 3],
                )  # fmt: skip
                self.groups["boxes of equal inertia"].append(box)

    def _solid(self, name: str, mesh: Mesh, colour: Colour) -> None:
        node = self._scene.add_mesh_simple(name, *mesh, color=colour, side="double")
        self.groups["capsules"].append(node)


def quaternion(R: Array) -> tuple[float, float, float, float]:
    """Return a rotation as (w, x, y, z), the order of viser."""
    return wxyz(quaternion_of(R))


def rotation(quaternion: Array) -> Array:
    """Return the rotation of a quaternion (w, x, y, z)."""
    return quaternion_rotation(xyzw(quaternion))


def _at(T: Array, point: Array) -> Array:
    return T[:3, :3] @ point + T[:3, 3]


# A long arm in the picture: all its links are one node, and so are all its joints.


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
