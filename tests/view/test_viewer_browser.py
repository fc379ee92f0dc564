"""The viewer in a real browser: moved by hand and by Python, played, in two tabs."""

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
# Few pixels: without a graphics card, each takes time.
SMALL = {"width": 640, "height": 420}
# Milliseconds until numbers have followed.
PATIENCE = 60_000


class Watched(Opened):
    """A tab that shows a viewer."""

    allowed = ("http://127.0.0.1:", "ws://127.0.0.1:", "blob:http://127.0.0.1:", "data:")
    ready = """new Promise(done => { const look = () => document.querySelector('[data-torque]')
        ? done() : setTimeout(look, 50); look(); })"""

    def texts(self, what: str) -> list[str]:
        return self.page.locator(f"[data-{what}]").all_inner_texts()

    def until_torques_are(self, expected: np.ndarray) -> None:
        """Wait until the torques shown are these, to the digits shown."""
        self.page.wait_for_function(
            """wanted => { const shown = [...document.querySelectorAll('[data-torque]')];
            return shown.length === wanted.length && shown.every((cell, k) => {
                const text = cell.textContent.split(' ')[0];
                const digits = (text.split('.')[1] ?? '').length;
                return digits >= 2 && Math.abs(Number(text) - wanted[k]) < 0.5001 * 10 ** -digits;
            }); }""",
            arg=expected.tolist(),
            timeout=PATIENCE,
        )


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running() as found:
        yield found


def test_hands_and_python_move_the_arm_in_two_tabs(browser: Any, tmp_path: Path, capfd) -> None:
    with PUMA.view(browser=False) as viewer:
        first = Watched(browser, viewer.url, viewport=SMALL)
        first.until_torques_are(PUMA.gravity(viewer.q))
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
        first.shot("viewer", tmp_path)
        # a tab that closes, and one that comes back
        second.close()
        run = armdyn.simulate(PUMA, q, until=30.0, integrator="rk4", step=5e-3, samples=61)
        viewer.play(run, speed=0.02)  # slow: it plays as long as this test does
        first.page.wait_for_function(
            "document.body.innerText.includes('residual torque')", timeout=PATIENCE
        )
        assert 0.0 < viewer.time < 10.0
        viewer.pause()
        viewer.seek(12.0)
        k = int(np.searchsorted(run.t, 12.0))
        np.testing.assert_allclose(viewer.q, run.q[k], atol=1e-9)
        first.until_torques_are(PUMA.gravity(run.q[k]))
        first.page.get_by_role("button", name="Play").click()
        first.page.wait_for_function("document.body.innerText.includes('Pause')", timeout=PATIENCE)
        first.page.reload()
        first.page.evaluate(first.ready)
        assert viewer.mode == "playing"
        first.shot("viewer-playing", tmp_path)
        first.close()
    assert "Traceback" not in capfd.readouterr().err


HOSTILE = "<img src=x onerror=alert(1)></style><script>alert(2)</script>\"'`{{data}}🦾" + "x" * 300


def test_hostile_names_are_shown_and_never_run(browser: Any, tmp_path: Path) -> None:
    robot = armdyn.load("planar2").robot
    joints = [replace(j, name=f"{k}{HOSTILE}") for k, j in enumerate(robot.joints)]
    arm = armdyn.Arm(armdyn.Robot(joints, name=HOSTILE))
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
        page.close()
