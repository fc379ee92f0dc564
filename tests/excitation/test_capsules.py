"""Capsules around links: from solids of a file, around meshes, along links without either."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Joint, Robot, excite
from armdyn.excitation.body import Body, body_of, skeleton
from armdyn.excitation.capsules import Fit, enclosing
from armdyn.excitation.space import Space, never_touch, planes_of
from armdyn.robot.meshes import triangles_of
from armdyn.robot.model import IDENTITY, Shape
from support.identification import example_robot, small_arm

URDF = """<robot name="two">
  <link name="foot"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="upper">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    {upper}
  </link>
  <link name="lower">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    {lower}
  </link>
  <joint name="shoulder" type="revolute"><parent link="foot"/><child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 0 0.4"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="2"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 0.5" rpy="0.3 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="2"/></joint>
</robot>"""

SPHERE = (
    '<collision><origin xyz="0.1 0.2 0.3"/><geometry><sphere radius="0.07"/></geometry></collision>'
)


def read(folder: Path, upper: str = "", lower: str = SPHERE) -> Arm:
    path = folder / "two.urdf"
    path.write_text(URDF.format(upper=upper, lower=lower))
    return armdyn.load(path)


def inside(points: np.ndarray, fits: list[Fit]) -> np.ndarray:
    """How far points are outside the nearest capsule; negative inside."""
    found = []
    for fit in fits:
        u = fit.b - fit.a
        s = np.clip((points - fit.a) @ u / max(float(u @ u), 1e-300), 0.0, 1.0)
        found.append(np.linalg.norm(points - fit.a - s[:, None] * u, axis=1) - fit.radius)
    return np.min(found, axis=0)


def sampled(triangles: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Random points of triangles."""
    weights = rng.dirichlet(np.ones(3), (len(triangles), 20))
    return np.einsum("tkc,tci->tki", weights, triangles).reshape(-1, 3)


def test_nothing_sticks_out_of_the_capsules_of_random_solids() -> None:
    rng = np.random.default_rng(0)
    for kind in range(6):
        triangles = rng.normal(size=(60, 3, 3)) * [0.3, 0.1, 0.02 * kind]
        triangles[:30] += rng.normal(size=3)
        fits = enclosing(triangles)
        assert 1 <= len(fits) <= 3
        assert inside(sampled(triangles, rng), fits).max() <= 1e-9


@pytest.mark.parametrize("k", range(7))
def test_nothing_sticks_out_of_the_capsules_of_a_published_arm(k: int) -> None:
    arm = armdyn.load(example_robot("ur_description/urdf/ur5_robot.urdf"))
    shape = arm.robot.shapes[k]
    triangles = triangles_of(shape)
    assert not isinstance(triangles, str) and len(triangles) > 400
    fits = enclosing(triangles)
    assert inside(sampled(triangles, np.random.default_rng(k)), fits).max() <= 1e-9
    box = np.prod(np.ptp(triangles.reshape(-1, 3), axis=0))
    assert sum(fit.volume for fit in fits) < 3.0 * box


def test_solids_of_a_file_are_where_it_says(tmp_path: Path) -> None:
    arm = read(tmp_path)
    shape = arm.robot.shapes[-1]
    assert (shape.link, shape.kind, shape.size) == (2, "sphere", (0.07,))
    c, s = np.cos(0.4), np.sin(0.4)
    base = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0.3], [0, 0, 0, 1.0]])
    for q1, q2 in ((0.0, 0.0), (0.5, -0.7)):
        turn = [
            np.array([[np.cos(q), 0, np.sin(q)], [0, 1, 0], [-np.sin(q), 0, np.cos(q)]])
            for q in (q1, q2)
        ]
        tilt = np.array([[1, 0, 0], [0, np.cos(0.3), -np.sin(0.3)], [0, np.sin(0.3), np.cos(0.3)]])
        inner = turn[0] @ (np.array([0, 0, 0.5]) + tilt @ turn[1] @ np.array([0.1, 0.2, 0.3]))
        expected = base[:3, :3] @ inner + base[:3, 3]
        at = arm.pose([q1, q2], 2) @ np.array(shape.placement)
        assert at[:3, 3] == pytest.approx(expected, abs=1e-12)


