"""The viewer in a real browser: moved by hand and by Python, played, let go, in two tabs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from support.browser import Opened, running

pytest.importorskip("viser")

PUMA = armdyn.load("puma560")
# Few pixels: without a graphics card, each takes time. The panel is 384 of them wide.
SMALL = {"width": 640, "height": 420}
WIDE = {"width": 840, "height": 420}
# Milliseconds until numbers have followed.
PATIENCE = 60_000
# Where a hand takes an arrow of the handle, as a share of its length.
GRIP = 0.8


class Watched(Opened):
    """A tab that shows a viewer."""

    allowed = ("http://127.0.0.1:", "ws://127.0.0.1:", "blob:http://127.0.0.1:", "data:")
    ready = """new Promise(done => { const look = () => document.querySelector('[data-torque]')
        ? done() : setTimeout(look, 50); look(); })"""

    def until(self, script: str, given: Any = None) -> None:
        self.page.wait_for_function(script, arg=given, timeout=PATIENCE, polling=50)

    def until_torques_are(self, expected: np.ndarray) -> None:
        """Wait until the torques shown are these, to the digits shown."""
        self.until(
            """wanted => { const shown = [...document.querySelectorAll('[data-torque]')];
            return shown.length === wanted.length && shown.every((cell, k) => {
                const text = cell.textContent.split(' ')[0];
                const digits = (text.split('.')[1] ?? '').length;
                return digits >= 2 && Math.abs(Number(text) - wanted[k]) < 0.5001 * 10 ** -digits;
            }); }""",
            expected.tolist(),
        )

    def until_positions_are(self, q: np.ndarray) -> None:
        """Wait until the angles in the table are these, to the digits shown."""
        self.until(
            """wanted => [...document.querySelectorAll('td[data-position]')].every((cell, k) =>
            Math.abs(parseFloat(cell.textContent) - wanted[k]) < 0.0501)""",
            np.degrees(q).tolist(),
        )

    def number(self, name: str) -> float:
        """Return a number that is shown with its unit."""
        return float(self.page.locator(f"[data-number={name}]").inner_text().split()[0])

    def slide(self, k: int, share: float) -> float:
        """Click into a slider at a share of its range; return the value that it shows then.

        Sliders of joints are the last ones of the page: 0 is that of the first joint, and -1 the
        time of a recording.
        """
        sliders = self.page.locator("[role=slider]")
        one = sliders.nth(sliders.count() - PUMA.n + k)
        before = one.get_attribute("aria-valuenow")
        box = one.locator("..").bounding_box()
        self.page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        self.until("([e, x]) => e.ariaValueNow !== x", [one.element_handle(), before])
        return float(one.get_attribute("aria-valuenow"))


def pixel(camera: Any, box: dict[str, float], point: np.ndarray) -> np.ndarray:
    """Return where a camera of viser shows a point; it looks along z, and y is down."""
    w, *v = camera.wxyz
    turned = np.cross(v, away := camera.position - point)  # by the inverse of its turn
    x, y, z = -(away - 2.0 * w * turned + 2.0 * np.cross(v, turned))
    middle = np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
    return middle + box["height"] / 2 / np.tan(camera.fov / 2) * np.array([x, y]) / z


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running() as found:
        yield found


def sliders_move_joints(tab: Watched, viewer: Any) -> None:
    for k in range(PUMA.n):
        before = viewer.q
        value = tab.slide(k, 0.3 if k % 2 else 0.6)
        expected = np.where(np.arange(PUMA.n) == k, value, before)
        tab.until_positions_are(expected)
        tab.until_torques_are(PUMA.gravity(expected))
        np.testing.assert_allclose(viewer.q, expected, atol=1e-12)
        joint = PUMA.robot.joints[k]
        middle = joint.lower + (0.3 if k % 2 else 0.6) * (joint.upper - joint.lower)
        assert value == pytest.approx(middle, abs=0.1)


def handle_moves_the_tip(tab: Watched, viewer: Any) -> None:
    """Drag each arrow of the handle along itself: the tip follows, and keeps its direction."""
    viewer.q = [0.2, -0.6, 0.4, 0.3, 0.6, 0.0]
    tab.until_torques_are(PUMA.gravity(viewer.q))
    for axis, way in ((0, 0.1), (1, 0.08), (2, -0.06)):
        T = PUMA.pose(viewer.q)
        assert any(drag(tab, viewer, axis, way) for _ in range(5))
        goal = T[:3, 3] + way * T[:3, axis]
        tab.until(
            """goal => { const text = document.querySelector('[data-number=tip]').innerText;
            const at = text.split(' m')[0].split(', ').map(Number);
            return Math.hypot(...at.map((x, k) => x - goal[k])) < 0.004; }""",
            goal.tolist(),
        )
        tab.page.mouse.up()
        tab.until_torques_are(PUMA.gravity(viewer.q))
        np.testing.assert_allclose(PUMA.pose(viewer.q)[:3, :3], T[:3, :3], atol=1e-5)


def drag(tab: Watched, viewer: Any, axis: int, way: float) -> bool:
    """Take an arrow and move the mouse; return whether it was there: a busy machine draws late."""
    camera = next(iter(viewer._server.get_clients().values())).camera
    box = tab.page.locator("canvas").first.bounding_box()
    T, grip, mouse = PUMA.pose(viewer.q), GRIP * viewer._handle.scale, tab.page.mouse
    start, end = (pixel(camera, box, T[:3, 3] + x * T[:3, axis]) for x in (grip, grip + way))
    tab.page.wait_for_timeout(200)  # until the handle is drawn at the tip
    mouse.move(*start)
    tab.page.wait_for_timeout(200)  # the picture looks for what is below the mouse
    mouse.down()
    mouse.move(*((start + end) / 2), steps=2)
    mouse.move(*end)
    for _ in range(30):
        if viewer._dragged_by is not None:
            return True
        tab.page.wait_for_timeout(100)
    mouse.up()
    return False


def log_is_played_and_scrubbed(tab: Watched, viewer: Any, q: np.ndarray) -> None:
    run = armdyn.simulate(PUMA, q, until=30.0, integrator="rk4", step=5e-3, samples=1201)
    log = run.measured(noise_tau=0.05)
    viewer.play(log, speed=0.02, loop=True)  # slow: it plays as long as this test does
    tab.until("document.body.innerText.includes('residual torque')")
    assert 0.0 < viewer.time < 10.0
    assert tab.page.get_by_label("speed").input_value() == "0.02 ×"
    assert tab.page.get_by_label("loop").is_checked()
    viewer.pause()
    viewer.seek(12.0)
    k = int(np.searchsorted(log.t, 12.0))
    np.testing.assert_allclose(viewer.q, log.q[k], atol=1e-9)
    tab.until_torques_are(PUMA.gravity(log.q[k]))
    tab.page.get_by_role("button", name="Play").click()
    tab.until("document.body.innerText.includes('Pause')")
    assert viewer.mode == "playing"
    # a hand on the slider of time stops it there
    tab.slide(-1, 0.5)
    tab.page.get_by_role("button", name="Play").wait_for(timeout=PATIENCE)
    assert viewer.mode == "held"
    at = viewer.time
    assert at == pytest.approx(15.0, abs=1.0)
    expected = [np.interp(at, log.t, column) for column in log.q.T]
    np.testing.assert_allclose(viewer.q, expected, atol=1e-9)
    tab.until_torques_are(PUMA.gravity(np.array(expected)))


def test_hands_and_python_move_the_arm_in_two_tabs(browser: Any, tmp_path: Path, capfd) -> None:
    with PUMA.view(browser=False) as viewer:
        first = Watched(browser, viewer.url, viewport=WIDE)
        first.page.locator(".mantine-Notification-closeButton").first.click()  # of slow graphics
        first.until_torques_are(PUMA.gravity(viewer.q))
        sliders_move_joints(first, viewer)
        handle_moves_the_tip(first, viewer)
        first.shot("viewer", tmp_path)
        q = np.array([0.3, -0.7, 0.4, 0.2, 0.5, -0.1])
        viewer.q = q
        first.until_torques_are(PUMA.gravity(q))
        tip = ", ".join(f"{x:.4f}" for x in PUMA.pose(q)[:3, 3])
        assert first.page.locator("[data-number=tip]").inner_text() == f"{tip} m"
        # a number that is typed beside a slider moves its joint, here and in another tab
        second = Watched(browser, viewer.url, viewport=SMALL)
        box = first.page.locator("input[inputmode=decimal]").nth(1)
        box.fill("-0.25")
        box.press("Enter")
        q[1] = -0.25
        for tab in (first, second):
            tab.until_torques_are(PUMA.gravity(q))
        np.testing.assert_allclose(viewer.q, q, atol=1e-12)
        second.close()
        log_is_played_and_scrubbed(first, viewer, q)
        # a tab that comes back while it plays
        viewer.play(speed=0.02)
        first.page.reload()
        first.page.evaluate(first.ready)
        assert viewer.mode == "playing"
        first.shot("viewer-playing", tmp_path)
        first.close()
    assert "Traceback" not in capfd.readouterr().err


def energy_stays_for_5_s(tab: Watched, viewer: Any) -> None:
    """Let a frictionless arm go, and read its energy off the page while it falls."""
    viewer.q = np.full(viewer.arm.n, 0.4)
    tab.until_torques_are(viewer.arm.gravity(viewer.q))
    start = tab.number("total")
    tab.page.get_by_role("button", name="Let go").click()
    totals, kinetic = [start], [0.0]
    while (live := viewer._motion._live) is None or live.t < 5.0:  # a busy machine is slower
        tab.page.wait_for_timeout(100)
        totals.append(tab.number("total"))
        kinetic.append(tab.number("kinetic"))
    tab.page.get_by_role("button", name="Hold").click()
    assert max(kinetic) > 1.0
    assert np.abs(np.array(totals) - start).max() < 1e-3 * max(abs(start), 1.0)
    assert np.abs(np.array(totals) - start).max() < 1e-3 * max(kinetic)


HOSTILE = "<img src=x onerror=alert(1)></style><script>alert(2)</script>\"'`{{data}}🦾" + "x" * 300


def test_hostile_names_are_shown_and_never_run(browser: Any, tmp_path: Path) -> None:
    robot = armdyn.load("planar2").robot
    joints = [replace(j, name=f"{k}{HOSTILE}") for k, j in enumerate(robot.joints)]
    arm = armdyn.Arm(replace(robot, joints=joints, name=HOSTILE))
    log = armdyn.Log(np.arange(50) / 50, np.zeros((50, 2)), source=HOSTILE)
    with arm.view(browser=False) as viewer:
        viewer.play(log)
        page = Watched(browser, viewer.url, viewport=SMALL)
        assert page.page.locator(".armdyn h1").text_content() == HOSTILE
        names = page.page.locator(".armdyn tr td:first-child").all_text_contents()
        assert names[:2] == [f"0{HOSTILE}", f"1{HOSTILE}"]
        assert page.page.locator("img[src=x]").count() == 0
        assert HOSTILE in page.page.locator(".armdyn p").first.text_content()
        page.shot("viewer-names", tmp_path)
        energy_stays_for_5_s(page, viewer)
        page.close()
