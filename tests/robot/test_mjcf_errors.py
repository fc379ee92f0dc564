"""MJCF files that are wrong, or meant to harm: a clear error, and the process lives on."""

from __future__ import annotations

import gc
import os
import random
import warnings
from pathlib import Path

import pytest

import armdyn
from armdyn.errors import ArmdynError, RobotFileError
from armdyn.robot.files import read_robot
from armdyn.robot.formats.isolated import process as _process
from armdyn.robot.formats.mjcf import read as _read
from support.mjcf_texts import TWO_LINKS, mjcf
from support.mutations import mutated
from support.says import says

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'

HOSTILE = {
    "a class that is a format": ('<joint class="%s%n"/>', "MuJoCo"),
    "a billion replicas": (
        '<replicate count="1000000000"><geom size="1"/></replicate>', "replicate",
    ),
    "replicas of replicas": (
        '<replicate count="900"><replicate count="900"><geom size="1"/></replicate></replicate>',
        "replicate",
    ),
    "bodies without end": ("<body>" * 600 + "</body>" * 600, "nested more than"),
    "not a number": ('<body pos="nan 0 0"><geom size="1"/><joint/></body>', "nan"),
    "a huge number": ('<body pos="1e300 0 0"><geom size="1"/><joint/></body>', "1e+300"),
    "a word for a number": ('<body pos="one 0 0"/>', "MuJoCo refuses it"),
    "an element nobody knows": ("<boddy/>", "unrecognized element"),
    "an unknown class": ('<body childclass="none"/>', "unknown default childclass"),
    "the same name twice": ('<body name="a"/><body name="a"/>', "repeated name"),
    "an axis of no length": ('<body><geom size="1"/><joint axis="0 0 0"/></body>', "axis"),
    "an include that is not there": ('<include file="none.xml"/>', "there is no such file"),
    "an include of itself": ('<include file="arm.xml"/>', "included already"),
    "an include of a device": ('<include file="/dev/zero"/>', "outside of its folder"),
    "an include from elsewhere": ('<include file="/etc/passwd"/>', "outside of its folder"),
    "an include above": ('<include file="../other.xml"/>', "outside of its folder"),
    "an include of nothing": ("<include/>", "needs an attribute `file`"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "other.xml").write_text("<x><body name='z'/></x>")
    inner = tmp_path / "inner"
    inner.mkdir()
    return inner


def refused(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RobotFileError) as error:
        armdyn.load(path)
    return str(error.value)


@pytest.mark.parametrize(("bodies", "words"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_models_are_refused(folder: Path, bodies: str, words: str) -> None:
    assert words in refused(folder / "arm.xml", mjcf(bodies))


def test_a_crash_is_an_error_and_the_next_file_is_read(folder: Path) -> None:
    """MuJoCo takes the name of an unknown class for a format, and aborts at %n."""
    message = refused(folder / "arm.xml", mjcf('<joint class="%s%n"/>'))
    assert "MuJoCo crashed on it" in message or "MuJoCo refuses it" in message
    (folder / "arm.xml").write_text(TWO_LINKS)
    assert armdyn.load(folder / "arm.xml").n == 2


def test_files_that_are_not_mjcf_are_refused(folder: Path) -> None:
    path = folder / "arm.xml"
    assert "declares a document type" in refused(path, BOMB + TWO_LINKS)
    assert "not well-formed" in refused(path, TWO_LINKS[:300])
    assert "UTF-8" in refused(path, TWO_LINKS.encode().replace(b"two", b"tw\xff"))
    assert "not a URDF" in refused(path, "<sdf/>")
    assert "<sdf>, expected <mujoco>" in refused(folder / "arm.mjcf", "<sdf/>")
    deep = "<mujoco>" + "<default>" * 600 + "</default>" * 600 + "</mujoco>"
    assert "nested more than" in refused(path, deep)
    assert "no joint moves" in refused(path, "<mujoco/>")
    large = TWO_LINKS.replace("<worldbody>", f"<worldbody><!--{'x' * 11_000_000}-->")
    assert "more than 10 MB" in refused(path, large)


def test_a_model_that_attaches_itself_is_refused(folder: Path) -> None:
    attach = '<asset><model name="m" file="{}"/></asset>'
    body = '<attach model="m" body="a" prefix="p"/>'
    assert "attaches itself" in refused(folder / "arm.xml", mjcf(body, attach.format("arm.xml")))
    (folder / "b.xml").write_text(mjcf(body, attach.format("arm.xml")))
    assert "attaches itself" in refused(folder / "arm.xml", mjcf(body, attach.format("b.xml")))
    assert "no such file" in refused(folder / "arm.xml", mjcf(body, attach.format("none.xml")))
    assert "outside" in refused(folder / "arm.xml", mjcf(body, attach.format("../other.xml")))


def test_a_link_out_of_the_folder_is_refused(folder: Path) -> None:
    (folder / "in.xml").symlink_to(folder.parent / "other.xml")
    assert says(refused(folder / "arm.xml", mjcf('<include file="in.xml"/>')), "outside", "folder")


def test_an_error_names_the_file_and_the_line(folder: Path) -> None:
    (folder / "part.xml").write_text("<x>\n\n<body name='a'>\n<joint typ='hinge'/></body></x>")
    message = refused(folder / "arm.xml", mjcf('\n\n<include file="part.xml"/>'))
    assert "line 4 of part.xml" in message
    message = refused(folder / "arm.xml", mjcf("\n\n<body>\n<joint typ='hinge'/></body>"))
    assert "line 4 of arm.xml" in message


def test_a_model_that_takes_too_long_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _read._mujoco.stop()  # it takes a while to start again
    monkeypatch.setattr(_process, "PATIENCE", 0.001)
    assert "took more than" in refused(folder / "arm.xml", TWO_LINKS)
    monkeypatch.undo()
    assert armdyn.load(folder / "arm.xml").n == 2


def test_an_idle_process_that_ended_is_replaced(folder: Path) -> None:
    path = folder / "arm.xml"
    path.write_text(TWO_LINKS)
    read_robot(path)
    running = _read._mujoco._process
    assert running is not None
    assert running._process.stdin is not None
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), running._process.stdin.fileno())  # its input ends
    assert running.stopped() == 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert read_robot(path).n == 2
        assert _read._mujoco._process is not running
        del running
        gc.collect()
    assert not caught  # no pipe is left open


def test_nothing_is_written_beside_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """MuJoCo writes warnings to MUJOCO_LOG.TXT in the current folder, and prints them."""
    monkeypatch.chdir(folder)
    refused(folder / "arm.xml", mjcf('<body pos="nan 0 0"><geom size="1"/><joint/></body>'))
    assert sorted(os.listdir(folder)) == ["arm.xml"]
    assert capfd.readouterr() == ("", "")


def test_wrong_numbers_of_ours_are_refused(folder: Path) -> None:
    for name, words in (
        ("armdyn:elbow:mass", "not one of armdyn's"),
        ("armdyn:knee:velocity", "no such joint"),
    ):
        custom = f'<custom><numeric name="{name}" data="1"/></custom>'
        text = TWO_LINKS.replace("<worldbody>", f"{custom}<worldbody>")
        assert words in refused(folder / "arm.xml", text)


def test_a_forked_process_reads_for_itself(folder: Path) -> None:
    path = folder / "arm.xml"
    path.write_text(TWO_LINKS)
    read_robot(path)
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that other threads, such as those of JAX, are not copied
        child = os.fork()
    if child == 0:
        try:
            os._exit(0 if read_robot(path).n == 2 else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert read_robot(path).n == 2


def test_mutated_models_give_clear_errors_or_arms(folder: Path) -> None:
    rng = random.Random(0)
    path = folder / "arm.xml"
    read = 0
    for _ in range(60):
        path.write_bytes(mutated(TWO_LINKS.encode(), rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read += read_robot(path).n > 0
            except ArmdynError as error:
                assert str(error).strip()
    assert 0 < read < 60


def test_a_mesh_of_any_size_is_no_danger(tmp_path: Path) -> None:
    with (tmp_path / "huge.stl").open("wb") as file:
        file.truncate(200 << 30)  # on disk it takes nothing
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><asset><mesh name="m" file="huge.stl"/></asset><worldbody><body>'
        '<joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    with pytest.raises(RobotFileError, match="has more than 50 MB"):
        armdyn.load(path)
