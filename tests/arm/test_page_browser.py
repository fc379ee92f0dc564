"""The page in a real browser: moved, dragged, played and let go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from support.browser import Opened, running
from support.meshes import urdf_with_meshes

Open = Callable[..., Opened]
PANDA = armdyn.load("panda")
# The script of a slider that a hand has moved.
SLIDE = "(e, x) => { e.value = x; e.dispatchEvent(new Event('input')); }"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running() as found:
        yield found


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    found: list[Opened] = []

    def open_page(path: Path, **options: Any) -> Opened:
        found.append(Opened(browser, path, **options))
        return found[-1]

    yield open_page
    for page in found:
        page.close()


def panda_log(rate: float = 100.0) -> armdyn.Log:
    t = np.arange(0.0, 4.0, 1.0 / rate)
    speeds = np.array([0.5, 0.7, 0.9, 0.6, 1.1, 0.8, 1.3])
    q = np.array([0, 0, 0, -1.6, 0, 1.8, 0]) + 0.5 * np.sin(np.outer(t, speeds))
    qd = 0.5 * speeds * np.cos(np.outer(t, speeds))
    tau = PANDA.inverse_dynamics(q, qd, -0.5 * speeds**2 * np.sin(np.outer(t, speeds)))
    return armdyn.Log(t, q, tau=tau + 0.3, joint_names=PANDA.joint_names)


def test_each_slider_moves_its_joint_and_torques_are_those_of_python(
    opened: Open, tmp_path: Path
) -> None:
    PANDA.page(tmp_path / "panda.html")
    page = opened(tmp_path / "panda.html")
    assert page("armdyn.joints") == list(PANDA.joint_names)
    rows = page.page.locator("#joints .row:not(.head)")
    expected = np.array(page("armdyn.q"))
    for k, joint in enumerate(PANDA.robot.joints):
        expected[k] = joint.lower + 0.3 * (joint.upper - joint.lower)
        rows.nth(k).locator("input").evaluate(SLIDE, expected[k])
        assert np.allclose(page("armdyn.q"), expected, rtol=0, atol=1e-12)
        shown = rows.locator("output.torque").all_inner_texts()
        for text, torque in zip(shown, PANDA.gravity(expected), strict=True):
            number, unit = text.split(" ", 1)
            digits = len(number.partition(".")[2])
            assert unit == "N m"
            assert digits >= 2
            assert float(number) == pytest.approx(torque, abs=0.5001 * 10.0**-digits)
    frames = np.array(page("armdyn.frames()"))
    for i in range(PANDA.n + 1):
        np.testing.assert_allclose(frames[i], PANDA.pose(expected, frame=i)[:3], atol=1e-12)
    np.testing.assert_allclose(frames[-1], PANDA.pose(expected)[:3], atol=1e-12)
    page.shot("panda", tmp_path)


def test_functions_of_the_page_are_those_of_python(opened: Open, tmp_path: Path) -> None:
    arm = armdyn.load("puma560")
    arm.page(tmp_path / "arm.html")
    page = opened(tmp_path / "arm.html")
    rng, count = np.random.default_rng(1), 50  # benchmarks/page.py: more states and arms
    for name in arm.quantities:
        f = arm.function(name)
        states = rng.uniform(-2, 2, (count, len(f.program.inputs), arm.n))
        run = "([name, states]) => states.map(s => [armdyn[name](...s)].flat(9))"
        got = np.array(page(run, [name, states.tolist()]))
        value = f(*np.moveaxis(states, 1, 0))
        several = value if isinstance(value, tuple) else (value,)
        expected = np.hstack([x.reshape(count, -1) for x in several])
        assert np.abs(got - expected).max() < 1e-12 * max(np.abs(expected).max(), 1e-3), name


def test_the_tip_follows_the_mouse_and_let_go_it_falls(opened: Open, tmp_path: Path) -> None:
    arm = armdyn.load("puma560")
    arm.page(tmp_path / "puma.html")
    page = opened(tmp_path / "puma.html", viewport={"width": 1200, "height": 800})
    page("armdyn.set([0.2, -0.6, 0.4, 0.3, 0.6, 0])")
    before, (x, y) = page("armdyn.q"), page("armdyn.tipPixel")
    mouse = page.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 50, y + 40, steps=12)
    mouse.up()
    there = page("armdyn.tipPixel")
    assert np.hypot(there[0] - (x - 50), there[1] - (y + 40)) < 6
    assert page("armdyn.q") != before
    page.page.locator("#go").click()
    page.page.wait_for_function("armdyn.qd.some(v => Math.abs(v) > 1e-3)")
    page.page.keyboard.press("l")
    assert page("armdyn.qd") == [0] * 6
    page.page.keyboard.press("r")
    assert page("armdyn.q") == [0] * 6
    keys_move_joints_and_the_mouse_moves_the_view(page)


def keys_move_joints_and_the_mouse_moves_the_view(page: Opened) -> None:
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.page.keyboard.press(key)
    third = armdyn.load("puma560").robot.joints[2]
    expected = [0, 0, 0.01 * (third.upper - third.lower), 0, 0, 0]
    assert page("armdyn.q") == pytest.approx(expected, abs=1e-12)
    page.page.keyboard.press("r")
    tip, mouse = np.array(page("armdyn.tipPixel")), page.page.mouse
    page.page.keyboard.down("Shift")
    mouse.move(60, 400)
    mouse.down()
    mouse.move(90, 380, steps=3)
    mouse.up()
    page.page.keyboard.up("Shift")
    moved = np.array(page("armdyn.tipPixel")) - tip
    np.testing.assert_allclose(moved, [30, -20], atol=6)  # nearer points of the arm move farther
    mouse.wheel(0, -200)
    zoomed = np.array(page("armdyn.tipPixel"))
    assert np.linalg.norm(zoomed - tip - moved) > 5
    assert page("armdyn.q") == [0] * 6
    page.page.locator("#reset").click()
    np.testing.assert_allclose(page("armdyn.tipPixel"), tip, atol=1e-6)


def test_a_hand_pushes_an_arm_that_is_let_go(opened: Open, tmp_path: Path) -> None:
    robot = armdyn.load("puma560").robot
    arm = armdyn.Arm(replace(robot, gravity=(0.0, 0.0, 0.0)))
    arm.page(tmp_path / "weightless.html")
    page = opened(tmp_path / "weightless.html", viewport={"width": 1200, "height": 800})
    page("armdyn.set([0.2, -0.6, 0.4, 0.3, 0.6, 0])")
    page.page.locator("#go").click()
    page.page.wait_for_timeout(200)
    assert page("armdyn.qd") == [0] * 6
    x, y = page("armdyn.tipPixel")
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x - 80, y, steps=4)
    page.page.wait_for_function("x => armdyn.tipPixel[0] < x - 5", arg=x)
    page.page.mouse.up()
    assert page("armdyn.energy.kinetic") > 0.0


def test_a_log_is_played_scrubbed_and_found_by_a_click(opened: Open, tmp_path: Path) -> None:
    log = panda_log()
    log.page(tmp_path / "log.html", PANDA)
    page = opened(tmp_path / "log.html", viewport={"width": 1200, "height": 800})
    for k in (0, 123, 399):
        page("t => armdyn.seek(t)", float(log.t[k]))
        np.testing.assert_allclose(page("armdyn.q"), log.q[k], atol=1e-6)
    page.page.locator("#scrub").evaluate(SLIDE, 1.5)
    assert page("armdyn.time") == pytest.approx(1.5)
    box = page.page.locator("#plots canvas").nth(2).bounding_box()
    page.page.mouse.click(box["x"] + 40 + 0.75 * (box["width"] - 42), box["y"] + 30)
    assert page("armdyn.time") == pytest.approx(0.75 * log.duration, abs=0.03)
    residual = page.page.locator("#plots output").nth(3).inner_text()
    assert float(residual.split()[0]) == pytest.approx(0.3, abs=0.05)
    page.page.keyboard.press(" ")
    page.page.wait_for_function("armdyn.time > 3.1")
    page("armdyn.pause()")
    assert not page("armdyn.isPlaying")
    page.shot("log", tmp_path)


def test_energy_stays_when_a_frictionless_arm_falls_for_5_s(opened: Open, tmp_path: Path) -> None:
    arm = armdyn.Arm(armdyn.generic(5, seed=3))
    arm.page(tmp_path / "arm.html")
    page = opened(tmp_path / "arm.html")
    page("armdyn.set([0.5, 0.4, -0.3, 0.8, 0.2])")
    start = page("armdyn.energy")
    moving = [page("(armdyn.fall(0.5), armdyn.energy.kinetic)") for _ in range(10)]
    drift = abs(page("armdyn.energy.total") - start["total"])
    assert max(moving) > 1.0
    assert drift < 1e-3 * max(abs(start["total"]), 1e-9)
    assert drift < 1e-3 * max(moving)


HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\"'`{{data}}🦾" + "x" * 300


def test_hostile_names_are_shown_and_never_run(opened: Open, tmp_path: Path) -> None:
    robot = armdyn.load("planar2").robot
    joints = [replace(j, name=f"{k}{HOSTILE}") for k, j in enumerate(robot.joints)]
    arm = armdyn.Arm(armdyn.Robot(joints, name=HOSTILE))
    log = armdyn.Log(np.arange(50) / 50, np.zeros((50, 2)), source=HOSTILE)
    log.page(tmp_path / "arm.html", arm)
    page = opened(tmp_path / "arm.html")
    assert page.page.title() == HOSTILE
    assert page.page.locator("#name").text_content() == HOSTILE
    assert page.page.locator(".who").all_text_contents() == [f"0{HOSTILE}", f"1{HOSTILE}"]
    assert page.page.locator("img").count() == 0
    above, below = (page.page.locator(part).bounding_box() for part in ("#about", "#notes"))
    assert below["y"] >= above["y"] + above["height"]  # nothing covers anything


def test_odd_arms_and_runs_have_a_sensible_page(opened: Open, tmp_path: Path) -> None:
    link = {"mass": 1.0, "com": (0.0, 0.0, 0.05), "inertia": (0.01, 0, 0, 0.01, 0, 0.01)}
    slides = [armdyn.Joint(kind="prismatic", beta=np.pi / 2 * (k > 0), **link) for k in range(3)]
    gantry = armdyn.Arm(armdyn.Robot(slides, name="gantry"))
    gantry.page(tmp_path / "gantry.html")
    page = opened(tmp_path / "gantry.html")
    assert page("(armdyn.fall(0.2), armdyn.q)")[0] == pytest.approx(-0.5 * 9.81 * 0.2**2, rel=1e-6)
    long = armdyn.Arm(armdyn.Robot([armdyn.Joint(b=0.01, **link) for _ in range(500)], name="long"))
    long.page(tmp_path / "long.html")
    page = opened(tmp_path / "long.html")
    page("armdyn.set(Array(500).fill(0.01))")
    assert "500 joints" in page.page.locator("#notes").inner_text()
    assert page.page.locator("#go").is_disabled()
    one = armdyn.Log([0.0], [[0.3, 0.2]])
    one.page(tmp_path / "one.html", armdyn.load("planar2"))
    page = opened(tmp_path / "one.html")
    page("armdyn.play()")
    assert page("armdyn.q") == pytest.approx([0.3, 0.2], abs=1e-9)
    notes = page.page.locator("#notes li")
    assert [note.partition(":")[0] for note in notes.all_inner_texts()] == [
        "The model's torques are not shown", "The log has no torques.",
    ]  # fmt: skip
    notes.first.click()  # read, and hidden
    assert notes.all_inner_texts() == ["The log has no torques."]


def test_meshes_are_drawn_and_can_be_hidden(opened: Open, tmp_path: Path) -> None:
    arm = armdyn.load(urdf_with_meshes(tmp_path))
    arm.page(tmp_path / "arm.html", meshes=True)
    page = opened(tmp_path / "arm.html", viewport={"width": 500, "height": 400})
    box = page.page.locator("#show-meshes")
    page.page.locator("#show summary").click()
    assert box.is_checked()
    with_meshes = page.page.locator("#view").screenshot()
    box.click()
    page.page.wait_for_timeout(300)
    assert page.page.locator("#view").screenshot() != with_meshes
    assert "gone.dae" in page.page.locator("#notes").inner_text()


def test_dark_and_on_a_phone(opened: Open, tmp_path: Path) -> None:
    panda_log().page(tmp_path / "log.html", PANDA)
    page = opened(
        tmp_path / "log.html", viewport={"width": 390, "height": 844}, color_scheme="dark",
        has_touch=True, device_scale_factor=2,
    )  # fmt: skip
    assert page("document.documentElement.scrollWidth") <= 390
    page.page.locator("#play").tap()
    page.page.wait_for_function("armdyn.time > 0.1")
    page.shot("phone", tmp_path)
