"""Hostile xacro files end in an error: nothing outside is read, written or started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import armdyn
from armdyn.errors import RobotFileError
from armdyn.robot.formats.isolated.serve import Refused
from armdyn.robot.formats.xacro.expressions import evaluate
from armdyn.robot.formats.xacro.read import expanded
from armdyn.robot.formats.xacro.values import MATH, PYTHON, Budget
from support.xacro_escapes import ELEMENTS, EXPRESSIONS, YAML
from support.xacro_texts import MACROS, ROBOT

TOKEN = "the-canary-sings"

# What wrong expressions raise, as in Python.
WRONG = (
    NameError, TypeError, SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError,
)  # fmt: skip

ARM = f"""{ROBOT}
  <xacro:include filename="parts/macros.xacro"/>
  <xacro:arg name="hostile" default="open('SECRET').read()"/>
  <link name="base"/>
  <xacro:link name="upper" mass="2.0"/>
  INSIDE
</robot>
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of a robot's files, and one beside it that they must not reach."""
    root = tmp_path_factory.mktemp("escapes")
    robot, outside = root / "robot", root / "outside"
    (robot / "parts").mkdir(parents=True)
    outside.mkdir()
    (robot / "parts/macros.xacro").write_text(MACROS)
    secret = f'{ROBOT}<link name="{TOKEN}"/><!-- {TOKEN} --></robot>'
    (outside / "secret.xacro").write_text(secret)
    (outside / "package.xml").write_text("<package><name>outside</name></package>")
    (robot / "link.xacro").symlink_to(outside / "secret.xacro")
    (robot / "linked").symlink_to(outside)
    for name, text in YAML.items():
        (robot / name).write_text(text.replace("WRITTEN", str(outside / "written")))
    return robot, outside


def attempt(folders: tuple[Path, Path], inside: str) -> str:
    """Return the error of an attempt, after a look at the canary."""
    robot, outside = folders
    before = sorted(outside.iterdir()), sorted(robot.iterdir())
    text = ARM.replace("INSIDE", inside).replace("SECRET", str(outside / "secret.xacro"))
    text = text.replace("ELSEWHERE", str(outside)).replace("WRITTEN", str(outside / "written"))
    (robot / "arm.xacro").write_text(text)
    with pytest.raises(RobotFileError) as error:
        armdyn.load(robot / "arm.xacro")
    (robot / "arm.xacro").unlink()
    assert (sorted(outside.iterdir()), sorted(robot.iterdir())) == before
    assert TOKEN not in str(error.value)
    return str(error.value)


def quoted(expression: str) -> str:
    for character, name in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
        expression = expression.replace(character, name)
    return expression


def test_no_expression_gets_out(folders: tuple[Path, Path]) -> None:
    for expression in EXPRESSIONS:
        message = attempt(folders, f'<a b="${{{quoted(expression)}}}"/>')
        assert message.endswith("."), expression
        assert "crashed" not in message and "took more" not in message, (expression, message)


def test_the_evaluator_itself_refuses_them() -> None:
    names = {**PYTHON, **MATH, "python": PYTHON, "math": MATH}
    for expression in EXPRESSIONS:
        Budget.renew()
        with pytest.raises((Refused, *WRONG)):
            evaluate(expression, names)


def test_substitutions_are_evaluated_by_it_too(folders: tuple[Path, Path]) -> None:
    for text, words in (
        ("$(eval open)", "name 'open' is not defined"),
        ("$(eval __import__)", "refused for safety"),
        ("$(eval pi.__class__)", "refused for safety"),
        ("$(eval 9 ** 9 ** 9)", "more than 4096 bits"),
    ):
        assert words in attempt(folders, f'<a b="{text}"/>')


@pytest.mark.parametrize("inside", ELEMENTS, ids=range(len(ELEMENTS)))
def test_no_element_gets_out(folders: tuple[Path, Path], inside: str) -> None:
    attempt(folders, inside)


def test_the_corpus_is_large() -> None:
    assert len({*EXPRESSIONS, *ELEMENTS}) >= 140


def test_entities_are_refused(folders: tuple[Path, Path]) -> None:
    robot, outside = folders
    for entity in (
        '<!DOCTYPE r [<!ENTITY a "b">]>',
        f'<!DOCTYPE r [<!ENTITY a SYSTEM "{outside}/secret.xacro">]>',
        f'<!DOCTYPE r SYSTEM "{outside}/secret.xacro">',
        f'<!DOCTYPE r [<!ENTITY % a SYSTEM "file://{outside}/secret.xacro"> %a;]>',
    ):  # fmt: skip
        (robot / "arm.xacro").write_text(entity + ARM.replace("INSIDE", '<a b="&a;"/>'))
        with pytest.raises(RobotFileError, match="declares a document type") as error:
            armdyn.load(robot / "arm.xacro")
        assert TOKEN not in str(error.value)
    (robot / "arm.xacro").unlink()


def test_a_pipe_in_place_of_a_file_is_refused(folders: tuple[Path, Path]) -> None:
    os.mkfifo(folders[0] / "pipe.xacro")
    assert "not a regular file" in attempt(folders, '<xacro:include filename="pipe.xacro"/>')


def test_the_folder_is_read_after_it_is_permitted(folders: tuple[Path, Path]) -> None:
    robot, outside = folders
    include = '<xacro:include filename="../outside/secret.xacro"/>'
    assert f"packages=[{str(outside)!r}]" in attempt(folders, include)
    (robot / "permitted.xacro").write_text(ARM.replace("INSIDE", include))
    assert TOKEN in expanded(robot / "permitted.xacro", packages=[outside])
