"""An arm written into the file it came from: what changed is replaced, every other byte stays."""

from __future__ import annotations

import re
import site
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import Joint, Robot
from armdyn.errors import ArmdynError, FileError, InputError, RobotError
from armdyn.robot.formats.tree import tree_of
from armdyn.robot.formats.urdf.read import parse_description, parse_urdf
from armdyn.robot.formats.urdf.write import into_text
from support.published import PUBLISHED, published
from support.says import facts
from support.urdf_compare import errors
from support.urdf_texts import ARM, LIMIT, fixed, joint, links, robot

EXACT = 1e-11


def published_files() -> list[Path]:
    folder = Path(site.getsitepackages()[0], "cmeel.prefix/share/example-robot-data/robots")
    return sorted(folder.rglob("*.urdf"))


def arms_of(path: Path) -> list[Robot]:
    """Arms of a file: to a few of its ends, from the last joint that no arm can have."""
    data = path.read_bytes()
    tree = tree_of(parse_description(data, strict=False))
    ends = [link for link in tree.order if not tree.leaving[link]]
    found: list[Robot] = []
    for tip in ends[:: max(1, len(ends) // 2)]:
        stops = [j.child for j in tree.above(tip) if j.type in ("floating", "planar")]
        base = stops[-1] if stops else None
        try:
            found.append(parse_urdf(data, base=base, tip=tip, strict=False))
        except ArmdynError:
            continue
    return found


@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
def test_unchanged_arm_gives_the_same_bytes_for_every_published_file() -> None:
    count = 0
    for path in published_files():
        if path.name == "ur3.urdf":  # has no name: no reader takes it
            continue
        data = path.read_bytes()
        for arm in arms_of(path):
            assert into_text(arm, data) == data, (path.name, arm.joints[-1].name)
            count += 1
    assert count > 80


def changed(arm: Robot, seed: int = 0) -> Robot:
    """The arm with other masses, inertias and drives."""
    rng = np.random.default_rng(seed)
    joints = []
    for j in arm.joints:
        scale = float(rng.uniform(1.1, 1.5))
        com = tuple(x + float(dx) for x, dx in zip(j.com, rng.normal(size=3) * 1e-3, strict=True))
        inertia = tuple(scale * x for x in j.inertia)
        drive = {"viscous": j.viscous + 0.5, "coulomb": 0.25, "rotor_inertia": 0.125}
        given = {"mass": scale * j.mass, "com": com, "inertia": inertia, **drive}
        joints.append(replace(j, **given))  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return replace(arm, joints=tuple(joints))


CHANGED = [row for row in PUBLISHED if "rightfinger" not in str(row[2])]


@pytest.mark.parametrize(("name", "base", "tip", "end", "count"), CHANGED)
def test_changed_arm_is_what_pinocchio_reads_from_the_new_file(
    name: str, base: str | None, tip: str | None, end: str, count: int, tmp_path: Path
) -> None:
    path = published(name)
    arm = changed(armdyn.load(path, base=base, tip=tip, snap=False).robot)
    new = tmp_path / "new.urdf"
    armdyn.save(arm, new, into=path)
    found = errors(arm, pin.buildModelFromUrdf(str(new)), end, base)
    assert max(found.values()) < EXACT, found
    again = armdyn.load(new, base=base, tip=tip, snap=False).robot
    for a, b in zip(again.joints, arm.joints, strict=True):
        assert (a.viscous, a.coulomb, a.rotor_inertia) == (b.viscous, b.coulomb, b.rotor_inertia)
    assert outside_of_changes(path.read_bytes()) == outside_of_changes(new.read_bytes())
    assert into_text(again, new.read_bytes()) == new.read_bytes()


def outside_of_changes(data: bytes) -> bytes:
    """The bytes of a URDF without what an arm may change in it."""
    data = re.sub(rb"\s*<(dynamics|armdyn)\b[^>]*/>", b"", data)
    for tag in (b"mass", b"inertia"):
        data = re.sub(rb"<%s\b[^>]*?>" % tag, b"<%s>" % tag, data)
    data = re.sub(rb"\s*<dynamics\b[^>]*>\s*</dynamics>", b"", data)
    return re.sub(rb"<inertial>.*?</inertial>", _without_xyz, data, flags=re.DOTALL)


def _without_xyz(found: re.Match[bytes]) -> bytes:
    return re.sub(
        rb"""\s*xyz\s*=\s*["'][^"']*["']""", b"", re.sub(rb"\s*<origin[^>]*/>", b"", found[0])
    )


def written(arm: Robot, text: str, tmp_path: Path, **given: bool) -> str:
    path, new = tmp_path / "arm.urdf", tmp_path / "new.urdf"
    path.write_text(text)
    armdyn.save(arm, new, into=path, **given)
    return new.read_text()


def with_link(arm: Robot, k: int, **given: object) -> Robot:
    joints = list(arm.joints)
    joints[k] = replace(joints[k], **given)  # type: ignore[arg-type]
    return replace(arm, joints=tuple(joints))


def test_only_the_attribute_that_changed_is_replaced(tmp_path: Path) -> None:
    arm = parse_urdf(ARM)
    text = written(with_link(arm, 0, mass=2.5), ARM, tmp_path)
    head, tail = ARM.split('<link name="a">')
    assert text == head + '<link name="a">' + tail.replace('value="2"', 'value="2.5"', 1)
    text = written(with_link(arm, 1, viscous=0.5), ARM, tmp_path)
    expected = ARM.replace('</joint>\n<joint name="tool_joint"', "@", 1)
    assert text == expected.replace(
        "@", '<dynamics damping="0.5"/></joint>\n<joint name="tool_joint"'
    )
    rotor = written(with_link(arm, 1, rotor_inertia=0.3), ARM, tmp_path)
    assert '<armdyn rotor_inertia="0.3"/></joint>\n<joint name="tool_joint"' in rotor


def test_drives_by_the_tags_of_drake_stay_there(tmp_path: Path) -> None:
    drive = (
        '<transmission><joint name="j2"/><actuator name="m"><drake:gear_ratio value="10"/>'
        '<drake:rotor_inertia value="1e-3"/></actuator></transmission>'
    )
    text = ARM.replace("</robot>", f"{drive}</robot>")
    arm = with_link(parse_urdf(text), 1, rotor_inertia=0.4)
    assert written(arm, text, tmp_path) == text.replace('"1e-3"', '"0.004"')


BRANCH = robot(
    links("base", "a", "b", "hand", "finger"), joint("j1", "base", "a"), joint("j2", "a", "b"),
    fixed("f", "b", "hand"), joint("g", "hand", "finger", "prismatic"),
)  # fmt: skip


def test_inertia_of_a_frozen_branch_is_taken_off_again(tmp_path: Path) -> None:
    arm = parse_urdf(BRANCH, tip="hand")
    assert arm.joints[1].mass == 6.0
    heavier = with_link(arm, 1, mass=7.0)
    text = written(heavier, BRANCH, tmp_path)
    old, new = (parse_description(t) for t in (BRANCH, text))
    assert {k for k in old.links if old.links[k] != new.links[k]} == {"b"}
    assert new.links["b"].inertial is not None
    assert new.links["b"].inertial.mass == pytest.approx(3.0, rel=1e-14)
    model = pin.buildModelFromXML(text)
    assert max(errors(heavier, model, "hand").values()) < 1e-12


def test_impossible_rest_is_refused_and_branches_can_be_merged(tmp_path: Path) -> None:
    light = with_link(parse_urdf(BRANCH, tip="hand"), 1, mass=3.0)
    with pytest.raises(FileError, match=facts("'b'", "'hand'", "'finger'", "-1 kg", "merge_")):
        written(light, BRANCH, tmp_path)
    assert not (tmp_path / "new.urdf").exists()
    text = written(light, BRANCH, tmp_path, merge_branches=True)
    new = parse_description(text)
    masses = {k: link.inertial.mass for k, link in new.links.items() if link.inertial}
    assert masses == {"base": 2.0, "a": 2.0, "b": 3.0, "hand": 0.0, "finger": 0.0}
    assert max(errors(light, pin.buildModelFromXML(text), "hand").values()) < 1e-12
    steep = with_link(parse_urdf(BRANCH, tip="hand"), 1, inertia=(1e-3, 0, 0, 1e-3, 0, 1e-3))
    with pytest.raises(FileError, match="merge_branches=True"):
        written(steep, BRANCH, tmp_path)


def test_mass_goes_where_the_file_has_it(tmp_path: Path) -> None:
    """Link b has no inertia of its own; a link fixed to it has."""
    text = robot(
        links("base", "a", "c"), '<link name="b"/>', joint("j1", "base", "a"),
        joint("j2", "a", "b"), fixed("f", "b", "c"),
    )  # fmt: skip
    new = written(with_link(parse_urdf(text), 1, mass=9.0), text, tmp_path)
    assert new.count("<inertial>") == 3 and 'value="9.0"' in new.split('<link name="c">')[1]


def test_link_without_an_inertia_gets_one(tmp_path: Path) -> None:
    text = robot(links("base", "a"), '<link name="b"/>', joint("1", "base", "a"),
                 joint("2", "a", "b"))  # fmt: skip
    with pytest.warns(armdyn.RobotWarning):
        arm = parse_urdf(text, strict=False)
    heavy = dict(mass=1.0, com=(0.0, 0.0, 0.1), inertia=(0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
    new = written(with_link(arm, 1, **heavy), text, tmp_path)
    assert parse_urdf(new).joints[1].mass == 1.0
    link = new[new.index('<link name="b">') :]
    assert link.startswith('<link name="b">\n  <inertial>\n    <origin xyz=')


def test_gripper_that_was_left_out_stays_as_it_is(tmp_path: Path) -> None:
    arm = parse_urdf(BRANCH, without=["hand"])
    assert written(arm, BRANCH, tmp_path) == BRANCH
    new = written(with_link(arm, 1, mass=3.0), BRANCH, tmp_path)
    [place] = [i for i, (a, b) in enumerate(zip(new, BRANCH, strict=False)) if a != b][:1]
    assert new[place - 20 : place].endswith('<mass value="')
    assert parse_urdf(new, without=["hand"]).joints[1].mass == 3.0


def test_arm_from_toml_goes_into_its_urdf(tmp_path: Path) -> None:
    arm = parse_urdf(BRANCH, tip="hand")
    armdyn.save(with_link(arm, 0, mass=5.0), tmp_path / "arm.toml")
    expected = written(with_link(arm, 0, mass=5.0), BRANCH, tmp_path)
    for frames in (True, False):
        found = armdyn.load(tmp_path / "arm.toml").robot
        found = found if frames else replace(found, frames=())
        assert written(found, BRANCH, tmp_path) == expected


def test_other_arms_are_refused(tmp_path: Path) -> None:
    arm = parse_urdf(ARM)
    with pytest.raises(FileError, match="no moving joint 'elbow'"):
        written(Robot([Joint(name="elbow", mass=1.0)]), ARM, tmp_path)
    with pytest.raises(FileError, match=facts("'j2'", "joint")):
        written(with_link(arm, 1, b=0.5), ARM, tmp_path)
    with pytest.raises(FileError, match=facts("arm", "joint")):
        written(replace(with_link(arm, 1, b=0.5), frames=()), ARM, tmp_path)


def test_arguments_of_into_are_checked(tmp_path: Path) -> None:
    arm = parse_urdf(ARM)
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    armdyn.save(with_link(arm, 0, mass=4.0), path, into=path)
    assert 'value="4.0"' in path.read_text()
    (tmp_path / "arm.toml").write_text("name = 'x'")
    for target, into, error, words in (
        ("new.toml", path, RobotError, r"must be \.urdf or \.xml"),
        ("new.urdf", tmp_path / "no.urdf", FileError, "there is no such file"),
        ("new.urdf", tmp_path / "arm.toml", FileError, "only into files of URDF"),
        ("new.urdf", 3, InputError, "`into` is 3"),
    ):
        with pytest.raises(error, match=words):
            armdyn.save(arm, tmp_path / target, into=into)  # type: ignore[arg-type]
    for given in ({"merge_branches": True}, {"packages": tmp_path}, {"arguments": {"a": 1}}):
        with pytest.raises(InputError, match=facts("`into`")) as caught:
            armdyn.save(arm, tmp_path / "new.urdf", **given)
        assert caught.value.argument == next(iter(given))
    with pytest.raises(InputError, match="`merge_branches` is 3"):
        armdyn.save(arm, tmp_path / "new.urdf", into=path, merge_branches=3)  # type: ignore[arg-type]


def test_limits_and_mimic_do_not_disturb(tmp_path: Path) -> None:
    text = ARM.replace(LIMIT, LIMIT.replace('lower="-1"', 'lower="5"'), 1)
    with pytest.warns(armdyn.RobotWarning):
        arm = parse_urdf(text, waive=("limits",))
    assert written(arm, text, tmp_path) == text


@pytest.mark.parametrize("snap", [True, False])
def test_axes_of_an_inertial_that_is_nearly_square_stay(snap: bool, tmp_path: Path) -> None:
    """Only the mass is replaced, whether 1.5708 was read as a right angle or as it is."""
    text = ARM.replace('rpy="0.3 0 0"', 'rpy="1.5708 0 0"')
    arm = with_link(parse_urdf(text, snap=snap), 1, mass=2.5)
    new = written(arm, text, tmp_path)
    head, tail = text.split('<link name="b">')
    assert new == head + '<link name="b">' + tail.replace('value="2"', 'value="2.5"', 1)
    if not snap:
        assert max(errors(arm, pin.buildModelFromXML(new), "tool").values()) < 1e-12
