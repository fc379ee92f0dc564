"""What is seen of links: placed as other libraries place it, found where it may be, thinned out."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.robot.drawing import drawn
from armdyn.robot.meshes import mesh_path, parts_in, thinned
from armdyn.robot.model import IDENTITY, Shape

LINK = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
CORNERS = np.array([
    [[0, 0, 0], [1, 0, 0], [0, 2, 0]], [[0, 0, 0], [0, 2, 0], [0, 0, 3]],
    [[0, 0, 0], [0, 0, 3], [1, 0, 0]], [[1, 0, 0], [0, 0, 3], [0, 2, 0]],
], dtype=float)  # fmt: skip


def stl(path: Path, corners: np.ndarray = CORNERS) -> None:
    record = np.zeros(len(corners), np.dtype([("n", "<f4", 3), ("c", "<f4", (3, 3)), ("m", "<u2")]))
    record["c"] = corners
    path.write_bytes(bytes(80) + len(corners).to_bytes(4, "little") + record.tobytes())


def random_urdf(rng: np.random.Generator) -> str:
    """A chain of six joints, a fixed link after each; every link has a box of its own size."""

    def numbers(n: int, size: float) -> str:
        return " ".join(f"{x:.6f}" for x in rng.uniform(-size, size, n))

    def origin() -> str:
        return f'<origin xyz="{numbers(3, 0.5)}" rpy="{numbers(3, 3.0)}"/>'

    parts = ['<robot name="seen"><material name="red"><color rgba="1 0 0 0.5"/></material>']
    names = ["base"]
    for k in range(6):
        for name, kind in ((f"link{k}", "revolute" if k % 3 else "prismatic"), (f"on{k}", "fixed")):
            limit = '<limit lower="-3" upper="3" velocity="1" effort="1"/>'
            parts.append(
                f'<joint name="to_{name}" type="{kind}"><parent link="{names[-1]}"/>'
                f'<child link="{name}"/>{origin()}<axis xyz="{numbers(3, 1.0)}"/>{limit}</joint>'
            )
            names.append(name)
    for k, name in enumerate(names):
        size = f"{0.1 + 0.01 * k:.2f} 0.2 0.3"
        parts.append(
            f'<link name="{name}">{LINK}{origin()}</inertial><visual>{origin()}<geometry>'
            f'<box size="{size}"/></geometry><material name="red"/></visual></link>'
        )
    return "".join([*parts, "</robot>"])


def test_solids_of_a_urdf_are_where_pinocchio_has_them(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(5)
    path = tmp_path / "seen.urdf"
    path.write_text(random_urdf(rng))
    arm = armdyn.load(path, snap=False)
    model = pin.buildModelFromUrdf(str(path))
    geometry = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.VISUAL)
    data, placed = model.createData(), geometry.createData()
    assert len(arm.robot.visuals) == geometry.ngeoms == 13
    expected = {
        round(200 * float(one.geometry.halfSide[0])): k
        for k, one in enumerate(geometry.geometryObjects)
    }
    for _ in range(5):
        q = rng.uniform(-2, 2, arm.n)
        pin.updateGeometryPlacements(model, data, geometry, placed, q)
        for shape in arm.robot.visuals:
            frame = arm.pose(q, shape.link) if shape.link else np.eye(4)
            there = placed.oMg[expected[round(100 * shape.size[0])]].homogeneous
            np.testing.assert_allclose(frame @ np.array(shape.placement), there, atol=1e-9)
            assert shape.colour == (1.0, 0.0, 0.0, 0.5)


MJCF = """<mujoco model="seen"><compiler meshdir="meshes" angle="degree" eulerseq="XYZ"/>
<asset><mesh name="a" file="a.stl" scale="0.1 0.2 0.3" refpos="0.3 -0.2 0.1"/>
<mesh name="b" file="b.stl" scale="0.1 0.1 0.1" refpos="0.1 0.2 0.3" refquat="0.5 0.5 -0.5 0.5"/>
<material name="blue" rgba="0 0 1 1"/></asset>
<default><default class="seen"><geom group="1" contype="0" conaffinity="0" euler="10 20 30"/>
</default></default>
<worldbody><geom type="plane" size="1 1 1"/>
<geom type="box" size="0.1 0.2 0.3" pos="0 0 0.1" material="blue"/>
<body name="one" pos="0 0 0.3" euler="0 40 10"><joint name="j1" axis="0 0 1" pos="0.1 0 0"/>
<inertial mass="1" pos="0 0 0.1" diaginertia="1 1 1"/>
<geom type="mesh" mesh="a" class="seen" pos="0.1 0.2 0.3"/>
<geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.2 0.3" group="3"/>
<frame pos="0.1 0 0" euler="0 0 90"><geom type="cylinder" size="0.05" fromto="0 0 0 0.1 0.2 0.3"/>
<body name="two" pos="0.2 0 0" ><joint name="j2" type="slide" axis="1 1 0" ref="0.2"/>
<geom type="mesh" mesh="b" mass="1" class="seen"/>
<body name="three" pos="0 0.1 0" zaxis="1 1 1"><geom type="sphere" size="0.07" pos="0 0 0.2"/>
</body></body></frame></body></worldbody></mujoco>"""


def test_geoms_of_mjcf_are_where_mujoco_has_them(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "meshes").mkdir()
    for name in ("a", "b"):
        stl(tmp_path / "meshes" / f"{name}.stl")
    path = tmp_path / "seen.xml"
    path.write_text(MJCF)
    arm = armdyn.load(path, snap=False)
    kinds = [(s.link, s.kind) for s in arm.robot.visuals]
    assert kinds == [(0, "box"), (1, "mesh"), (1, "cylinder"), (2, "mesh"), (2, "sphere")]
    assert arm.robot.visuals[0].colour == (0.0, 0.0, 1.0, 1.0)
    assert arm.robot.visuals[1].colour is None
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    seen = drawn(arm.robot, most=10**6)
    assert seen.notes == ()
    geoms = [k for k in range(model.ngeom) if model.geom_group[k] <= 2 and model.geom_type[k] != 0]
    assert len(geoms) == len(seen.parts) == 5
    for q in rng.uniform(-1, 1, (4, 2)):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        for k, shape, part in zip(geoms, arm.robot.visuals, seen.parts, strict=True):
            frame = arm.pose(q, shape.link) if shape.link else np.eye(4)
            T = frame @ np.array(shape.placement)
            R, p = data.geom_xmat[k].reshape(3, 3), data.geom_xpos[k]
            if shape.kind != "mesh":
                np.testing.assert_allclose(T[:3, 3], p, atol=1e-9)
                axes = slice(0 if shape.kind == "box" else 2, 3)
                np.testing.assert_allclose(T[:3, :3][:, axes], R[:, axes], atol=1e-9)
                continue
            mesh = model.geom_dataid[k]
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            there = model.mesh_vert[first : first + count] @ R.T + p
            ours = part.corners @ frame[:3, :3].T + frame[:3, 3]
            apart = np.linalg.norm(ours[:, None] - there[None], axis=-1)
            assert apart.min(axis=1).max() < 1e-6
            assert apart.min(axis=0).max() < 1e-6


def test_nothing_outside_of_what_was_given_is_opened(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    inside, package = tmp_path / "arm" / "urdf", tmp_path / "arm" / "meshes"
    inside.mkdir(parents=True)
    package.mkdir()
    for folder in (inside, package, tmp_path):
        stl(folder / "a.stl")
    (inside / "link.stl").symlink_to(tmp_path / "a.stl")

    def found(file: str, *packages: Path) -> Path | str:
        return mesh_path(Shape(1, "mesh", (1, 1, 1), IDENTITY, file, str(inside)), packages)

    assert found("a.stl") == inside / "a.stl"
    assert found(f"file://{inside}/a.stl") == inside / "a.stl"
    assert found("package://arm/meshes/a.stl", tmp_path) == package / "a.stl"
    assert found("package://arm/meshes/a.stl", tmp_path / "arm") == package / "a.stl"
    assert found("../meshes/a.stl", tmp_path / "arm") == package / "a.stl"
    for file in (
        "../../a.stl", f"{tmp_path}/a.stl", f"file://{tmp_path}/a.stl", "link.stl",
        "package://arm/meshes/a.stl", "package://arm/../a.stl",
    ):  # fmt: skip
        told = found(file)
        assert isinstance(told, str)
        assert "outside of the folder" in told or told == "not found"
        assert str(tmp_path) in told or told == "not found"
    assert "outside" in str(found("link.stl"))
    assert str(tmp_path) in str(found("package://arm/meshes/a.stl"))
    assert found("/etc/passwd") != Path("/etc/passwd")
    assert found("gone.stl") == found("package://gone/a.stl") == found("a\0b.stl") == "not found"
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join([str(tmp_path), "/no/where"]))
    assert found("package://arm/meshes/a.stl") == package / "a.stl"


DAE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
<unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><lambert><diffuse>
<color>0.2 0.4 0.6 1</color></diffuse></lambert></technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="f" count="9">
0 0 0 100 0 0 0 200 0</float_array><technique_common><accessor source="#f" count="3" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles count="1" material="s"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 300</translate>
<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="s"
target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def test_collada_has_its_units_and_colours(tmp_path: Path) -> None:
    pytest.importorskip("collada")
    path = tmp_path / "a.dae"
    path.write_text(DAE)
    ((corners, colour),) = parts_in(path)
    np.testing.assert_allclose(corners, [[[0, 0, 3], [1, 0, 3], [0, 2, 3]]], atol=1e-6)
    assert colour == pytest.approx((0.2, 0.4, 0.6, 1.0))
    for text in ("<COLLADA/>", "no xml", DAE.replace("<COLLADA", "<!DOCTYPE a []><COLLADA", 1)):
        path.write_text(text)
        assert parts_in(path) == "damaged"


def test_missing_meshes_are_told_in_one_line(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    text = f'<robot name="r"><link name="base"/><link name="a">{LINK}</inertial>'
    text += "".join(mesh.format(f"package://p/gone{k}.stl") for k in range(5)) + "</link>"
    text += (
        '<joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>'
    )
    (tmp_path / "arm.urdf").write_text(text)
    seen = drawn(armdyn.load(tmp_path / "arm.urdf").robot, most=1000)
    assert seen.parts == ()
    assert seen.notes == (
        "Not drawn: gone0.stl, gone1.stl, gone2.stl and 2 more: not found. Links of which nothing "
        "is drawn are capsules.",
    )


def test_triangles_are_thinned_to_a_budget() -> None:
    turn = np.linspace(0, 2 * np.pi, 101)
    high = np.linspace(-1, 1, 101)
    grid = np.stack(
        [np.outer(np.ones(101), np.cos(turn)), np.outer(np.ones(101), np.sin(turn)),
         np.outer(high, np.ones(101))], axis=-1,
    )  # fmt: skip
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
    tube = np.concatenate([np.stack(x, axis=2).reshape(-1, 3, 3) for x in ((a, b, c), (c, b, d))])
    corners, faces = thinned(tube, 10**6)
    assert (len(corners), len(faces)) == (100 * 101, len(tube))
    for most in (5000, 500, 60):
        corners, faces = thinned(tube, most)
        assert most / 4 < len(faces) <= most
        radius = np.hypot(corners[:, 0], corners[:, 1])
        assert np.abs(radius - 1).max() < 12 / np.sqrt(most)
        assert np.abs(corners[:, 2]).max() > 0.7
