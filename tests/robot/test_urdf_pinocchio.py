"""URDFs read here give the numbers that Pinocchio gives for the same file."""

from __future__ import annotations

import re

import numpy as np
import pinocchio as pin
import pytest

from armdyn.robot.formats.urdf.read import parse_urdf, read_urdf
from armdyn.robot.formats.urdf.write import urdf_text
from armdyn.robot.model import Robot
from support.published import PUBLISHED, published
from support.urdf_compare import errors, random_urdf

EXACT = 1e-11


def stated(robot: Robot) -> float:
    """The largest difference that the notes of a robot admit."""
    told = [re.search(r"by up to (\S+) of their size; snap", note) for note in robot.notes]
    return max((float(found[1]) for found in told if found), default=0.0)


@pytest.mark.filterwarnings("ignore:joints of the arm itself")
@pytest.mark.parametrize(("name", "base", "tip", "end", "count"), PUBLISHED)
def test_published_arm_matches_pinocchio(
    name: str, base: str | None, tip: str | None, end: str, count: int
) -> None:
    path = published(name)
    model = pin.buildModelFromUrdf(str(path))
    as_written = read_urdf(path, base=base, tip=tip, snap=False)
    assert as_written.n == count
    found = errors(as_written, model, end, base)
    assert max(found.values()) < EXACT, found
    snapped = read_urdf(path, base=base, tip=tip)
    found = errors(snapped, model, end, base)
    assert max(found.values()) < max(stated(snapped), EXACT), (found, snapped.notes)


@pytest.mark.parametrize("seed", range(12))
def test_random_chain_matches_pinocchio(seed: int) -> None:
    """Skew, parallel, antiparallel, meeting, coincident and right axes, revolute and prismatic."""
    for n in (1, 2, 3, 5, 8):
        text = random_urdf(n, seed)
        model = pin.buildModelFromXML(text)
        for snap in (False, True):
            robot = parse_urdf(text, tip="tip", snap=snap)
            found = errors(robot, model, "tip", seeds=[seed])
            assert max(found.values()) < EXACT, (n, snap, found)


def test_only_sliding_joints_match_pinocchio() -> None:
    for seed in range(8):
        text = random_urdf(4, seed, prismatic=1.0)
        found = errors(parse_urdf(text, tip="tip"), pin.buildModelFromXML(text), "tip")
        assert max(found.values()) < EXACT, found


def test_nearly_parallel_axes_lose_no_more_than_their_angle() -> None:
    """Their common normal is far away; taking it at any price would cost all digits."""
    for angle in (1e-13, 1e-9, 3e-6, 9e-6, 1.1e-5, 1e-4, 1e-2):
        text = PAIR.format(angle=angle)
        robot = parse_urdf(text)
        found = errors(robot, pin.buildModelFromXML(text), "c")
        assert max(found.values()) < (1.1e-5 if angle < 1e-5 else 1e-15 / angle**2 + 1e-12), found
        said = any("rad from parallel" in note for note in robot.notes)
        assert said == (1e-5 < angle < 1e-3), robot.notes


def test_nothing_is_bent_where_nothing_is_snapped() -> None:
    """Nearly parallel axes have a tilt instead of a common normal that is far away."""
    for angle in (1e-13, 1e-11, 1e-9, 3e-7, 3.7e-6, 9e-6, 1.1e-5, 1e-4, 9e-3, 1.1e-2):
        for origin in ("0.4 0.2 0.1", "0 0 0.3", "1e-9 0 0.3"):
            text = PAIR.format(angle=angle).replace("0.4 0.2 0.1", origin)
            robot = parse_urdf(text, snap=False)
            model = pin.buildModelFromXML(text)
            found = errors(robot, model, "c")
            assert max(found.values()) < EXACT, (angle, origin, found)
            assert np.abs([j.b for j in robot.joints]).max() < 1.0
            again = parse_urdf(urdf_text(robot))
            assert max(errors(again, model, "c").values()) < EXACT
            told = any("have a tilt" in note for note in robot.notes)
            assert told == (1e-12 < angle < 1e-2), robot.notes


@pytest.mark.parametrize("seed", range(6))
def test_random_nearly_parallel_chain_matches_pinocchio(seed: int) -> None:
    for size in (1e-10, 1e-7, 1e-5, 8e-3):
        text = random_urdf(5, seed, nearly=size)
        model = pin.buildModelFromXML(text)
        robot = parse_urdf(text, tip="tip", snap=False)
        found = errors(robot, model, "tip", seeds=[seed])
        assert max(found.values()) < EXACT, (size, found)
        again = parse_urdf(urdf_text(robot), tip="tip")
        assert max(errors(again, model, "tip", seeds=[seed]).values()) < EXACT


BODY = """<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>"""
PAIR = f"""<robot name="pair">
<link name="a"/><link name="b">{BODY}</link><link name="c">{BODY}</link>
<joint name="1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<origin rpy="1.1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="2" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<origin xyz="0.4 0.2 0.1" rpy="0 {{angle}} 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
