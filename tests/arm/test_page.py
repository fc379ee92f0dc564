"""The page as a file: its size, its refusals, and its physics run by Node."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.arm.page import _asset
from armdyn.arm.recording import recording_of
from armdyn.arm.scene import MOST_TRIANGLES, meshes_of, programs_of, scene
from armdyn.present.html import UNPACK
from armdyn.robot.drawing import drawn
from support.meshes import urdf_with_meshes
from support.node import needs_node, run_node
from support.says import says

PUMA = armdyn.load("puma560")


def physics(arm: armdyn.Arm, script: str) -> str:
    """The parts of a page that need no browser, then a script that uses them."""
    code, left_out = programs_of(arm)
    assert left_out == ()
    parts = [f"const programs = {code};", f"const scene = {json.dumps(scene(arm))};"]
    return "\n".join([*parts, *map(_asset, ("linear.js", "reach.js", "fall.js")), script])


FALLING = """
const fall = new Fall(scene, programs), [start, until, stops] = JSON.parse(process.argv[2]);
fall.stops = stops;
let q = start, qd = start.map(() => 0);
for (let k = 0; k < Math.round(until / STEP); k++) [q, qd] = fall.step(q, qd, fall.zero);
console.log(JSON.stringify([q, qd]));
"""


def fallen(arm: armdyn.Arm, q0: list[float], until: float, folder: Path, stops: bool) -> np.ndarray:
    return np.array(
        json.loads(run_node(folder, physics(arm, FALLING), json.dumps([q0, until, stops])))
    )


@needs_node
def test_an_arm_falls_in_the_page_as_in_a_simulation(tmp_path: Path) -> None:
    arm = armdyn.load("planar3")
    q0 = [0.3, 0.2, -0.4]
    run = armdyn.simulate(arm, q0, until=1.0, rtol=1e-10)
    q, qd = fallen(arm, q0, 1.0, tmp_path, stops=False)
    np.testing.assert_allclose(q, run.q[-1], atol=1e-7)
    np.testing.assert_allclose(qd, run.qd[-1], atol=1e-6)


@needs_node
@pytest.mark.parametrize("terms", [{}, {"load_friction": 0.05}], ids=["dry", "load"])
def test_dry_friction_brings_an_arm_to_rest_as_in_a_simulation(
    terms: dict[str, float], tmp_path: Path
) -> None:
    robot = armdyn.load("planar2").robot
    joints = [replace(j, coulomb=4.0, viscous=2.0, offset=0.1, **terms) for j in robot.joints]
    arm = armdyn.Arm(replace(robot, joints=joints))
    q0 = [0.3, 0.5]
    run = armdyn.simulate(arm, q0, until=4.0, rtol=1e-8)
    q, qd = fallen(arm, q0, 4.0, tmp_path, stops=False)
    np.testing.assert_allclose(q, run.q[-1], atol=5e-3)
    np.testing.assert_allclose(qd, run.qd[-1], atol=5e-3)
    held = armdyn.Arm(replace(robot, joints=[replace(j, coulomb=40.0) for j in robot.joints]))
    q, qd = fallen(held, q0, 1.0, tmp_path, stops=False)
    assert q.tolist() == q0
    assert qd.tolist() == [0.0, 0.0]


@needs_node
def test_a_falling_arm_stays_within_its_stops(tmp_path: Path) -> None:
    robot = armdyn.load("planar2").robot
    joints = [replace(j, lower=-0.5, upper=1.0, viscous=3.0) for j in robot.joints]
    arm = armdyn.Arm(replace(robot, joints=joints))
    q, qd = fallen(arm, [0.3, 0.2], 3.0, tmp_path, stops=True)
    np.testing.assert_allclose(q, [-0.5, -0.5], atol=1e-6)
    np.testing.assert_allclose(qd, 0.0, atol=1e-6)


REACHING = """
const tries = JSON.parse(process.argv[2]), stiffness = n => n >= 6 ? 0.12 * scene.size : 0;
console.log(JSON.stringify(tries.map(([q, goal]) => {
  for (let k = 0; k < 12; k++) q = reached(scene, programs, q, goal, stiffness(q.length));
  return q;
})));
"""


@needs_node
@pytest.mark.parametrize("name", ["puma560", "panda", "scara"])
def test_inverse_kinematics_reaches_poses_within_limits(name: str, tmp_path: Path) -> None:
    arm = armdyn.load(name)
    rng = np.random.default_rng(2)
    low = np.array([max(j.lower, -3.0) for j in arm.robot.joints])
    high = np.array([min(j.upper, 3.0) for j in arm.robot.joints])
    starts = rng.uniform(low + 0.3 * (high - low), high - 0.3 * (high - low), (20, arm.n))
    goals = arm.pose(np.clip(starts + rng.uniform(-0.1, 0.1, starts.shape), low, high))
    tries = [[q.tolist(), goal.tolist()] for q, goal in zip(starts, goals, strict=True)]
    q = np.array(json.loads(run_node(tmp_path, physics(arm, REACHING), json.dumps(tries))))
    off = np.linalg.norm(arm.pose(q)[:, :3, 3] - goals[:, :3, 3], axis=1)
    assert float(np.median(off)) < 1e-3
    assert float(off.max()) < 0.02
    assert bool(((q > low - 1e-9) & (q < high + 1e-9)).all())


def test_a_page_is_one_small_file(tmp_path: Path) -> None:
    for name in ("puma560", "panda"):
        path = tmp_path / f"{name}.html"
        assert armdyn.load(name).page(path) is None
        assert path.stat().st_size < 1.5e6
        text = path.read_text("utf-8")
        assert not re.search(r"https?:|src=|@import|url\(|import ", text)  # nothing is fetched
        assert "{{" not in text.replace("${{", "")


def test_a_notebook_shows_the_page_inline() -> None:
    shown = armdyn.load("planar2").page()
    assert shown is not None
    assert shown._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')


def test_a_log_of_another_arm_is_refused_or_doubted(tmp_path: Path) -> None:
    log = armdyn.Log(np.arange(50) / 50, np.zeros((50, 2)))
    with pytest.raises(armdyn.InputError, match=r"of 2 joints .* has 6 .*joints=arm"):
        log.page(tmp_path / "page.html", PUMA)
    assert not (tmp_path / "page.html").exists()
    strange = armdyn.Log(np.arange(50) / 50, np.full((50, 6), 5.0))
    strange.page(tmp_path / "page.html", PUMA)
    said = "joint1, joint2, joint3, joint4, joint5, joint6: outside the limits in up to 100% of"
    assert said in (tmp_path / "page.html").read_text()
    for wrong in ("puma560", log, armdyn.simulate(armdyn.load("planar2"), until=0.1)):
        with pytest.raises(armdyn.InputError, match=r"expected an armdyn\.Arm"):
            log.page(tmp_path / "page.html", wrong)


def test_a_long_log_is_thinned_out(tmp_path: Path) -> None:
    t = np.arange(90_000) / 1000
    arm = armdyn.load("planar2")
    page = arm.page(log=armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0]))))
    assert page is not None
    assert "every 3th sample" not in page.html
    assert "one sample of 3" in page.html
    assert len(page.html) < 3e6


MESHED = """
const meshes = JSON.parse(process.argv[2]);
console.log(JSON.stringify(meshes.map(mesh => Array.from(meshSolid(mesh)))));
"""


@needs_node
def test_meshes_are_in_the_page_and_missing_ones_are_told(tmp_path: Path) -> None:
    arm = armdyn.load(urdf_with_meshes(tmp_path))
    plain, page = arm.page(), arm.page(meshes=True)
    assert plain is not None and page is not None
    assert '"meshes":[]' in plain.html.replace(" ", "")
    assert "Not drawn: gone.dae: not found." in page.html
    meshes, _ = meshes_of(arm.robot, ())
    parts = drawn(arm.robot, most=MOST_TRIANGLES).parts
    assert [part.link for part in parts] == [mesh["link"] for mesh in meshes] == [1]
    script = "\n".join([UNPACK, _asset("linear.js"), _asset("meshes.js"), MESHED])
    (numbers,) = json.loads(run_node(tmp_path, script, json.dumps(meshes)))
    found = np.array(numbers).reshape(-1, 6)
    expected = parts[0].corners[parts[0].faces].reshape(-1, 3)
    np.testing.assert_allclose(found[:, :3], expected, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found[:, 3:], axis=1), 1.0, atol=1e-5)
    a, b, c = (expected[k::3] for k in range(3))
    outward = np.cross(b - a, c - a)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    assert (np.sum(found[::3, 3:] * outward, axis=1) > 0.79).all()
    run = armdyn.simulate(arm, [0.3, 0.2], until=0.2, samples=5)
    run.animate(tmp_path / "run.html", meshes=True)
    with_meshes = (run.page(meshes=True).html, run.log().page(None, arm, meshes=True).html)
    packed = json.dumps(meshes, separators=(",", ":"))
    for text in (*with_meshes, (tmp_path / "run.html").read_text("utf-8")):
        assert f'"meshes":{packed}' in text
        assert "Not drawn: gone.dae: not found." in text
    for write in (arm.page, run.page, lambda **given: run.log().page(None, arm, **given)):
        with pytest.raises(armdyn.InputError, match="`meshes` is False"):
            write(packages=[tmp_path])
    bare = armdyn.load("planar2").page(meshes=True)
    assert bare is not None and says(bare.html, "meshes", "capsules")


def test_a_log_is_played_at_the_times_of_its_source() -> None:
    period = 1 / 29.4
    t = np.arange(0.01, 8.0, 1 / 30.0)
    q = np.sin(np.outer(np.floor(t / period) * period, np.linspace(1.0, 2.0, PUMA.n)))
    played = recording_of(PUMA, armdyn.Log(t, q, tau=q, joint_names=PUMA.joint_names))
    assert len(played.t) < len(t)
    assert np.ptp(np.diff(played.t)) < 1e-9
    assert any(says(note, "rows", "repeat") for note in played.notes)