def test_round_solids_become_capsules_exactly(tmp_path: Path) -> None:
    rod = """<collision><origin xyz="0 0 0.2" rpy="0 0 0"/><geometry>
      <cylinder radius="0.05" length="0.3"/></geometry></collision>"""
    ends = "".join(
        f'<collision><origin xyz="0 0 {z}"/><geometry><sphere radius="0.05"/></geometry>'
        "</collision>"
        for z in (0.05, 0.35)
    )
    capped = body_of(read(tmp_path, rod + ends), None)
    assert [c.radius for c in capped.capsules if c.link == 1] == [0.05]  # the ends lie within
    flat = body_of(read(tmp_path, rod), None)
    (capsule,) = [c for c in flat.capsules if c.link == 1]
    assert 0.05 < capsule.radius < 0.07 and flat.notes == ()
    # the corners of the cylinder are inside
    fit = Fit(np.array(capsule.start), np.array(capsule.end), capsule.radius)
    angle = np.linspace(0, 2 * np.pi, 50)
    ring = np.stack([0.05 * np.cos(angle), 0.05 * np.sin(angle), np.full(50, 0.35)], axis=1)
    arm = read(tmp_path, rod)
    T = np.array(arm.robot.shapes[1].placement)
    local = (ring - [0, 0, 0.2]) @ T[:3, :3].T + T[:3, 3]
    assert inside(local, [fit]).max() <= 1e-9


def test_meshes_are_read_in_three_ways(tmp_path: Path) -> None:
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [0, 1, 0], [0, 0, 1.0]]])
    binary = bytearray(80) + len(corners).to_bytes(4, "little")
    for triangle in corners:
        binary += np.zeros(3, "<f4").tobytes() + triangle.astype("<f4").tobytes() + bytes(2)
    (tmp_path / "a.stl").write_bytes(binary)
    facets = "".join(
        "facet normal 0 0 0 outer loop "
        + " ".join(f"vertex {x} {y} {z}" for x, y, z in t)
        + " endloop endfacet\n"
        for t in corners
    )
    (tmp_path / "b.stl").write_text(f"solid b\n{facets}endsolid b\n")
    (tmp_path / "c.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1/1 3/1 -1/1\n")
    for name in ("a.stl", "b.stl", "c.obj"):
        shape = Shape(1, "mesh", (2.0, 2.0, 2.0), IDENTITY, name, str(tmp_path))
        assert np.array_equal(cast(np.ndarray, triangles_of(shape)), 2 * corners)
    inside_package = tmp_path / "robots" / "arm" / "urdf"
    inside_package.mkdir(parents=True)
    (tmp_path / "robots" / "arm" / "a.stl").write_bytes(binary)
    shape = Shape(1, "mesh", (1.0, 1.0, 1.0), IDENTITY, "package://arm/a.stl", str(inside_package))
    assert np.array_equal(cast(np.ndarray, triangles_of(shape)), corners)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("gone.stl", None, "gone.stl was not found"),
        ("link.dae", b"<COLLADA/>", "not .dae"),
        ("link.stl", b"solid\nvertex 1 2\n", ": damaged"),
        ("link.obj", b"v 0 0 0\nf 1 2 3\n", ": damaged"),
        ("empty.stl", b"", ": damaged"),
    ],
)
def test_a_mesh_that_cannot_be_read_is_told_and_replaced(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    mesh = f'<collision><geometry><mesh filename="{name}"/></geometry></collision>'
    arm = read(tmp_path, mesh)
    body = body_of(arm, None)
    assert len(body.notes) == 1 and words in body.notes[0] and "link of shoulder" in body.notes[0]
    longest = max(np.linalg.norm(b - a) for line in skeleton(arm.robot) for a, b in line)
    assert any(c.link == 1 and c.radius == 0.15 * longest for c in body.capsules)


@pytest.mark.parametrize(
    "odd",
    [
        "<collision/>",
        "<collision><geometry><torus/></geometry></collision>",
        '<collision><geometry><sphere radius="big"/></geometry></collision>',
        '<collision><geometry><sphere radius="-1"/></geometry></collision>',
    ],
)
def test_a_solid_that_is_not_understood_keeps_no_robot_from_being_read(
    tmp_path: Path, odd: str
) -> None:
    arm = read(tmp_path, odd)
    assert [s.kind for s in arm.robot.shapes if s.link == 1] == ["unknown"]
    assert "cannot be understood" in body_of(arm, None).notes[0]


def test_links_without_solids_are_lines_through_bent_links() -> None:
    robot = small_arm().robot
    lines = skeleton(robot)
    assert len(lines) == robot.n + 1
    assert any(np.allclose(b, [0.4, 0.0, 0.0]) for _, b in lines[2])
    slide = Robot([
        Joint(mass=1.0, com=(0.0, 0.3, 0.0)),
        Joint(kind="prismatic", d=0.1, lower=-0.2, upper=0.5, mass=1.0),
    ])  # fmt: skip
    ends = [b for a, b in skeleton(slide)[1] if not a.any()]
    assert any(np.allclose(b, [0, 0, -0.1]) for b in ends)
    assert any(np.allclose(b, [0, 0, 0.6]) for b in ends)
    assert any(np.allclose(b, [0, 0.3, 0]) for b in ends)  # the centre of mass is aside


def test_boxes_on_crossing_axes_are_proved_to_be_apart_or_not() -> None:
    arm = Arm(Robot([Joint(), Joint(beta=np.pi / 2, mass=1.0, com=(0.1, 0, 0))]))
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1.0, 1)])
    ranges = np.array([[-3.0, 3.0], [-1.0, 1.0]])
    plate = corners * [0.5, 0.5, 0.01] - [0, 0, 0.4]

    def always(q: np.ndarray) -> np.ndarray:
        return np.ones(len(q), bool)

    # the far corner of the second box goes down to 0.3 sin(1) + 0.05 cos(1) = 0.28 m
    box = corners * [0.15, 0.05, 0.05] + [0.15, 0, 0]
    assert never_touch(arm, 0, plate, box, ranges, always)
    nearer = plate + np.array([0, 0, 0.15])
    assert not never_touch(arm, 0, nearer, box, ranges, always)
    # where planes forbid the postures in which they touch
    assert never_touch(arm, 0, nearer, box, ranges, lambda q: q[:, 1] > 0.0)


