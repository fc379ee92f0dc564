"""Exciting motions that keep clear: of a floor, of walls, of the arm itself; given ends.

Clearances are computed again by coal, from capsules, half spaces and, for published robots, from
their meshes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Arm, ExcitingMotion, InputError, Joint, NumericalError, Robot, excite
from armdyn.cli.app import main
from armdyn.excitation import search as _search
from armdyn.excitation.capsules import segment_distance
from armdyn.excitation.motion import clearance_in_words
from support.identification import example_robot, small_arm

FEW = 1000
UP = np.array([0.0, 0.0, 1.0])


@cache
def limited_arm() -> Arm:
    """The small arm with a tool, and limits of everything."""
    joints = [
        replace(j, lower=-2.5, upper=2.5, velocity=2.0, effort=effort)
        for j, effort in zip(small_arm().robot.joints, (40.0, 40.0, 20.0), strict=True)
    ]
    tool = np.eye(4)
    tool[0, 3] = 0.3
    return Arm(Robot(joints, tool=tool, name="limited"))


@cache
def above_a_floor(seed: int = 0) -> ExcitingMotion:
    return excite(
        limited_arm(), 10.0, floor=0.0, walls=[(-2.0, 0.0, 0.0, -1.2)], evaluations=FEW, seed=seed
    )


def coal_module() -> Any:
    return pytest.importorskip("coal", reason="the independent check needs coal")


def placed(T: np.ndarray, coal: Any) -> Any:
    return coal.Transform3s(T[:3, :3], T[:3, 3])


def along(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The placement whose z is along ab, in its middle."""
    T = np.eye(4)
    T[:3, 3] = (a + b) / 2
    length = np.linalg.norm(b - a)
    z = (b - a) / length if length > 1e-12 else UP
    other = np.eye(3)[np.argmin(np.abs(z))]
    x = np.cross(other, z)
    x /= np.linalg.norm(x)
    T[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    return T


def frames_of(arm: Arm, q: np.ndarray) -> list[np.ndarray]:
    """The placements of the base and of all links."""
    links = (arm.pose(q, k + 1) for k in range(arm.n))
    return [np.broadcast_to(np.eye(4), (len(q), 4, 4)), *links]


def capsules_at(motion: ExcitingMotion, q: np.ndarray) -> Iterator[list[tuple[int, Any, Any]]]:
    """The capsules of a motion as coal has them, at every position."""
    coal = coal_module()
    arm = motion.arm
    shapes = []
    for capsule in motion.capsules:
        a, b = np.array(capsule.start), np.array(capsule.end)
        solid = coal.Capsule(capsule.radius, float(np.linalg.norm(b - a)))
        shapes.append((capsule.link, solid, along(a, b)))
    frames = frames_of(arm, q)
    for k in range(len(q)):
        yield [(link, solid, placed(frames[link][k] @ T, coal)) for link, solid, T in shapes]


def coal_clearance(
    motion: ExcitingMotion, planes: dict[str, tuple[np.ndarray, float]], rate: float
) -> float:
    """The smallest distance that coal finds, of what the motion compared."""
    coal = coal_module()
    names = {near.between for near in motion.closest}
    called = ["base", *(f"link of {name}" for name in motion.arm.joint_names)]
    walls = {name: coal.Halfspace(np.array(n), d) for name, (n, d) in planes.items()}
    request, there = coal.DistanceRequest(), coal.Transform3s()
    _, q, _, _ = motion.sample(rate)
    least = np.inf
    for solids in capsules_at(motion, q):
        for (i, a, at), (k, b, bt) in combinations(solids, 2):
            if (called[i], called[k]) in names:
                least = min(least, coal.distance(a, at, b, bt, request, coal.DistanceResult()))
        for name, wall in walls.items():
            for i, a, at in solids:
                if (called[i], name) in names:
                    d = coal.distance(a, at, wall, there, request, coal.DistanceResult())
                    least = min(least, d)
    return float(least)


def test_segments_are_as_far_apart_as_coal_says() -> None:
    coal = coal_module()
    rng = np.random.default_rng(0)
    a, b, c, d = rng.normal(size=(4, 3, 400))
    b[:, :50] = a[:, :50]  # points
    d[:, 25:75] = c[:, 25:75]
    d[:, 100:150] = c[:, 100:150] + (b - a)[:, 100:150]  # parallel
    d[:, 150:200] = (a + b)[:, 150:200] / 2  # touching
    found = segment_distance(a, b, c, d)
    for k in range(400):
        one, other = (along(x[:, k], y[:, k]) for x, y in ((a, b), (c, d)))
        lengths = [float(np.linalg.norm((y - x)[:, k])) for x, y in ((a, b), (c, d))]
        solids = [coal.Capsule(0.1, length) for length in lengths]
        said = coal.distance(
            solids[0], placed(one, coal), solids[1], placed(other, coal),
            coal.DistanceRequest(), coal.DistanceResult(),
        )  # fmt: skip
        assert found[k] - 0.2 == pytest.approx(said, abs=2e-6)


def test_a_motion_above_a_floor_and_beside_a_wall_is_clear() -> None:
    motion = above_a_floor()
    assert motion.clearance >= 0.0 and motion.clearance == motion.closest[0].distance
    planes = {"floor": (UP, 0.0), "wall 1": (np.array([-1.0, 0.0, 0.0]), -0.6)}
    assert coal_clearance(motion, planes, 100.0) >= -1e-6
    t = motion.closest[0].time
    assert 0.0 <= t <= 10.0
    free = excite(limited_arm(), 10.0, evaluations=FEW)
    _, q, _, _ = free.sample(100.0)
    assert limited_arm().pose(q)[:, 2, 3].min() < 0.0  # the floor matters
    assert free.log_det > motion.log_det


def test_clearances_are_those_of_coal() -> None:
    motion = above_a_floor()
    planes = {"floor": (UP, 0.0), "wall 1": (np.array([-1.0, 0.0, 0.0]), -0.6)}
    t = np.array([near.time for near in motion.closest])
    at = replace(motion, closest=motion.closest[:1])
    within = replace(motion, closest=(replace(motion.closest[0], distance=-0.07),))
    assert "are within each other by 0.0700 m" in clearance_in_words(within)
    q = motion.trajectory.q(t[:1])
    assert next(capsules_at(at, q))
    said = coal_clearance(motion, planes, 1000.0)
    assert motion.clearance == pytest.approx(said, abs=1e-6)


def test_the_base_on_its_floor_and_neighbours_are_not_compared() -> None:
    pairs = {near.between for near in above_a_floor().closest}
    assert not any(a == "base" and b == "floor" for a, b in pairs)
    assert ("base", "link of joint1") not in pairs
    assert ("link of joint1", "link of joint2") not in pairs
    assert ("link of joint3", "floor") in pairs and ("link of joint3", "wall 1") in pairs


def test_the_same_seed_gives_the_same_bits() -> None:
    one = above_a_floor()
    two = excite(
        limited_arm(), 10.0, floor=0.0, walls=[(-2.0, 0.0, 0.0, -1.2)], evaluations=FEW, seed=0
    )
    assert one.trajectory.sines.tobytes() == two.trajectory.sines.tobytes()
    assert one.closest == two.closest and one.log_det == two.log_det


def test_a_clearance_that_is_asked_for_is_kept() -> None:
    motion = excite(limited_arm(), 10.0, floor=0.0, clearance=0.05, radius=0.04, evaluations=FEW)
    assert motion.clearance >= 0.05
    assert {capsule.radius for capsule in motion.capsules} == {0.04}
    assert not any("radius" in note for note in motion.notes)
    each = excite(limited_arm(), 10.0, floor=0.0, radius=[0.05, 0.04, 0.03], evaluations=FEW)
    assert {c.radius for c in each.capsules if c.link == 3} == {0.03}


@pytest.mark.parametrize("same", [True, False])
def test_a_motion_starts_and_ends_where_asked(same: bool) -> None:
    start = np.array([0.5, -1.2, 0.3])
    end = None if same else np.array([-0.4, -0.9, 0.8])
    motion = excite(limited_arm(), 20.0, start=start, end=end, floor=0.0, evaluations=FEW)
    t, q, qd, qdd = motion.sample(1000.0)
    assert q[0] == pytest.approx(start, abs=1e-12)
    assert q[-1] == pytest.approx(start if end is None else end, abs=1e-12)
    assert np.abs(qd[[0, -1]]).max() < 1e-12 and np.abs(qdd[[0, -1]]).max() < 1e-11
    joints = motion.arm.robot.joints
    assert np.abs(q).max() <= 0.95 * 2.5 and np.abs(qd).max() <= 0.95 * 2.0
    tau = motion.arm.inverse_dynamics(q, qd, qdd)
    assert (np.abs(tau).max(axis=0) <= [1.001 * 0.95 * j.effort for j in joints]).all()
    assert motion.clearance >= 0.0 and t[-1] == 20.0
    # derivatives are those of the positions
    assert np.abs(np.gradient(q, t, axis=0) - qd)[1:-1].max() < 1e-3


def test_one_end_is_enough() -> None:
    end = np.array([0.5, -1.2, 0.3])
    motion = excite(limited_arm(), 5.0, end=end, evaluations=200)
    assert motion.trajectory.q([0.0, 5.0]) == pytest.approx(np.stack([end, end]), abs=1e-12)


def test_speed_is_a_share_of_the_limits() -> None:
    motion = excite(limited_arm(), 10.0, speed=0.5, evaluations=400)
    assert 0.4 < motion.peaks["velocity"].max() <= 0.475 + 1e-9
    assert motion.peaks["acceleration"].max() <= 0.475 + 1e-9
    assert motion.limits.velocity.tolist() == [2.0, 2.0, 2.0]


def test_without_a_floor_the_arm_is_told_to_pass_below_its_base() -> None:
    motion = excite(limited_arm(), 10.0, evaluations=200)
    said = [note for note in motion.notes if "below the plane of its base" in note]
    assert len(said) == 1 and "give `floor`" in said[0]
    assert not any("below the plane" in note for note in above_a_floor().notes)
    assert any("0.15 of the longest link" in note for note in above_a_floor().notes)


def test_no_motion_that_keeps_clear_is_an_error_that_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A narrow corridor, and a search too short to find a motion in it."""
    short = replace(_search.EFFORT, rounds=_search.EFFORT.rounds[:1], fewest=1)
    monkeypatch.setattr(_search, "EFFORT", short)
    walls = [(0.0, 1.0, 0.0, -0.07), (0.0, -1.0, 0.0, -0.07)]
    with pytest.raises(NumericalError, match=r"keeps clear: the best one lacks 0\.\d+ m of"):
        excite(limited_arm(), 5.0, walls=walls, evaluations=96)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"floor": "low"}, "`floor` is 'low'"),
        ({"floor": np.nan}, "`floor` is nan"),
        ({"floor": 5.0}, "in none of 20000 random postures"),
        ({"walls": (0.0, 0.0, 1.0)}, r"`walls` has shape \(3,\)"),
        ({"walls": [(0.0, 0.0, 0.0, 1.0)]}, "normal of length 0 in row 1"),
        ({"walls": [(0.0, 0.0, 1.0, np.inf)]}, "`walls` has inf"),
        ({"radius": -0.1}, "`radius` is -0.1"),
        ({"radius": [0.1, 0.1]}, r"`radius` has shape \(2,\)"),
        ({"clearance": -1.0}, "`clearance` is -1.0"),
        ({"speed": 0.0}, "`speed` is 0.0"),
        ({"speed": 1.5}, "`speed` is 1.5"),
        ({"self_collision": 1}, "`self_collision` is 1"),
        ({"start": [0.0, 0.0]}, r"`start` has shape \(2,\)"),
        ({"start": [0.0, 3.0, 0.0]}, "`start` has joint2 at 3, expected .* -2.375 to 2.375"),
        ({"end": [0.0, 0.0, 9.0]}, "`end` has joint3 at 9"),
        ({"start": [0.0, 1.0, 0.0], "floor": 0.0}, "`start` is a posture in which the clearance"),
        ({"end": [2.0] * 3, "start": [-2.0] * 3, "duration": 2.0}, "`end` is too far from `start`"),
    ],
)
def test_bad_surroundings_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        excite(limited_arm(), **change)
    assert caught.value.argument == next(iter(change))


def test_a_floor_needs_gravity() -> None:
    arm = Arm(Robot([Joint(mass=1.0, com=(0.1, 0, 0))], gravity=(0, 0, 0)))
    with pytest.raises(InputError, match="no direction is down"):
        excite(arm, floor=0.0)


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["armdyn", "excite", *words])
    with pytest.raises(SystemExit) as exit_:
        main()
    return int(exit_.value.code or 0)


def test_command_takes_floor_walls_and_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    armdyn.save(limited_arm(), tmp_path / "arm.toml")
    words = [str(tmp_path / "arm.toml"), "--duration", "10", "--evaluations", str(FEW)]
    words += ["--floor", "0", "--wall=-2,0,0,-1.2"]
    assert run(monkeypatch, *words, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["clearance"] == above_a_floor().clearance
    assert told["closest"][0]["between"] == list(above_a_floor().closest[0].between)
    assert run(monkeypatch, *words, "--start", "0,-1,0.5", "--speed", "0.8") == 0
    told_ = capsys.readouterr()
    assert "Smallest clearance, checked at 1 kHz: 0.0" in told_.out
    assert "give --radius for others" in told_.err
    assert run(monkeypatch, *words, "--wall", "0,0,1") == 2
    assert "--wall is '0,0,1', expected NX,NY,NZ,D" in capsys.readouterr().err
    assert run(monkeypatch, *words, "--start", "0,1,0") == 2
    assert "--start is a posture in which the clearance" in capsys.readouterr().err


def meshes_of(arm: Arm) -> dict[int, list[tuple[Any, np.ndarray]]]:
    """The meshes and boxes of a robot's file as coal reads them."""
    from armdyn.robot.meshes import triangles_of

    coal = coal_module()
    found: dict[int, list[tuple[Any, np.ndarray]]] = {k: [] for k in range(arm.n + 1)}
    for shape in arm.robot.shapes:
        if shape.kind == "box":
            solid = coal.Box(*shape.size)
        else:
            triangles = triangles_of(shape)
            assert not isinstance(triangles, str)
            corners = triangles.reshape(-1, 3)
            solid = coal.BVHModelOBBRSS()
            solid.beginModel(len(triangles), len(corners))
            solid.addVertices(corners)
            solid.addTriangles(np.arange(len(corners)).reshape(-1, 3))
            solid.endModel()
        found[shape.link].append((solid, np.array(shape.placement)))
    return found


ROBOTS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", None),
    "panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda"])  # benchmarks/excite.py has more arms
