"""The viewer from Python: what it takes, what it refuses, how it moves."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn.view.motion import Motion, followed
from support.command import INTERRUPTIBLE

pytest.importorskip("viser")

PLANAR = armdyn.load("planar2")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_a_script_moves_the_arm_and_closes_the_viewer() -> None:
    port = free_port()
    viewer = PLANAR.view(browser=False, port=port)
    assert viewer.url == f"http://127.0.0.1:{port}"
    viewer.q = [0.3, -0.4]
    assert viewer.q.tolist() == [0.3, -0.4]
    with pytest.raises(armdyn.InputError, match="2 finite numbers"):
        viewer.q = [0.3, np.nan]
    with pytest.raises(armdyn.InputError, match=f"`port` is {port}, which another program uses"):
        PLANAR.view(browser=False, port=port)
    with pytest.raises(armdyn.InputError, match="nothing to play"):
        viewer.play()
    viewer.close()
    viewer.close()
    assert repr(viewer) == "<Viewer of 'planar2': closed>"
    with pytest.raises(armdyn.InputError, match="closed"):
        viewer.q = [0.0, 0.0]
    with socket.socket() as again:  # nobody listens there any more
        assert again.connect_ex(("127.0.0.1", port)) != 0


def test_it_listens_on_this_machine_alone() -> None:
    with PLANAR.view(browser=False) as viewer:
        port = int(viewer.url.rpartition(":")[2])
        bound = viewer._server._websock_server._port
        assert bound == port
        with socket.socket() as other:
            other.settimeout(2.0)
            # the address of all machines is free: nothing but 127.0.0.1 is taken
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("127.0.0.2", port))
        assert viewer._server.request_share_url() is None
    for host in ("no such host", "203.0.113.7"):
        with pytest.raises(armdyn.InputError, match="`host` is"):
            PLANAR.view(browser=False, host=host)


def test_a_missing_extra_is_told(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(armdyn.errors.MissingExtraError, match=r"pip install 'armdyn\[view\]'"):
        PLANAR.view(browser=False)


def test_without_a_display_the_address_is_told(monkeypatch, capsys) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    with PLANAR.view() as viewer:
        said = capsys.readouterr().err
        assert f"open {viewer.url} in one" in said
        assert "ssh -L" in said


def test_motions_that_do_not_fit_are_refused() -> None:
    with PLANAR.view(browser=False) as viewer:
        for wrong, why in (
            (armdyn.Log(np.arange(50) / 50, np.zeros((50, 3))), "of 3 joints"),
            (armdyn.simulate(armdyn.load("planar3"), until=0.1), "planar3"),
            (armdyn.simulate(PLANAR, np.zeros((2, 2)), until=0.1, integrator="rk4"), "2 arms"),
            ("run.csv", r"armdyn\.Log\.read"),
        ):
            with pytest.raises(armdyn.InputError, match=why):
                viewer.play(wrong)
        viewer.play(armdyn.Log([0.0], [[0.3, 0.2]]))  # one sample: shown, not played
        assert viewer.mode == "held"
        assert viewer.q.tolist() == [0.3, 0.2]


def motion(arm: armdyn.Arm) -> Motion:
    return Motion(arm, 2.0, 100.0)


def test_an_arm_that_is_let_go_falls_as_in_a_simulation() -> None:
    moved = motion(PLANAR)
    q0 = np.array([0.3, 0.2])
    moved.set(q0)
    moved.let_go()
    moved.advance(0.0)
    for _ in range(25):
        moved.advance(0.02)
    run = armdyn.simulate(PLANAR, q0, until=0.5, rtol=1e-10)
    np.testing.assert_allclose(moved.q, run.q[-1], atol=1e-6)
    np.testing.assert_allclose(moved.qd, run.qd[-1], atol=1e-5)
    moved.pause()
    assert moved.mode == "held"
    assert not moved.qd.any()


def test_a_pull_moves_the_tip_that_is_let_go_and_friction_holds_it() -> None:
    joints = [replace(joint, coulomb=40.0) for joint in PLANAR.robot.joints]
    held = motion(armdyn.Arm(replace(PLANAR.robot, joints=joints)))
    q0 = np.array([0.3, 0.2])
    held.set(q0)
    held.let_go()
    held.advance(0.0)
    held.advance(0.05)
    np.testing.assert_array_equal(held.q, q0)
    held.set_friction(False)
    held.advance(0.0)
    held.advance(0.05)
    assert np.abs(held.q - q0).max() > 1e-3
    weightless = armdyn.Arm(replace(PLANAR.robot, gravity=(0.0, 0.0, 0.0)))
    pulled = motion(weightless)
    pulled.set(q0)
    pulled.let_go()
    pulled.advance(0.0)
    goal = weightless.pose(q0)
    before = goal[:3, 3].copy()
    goal[1, 3] += 0.3
    pulled.drag(goal)
    for _ in range(10):
        pulled.advance(0.02)
    assert weightless.pose(pulled.q)[1, 3] > before[1] + 0.01
    pulled.release()
    assert pulled.hand is None


@pytest.mark.parametrize("name", ["puma560", "panda", "scara", "planar3"])
def test_joints_follow_the_handle_within_limits(name: str) -> None:
    arm = armdyn.load(name)
    lower = np.array([max(j.lower, -3.0) for j in arm.robot.joints])
    upper = np.array([min(j.upper, 3.0) for j in arm.robot.joints])
    rng = np.random.default_rng(3)
    for _ in range(10):
        q = lower + (upper - lower) * rng.uniform(0.3, 0.7, arm.n)
        goal = arm.pose(np.clip(q + rng.uniform(-0.05, 0.05, arm.n), lower, upper))
        found = followed(arm, q, goal, 1.0)
        assert np.linalg.norm(arm.pose(found)[:3, 3] - goal[:3, 3]) < 1e-4
        assert np.abs(found - q).max() < 0.6
    away = goal.copy()
    away[:3, 3] += 5.0  # out of reach: as near as it gets, without a jump
    far = followed(arm, q, away, 1.0)
    assert ((far >= lower - 1e-9) & (far <= upper + 1e-9)).all() or name == "scara"
    assert np.isfinite(far).all()


def test_odd_arms_are_shown() -> None:
    link = {"mass": 1.0, "com": (0.0, 0.0, 0.05), "inertia": (0.01, 0, 0, 0.01, 0, 0.01)}
    slides = [armdyn.Joint(kind="prismatic", beta=np.pi / 2 * (k > 0), **link) for k in range(3)]
    with armdyn.Arm(armdyn.Robot(slides, name="gantry")).view(browser=False) as viewer:
        viewer.q = [0.1, -0.2, 0.3]
        time.sleep(0.3)
        assert viewer._thread.is_alive()
    long = armdyn.Arm(armdyn.Robot([armdyn.Joint(b=0.01, **link) for _ in range(500)], name="long"))
    with long.view(browser=False) as viewer:
        viewer.q = np.full(500, 0.01)
        time.sleep(0.5)
        assert viewer._thread.is_alive()
        assert len(viewer._panel._sliders) == 1


def test_the_verb_ends_at_an_interrupt_without_a_traceback(tmp_path) -> None:
    log = armdyn.simulate(PLANAR, [0.3, 0.2], until=1.0, samples=51)
    log.save(tmp_path / "run.csv")
    command = [*INTERRUPTIBLE, "view", "planar2", "run.csv", "--no-browser"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        line = process.stdout.readline()
        assert "planar2 is at http://127.0.0.1:" in line
        process.send_signal(2)
        out, err = process.communicate(timeout=30)
    assert out == "closed.\n"
    assert "Traceback" not in err
    assert process.returncode == 0