def test_links_that_are_nowhere_as_far_apart_as_asked_for_are_kept_from_touching() -> None:
    arm = armdyn.load(example_robot("ur_description/urdf/ur5_robot.urdf"))
    body = body_of(arm, None)
    ranges = np.array([[j.lower, j.upper] for j in arm.robot.joints])
    floor = planes_of(arm, 0.0, None)
    space = Space(arm, body, floor, itself=True, ranges=ranges, margin=0.02)
    margins = {c.names: m for c, m in zip(space.contacts, space.margins, strict=True)}
    assert margins["link of elbow_joint", "link of wrist_2_joint"] == 0.0
    assert margins["link of elbow_joint", "link of wrist_3_joint"] == 0.02
    assert margins["link of elbow_joint", "floor"] == 0.02
    # the shoulder end of the upper arm stands 5 mm above the floor
    assert margins["link of shoulder_lift_joint", "floor"] == 0.0
    # its base keeps 1 cm from the upper arm wherever the floor lets it be
    near = Space(arm, body, floor, itself=True, ranges=ranges, margin=0.005)
    assert [c.names for c in near.never] == [("base", "link of shoulder_lift_joint")]
    assert [c.names for c in near.always] == [("link of shoulder_pan_joint", "floor")]


def test_saved_shapes_of_robots_stay_with_their_copies(tmp_path: Path) -> None:
    from dataclasses import replace

    robot = read(tmp_path).robot
    assert replace(robot, name="other").shapes == robot.shapes
    assert robot == replace(robot, shapes=())  # dynamics do not know them
    with pytest.raises(armdyn.RobotError, match="`shapes` has"):
        replace(robot, shapes=[Shape(9, "sphere", (0.1,), IDENTITY)])


def test_excite_of_an_arm_with_solids_says_nothing_of_radii(tmp_path: Path) -> None:
    rod = '<collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>'
    motion = excite(read(tmp_path, rod), 5.0, floor=-0.3, evaluations=200, friction=False)
    assert motion.clearance >= 0.0 and not any("radius" in note for note in motion.notes)
    assert isinstance(body_of(motion.arm, None), Body)
    assert any(capsule.radius == 0.07 for capsule in motion.capsules)