def test_published_robots_on_a_table_are_clear_and_nearly_as_informative(name: str) -> None:
    coal = coal_module()
    path, tip = ROBOTS[name]
    arm = armdyn.load(example_robot(path), tip=tip)
    motion = excite(arm, floor=0.0)
    assert motion.duration == 20.0 and motion.clearance >= 0.0
    assert coal_clearance(motion, {"floor": (UP, 0.0)}, 1000.0) >= -1e-6
    free = excite(arm)
    assert np.exp((motion.log_det - free.log_det) / len(motion.names)) >= 0.9
    # the meshes themselves, over a period, every pair but neighbours
    solids = meshes_of(arm)
    _, q, _, _ = motion.sample(1000.0)
    q = q[:10001]
    frames = frames_of(arm, q)
    floor, there = coal.Halfspace(UP, 0.0), coal.Transform3s()
    request = coal.CollisionRequest()
    for k in range(0, len(q), 5):
        at = [[(s, placed(frames[i][k] @ T, coal)) for s, T in solids[i]] for i in solids]
        for i, j in combinations(range(arm.n + 1), 2):
            if j > i + 1:
                for (a, x), (b, y) in ((one, two) for one in at[i] for two in at[j]):
                    assert not coal.collide(a, x, b, y, request, coal.CollisionResult()), (i, j)
        for i in range(1, arm.n + 1):
            for a, x in at[i]:
                assert not coal.collide(a, x, floor, there, request, coal.CollisionResult()), i
